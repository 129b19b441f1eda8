/** Which notes the links by title (`[[Title]]`) of a text mean: those whose title no other note has. */
import type { TriliumClient } from './client.ts';
import { quoted } from './search/validate.ts';
import { isSystemId } from './wire/ids.ts';
import type { CallOptions } from './wire/types.ts';

/** Of one text; further links stay texts. */
const MAX_TITLES = 100;
/** A query stands in an address, which has an end. */
const MAX_QUERY_LENGTH = 3_000;
const MAX_TITLE_LENGTH = 200;
const LINK = /\[\[([^[\]\n]{1,1000})\]\]/g;

/** Ids of notes by their titles. Asks nothing if the text has no such link. */
export async function linkedNotes(
  client: Pick<TriliumClient, 'search'>,
  markdown: string,
  options?: CallOptions,
): Promise<ReadonlyMap<string, string>> {
  const titles = titlesIn(markdown);
  const found = new Map<string, Set<string>>();
  for (const search of queriesFor(titles)) {
    const { results } = await client.search(
      { search, fastSearch: true, includeArchivedNotes: true },
      options,
    );
    // Trilium compares without regard to case, and may answer more than was asked for.
    for (const { title, noteId } of results) {
      if (!titles.has(title) || isSystemId(noteId)) continue;
      const ids = found.get(title) ?? new Set();
      found.set(title, ids.add(noteId));
    }
  }
  return new Map([...found].flatMap(([title, ids]) => (ids.size === 1 ? [[title, [...ids][0]!]] : [])));
}

function titlesIn(markdown: string): ReadonlySet<string> {
  const titles = new Set<string>();
  for (const [, written] of markdown.matchAll(LINK)) {
    const title = written!.trim();
    if (title !== '' && title.length <= MAX_TITLE_LENGTH) titles.add(title);
    if (titles.size >= MAX_TITLES) break;
  }
  return titles;
}

function queriesFor(titles: ReadonlySet<string>): string[] {
  const queries: string[] = [];
  for (const title of titles) {
    const condition = `note.title = ${quoted(title)}`;
    const last = queries[queries.length - 1];
    if (last !== undefined && last.length + condition.length < MAX_QUERY_LENGTH)
      queries[queries.length - 1] = `${last} OR ${condition}`;
    else queries.push(condition);
  }
  return queries;
}
