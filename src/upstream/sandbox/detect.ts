/** Detects the sandboxes of this machine by a probe: one may be installed and still not work, as in a container. */
import { execFile } from 'node:child_process';
import { access, constants, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { release, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type Bounds,
  bubblewrapLaunch,
  countedLaunch,
  type Launch,
  type LaunchPlan,
  srtLaunch,
  srtSettings,
} from './backends.ts';
import { type ProcessCount, processCountOf } from './process-count.ts';

interface BackendStatus {
  /** Undefined when it is not installed. */
  readonly path: string | undefined;
  /** Its probe succeeded. */
  readonly works: boolean;
  /** The error of a failed probe, shortened. */
  readonly detail?: string;
  /** bubblewrap 0.8 and newer: the server can be kept from making user namespaces, and its tmpfs has a size. */
  readonly canSeal?: boolean;
  /** How it bounds the processes of a server; undefined where it cannot. */
  readonly processCount?: ProcessCount;
}

export interface Backends {
  readonly bwrap: BackendStatus;
  readonly srt: BackendStatus;
}

const FOLDERS = ['/usr/bin', '/usr/local/bin', '/bin'];
const SRT = 'node_modules/@anthropic-ai/sandbox-runtime';
const PROBE_MS = 10_000;
const MAX_DETAIL = 200;
const PROBE_BOUNDS: Bounds = { memoryMb: 256, processes: 64, cpuS: 60, tmpMb: 1, openFiles: 64 };

/** `project` is where an optional `@anthropic-ai/sandbox-runtime` would be installed. */
export async function detectBackends(
  project: string,
  folders: readonly string[] = FOLDERS,
): Promise<Backends> {
  const [bwrap, srt] = await Promise.all([detectBubblewrap(folders), detectSrt(project)]);
  return { bwrap, srt };
}

async function detectBubblewrap(folders: readonly string[]): Promise<BackendStatus> {
  const path = await firstExecutable(folders.map((folder) => join(folder, 'bwrap')));
  if (path === undefined) return { path, works: false, detail: 'bwrap is not installed' };
  return inProbeFolder(async (plan) => {
    const probeOf = (isSealed: boolean, processCount?: ProcessCount) => {
      const bounds = { ...PROBE_BOUNDS, processCount };
      const bounded = { ...plan, bounds, isSealed };
      return probe(countedLaunch(bubblewrapLaunch(path, bounded, 'restricted'), bounded));
    };
    const processCount = processCountOf(release(), process.getuid?.());
    const bounded = await probeOf(true, processCount);
    if (bounded.works) return { path, works: true, canSeal: true, processCount };
    // In a container root may lack the right to bound processes.
    const rlimit = processCount === 'namespace' ? undefined : processCount;
    const sealed = processCount === rlimit ? bounded : await probeOf(true);
    if (sealed.works) return { path, works: true, canSeal: true, processCount: rlimit };
    const { works } = await probeOf(false, rlimit);
    return works ? { path, works, canSeal: false, processCount: rlimit } : { path, ...sealed };
  });
}

async function detectSrt(project: string): Promise<BackendStatus> {
  const manifest = join(project, SRT, 'package.json');
  const cli = await readFile(manifest, 'utf8').then(
    (text) => join(dirname(manifest), cliOf(text)),
    () => undefined,
  );
  if (cli === undefined)
    return { path: cli, works: false, detail: '@anthropic-ai/sandbox-runtime is not installed' };
  const path = await realpath(cli).catch(() => cli);
  const tried = inProbeFolder(async (plan, folder) => {
    const settings = join(folder, 'settings.json');
    await writeFile(settings, JSON.stringify(srtSettings(path, plan, 'restricted')));
    return probe(srtLaunch(path, plan, settings));
  });
  return { path, ...(await tried) };
}

/** A launch plan of `true`, in a temporary folder. */
async function inProbeFolder<T>(work: (plan: LaunchPlan, folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-probe-'));
  try {
    return await work({ file: '/usr/bin/true', args: [], cwd: folder, env: {}, read: [] }, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function cliOf(manifest: string): string {
  const parsed: { bin?: { srt?: unknown } } = JSON.parse(manifest);
  return typeof parsed.bin?.srt === 'string' ? parsed.bin.srt : 'dist/cli.js';
}

async function firstExecutable(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}

function probe({ file, args, cwd, env }: Launch): Promise<{ works: boolean; detail?: string }> {
  return new Promise((resolve) => {
    execFile(file, args, { cwd, env, timeout: PROBE_MS }, (error, _, stderr) => {
      if (!error) resolve({ works: true });
      else resolve({ works: false, detail: (stderr.trim() || error.message).slice(0, MAX_DETAIL) });
    });
  });
}
