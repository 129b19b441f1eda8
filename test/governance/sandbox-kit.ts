/** The sandbox of this machine, for tests that need a real one. */
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Confinement } from '../../src/upstream/sandbox/confinement.ts';
import { type Backends, detectBackends } from '../../src/upstream/sandbox/detect.ts';
import { needOf } from '../kit/needs.ts';

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

export const backends: Backends = await detectBackends(PROJECT);

export const bubblewrap = needOf(
  'bubblewrap',
  `apt-get install bubblewrap (${backends.bwrap.detail})`,
  backends.bwrap.works,
);

export const countsProcesses = needOf(
  'a limit of processes',
  'Linux 6.14 for root, 5.14 for other users, with bubblewrap',
  backends.bwrap.processCount !== undefined,
);

/** Where there is no sandbox, the servers of tests that are about something else run without one. */
export const USUAL_SANDBOX = { policy: backends.bwrap.works ? 'enforce' : 'warn' } as const;

/** The sandboxes of a machine that has none. */
export const NO_BACKENDS: Backends = {
  bwrap: { path: undefined, works: false, detail: 'bwrap is not installed' },
  srt: { path: undefined, works: false, detail: '@anthropic-ai/sandbox-runtime is not installed' },
};

/** What a target runs in: bubblewrap as the plane would have it, or nothing. */
export function confinementOf(
  backend: 'bwrap' | 'process',
  { cwd, read = [] }: { readonly cwd?: string; readonly read?: readonly string[] } = {},
): Confinement {
  const same = (path: string) => ({ path, realPath: realpathSync(path) });
  return {
    backend,
    profile: 'restricted',
    ...(cwd !== undefined && { cwd: same(cwd) }),
    read: read.map(same),
    write: [],
    masked: [],
    isSealed: backend === 'bwrap' && backends.bwrap.canSeal === true,
    ...(backend === 'bwrap' && { bounds: { memoryMb: 2_048, cpuS: 3_600, tmpMb: 256, openFiles: 1_024 } }),
    warnings: [],
  };
}

export function testServer(name: string): string {
  return fileURLToPath(new URL(`servers/${name}`, import.meta.url));
}
