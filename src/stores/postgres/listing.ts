/** Listings: of all notes, of those that changed since an earlier one, and of one folder. */
import { joinPath, type NotePath, nameOf, ROOT } from '../../notes/path.ts';
import type { FolderEntries, Listing, ListingChanges, NoteMeta } from '../../notes/store.ts';
import { type Bookmark, bookmarkIn, endOf, type FeedRow, readWhole, tokenOf } from './feed.ts';
import { metaOf, missing, type PostgresNotebook, storedPath } from './notebook.ts';

const PAGE = 10_000;
const LAST_CHARACTER = '\u{10ffff}';

/** In path order. */
export async function listNotes(
  notebook: PostgresNotebook,
  under: NotePath = ROOT,
  signal?: AbortSignal,
): Promise<NoteMeta[]> {
  const found = new Map<string, NoteMeta>();
  const begun = await endOf(notebook);
  for await (const page of pagesOf(notebook, storedPath(under))) {
    signal?.throwIfAborted();
    for (const meta of page) found.set(meta.path, meta);
  }
  const isUnder = ({ path }: FeedRow) => under === '' || path.startsWith(`${storedPath(under)}/`);
  const isSame = await applyFeed(notebook, begun, (rows) => {
    for (const row of rows.filter(isUnder)) {
      if (row.gone) found.delete(row.path);
      else found.set(row.path, metaOf(row));
    }
  });
  // The database was exchanged for another state of itself meanwhile.
  if (!isSame) return listNotes(notebook, under, signal);
  return [...found.values()]
    .filter(({ path }) => notebook.isVisible(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A note that was moved while its listing went on may have been on no page of it. */
async function applyFeed(
  notebook: PostgresNotebook,
  begun: Bookmark,
  take: (rows: readonly FeedRow[]) => void,
): Promise<Bookmark | undefined> {
  return readWhole(notebook, begun, take);
}

/** Joined texts, because a row for each of very many notes takes several times as long. */
interface PageRow {
  readonly paths: string | null;
  readonly sizes: string;
  readonly times: string;
}

async function* pagesOf({ database, schema }: PostgresNotebook, under: NotePath): AsyncGenerator<NoteMeta[]> {
  const [lowest, beyond] = under === ROOT ? ['', undefined] : [`${under}/`, `${under}0`];
  for (let after = lowest; ; ) {
    const [page] = await database.repeatable<PageRow>(
      `select string_agg(path, E'\\n' order by path) as paths, string_agg(size::text, ',' order by path) as sizes,
          string_agg(modified::text, ',' order by path) as times
        from (select path, size, modified from ${schema}.note
          where path > $1 and ($2::text is null or path < $2) order by path limit $3) page`,
      [after, beyond ?? null, PAGE],
    );
    if (!page || page.paths === null) return;
    const paths = page.paths.split('\n');
    const sizes = page.sizes.split(',');
    const times = page.times.split(',');
    yield paths.map((path, row) => metaOf({ path, size: Number(sizes[row]), modified: Number(times[row]) }));
    if (paths.length < PAGE) return;
    after = paths.at(-1)!;
  }
}

/** By the feed where the earlier listing has a bookmark of it, else by a comparison with all notes. */
export async function relist(
  notebook: PostgresNotebook,
  before: Listing,
  onChanged?: (changed: readonly NoteMeta[]) => void,
): Promise<ListingChanges> {
  const bookmark = bookmarkIn(notebook, before.token);
  const since = bookmark && (await changesSince(notebook, bookmark));
  return since ?? compare(notebook, before, onChanged);
}

async function changesSince(
  notebook: PostgresNotebook,
  bookmark: Bookmark,
): Promise<ListingChanges | undefined> {
  // A path may come up twice, when it changes while the pages are read: the latest counts.
  const rows = new Map<string, FeedRow>();
  const end = await readWhole(notebook, bookmark, (page) => {
    for (const row of page) if (notebook.isVisible(row.path)) rows.set(row.path, row);
  });
  if (!end) return undefined;
  const found = [...rows.values()];
  return {
    changed: found.filter(({ gone }) => !gone).map(metaOf),
    removed: found.filter(({ gone }) => gone).map(({ path }) => path as NotePath),
    token: tokenOf(notebook, end),
  };
}

async function compare(
  notebook: PostgresNotebook,
  before: Listing,
  onChanged: ((changed: readonly NoteMeta[]) => void) | undefined,
): Promise<ListingChanges> {
  const left = new Map(before.paths.map((path, row) => [path as string, row]));
  const changed: NoteMeta[] = [];
  const report = onChanged ?? ((metas: readonly NoteMeta[]) => void changed.push(...metas));
  const begun = await endOf(notebook);
  for await (const page of pagesOf(notebook, ROOT)) {
    const news = page.filter(({ path, size, lastModified }) => {
      if (!notebook.isVisible(path)) return false;
      const row = left.get(path);
      if (row === undefined) return true;
      left.delete(path);
      return before.sizes[row] !== size || before.times[row] !== lastModified;
    });
    if (news.length > 0) report(news);
  }
  const since = await changesSince(notebook, begun);
  if (!since) return compare(notebook, before, onChanged);
  const alive = new Set(since.changed.map(({ path }) => path));
  return {
    changed: [...changed, ...since.changed],
    removed: [...(left.keys() as Iterable<NotePath>), ...since.removed].filter((path) => !alive.has(path)),
    token: since.token,
  };
}

/**
 * Looks at one note of each folder below only, however many are in it: from the first folder that begins with a name it
 * goes to the first one that does not. "0" is the character after "/".
 */
export async function listFolder(notebook: PostgresNotebook, asked: NotePath): Promise<FolderEntries> {
  const { database, schema, isVisible } = notebook;
  const folder = storedPath(asked);
  const prefix = folder === ROOT ? '' : `${folder}/`;
  const shown = (name: string) => isVisible(joinPath(folder, name));
  const [files, folders] = await Promise.all([
    database.repeatable<{ path: string }>(`select path from ${schema}.note where folder = $1`, [folder]),
    database.repeatable<{ name: string }>(
      `with recursive below (folder, name) as (
          (select folder, split_part(substr(folder, length($1) + 1), '/', 1) from ${schema}.note
            where folder >= $1 || chr(1) and folder < $2 order by folder limit 1)
          union all
          select next.folder, split_part(substr(next.folder, length($1) + 1), '/', 1) from below,
            lateral (select n.folder from ${schema}.note n
              where n.folder >= case when below.folder = $1 || below.name then below.folder || chr(1)
                  else $1 || below.name || '0' end
                and n.folder < $2
              order by n.folder limit 1) next)
        select distinct name from below`,
      // A bound of the index also for the root: else all that follows would be looked at.
      [prefix, folder === ROOT ? LAST_CHARACTER : `${folder}0`],
    ),
  ]);
  if (files.length === 0 && folders.length === 0 && folder !== ROOT) throw missing(asked);
  return {
    folders: folders
      .map(({ name }) => name)
      .filter(shown)
      .sort(),
    files: files
      .map(({ path }) => nameOf(path))
      .filter(shown)
      .sort(),
  };
}
