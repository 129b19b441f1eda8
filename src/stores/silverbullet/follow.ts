/**
 * Keeps the index near the truth while somebody watches: the server's events say when to look, and where there are
 * none, or for what they leave out, we look every few seconds.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../shared/log.ts';
import type { PollPace } from '../poll-pace.ts';
import type { SilverBulletClient } from './client.ts';
import type { SpaceIndex } from './space-index.ts';

interface FollowOptions {
  readonly log?: Log | undefined;
  /** When to look without events. */
  readonly pace: PollPace;
  /** Told whether the server tells of changes. */
  readonly onEvents: (hasEvents: boolean) => void;
}

/** Until a broken stream is asked for again. */
const RECONNECT_MS = 5_000;
const SETTLE_MS = 50;

/** Until the returned function is called. */
export function follow(client: SilverBulletClient, index: SpaceIndex, options: FollowOptions): () => void {
  const { log, pace, onEvents } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let hasFailed = false;
  let closeStream: (() => void) | undefined;

  const look = async () => {
    try {
      await index.refreshAnew();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed && !signal.aborted)
        log?.('warn', 'SilverBullet cannot be listed; changes are noticed later', { error: String(error) });
      hasFailed = true;
    }
  };

  const pause = (milliseconds: number) =>
    sleep(milliseconds, undefined, { signal, ref: false }).catch(() => {});

  const poll = async () => {
    while (!signal.aborted) {
      await pace.next(signal);
      if (!signal.aborted) await look();
    }
  };

  /** Resolves to whether it is worth to ask again. */
  const listen = async (): Promise<boolean> => {
    const stream = await client.events(signal);
    if (!stream) return false;
    closeStream = stream.close;
    if (signal.aborted) stream.close();
    onEvents(true);
    // Whatever happened before the stream began was not told.
    let looking = look();
    let isDue = false;
    for await (const chunk of stream.chunks) {
      if (signal.aborted) break;
      if (isDue || !Buffer.from(chunk).includes('data:')) continue;
      isDue = true;
      looking = looking
        .then(() => pause(SETTLE_MS))
        .then(() => {
          isDue = false;
          return signal.aborted ? undefined : look();
        });
    }
    return true;
  };

  const hear = async () => {
    for (let isWorthIt = true; isWorthIt && !signal.aborted; ) {
      isWorthIt = await listen().catch(() => true);
      onEvents(false);
      if (isWorthIt) await pause(RECONNECT_MS);
    }
  };

  void poll();
  void hear();
  return () => {
    stopping.abort();
    closeStream?.();
  };
}
