/** Waits for the index of a notebook that was just opened, but not for ever. */
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 3_000;

/** Undefined when the answer is not there in time; it may still come, and is then dropped. */
export async function inTime<T>(answer: Promise<T>): Promise<T | undefined> {
  const over = new AbortController();
  answer.catch(() => {});
  try {
    return await Promise.race([answer, sleep(PATIENCE_MS, undefined, { signal: over.signal })]);
  } finally {
    over.abort();
  }
}
