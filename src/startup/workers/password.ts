/** A worker that compares passwords with their hashes, so that requests are answered meanwhile. */
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';
import type { Comparison, ComparisonOutcome } from '../../oauth/passwords.ts';

// On Linux this is the priority of the calling thread alone; elsewhere it would be that of the whole server.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);

parentPort?.on('message', ({ id, password, hash }: Comparison) => {
  parentPort?.postMessage({ id, ...outcomeOf(password, hash) } satisfies ComparisonOutcome);
});

function outcomeOf(password: string, hash: string): { matches: boolean } | { problem: string } {
  try {
    return { matches: compareSync(password, hash) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
