/** Reads changes from PostgreSQL: first the ids that fit, by an index and in pages, then all their edits. */

import { ulid } from '../../shared/ids.ts';
import type { Database } from '../../state/postgres/database.ts';
import type { Change, ChangeHead, EditState, RecordedEdit } from '../change.ts';
import type { ChangeFilter } from '../change-log.ts';
import { EDIT, OPEN, storable, textHashOf, UNDOING, Values } from './tables.ts';

/** Ids of one statement. */
const PAGE = 1_000;
/** Changes whose clock was ahead have an id of a later time. */
const CLOCK_MS = 3_600_000;
const MOST_UNDOINGS = 10_000;
const FEW_PATHS = 300;

type Reader = Pick<Database, 'repeatable'>;

interface EditRow {
  readonly change: string;
  readonly n: number;
  readonly change_group: string;
  readonly at: number;
  readonly begun: number;
  readonly notebook: string;
  readonly tool: string;
  readonly principal: string | null;
  readonly client: string | null;
  readonly session: string | null;
  readonly undoes: string[] | null;
  readonly accepted_by: string | null;
  readonly kind: RecordedEdit['kind'];
  readonly path: string;
  readonly to_path: string | null;
  readonly before: Buffer | null;
  readonly after: Buffer | null;
  readonly replaced: Buffer | null;
  readonly mode: number | null;
  readonly form: string | null;
  readonly part: string | null;
  readonly title: string | null;
  readonly state: EditState | null;
  readonly trashed_to: string | null;
  readonly made_folder: string | null;
  readonly outcome: string | null;
  readonly is_open: boolean;
}

/**
 * The newest first. Changes of which nothing was carried out are left out, but only when they are read: so the ids come
 * from an index alone.
 */
export async function listChanges(
  database: Reader,
  space: number,
  filter: ChangeFilter,
  most: number,
): Promise<Change[]> {
  if (filter.ids) return readChanges(database, space, [...filter.ids].slice(0, PAGE));
  const changes: Change[] = [];
  // Pages after the first make up for changes that were left out.
  for (let [before, wanted] = [filter.before, Math.min(PAGE, most)]; changes.length < most; wanted = PAGE) {
    const ids = await listIds(database, space, { ...filter, before }, wanted);
    changes.push(...(await readChanges(database, space, ids)));
    before = ids.at(-1);
    if (ids.length < wanted) break;
  }
  return changes.slice(0, most);
}

async function listIds(
  { repeatable }: Reader,
  space: number,
  filter: ChangeFilter,
  most: number,
): Promise<string[]> {
  const { path, under } = filter;
  const clients =
    filter.client === undefined ? undefined : await clientsLike(repeatable, space, filter.client);
  if (clients?.length === 0) return [];
  const values = new Values();
  const [at, limit] = [values.add(space), values.add(most)];
  const others = conditionsOf(filter, values);
  const names = clients && `${values.add(clients)}::text[]`;
  if (names && (path !== undefined || under !== undefined)) others.push(`client = any(${names})`);
  const pick = (...own: string[]) =>
    `select change from ${EDIT} as edit where ${[`space = ${at}`, ...own, ...others].join(' and ')}
     group by change order by change desc limit ${limit}`;
  const of = (from: string, condition: string) =>
    `(select own.change from unnest(${from}) as name, lateral (${pick(condition)}) as own)`;
  const ids = (...from: string[]) =>
    `select change from (${from.join(' union ')}) as found order by change desc limit ${limit}`;
  let text = pick();
  if (path !== undefined) {
    const wanted = values.text(path);
    text = ids(`(${pick(`path = ${wanted}`)})`, `(${pick(`to_path = ${wanted}`)})`);
  } else if (under !== undefined) {
    const [from, to] = [values.text(`${under}/`), values.text(`${under}0`)];
    const few = await fewPathsUnder(repeatable, space, under);
    const own = few
      ? of(`${values.add(few)}::text[]`, 'path = name')
      : `(${pick(`path >= ${from} and path < ${to}`)})`;
    text = ids(own, `(${pick(`to_path >= ${from} and to_path < ${to}`)})`);
  } else if (names) text = ids(of(names, 'client collate "C" = name'));
  return (await repeatable<{ change: string }>(text, values.all)).map(({ change }) => change);
}

/** There are few, and the index has them in order: from each to the next is one step. */
async function clientsLike(query: Reader['repeatable'], space: number, part: string): Promise<string[]> {
  const next = (than: string) => `(
    select client collate "C" from ${EDIT} where space = $1 and client collate "C" > ${than}
    order by client collate "C" limit 1)`;
  const rows = await query<{ client: string }>(
    `with recursive known (client) as (
       select ${next("''")} union all select ${next('known.client')} from known where known.client is not null)
     select client from known where strpos(lower(client), $2) > 0`,
    [space, storable(part.toLowerCase())],
  );
  return rows.map(({ client }) => client);
}

/**
 * The notes of a folder that were ever changed, unless they are many. The last changes of each are found at once, however
 * long its history is; of many notes, some were changed lately, so the database finds enough among the last changes of all.
 */
async function fewPathsUnder(
  query: Reader['repeatable'],
  space: number,
  under: string,
): Promise<string[] | undefined> {
  const next = (than: string) => `(
    select path from ${EDIT} where space = $1 and path > ${than} and path < $3 order by path limit 1)`;
  const rows = await query<{ path: string }>(
    `with recursive known (path) as (
       select ${next('$2')} union all select ${next('known.path')} from known where known.path is not null)
     select path from known where path is not null limit ${FEW_PATHS + 1}`,
    [space, storable(`${under}/`), storable(`${under}0`)],
  );
  return rows.length > FEW_PATHS ? undefined : rows.map(({ path }) => path);
}

function conditionsOf(filter: ChangeFilter, values: Values): string[] {
  const { group, session, principal, tool, notebook, since, until, before } = filter;
  const conditions: string[] = [];
  const equal = { change_group: group, session, principal, tool, notebook };
  for (const [column, value] of Object.entries(equal))
    if (value !== undefined) conditions.push(`${column} = ${values.text(value)}`);
  // By the ids too, which are an index.
  if (since !== undefined)
    conditions.push(`at >= ${values.add(since * 1000)}`, `change >= ${values.text(firstIdAt(since))}`);
  if (until !== undefined)
    conditions.push(
      `at < ${values.add((until + 1) * 1000)}`,
      `change < ${values.text(firstIdAt(until + CLOCK_MS))}`,
    );
  if (before !== undefined) conditions.push(`change < ${values.text(before)}`);
  return conditions;
}

/** No change of that time, or of a later one, has a smaller id. */
export function firstIdAt(milliseconds: number): string {
  return ulid(Math.max(0, Math.floor(milliseconds)), new Uint8Array(0)).toLowerCase();
}

/** Of each note that the changes are about, the last change before. */
export async function precedingChanges(
  database: Reader,
  space: number,
  changes: readonly Change[],
): Promise<Change[]> {
  const asked = changes
    .flatMap(({ id, edits }) =>
      edits.flatMap(({ path, to }) => [path, ...(to === undefined ? [] : [to])].map((at) => ({ id, at }))),
    )
    .slice(0, PAGE);
  const last = (column: string) =>
    `(select change from ${EDIT} where space = $1 and ${column} = asked.path and change < asked.id
      order by change desc limit 1)`;
  const rows = await database.repeatable<{ change: string }>(
    `select distinct own.change from unnest($2::text[], $3::text[]) as asked (path, id),
       lateral (${last('path')} union all ${last('to_path')}) as own`,
    [space, asked.map(({ at }) => storable(at)), asked.map(({ id }) => id)],
  );
  const paths = new Set(asked.map(({ at }) => at));
  const found = await readChanges(
    database,
    space,
    rows.map(({ change }) => change),
  );
  // Of other notes there may be later changes that were not looked for.
  const isAsked = ({ path, to }: RecordedEdit) => paths.has(path) || (to !== undefined && paths.has(to));
  return found.map((change) => ({ ...change, edits: change.edits.filter(isAsked) }));
}

async function readChanges(database: Reader, space: number, ids: readonly string[]): Promise<Change[]> {
  if (ids.length === 0) return [];
  const rows = await database.repeatable<EditRow>(
    `select edit.*, open.n is not null as is_open
     from ${EDIT} as edit left join ${OPEN} as open using (space, change, n)
     where space = $1 and change = any($2) order by change desc, n`,
    [space, ids],
  );
  const undoneBy = await undoings(database, space, ids);
  const byChange = new Map<string, EditRow[]>();
  for (const row of rows) byChange.set(row.change, [...(byChange.get(row.change) ?? []), row]);
  return [...byChange.values()]
    .map((edits) => changeOf(edits, undoneBy))
    .filter(({ edits }) => edits.length > 0);
}

function changeOf(rows: readonly EditRow[], undoneBy: ReadonlyMap<string, string>): Change {
  const head = headOf(rows[0]!);
  const undoes = rows.find((row) => row.undoes !== null)?.undoes ?? undefined;
  const edits = rows.filter(({ state, is_open: isOpen }) => isOpen || state !== 'failed').map(editOf);
  return { ...head, undoes, edits, undoneBy: undoneBy.get(head.id) };
}

function headOf(row: EditRow): ChangeHead {
  const by = {
    principal: row.principal ?? undefined,
    client: row.client ?? undefined,
    session: row.session ?? undefined,
  };
  return {
    id: row.change,
    group: row.change_group,
    at: Math.floor(row.at / 1000),
    notebook: row.notebook,
    tool: row.tool,
    by,
    acceptedBy: row.accepted_by ?? undefined,
  };
}

function editOf(row: EditRow): RecordedEdit {
  return {
    kind: row.kind,
    path: row.path,
    to: row.to_path ?? undefined,
    before: textHashOf(row.before),
    after: textHashOf(row.after),
    replaced: textHashOf(row.replaced),
    mode: row.mode ?? undefined,
    form: row.form ?? undefined,
    part: row.part ?? undefined,
    title: row.title ?? undefined,
    // With a fraction: edits of one note may follow each other within a millisecond.
    at: row.begun / 1000,
    state: row.is_open ? 'open' : (row.state ?? 'done'),
    trashedTo: row.trashed_to ?? undefined,
    madeFolder: row.made_folder ?? undefined,
    outcome: row.outcome ?? undefined,
  };
}

/** By the change that was undone. Undoing that was undone itself, or refused, does not count. */
async function undoings(
  { repeatable }: Reader,
  space: number,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await repeatable<{ undone: string; by_change: string }>(
    `with recursive found as (
       select undone, by_change from ${UNDOING} where space = $1 and undone = any($2)
       union
       select next.undone, next.by_change from found join ${UNDOING} as next
         on next.space = $1 and next.undone = found.by_change)
     select undone, by_change from found where exists (
       select from ${EDIT} where space = $1 and change = by_change and state is distinct from 'failed')
     order by by_change desc limit ${MOST_UNDOINGS}`,
    [space, ids],
  );
  const undoneBy = new Map<string, string>();
  for (const { undone, by_change: by } of rows) if (!undoneBy.has(by)) undoneBy.set(undone, by);
  return undoneBy;
}
