/**
 * Leases: work that only one replica does at a time, such as removing what is old. A lease ends when its holder has not
 * renewed it for a while, by the database's clock. Its holder stops counting on it earlier, by its own clock; where that
 * is not enough, a statement takes the fence along, a number that grows with every holder.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../shared/errors.ts';
import type { Database, Queries } from './database.ts';
import { STATE_SCHEMA } from './schema.ts';

export interface Lease {
  readonly name: string;
  /** Greater than that of every holder before. */
  readonly fence: number;
  /** Aborted when the lease is lost. */
  readonly signal: AbortSignal;
  /** For a transaction that must not be committed by a former holder: throws, or keeps the lease until its end. */
  assertHeld(transaction: Queries): Promise<void>;
  release(): Promise<void>;
}

export interface Leases {
  /** Undefined while somebody else has it. */
  acquire(name: string): Promise<Lease | undefined>;
  /** Waits for its turn, at most so long. */
  within<T>(
    name: string,
    options: { readonly waitMs: number; readonly busy: () => Error },
    work: (lease: Lease) => Promise<T>,
  ): Promise<T>;
  /** Runs the work on one of the replicas, again and again with a pause between; another one takes over when it is gone. */
  keep(name: string, everyMs: number, work: (lease: Lease) => Promise<void>): { stop(): Promise<void> };
}

interface LeaseOptions {
  /** How long a lease outlives its holder. */
  readonly ttlMs?: number;
  /** Of work that `keep` runs. */
  readonly onFailure?: (error: unknown) => void;
}

const TABLE = `${STATE_SCHEMA}.lease`;
const FENCE = `${STATE_SCHEMA}.lease_fence`;
const TTL_MS = 15_000;
const [MIN_PAUSE_MS, MAX_PAUSE_MS] = [10, 200];

export function openLeases(database: Database, options: LeaseOptions = {}): Leases {
  const { ttlMs = TTL_MS, onFailure = () => {} } = options;
  const until = `clock_timestamp() + interval '${ttlMs} milliseconds'`;

  const acquire = async (name: string): Promise<Lease | undefined> => {
    const holder = randomUUID();
    const askedAt = performance.now();
    const [row] = await database.query<{ fence: number }>(
      `insert into ${TABLE} as known (name, holder, fence, until) values ($1, $2, nextval('${FENCE}'), ${until})
       on conflict (name) do update set holder = $2, fence = excluded.fence, until = excluded.until
         where known.until < clock_timestamp()
       returning fence`,
      [name, holder],
    );
    return row && held(database, { name, holder, fence: row.fence, ttlMs, until, askedAt });
  };

  const within: Leases['within'] = async (name, { waitMs, busy }, work) => {
    const deadline = performance.now() + waitMs;
    for (let pause = MIN_PAUSE_MS; ; pause = Math.min(MAX_PAUSE_MS, pause * 2)) {
      const lease = await acquire(name);
      if (lease)
        try {
          return await work(lease);
        } finally {
          await lease.release();
        }
      if (performance.now() + pause > deadline) throw busy();
      await sleep(pause * (0.5 + Math.random()));
    }
  };

  const keep: Leases['keep'] = (name, everyMs, work) => {
    const stopping = new AbortController();
    const run = async () => {
      while (!stopping.signal.aborted) {
        try {
          const lease = await acquire(name);
          if (lease) await work(lease).finally(() => lease.release());
        } catch (error) {
          if (!stopping.signal.aborted) onFailure(error);
        }
        await sleep(everyMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
      }
    };
    const running = run();
    return {
      stop: () => {
        stopping.abort();
        return running;
      },
    };
  };

  return { acquire, within, keep };
}

interface HeldLease {
  readonly name: string;
  readonly holder: string;
  readonly fence: number;
  readonly ttlMs: number;
  readonly until: string;
  readonly askedAt: number;
}

function held(database: Database, { name, holder, fence, ttlMs, until, askedAt }: HeldLease): Lease {
  const lost = new AbortController();
  let isReleased = false;
  /** By our clock, from before the database was asked: it never ends the lease earlier. */
  let validUntil = askedAt + ttlMs;
  const lose = () => {
    stop();
    lost.abort(lostLease(name));
  };
  const renew = async () => {
    const sentAt = performance.now();
    const [row] = await database.repeatable<{ fence: number }>(
      `update ${TABLE} set until = ${until}
       where name = $1 and holder = $2 and fence = $3 and until > clock_timestamp() returning fence`,
      [name, holder, fence],
    );
    if (!row) lose();
    else validUntil = Math.max(validUntil, sentAt + ttlMs);
  };
  const beat = setInterval(() => {
    if (performance.now() >= validUntil) lose();
    // A database that does not answer now may at the next beat.
    else renew().catch(() => {});
  }, ttlMs / 4).unref();
  const stop = () => {
    isReleased = true;
    clearInterval(beat);
  };
  return {
    name,
    fence,
    signal: lost.signal,
    async assertHeld(transaction) {
      const [row] = await transaction.query(
        `select 1 from ${TABLE} where name = $1 and holder = $2 and fence = $3 and until > clock_timestamp() for share`,
        [name, holder, fence],
      );
      if (!row) throw lostLease(name);
    },
    async release() {
      if (isReleased) return;
      stop();
      // One that cannot be given back ends by itself.
      await database
        .repeatable(
          `delete from ${TABLE} where (name = $1 and holder = $2 and fence = $3)
             or until < clock_timestamp() - interval '1 day'`,
          [name, holder, fence],
        )
        .catch(() => {});
    },
  };
}

function lostLease(name: string): AppError {
  return new AppError('conflict', 'Another server has taken this work over', {
    subject: name,
    hint: 'Nothing more is written from here.',
  });
}
