/**
 * Appends to a chain in PostgreSQL. Each is one statement, which locks the row of the chain, makes its lines in the database
 * and returns those of other replicas that were not known. It has a number, so that it may be sent again after a lost
 * connection.
 */
import { randomUUID } from 'node:crypto';
import { type ChainEnd, readChainLine } from '../chain-files.ts';
import type { FollowOptions } from '../chain-follow.ts';
import type { Database, Queries } from './database.ts';
import { STATE_SCHEMA } from './schema.ts';

export const LINE = `${STATE_SCHEMA}.chain_line`;
const WRITER = `${STATE_SCHEMA}.chain_writer`;
const ADD = `${STATE_SCHEMA}.chain_add`;
/** A process that has added nothing for so long does not send an append again. */
const WRITER_DAYS = 1;
/** What an append or a look has told is known for so long. */
const KNOWN_MS = 200;
const TRIES = 4;

interface AppendParts {
  readonly database: Database;
  readonly name: string;
  readonly now?: () => number;
  readonly follow?: FollowOptions;
  /** The end of the chain. */
  readonly headIn: (
    queries: Pick<Queries, 'query'>,
    lock?: string,
  ) => Promise<{ readonly id: number; readonly seq: number } | undefined>;
  readonly onAdded: (end: Appended) => Promise<void>;
}

export interface Appended extends ChainEnd {
  readonly chain: number;
  readonly is_added: boolean;
  readonly noted_seq: number;
  readonly bytes: number;
  /** After the known ones, the added ones with them. */
  readonly lines: readonly string[] | null;
}

interface InsertOptions {
  /** The last line that was told; the later ones are returned. */
  readonly known?: Partial<KnownEnd> & { readonly since: number };
  /** Nothing is added if there are more than so many later lines. */
  readonly mostUnseen?: number;
  /** Without it, the append is part of a transaction. */
  readonly number?: number;
}

interface KnownEnd {
  readonly chain: number;
  readonly seq: number;
}

export function createAppends({ database, name, now, follow, headIn, onAdded }: AppendParts) {
  const alone = { query: database.repeatable };
  const writer = randomUUID();
  let appends = 0;

  // Lines of all replicas, for whoever follows them.
  let followed: KnownEnd | undefined;
  let followedAt = Number.NEGATIVE_INFINITY;
  const tell = (lines: readonly string[], end: KnownEnd) => {
    for (const text of lines) {
      const line = readChainLine(text);
      if (line) follow?.onLine(line);
    }
    followed = { chain: end.chain, seq: end.seq };
    followedAt = performance.now();
  };
  const catchUp = async (queries: Pick<Queries, 'query'> = alone): Promise<void> => {
    const head = await headIn(queries);
    if (!head || !follow) return;
    const [from, since] = followed?.chain === head.id ? [followed.seq, 0] : [0, Math.floor(follow.since())];
    const rows = await queries.query<{ line: string }>(
      `select line from ${LINE} where chain = $1 and seq > $2 and seq <= $3 and at >= $4 order by seq`,
      [head.id, from, head.seq, since],
    );
    const lines = rows.map(({ line }) => line);
    tell(lines, { chain: head.id, seq: head.seq });
  };
  const known = () => follow && { ...followed, since: Math.floor(follow.since()) };

  // Appends and looks of this process, one at a time: lines are told in order, and appends are numbered.
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(() => work());
    turn = done.catch(() => {});
    return done;
  };

  const insert = async (
    queries: Pick<Queries, 'query'>,
    bodies: readonly string[],
    { known: end, mostUnseen, number }: InsertOptions = {},
  ): Promise<Appended | undefined> => {
    const time = now && new Date(now()).toISOString();
    const by = number === undefined ? undefined : writer;
    const [row] = await queries.query<Appended>(`select * from ${ADD}($1, $2, $3, $4, $5, $6, $7, $8, $9)`, [
      name,
      bodies,
      by,
      number,
      end?.chain,
      end && (end.seq ?? 0),
      end?.since,
      mostUnseen,
      time,
    ]);
    return row;
  };
  const isAdded = async (row: Appended): Promise<boolean> => {
    if (followed && row.chain !== followed.chain) await catchUp();
    else if (follow) tell(row.lines ?? [], row);
    if (row.is_added) await onAdded(row);
    return row.is_added;
  };
  const forgetWriters = () =>
    database.repeatable(`delete from ${WRITER} where at < now() - interval '${WRITER_DAYS} days'`);

  const append = async (room: () => number, bodies: readonly string[]): Promise<boolean> => {
    if (follow && !followed) await catchUp();
    if (appends === 0) await forgetWriters();
    const number = ++appends;
    for (let tries = 0; tries < TRIES; tries++) {
      const most = room();
      // Lines of others take room, and give none.
      if (most <= 0) return false;
      const mostUnseen = Number.isFinite(most) ? most - 1 : undefined;
      const row = await insert(alone, bodies, { known: known(), mostUnseen, number });
      if (row && (await isAdded(row))) return true;
    }
    // Others are quicker every time: the lock of the chain lets them wait.
    const row = await database.transaction(async (transaction) => {
      await headIn(transaction, 'for update');
      await catchUp(transaction);
      return room() > 0 ? insert(transaction, bodies, { known: known() }) : undefined;
    });
    return row !== undefined && isAdded(row);
  };

  return {
    /** The members of JSON objects, without the braces; whether there was room for them. */
    append: (room: () => number, bodies: readonly string[]) => inTurn(() => append(room, bodies)),
    /** As a part of a transaction; the lines are told later. */
    insert: (queries: Pick<Queries, 'query'>, bodies: readonly string[]) => insert(queries, bodies),
    /** Tells the lines of others soon, unless they are known. */
    catchUp(): void {
      const isKnown = performance.now() - followedAt < KNOWN_MS;
      if (follow && !isKnown) void inTurn(catchUp).catch(() => {});
    },
  };
}
