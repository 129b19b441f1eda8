/** Lists the open loops of all notes: overdue ones first, then by due day, priority and age. */
import { createHash } from 'node:crypto';
import type { SearchOptions } from '../../../notes/searcher.ts';
import { createYielder, type Yielder } from '../../../shared/async/time-slices.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Library, SearchScope } from '../../types.ts';
import { dayOfTime, daysBetween, isDay } from '../dates/calendar.ts';
import { type KnownPerson, namesOfPerson, personCalled } from '../meetings/namesakes.ts';
import { foldName, personNamed } from '../meetings/people.ts';
import { LOOP_KINDS, type Loop, type LoopKind, type Priority } from '../types.ts';
import { assertDay, assertLimit, invalidArgument } from './arguments.ts';
import { type LoopCache, SLICE_MS, scanLibrary } from './library-scan.ts';

/** The paging cursor holds its whole state, so that it stays valid across restarts. */
interface Cursor {
  /** Today on the first page; later pages use the same day. */
  readonly asOf: string;
  /** Sort key of the last loop returned. */
  readonly after: string;
}

const VERSION = 1;

function writeCursor(cursor: Cursor, filters: unknown): string {
  const parts = [VERSION, digest(filters), cursor.asOf, cursor.after];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

function readCursor(text: string, filters: unknown): Cursor {
  const [version, forFilters, asOf, after] = partsOf(text);
  if (version !== VERSION || typeof asOf !== 'string' || !isDay(asOf) || typeof after !== 'string')
    throw invalidCursor('it did not come from this tool');
  if (forFilters !== digest(filters)) throw invalidCursor('it belongs to a call with other filters');
  return { asOf, after };
}

function partsOf(text: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text.slice(0, 2_000), 'base64url').toString('utf8'));
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

function invalidCursor(problem: string): AppError {
  return new AppError('invalid_input', 'Invalid cursor', {
    subject: problem,
    hint: 'Leave cursor out to begin again, and keep the other arguments as they are while you page.',
  });
}

function digest(filters: unknown): string {
  return createHash('sha256').update(JSON.stringify(filters)).digest('hex').slice(0, 16);
}

/** Keeps the first `limit` of the added items in the order of their keys, after the key `after`. */
function createPage<Item>(limit: number, after: string | undefined) {
  const page: { key: string; item: Item }[] = [];
  let left = 0;
  return {
    /** `itemOf` is called only for items that enter the page. */
    add(key: string, itemOf: () => Item): void {
      if (after !== undefined && key <= after) return;
      const last = page.at(-1);
      if (page.length === limit && last !== undefined && key >= last.key) {
        left++;
        return;
      }
      page.splice(placeOf(page, key), 0, { key, item: itemOf() });
      if (page.length > limit) {
        page.pop();
        left++;
      }
    },
    close: () => ({ items: page.map(({ item }) => item), last: page.at(-1)?.key, hasMore: left > 0 }),
  };
}

function placeOf(page: readonly { readonly key: string }[], key: string): number {
  let low = 0;
  let high = page.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (page[middle]!.key <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface OpenLoopsRequest {
  readonly scope?: SearchScope;
  /** Default: all. */
  readonly kinds?: readonly LoopKind[];
  /** A whole name, its first word, or an alias of the person's note. */
  readonly owner?: string;
  /** `2026-12-01`; exclusive. */
  readonly dueBefore?: string;
  /** `done` includes cancelled and deferred loops. */
  readonly status?: 'open' | 'done' | 'all';
  readonly limit?: number;
  readonly cursor?: string;
}

interface ListedLoop extends Loop {
  readonly overdue: boolean;
  /** Days since its creation, else since the note's day. */
  readonly ageDays: number;
}

interface OpenLoops {
  readonly loops: readonly ListedLoop[];
  /** Counts of all matching loops, returned or not. */
  readonly counts: {
    readonly byKind: Readonly<Record<LoopKind, number>>;
    readonly overdue: number;
    readonly total: number;
  };
  readonly nextCursor?: string;
  readonly warnings: readonly string[];
}

interface OpenLoopsContext {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly cache: LoopCache;
  readonly options?: SearchOptions;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;
const LOOPS_A_STEP = 500;

export async function openLoops(
  library: Library,
  request: OpenLoopsRequest,
  { now, cache, options = {} }: OpenLoopsContext,
): Promise<OpenLoops> {
  const { cursor: written, limit = DEFAULT_LIMIT, ...filters } = request;
  assertLimit(limit, MAX_LIMIT);
  assertDay('due_before', request.dueBefore);
  assertKinds(request.kinds);
  const cursor = written === undefined ? undefined : readCursor(written, filters);
  const today = cursor?.asOf ?? dayOfTime(now) ?? '1970-01-01';
  const page = createPage<ListedLoop>(limit, cursor?.after);
  const byKind = Object.fromEntries(LOOP_KINDS.map((kind) => [kind, 0])) as Record<LoopKind, number>;
  const yielder = createYielder(SLICE_MS);
  let overdue = 0;
  let unread = 0;
  const cut: string[] = [];
  const add = ({ loop, day }: DatedLoop) => {
    const isLate = isOverdue(loop, today);
    byKind[loop.kind]++;
    if (isLate) overdue++;
    page.add(orderOf(loop, isLate, loop.created ?? day), () => list(loop, { today, day }));
  };
  const { scope = {}, owner } = request;
  const owned: DatedLoop[] = [];
  const people: KnownPerson[] = [];
  const scan = scanLibrary({ library, cache, scope, options, onUnread: () => unread++ });
  for await (const { loops, day, note, person, ...found } of scan) {
    if (found.cut) cut.push(note.sourcePath);
    if (person && owner !== undefined) people.push(person);
    for (const [index, loop] of loops.entries()) {
      if (index % LOOPS_A_STEP === 0) await yielder();
      if (!isWanted(loop, request)) continue;
      if (owner === undefined) add({ loop, day });
      else if (loop.owner !== undefined) owned.push({ loop, day });
    }
  }
  if (owner !== undefined) for (const one of await ownedBy(owner, owned, { people, yielder })) add(one);
  const { items, last, hasMore } = page.close();
  return {
    loops: items,
    counts: { byKind, overdue, total: Object.values(byKind).reduce((sum, count) => sum + count, 0) },
    nextCursor:
      hasMore && last !== undefined ? writeCursor({ asOf: today, after: last }, filters) : undefined,
    warnings: warningsOf(unread, cut),
  };
}

function assertKinds(kinds: readonly LoopKind[] = []): void {
  const strange = kinds.find((kind) => !LOOP_KINDS.includes(kind));
  if (strange !== undefined)
    throw invalidArgument(`kinds holds "${strange}"`, `Kinds are ${LOOP_KINDS.join(', ')}.`);
}

/** All but the owner, who is only known when all notes are read. */
function isWanted(loop: Loop, { kinds, dueBefore, status = 'open' }: OpenLoopsRequest): boolean {
  if (status !== 'all' && isClosed(loop) !== (status === 'done')) return false;
  if (kinds && kinds.length > 0 && !kinds.includes(loop.kind)) return false;
  return dueBefore === undefined || (loop.due !== undefined && loop.due < dueBefore);
}

interface DatedLoop {
  readonly loop: Loop;
  /** The day of its note. */
  readonly day: string | undefined;
}

interface Owners {
  readonly people: readonly KnownPerson[];
  readonly yielder: Yielder;
}

async function ownedBy(
  wanted: string,
  owned: readonly DatedLoop[],
  { people, yielder }: Owners,
): Promise<DatedLoop[]> {
  const owners = new Set(owned.flatMap(({ loop }) => loop.owner?.split(', ') ?? []));
  const named = [...owners].filter((owner) => owner.includes(' ')).map(personCalled);
  const names = new Set(namesOfPerson(wanted, [...people, ...named]).map(foldName));
  const matching = new Set<string>();
  for (const owner of owners)
    if (names.has(foldName(owner)) || personNamed([owner], wanted) !== undefined) matching.add(owner);
  const found: DatedLoop[] = [];
  for (const [index, one] of owned.entries()) {
    if (index % LOOPS_A_STEP === 0) await yielder();
    const mine = one.loop.owner ?? '';
    if (foldName(mine) === foldName(wanted) || mine.split(', ').some((name) => matching.has(name)))
      found.push(one);
  }
  return found;
}

/** What is deferred goes on elsewhere. */
function isClosed({ status }: Loop): boolean {
  return status === 'done' || status === 'cancelled' || status === 'deferred';
}

function isOverdue(loop: Loop, today: string): boolean {
  return !isClosed(loop) && loop.due !== undefined && loop.due < today;
}

function list(loop: Loop, { today, day }: { today: string; day: string | undefined }): ListedLoop {
  const since = loop.created ?? day;
  return {
    ...loop,
    overdue: isOverdue(loop, today),
    ageDays: since === undefined ? 0 : Math.max(0, daysBetween(since, today)),
  };
}

const RANKS: Readonly<Record<Priority | 'none', number>> = {
  highest: 0,
  high: 1,
  medium: 2,
  none: 3,
  low: 4,
  lowest: 5,
};
const LAST_DAY = '9999-12-31';

/** A sort key that compares as text. */
function orderOf({ due, priority, id }: Loop, isLate: boolean, since: string | undefined): string {
  return `${isLate ? 0 : 1} ${due ?? LAST_DAY} ${RANKS[priority ?? 'none']} ${since ?? LAST_DAY} ${id}`;
}

function warningsOf(unread: number, cut: readonly string[]): string[] {
  const warnings = cut.slice(0, 5).map((path) => `${path} holds more open loops than are read of one note.`);
  if (unread > 0) warnings.push(`${unread} notes could not be read as text and were skipped.`);
  return warnings;
}
