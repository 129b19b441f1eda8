/** How serving ends: calls that run get their answer; streams that only wait are closed; then everything else. */
import { setTimeout as sleep } from 'node:timers/promises';
import { once } from '../shared/once.ts';
import type { Listening } from './listen.ts';

const DRAIN_MS = 10_000;

/** Calls that are being answered. */
export interface Work {
  readonly inFlight: number;
  /** Told when something to be answered begins; the function it returns is called when it is over. */
  begin(): () => void;
}

export function countWork(): Work {
  let inFlight = 0;
  return {
    get inFlight() {
      return inFlight;
    },
    begin() {
      inFlight++;
      return once(() => {
        inFlight--;
      });
    },
  };
}

export async function endServing(
  listening: Listening,
  work: Work,
  endpoints: readonly { close(): Promise<void> }[],
): Promise<void> {
  const drained = listening.drain(DRAIN_MS);
  const latest = Date.now() + DRAIN_MS;
  while (work.inFlight > 0 && Date.now() < latest) await sleep(20);
  await Promise.all(endpoints.map((endpoint) => endpoint.close()));
  listening.closeIdle();
  await drained;
}
