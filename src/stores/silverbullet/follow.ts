/**
 * Keeps the space index up to date while it is watched: the server's events trigger a refresh, and polling every few
 * seconds covers servers without events and changes that events leave out.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../shared/log.ts';
import type { PollPace } from '../remote.ts';
import type { SilverBulletClient } from './client.ts';
import type { SpaceIndex } from './space-index.ts';

interface FollowOptions {
  readonly log?: Log | undefined;
  /** Polling interval. */
  readonly pace: PollPace;
  /** Called with whether the server sends events. */
  readonly onEvents: (hasEvents: boolean) => void;
}

/** Delay before reconnecting a broken event stream. */
const RECONNECT_MS = 5_000;
const SETTLE_MS = 50;

/** Follows until the returned function is called. */
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

  /** Resolves to whether reconnecting makes sense. */
  const listen = async (): Promise<boolean> => {
    const stream = await client.events(signal);
    if (!stream) return false;
    closeStream = stream.close;
    if (signal.aborted) stream.close();
    onEvents(true);
    // Changes from before the stream began are not among its events.
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
