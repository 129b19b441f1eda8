/** Statements that record an edit, each a transaction of its own or a part of one: texts, edit and order together. */
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { EditResult, EditTexts, NewEdit } from '../../notes/edit-recorder.ts';
import { ulid } from '../../shared/ids.ts';
import type { Queries } from '../../state/postgres/database.ts';
import type { ChangeHead, Edit, EditState } from '../change.ts';
import { type ChangeOrigin, GROUP_PAUSE_MS } from '../change-heads.ts';
import { hashOf, type TextHash } from '../text-pack.ts';
import { AUTHOR, EDIT, HISTORY_ID, OPEN, TEXT, UNDOING, Values } from './tables.ts';

/** An edit that is not kept alive for so long was cut off. */
export const OPEN_MS = 60_000;
/** A text that is named again within this time is not marked anew. */
export const NAMED_MS = 10 * 60_000;
const FASTEST = { level: 1 };
const TAIL_LENGTH = 4;

export interface RecordParts {
  readonly space: number;
  /** Of this process; keeps its open edits alive. */
  readonly writer: string;
  readonly now?: () => number;
}

/** What is recorded: of a change that has begun, or of a new one. */
export interface NewRecord {
  readonly origin: ChangeOrigin;
  readonly head?: ChangeHead;
  readonly n: number;
  readonly edit: NewEdit;
  readonly texts: EditTexts;
  /** For an edit that is made in the same transaction. */
  readonly made?: EditResult;
}

interface PackedText {
  readonly hash: TextHash;
  readonly size: number;
  readonly data: Uint8Array;
}

interface HeadRow {
  readonly change: string;
  readonly change_group: string;
  readonly at: number;
}

export interface Recorded {
  readonly head: ChangeHead;
  readonly edit: Edit;
}

export async function insertEdit(
  { query }: Pick<Queries, 'query'>,
  parts: RecordParts,
  record: NewRecord,
): Promise<Recorded> {
  const { texts, origin } = record;
  const packed = new Map<TextHash, PackedText>();
  const hashes: Record<string, TextHash> = {};
  for (const [name, text] of Object.entries(texts)) {
    if (!text) continue;
    const hash = hashOf(text);
    hashes[name] = hash;
    if (!packed.has(hash)) packed.set(hash, await pack(hash, text));
  }
  const edit: Edit = { ...record.edit, ...hashes };
  const values = new Values();
  const statement = insertStatement(values, parts, { ...record, edit }, [...packed.values()]);
  const [row] = await query<HeadRow>(statement, values.all);
  if (!row) throw new Error('the edit was not inserted');
  const head = { id: row.change, group: row.change_group, at: Math.floor(row.at / 1000), ...origin };
  return { head: record.head ?? head, edit };
}

function insertStatement(
  values: Values,
  { space, writer, now }: RecordParts,
  { origin, head, n, edit, made }: NewRecord & { readonly edit: Edit },
  texts: readonly PackedText[],
): string {
  const { notebook, tool, by, undoes, acceptedBy } = origin;
  const [at, clock] = [`${values.add(space)}::integer`, values.clock(now)];
  const parts = head
    ? [
        `head as (select ${values.text(head.id)} as change, ${values.text(head.group)} as change_group,
           ${values.add(head.at * 1000)}::bigint as at, ${clock} as begun)`,
      ]
    : [
        // Never goes back: a change that begins after another one was recorded comes after it.
        `tick as (select greatest(${clock}, 1 + (
           select at from ${EDIT} where space = ${at} order by change desc limit 1)) as at)`,
        `named as (select at, ${historyId('at', values)} as change from tick)`,
        `author as (
           insert into ${AUTHOR} as known (space, author, change_group, last)
           select ${at}, ${values.hash(hashOf(Buffer.from(authorOf(by))))}, 'g' || change, at from named
           on conflict (space, author) do update set
             change_group = case when known.last > excluded.last - ${GROUP_PAUSE_MS * 1000}
               then known.change_group else excluded.change_group end,
             last = greatest(known.last, excluded.last)
           returning change_group)`,
        'head as (select change, change_group, at, at as begun from named, author)',
      ];
  if (texts.length > 0) {
    // In one order, so that two statements do not wait for each other.
    const sorted = texts.toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
    const rows = sorted.map(
      ({ hash, size, data }) =>
        `(${values.hash(hash)}, ${values.add(size)}::integer, ${values.add(data)}::bytea, ${values.add(data.length)}::integer)`,
    );
    parts.push(`kept as (
      insert into ${TEXT} as known (space, hash, size, data, bytes, named_at)
      select ${at}, hash, size, data, bytes, begun from head, (values ${rows.join(', ')}) as text (hash, size, data, bytes)
      on conflict (space, hash) do update set named_at = excluded.named_at
        where known.named_at < excluded.named_at - ${NAMED_MS * 1000})`);
  }
  const isNamed = undoes !== undefined && undoes.length > 0 && (!head || made);
  if (isNamed)
    parts.push(`undoing as (
      insert into ${UNDOING} (space, undone, by_change)
      select ${at}, undone, change from head, unnest(${values.add(undoes)}::text[]) as undone
      on conflict do nothing)`);
  if (!made)
    parts.push(`opened as (
      insert into ${OPEN} (space, change, n, writer, until)
      select ${at}, change, ${values.add(n)}::integer, ${values.text(writer)}, begun + ${OPEN_MS * 1000} from head)`);
  const columns: [string, string][] = [
    ['notebook', values.text(notebook)],
    ['tool', values.text(tool)],
    ['principal', values.text(by.principal)],
    ['client', values.text(by.client)],
    ['session', values.text(by.session)],
    ['undoes', undoesOnce(values, at, head, made ? undoes : head ? undefined : undoes)],
    ['accepted_by', values.text(acceptedBy)],
    ['kind', values.text(edit.kind)],
    ['path', values.text(edit.path)],
    ['to_path', values.text(edit.to)],
    ['before', values.hash(edit.before)],
    ['after', values.hash(edit.after)],
    ['replaced', values.hash(edit.replaced)],
    ['mode', `${values.add(edit.mode)}::integer`],
    ['form', values.text(edit.form)],
    ['part', values.text(edit.part)],
    ['title', values.text(edit.title)],
    ['trashed_to', values.text(made?.trashedTo)],
    ['made_folder', values.text(made?.madeFolder)],
    ['outcome', values.text(made?.outcome)],
  ];
  return `with ${parts.join(', ')}
    insert into ${EDIT} (space, change, n, change_group, at, begun, ${columns.map(([name]) => name).join(', ')})
    select ${at}, change, ${values.add(n)}::integer, change_group, at, greatest(begun, at),
      ${columns.map(([, value]) => value).join(', ')} from head
    returning change, change_group, at`;
}

/**
 * Once is enough: a change that undoes many has as many edits. An edit that is made in its own transaction may be the first
 * that is kept of a change whose id is known, because the transaction before was undone.
 */
function undoesOnce(
  values: Values,
  at: string,
  head: ChangeHead | undefined,
  undoes: readonly string[] | undefined,
): string {
  const named = `${values.add(undoes)}::text[]`;
  if (!head || !undoes) return named;
  return `(select ${named} where not exists (
    select from ${EDIT} as known where known.space = ${at} and known.change = ${values.text(head.id)} and known.undoes is not null))`;
}

function historyId(at: string, values: Values): string {
  const tail = ulid(0, randomBytes(TAIL_LENGTH)).slice(-TAIL_LENGTH).toLowerCase();
  return `${HISTORY_ID}(${at}, ${values.text(tail)})`;
}

/** Changes of one author that follow each other are one group. */
function authorOf({ principal, client, session }: ChangeOrigin['by']): string {
  return JSON.stringify([principal, client, session]);
}

async function pack(hash: TextHash, text: Uint8Array): Promise<PackedText> {
  const deflated = text.length === 0 ? text : await promisify(deflateRaw)(text, FASTEST);
  return { hash, size: text.length, data: deflated.length < text.length ? deflated : text };
}

/** Undefined for a damaged one. */
export async function unpack(hash: TextHash, size: number, data: Buffer): Promise<Buffer | undefined> {
  const text =
    data.length === size
      ? data
      : await promisify(inflateRaw)(data, { maxOutputLength: size }).catch(() => undefined);
  return text && hashOf(text) === hash ? text : undefined;
}

export interface EditKey {
  readonly change: string;
  readonly n: number;
}

/**
 * Ends an edit. Its beginning is on the disk; this survives the end of our process, and a moment later that of the
 * database: an end that was lost is found out as after a crash. May run twice.
 */
export async function endEdit(
  { repeatable }: { repeatable: Queries['query'] },
  { space }: Pick<RecordParts, 'space'>,
  { change, n }: EditKey,
  state: Exclude<EditState, 'open'>,
  result: EditResult = {},
): Promise<void> {
  const values = new Values();
  const key = `space = ${values.add(space)} and change = ${values.add(change)} and n = ${values.add(n)}`;
  const { trashedTo, madeFolder, outcome } = result;
  const isPlain = state === 'done' && [trashedTo, madeFolder, outcome].every((one) => one === undefined);
  await repeatable(
    `with quick as materialized (select set_config('synchronous_commit', 'off', true)),
       ended as (delete from ${OPEN} where ${key} and exists (select from quick) returning n)
     update ${EDIT} set state = ${values.text(state === 'done' ? undefined : state)},
       trashed_to = ${values.text(trashedTo)}, made_folder = ${values.text(madeFolder)}, outcome = ${values.text(outcome)}
     where ${key}${isPlain ? ' and (state is not null and not exists (select from ended))' : ''}`,
    values.all,
  );
}
