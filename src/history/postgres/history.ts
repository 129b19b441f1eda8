/**
 * The history of one set of notes in PostgreSQL, which all replicas share. An edit is recorded with its texts in one
 * statement before it is made, or in the transaction that makes it. Order and times are those of the database.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EditResult } from '../../notes/edit-recorder.ts';
import type { Log } from '../../shared/log.ts';
import type { Database, Queries } from '../../state/postgres/database.ts';
import type { Leases } from '../../state/postgres/lease.ts';
import type { Change, ChangeHead, EditState } from '../change.ts';
import type { ChangeOrigin } from '../change-heads.ts';
import type { ChangeFilter } from '../change-log.ts';
import type { GitMirror } from '../git-mirror.ts';
import {
  type ChangeRecorder,
  cannotRecord,
  type History,
  type HistoryLimits,
  isChangeId,
} from '../history.ts';
import type { EditInspector } from '../recover.ts';
import type { TextHash } from '../text-pack.ts';
import { pruneHistory, sizeOf } from './prune.ts';
import { listChanges, precedingChanges } from './read.ts';
import {
  type EditKey,
  endEdit,
  insertEdit,
  type NewRecord,
  OPEN_MS,
  type Recorded,
  unpack,
} from './record.ts';
import { recoverEdits } from './recover.ts';
import type { Space } from './space.ts';
import { EDIT, OPEN, TEXT } from './tables.ts';

export interface PostgresHistoryOptions extends HistoryLimits {
  readonly database: Database;
  readonly space: Space;
  readonly leases: Leases;
  readonly log: Log;
  readonly mirror?: GitMirror;
  /** Instead of the database's clock. */
  readonly now?: () => number;
}

const USUAL_MOST = 50;
const ALIVE_MS = OPEN_MS / 3;
const RECOVER_MS = OPEN_MS / 2;
const PRUNE_MS = 3_600_000;
const SIZE_MS = 60_000;
/** Edits that take longer when the program ends are settled by another replica. */
const CLOSE_WAIT_MS = 3_000;

export function openPostgresHistory(options: PostgresHistoryOptions): History {
  return new PostgresHistory(options);
}

class PostgresHistory implements History {
  readonly #options: PostgresHistoryOptions;
  readonly #writer = randomUUID();
  readonly #ending = new Set<Promise<void>>();
  #openEdits = 0;
  #alive: NodeJS.Timeout | undefined;
  #recovering: NodeJS.Timeout | undefined;
  #pruning: NodeJS.Timeout | undefined;
  #mirrored: Promise<void> | undefined;
  #size: { readonly at: number; readonly bytes: Promise<number> } | undefined;
  #isClosed = false;

  constructor(options: PostgresHistoryOptions) {
    this.#options = options;
  }

  record(origin: ChangeOrigin): ChangeRecorder {
    let head: ChangeHead | undefined;
    let first: Promise<unknown> | undefined;
    let count = 0;
    /** The first edit of a change gets its id; edits that begin meanwhile wait for it. */
    const insert = async (
      queries: Pick<Queries, 'query'>,
      record: Omit<NewRecord, 'origin' | 'n' | 'head'>,
    ) => {
      while (!head && first) await first.catch(() => {});
      const n = count++;
      const inserting = this.#insert(queries, { ...record, origin, head, n });
      if (!head) first = inserting;
      try {
        const recorded = await inserting;
        head ??= recorded.head;
        return { ...recorded, n };
      } finally {
        if (first === inserting) first = undefined;
      }
    };
    return {
      get id() {
        return head?.id;
      },
      begin: async (edit, texts) => {
        const recorded = await insert(this.#options.database, { edit, texts }).catch((error: unknown) => {
          throw cannotRecord(error);
        });
        this.#keepAlive(1);
        const key = { change: recorded.head.id, n: recorded.n };
        return {
          done: async (result) => {
            await this.#end(key, 'done', result);
            this.#mirrored = this.#options.mirror?.commit(recorded.head, recorded.edit, texts);
          },
          failed: () => this.#end(key, 'failed'),
          unsettled: () => this.#end(key, 'open'),
        };
      },
      within: {
        database: this.#options.database,
        record: async (queries, edit, texts, made = {}) => {
          await insert(queries, { edit, texts, made });
        },
      },
    };
  }

  async #insert(queries: Pick<Queries, 'query'>, record: NewRecord): Promise<Recorded> {
    const { space, now } = this.#options;
    this.#pruning ??= this.#every(PRUNE_MS, () => this.prune());
    return insertEdit(queries, { space: await space.id(), writer: this.#writer, now }, record);
  }

  /** Never fails: the change is made, and its beginning is recorded. */
  async #end(key: EditKey, state: EditState, result?: EditResult): Promise<void> {
    const { database, space, log } = this.#options;
    const ending = (async () => {
      try {
        const at = await space.id();
        if (state !== 'open') await endEdit(database, { space: at }, key, state, result);
        else await leaveOpen(database, at, key);
      } catch (error) {
        log('warn', 'the end of a change could not be recorded; it is found out later', {
          error: String(error),
        });
      }
    })();
    this.#ending.add(ending);
    await ending;
    this.#ending.delete(ending);
    this.#keepAlive(-1);
  }

  /** While edits are open, other replicas must know that this one lives. */
  #keepAlive(more: number): void {
    const { database, now } = this.#options;
    this.#openEdits += more;
    if (this.#openEdits === 0) {
      clearInterval(this.#alive);
      this.#alive = undefined;
    } else
      this.#alive ??= this.#every(ALIVE_MS, async () => {
        const until = now
          ? `${Math.round(now() * 1000)}`
          : '(extract(epoch from clock_timestamp()) * 1000000)::bigint';
        await database.repeatable(
          `update ${OPEN} set until = ${until} + ${OPEN_MS * 1000} where writer = $1 and until > 0`,
          [this.#writer],
        );
      });
  }

  #every(milliseconds: number, work: () => Promise<void>): NodeJS.Timeout {
    const run = () => {
      work().catch((error: unknown) =>
        this.#options.log('warn', 'upkeep of the history failed', { error: String(error) }),
      );
    };
    return setInterval(run, milliseconds).unref();
  }

  async text(hash: TextHash): Promise<Buffer | undefined> {
    const { database, space } = this.#options;
    const [row] = await database.repeatable<{ size: number; data: Buffer }>(
      `select size, data from ${TEXT} where space = $1 and hash = $2`,
      [await space.id(), Buffer.from(hash, 'base64url')],
    );
    return row && unpack(hash, row.size, row.data);
  }

  async list(filter: ChangeFilter = {}, most = USUAL_MOST): Promise<Change[]> {
    const { database, space } = this.#options;
    return listChanges(database, await space.id(), filter, most);
  }

  async preceding(changes: readonly Change[]): Promise<Change[]> {
    const { database, space } = this.#options;
    return precedingChanges(database, await space.id(), changes);
  }

  async change(id: string): Promise<Change | undefined> {
    if (!isChangeId(id)) return undefined;
    const [found] = await this.list({ ids: new Set([id]) }, 1);
    return found;
  }

  /** Now, and again for as long as this replica runs: others may crash at any time. */
  async recover(inspect: EditInspector): Promise<void> {
    const recover = async () => {
      const { database, space, log, now } = this.#options;
      await recoverEdits(database, { space: await space.id(), log, now }, inspect);
    };
    if (!this.#isClosed) this.#recovering ??= this.#every(RECOVER_MS, recover);
    await recover();
  }

  /** By one replica at a time; another one that comes meanwhile leaves it to the first. */
  async prune(): Promise<void> {
    const { database, leases, space, days, maxBytes, now } = this.#options;
    const id = await space.id();
    const lease = await leases.acquire(`history clean-up ${id}`);
    if (!lease) return;
    try {
      await pruneHistory(database, { space: id, days, maxBytes, now, signal: lease.signal });
      this.#size = undefined;
    } finally {
      await lease.release();
    }
  }

  async mark(): Promise<string> {
    const { database, space } = this.#options;
    const [row] = await database.repeatable<{ mark: string }>(
      `select coalesce((select change || ' ' || n from ${EDIT} where space = $1 order by change desc, n desc limit 1), '')
         || ' ' || coalesce((select string_agg(change || n, ' ' order by change, n) from (
           select change, n from ${OPEN} where space = $1 order by change, n limit 100) as open), '') as mark`,
      [await space.id()],
    );
    return row?.mark ?? '';
  }

  /** As it was within the last minute: all of it is counted. */
  async size(): Promise<number> {
    const { database, space } = this.#options;
    if (!this.#size || performance.now() - this.#size.at > SIZE_MS) {
      const bytes = space.id().then((id) => sizeOf(database, id));
      bytes.catch(() => {
        this.#size = undefined;
      });
      this.#size = { at: performance.now(), bytes };
    }
    return this.#size.bytes;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of [this.#alive, this.#recovering, this.#pruning]) clearInterval(timer);
    const timeout = new AbortController();
    const patience = sleep(CLOSE_WAIT_MS, undefined, timeout).catch(() => {});
    await Promise.race([Promise.all([...this.#ending, this.#mirrored]), patience]);
    timeout.abort();
  }
}

/** What became of it is not known: the next look finds out. */
async function leaveOpen(database: Database, space: number, { change, n }: EditKey): Promise<void> {
  await database.repeatable(`update ${OPEN} set until = 0 where space = $1 and change = $2 and n = $3`, [
    space,
    change,
    n,
  ]);
}
