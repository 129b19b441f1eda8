/**
 * The one connection that listens to notifications. It is kept alive and made again when it breaks. Notifications are
 * hints: what was said while nobody listened is lost, and `onGap` tells so. A connection that hears nothing, as through a
 * pooler in transaction mode, is found out by a notification that another connection sends.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Log } from '../../shared/log.ts';
import { backoffMs } from './failures.ts';

export interface Listening {
  /** Whether notifications arrive at the moment. */
  isLive(): boolean;
  stop(): void;
}

interface ListenerOptions {
  readonly settings: pg.ClientConfig;
  readonly connectMs: number;
  readonly log: Log;
  /** Notifies by another connection. */
  readonly say: (channel: string, payload: string) => Promise<unknown>;
}

interface Subscription {
  readonly channel: string;
  heard(payload: string): void;
  onGap(): void;
}

const BEAT_MS = 2_000;
const BEAT_LATE_MS = 2_000;
/** Beats after which it is tried again whether notifications arrive. */
const BEATS_PER_PROOF = 15;
const PROOF = 'quire_proof';
/** How long a connection that hears nothing is not made again. */
const DEAF_MS = 5_000;

class Deaf extends Error {}

export function createListener({ settings, connectMs, log, say }: ListenerOptions) {
  const subscriptions = new Set<Subscription>();
  let current: pg.Client | undefined;
  let running: Promise<void> | undefined;
  let wake = () => {};
  let isClosed = false;
  let isDeaf = false;
  const own = randomUUID();
  let proven = () => {};

  const pause = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  /** Resolves when the connection is of no use any more. */
  const listenOnce = async (): Promise<void> => {
    const client = new pg.Client({ ...settings, connectionTimeoutMillis: connectMs });
    let isBroken = false;
    let isOver = false;
    const broken = () => {
      isBroken = true;
      // The last words of a connection come while the next one waits for its turn.
      if (!isOver) wake();
    };
    client.on('error', broken).on('end', broken);
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === PROOF && payload === own) proven();
      for (const one of subscriptions) if (one.channel === channel) one.heard(payload);
    });
    try {
      await client.connect();
      await client.query(`listen ${PROOF}`);
      const listened = new Set<string>();
      for (let beats = 0; !isClosed && !isBroken; beats++) {
        for (const one of subscriptions) {
          if (listened.has(one.channel)) continue;
          await client.query(`listen ${client.escapeIdentifier(one.channel)}`);
          listened.add(one.channel);
          for (const late of subscriptions) if (late.channel === one.channel) late.onGap();
        }
        if (beats % BEATS_PER_PROOF === 0) await prove();
        current = client;
        await pause(BEAT_MS);
        if (!isClosed && !isBroken) await beat(client);
      }
    } finally {
      isOver = true;
      current = undefined;
      // Not waited for: a connection that hangs would hold the next one up.
      void client.end().catch(() => {});
    }
  };

  const prove = async (): Promise<void> => {
    const heard = new Promise<void>((resolve) => {
      proven = resolve;
    });
    await say(PROOF, own);
    await inTime(heard, new Deaf('notifications do not arrive'));
    isDeaf = false;
  };

  const run = async (): Promise<void> => {
    for (let tries = 0; !isClosed; tries++) {
      const begun = Date.now();
      try {
        await listenOnce();
      } catch (error) {
        if (isClosed) return;
        if (tries === 0 && !isDeaf)
          log('warn', 'notifications of the database are not heard', { reason: String(error) });
        isDeaf = error instanceof Deaf;
      }
      if (Date.now() - begun > BEAT_MS) tries = 0;
      if (!isClosed) await pause(isDeaf ? DEAF_MS : backoffMs(tries));
    }
  };

  return {
    listen(channel: string, heard: (payload: string) => void, onGap: () => void): Listening {
      const subscription = { channel, heard, onGap };
      subscriptions.add(subscription);
      if (running) wake();
      else running = run();
      return {
        isLive: () => current !== undefined,
        stop: () => void subscriptions.delete(subscription),
      };
    },
    async close(): Promise<void> {
      isClosed = true;
      wake();
      await running;
    },
  };
}

/** A connection can be dead without a word of it. */
async function beat(client: pg.Client): Promise<void> {
  const answered = client.query('select 1');
  answered.catch(() => {});
  await inTime(answered, new Error('no answer to a heartbeat'));
}

async function inTime(awaited: Promise<unknown>, late: Error): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late), BEAT_LATE_MS);
  });
  try {
    await Promise.race([awaited, expired]);
  } finally {
    clearTimeout(timer);
  }
}
