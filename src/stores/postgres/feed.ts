/**
 * The feed of changes. Every note has the position of its last change, and so has every path that a note has left: who
 * knows the notebook up to a position finds all that has changed since, in order, however long that is ago.
 *
 * A position alone does not prove that it is one of this feed: a database that was restored, or that lost its last changes
 * in a failover, gives the same numbers to other changes. So the id of the change at the position goes with it.
 */
import type { NotePath } from '../../notes/path.ts';
import type { ListingToken, NoteChange } from '../../notes/store.ts';
import { type MetaRow, metaOf, type PostgresNotebook } from './notebook.ts';

/** Up to where the notebook is known. */
export interface Bookmark {
  readonly position: number;
  /** The id of the change there; undefined before the first. */
  readonly mark?: string | undefined;
}

export interface FeedRow extends MetaRow {
  readonly created: number;
  readonly position: number;
  readonly gone: boolean;
}

export interface FeedPage {
  readonly rows: readonly FeedRow[];
  /** After the last page: where the feed ends. Undefined while there is more. */
  readonly end?: Bookmark;
  /** Where the next page begins. */
  readonly next: number;
}

export const FEED_PAGE = 2_000;

/** Where the feed ends now. */
export async function endOf({ database, schema }: PostgresNotebook): Promise<Bookmark> {
  const [head] = await database.repeatable<{ position: number; mark: string | null }>(
    `select position, (select id from ${schema}.attempt a where a.position = h.position limit 1) as mark
       from ${schema}.head h limit 1`,
  );
  return { position: head?.position ?? 0, mark: head?.mark ?? undefined };
}

/**
 * The changes after a bookmark; undefined where that is not one of this feed. One statement sees one moment: whatever it
 * does not see yet has a position beyond the end that it sees.
 */
export async function readFeed(
  { database, schema }: PostgresNotebook,
  { position, mark }: Bookmark,
  limit = FEED_PAGE,
): Promise<FeedPage | undefined> {
  const rows = await database.repeatable<
    FeedRow & { head: number; head_mark: string | null; is_known: boolean; path: string | null }
  >(
    `select h.position as head,
        (select id from ${schema}.attempt a where a.position = h.position limit 1) as head_mark,
        ($1::bigint = 0 or $2::uuid is null or exists (select from ${schema}.attempt a where a.position = $1 and a.id = $2))
          and h.position >= $1 as is_known,
        c.path, c.size, c.modified, c.created, c.position, c.gone
      from (select position from ${schema}.head limit 1) h left join lateral (
        (select path, size, modified, created, position, false as gone from ${schema}.note
          where position > $1 order by position limit $3)
        union all
        (select path, 0, modified, 0, position, true from ${schema}.gone
          where position > $1 order by position limit $3)
        order by position limit $3) c on true`,
    [position, mark ?? null, limit],
  );
  const [first] = rows;
  if (!first?.is_known) return undefined;
  const found = rows.filter(({ path }) => path !== null) as readonly FeedRow[];
  if (found.length === limit) return { rows: found, next: found.at(-1)!.position };
  const end = { position: first.head, mark: first.head_mark ?? undefined };
  return { rows: found, end, next: end.position };
}

/** All changes after a bookmark, page by page; undefined where that is not one of this feed. */
export async function readWhole(
  notebook: PostgresNotebook,
  from: Bookmark,
  take: (rows: readonly FeedRow[]) => void,
): Promise<Bookmark | undefined> {
  let at: Bookmark = from;
  for (;;) {
    const page = await readFeed(notebook, at);
    if (!page) return undefined;
    take(page.rows);
    if (page.end) return page.end;
    at = { position: page.next };
  }
}

/** `known` is the position up to which the follower knew the notebook. */
export function changeOf(row: FeedRow, known: number): NoteChange {
  const path = row.path as NotePath;
  if (row.gone) return { kind: 'removed', path };
  return { kind: row.created > known ? 'added' : 'changed', path, meta: metaOf(row) };
}

export function tokenOf({ id }: PostgresNotebook, { position, mark }: Bookmark): ListingToken {
  return { notebook: uuidBytes(id), position: Float64Array.of(position), mark: uuidBytes(mark ?? '') };
}

/** Undefined for a token of another notebook. */
export function bookmarkIn({ id }: PostgresNotebook, token: ListingToken | undefined): Bookmark | undefined {
  const { notebook, position, mark } = token ?? {};
  if (!notebook || Buffer.compare(notebook as Uint8Array, uuidBytes(id)) !== 0) return undefined;
  const at = position?.[0];
  if (at === undefined || !Number.isSafeInteger(at) || at < 0) return undefined;
  if (at === 0) return { position: 0 };
  return mark?.length === 16 ? { position: at, mark: uuidText(mark as Uint8Array) } : undefined;
}

function uuidBytes(uuid: string): Uint8Array {
  return new Uint8Array(Buffer.from(uuid.replaceAll('-', ''), 'hex'));
}

function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
