/**
 * Removes the oldest changes of a history beyond its limits, and texts that no other change names: those that were named
 * for the last time before the oldest change that is kept.
 */
import type { Database } from '../../state/postgres/database.ts';
import { firstIdAt } from './read.ts';
import { NAMED_MS } from './record.ts';
import { AUTHOR, EDIT, OPEN, TEXT, UNDOING, Values } from './tables.ts';

interface PruneParts {
  readonly space: number;
  readonly days: number;
  readonly maxBytes: number;
  readonly now?: () => number;
  readonly signal: AbortSignal;
}

const DAY_MS = 86_400_000;
/** Rows of one statement. */
const AT_ONCE = 5_000;
/** A record without its texts, with its place in the indexes. */
const RECORD_BYTES = 500;
/** No statement that records an edit takes longer. */
const RECORDING_MS = 60_000;
const MOST_ROUNDS = 20;

export async function pruneHistory(database: Database, parts: PruneParts): Promise<void> {
  const now = await timeOf(database, parts.now);
  await removeBefore(database, parts, now - parts.days * DAY_MS);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const excess = (await sizeOf(database, parts.space)) - parts.maxBytes;
    const until = excess > 0 ? await reach(database, parts.space, excess) : undefined;
    if (until === undefined) return;
    await removeBefore(database, parts, Math.min(until, now - RECORDING_MS));
    if (until >= now - RECORDING_MS) return;
  }
}

async function timeOf({ repeatable }: Database, now: (() => number) | undefined): Promise<number> {
  const values = new Values();
  const [row] = await repeatable<{ at: number }>(`select ${values.clock(now)} as at`, values.all);
  return Math.floor((row?.at ?? 0) / 1000);
}

/** The time before which changes and texts of so many bytes were recorded; undefined when there is nothing. */
async function reach({ repeatable }: Database, space: number, bytes: number): Promise<number | undefined> {
  const [row] = await repeatable<{ until: number }>(
    `select named_at / 1000 as until from (
       select named_at, sum(bytes + ${RECORD_BYTES}) over (order by named_at rows unbounded preceding) as freed
       from ${TEXT} where space = $1) as text
     where freed >= $2 order by named_at limit 1`,
    [space, bytes],
  );
  return row && row.until + NAMED_MS + 1;
}

async function removeBefore(
  database: Database,
  { space, signal }: PruneParts,
  milliseconds: number,
): Promise<void> {
  const [change, micros] = [firstIdAt(milliseconds), Math.floor(milliseconds) * 1000];
  const remove = async (text: string, ...values: readonly unknown[]) => {
    for (let removed = AT_ONCE; removed === AT_ONCE; ) {
      signal.throwIfAborted();
      removed = (await database.repeatable(text, [space, ...values])).length;
    }
  };
  await remove(
    `delete from ${EDIT} where (space, change, n) in (
       select space, change, n from ${EDIT} as old where space = $1 and change < $2 and not exists (
         select from ${OPEN} as open where open.space = old.space and open.change = old.change)
       order by change, n limit ${AT_ONCE}) returning 1`,
    change,
  );
  await remove(
    // Asked twice: one that an edit has named since it was found stays.
    `delete from ${TEXT} where named_at < $2 and (space, hash) in (
       select space, hash from ${TEXT} where space = $1 and named_at < $2 order by named_at limit ${AT_ONCE}) returning 1`,
    micros - NAMED_MS * 1000,
  );
  await remove(
    `delete from ${UNDOING} where (space, undone, by_change) in (
       select space, undone, by_change from ${UNDOING} where space = $1 and by_change < $2 limit ${AT_ONCE}) returning 1`,
    change,
  );
  await remove(
    `delete from ${AUTHOR} where last < $2 and (space, author) in (
       select space, author from ${AUTHOR} where space = $1 and last < $2 limit ${AT_ONCE}) returning 1`,
    micros,
  );
}

export async function sizeOf({ repeatable }: Pick<Database, 'repeatable'>, space: number): Promise<number> {
  const [row] = await repeatable<{ bytes: string }>(
    `select (select coalesce(sum(bytes), 0) from ${TEXT} where space = $1)
       + ${RECORD_BYTES} * (select count(*) from ${EDIT} where space = $1) as bytes`,
    [space],
  );
  return Number(row?.bytes ?? 0);
}
