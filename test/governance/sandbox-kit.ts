/** The sandbox of this machine, for tests that need a real one. */
import { fileURLToPath } from 'node:url';
import { type Backends, detectBackends } from '../../src/upstream/sandbox/detect.ts';
import { needOf } from '../kit/needs.ts';

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

export const backends: Backends = await detectBackends(PROJECT);

export const bubblewrap = needOf(
  'bubblewrap',
  `apt-get install bubblewrap (${backends.bwrap.detail})`,
  backends.bwrap.works,
);

export function testServer(name: string): string {
  return fileURLToPath(new URL(`servers/${name}`, import.meta.url));
}
