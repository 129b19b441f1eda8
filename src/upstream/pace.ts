/**
 * A server's share of the event loop. Reading its messages may take a short burst, and then a fraction of the time: its
 * pipe or socket is not read meanwhile, so that the server waits, and not our other calls.
 */
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

interface PaceOptions {
  /** Work that may be done at once. */
  readonly burstMs?: number;
  /** The part of the time that may be spent after that. */
  readonly share?: number;
  /** Work within one turn of the event loop. */
  readonly turnMs?: number;
  readonly now?: () => number;
}

/** To be called after each piece of work: undefined to go on at once, or a promise of when to go on. */
export type Pacer = (workMs: number) => Promise<unknown> | undefined;

const MAX_PAUSE_MS = 1_000;

export function createPacer(options: PaceOptions = {}): Pacer {
  const { burstMs = 20, share = 0.25, turnMs = 4, now = () => performance.now() } = options;
  let credit = burstMs;
  let at = now();
  let inThisTurn = 0;
  return (workMs) => {
    const elapsed = now() - at;
    at += elapsed;
    credit = Math.min(burstMs, credit + elapsed * share) - workMs;
    inThisTurn += workMs;
    if (credit >= 0 && inThisTurn < turnMs) return undefined;
    inThisTurn = 0;
    return credit < 0 ? sleep(Math.min(-credit / share, MAX_PAUSE_MS)) : nextTurn();
  };
}

/** Small, because a piece may hold many messages, each of which is some work. */
const PIECE_BYTES = 4 * 1024;
const NEWLINE = 10;

/** Reads a stream piece by piece. It is paused while its share is used up. */
export function readPaced(
  stream: Readable,
  read: (piece: Buffer) => void,
  pace: Pacer = createPacer(),
): void {
  const readAll = async (chunk: Buffer) => {
    const size = chunk.length > PIECE_BYTES && chunk.includes(NEWLINE) ? PIECE_BYTES : chunk.length;
    for (let from = 0; from < chunk.length; from += size) {
      const begun = performance.now();
      read(size === chunk.length ? chunk : chunk.subarray(from, from + size));
      const wait = pace(performance.now() - begun);
      if (!wait) continue;
      stream.pause();
      await wait;
    }
    stream.resume();
  };
  stream.on('data', (chunk: Buffer) => void readAll(chunk));
}
