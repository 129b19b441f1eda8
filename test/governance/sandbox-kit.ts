/** The sandbox of this machine, for tests that need a real one. */
import { fileURLToPath } from 'node:url';
import { type Backends, detectBackends } from '../../src/governance/sandbox/detect.ts';

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

export const backends: Backends = await detectBackends(PROJECT);

/** Tests that are skipped for want of a sandbox say so. */
export const hasNoBubblewrap = !backends.bwrap.works;
if (hasNoBubblewrap)
  process.stderr.write(
    `\n*** bubblewrap does not work here (${backends.bwrap.detail}): NOTHING IS TESTED IN A SANDBOX. apt-get install bubblewrap ***\n`,
  );

export function testServer(name: string): string {
  return fileURLToPath(new URL(`servers/${name}`, import.meta.url));
}
