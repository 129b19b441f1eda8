/** The order of what was found. Where the wanted order does not decide, newer comes first, then the path. */
import { fold } from '../notes/fold.ts';
import type { SearchRequest } from '../notes/searcher.ts';
import { nameMatches } from './explain.ts';
import type { IndexedNote } from './note-table.ts';
import type { SearchQuery } from './query.ts';

export interface Found {
  readonly note: IndexedNote;
  rank: number;
}

type Compare = (a: Found, b: Found) => number;

/** The first `most` in the wanted order. */
export function orderBy(
  found: Found[],
  query: SearchQuery,
  sort: NonNullable<SearchRequest['sort']>,
  most: number,
): Found[] {
  return firstBy(found, compareBy(found, query, sort), most);
}

function compareBy(
  found: readonly Found[],
  query: SearchQuery,
  sort: NonNullable<SearchRequest['sort']>,
): Compare {
  const byPath: Compare = (a, b) => (a.note.path < b.note.path ? -1 : 1);
  const newer: Compare = (a, b) => b.note.lastModified - a.note.lastModified || byPath(a, b);
  const relevance: Compare = (a, b) => b.rank - a.rank || newer(a, b);
  switch (sort) {
    case 'name':
      return byPath;
    case 'modified':
      return newer;
    case 'relevance':
      return relevance;
    case 'kind': {
      const kinds = new Map(found.map((entry) => [entry, kindOf(entry, query)]));
      return (a, b) => kinds.get(a)! - kinds.get(b)! || relevance(a, b);
    }
  }
}

/** Sorting ten thousand to show twenty is most of the work of a search; keeping the best twenty is not. */
function firstBy<T>(found: readonly T[], compare: (a: T, b: T) => number, most: number): T[] {
  if (most > 200 || found.length <= most) return [...found].sort(compare).slice(0, most);
  const best: T[] = [];
  for (const entry of found) {
    if (best.length === most && compare(entry, best[most - 1]!) >= 0) continue;
    let low = 0;
    let high = best.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(entry, best[middle]!) < 0) high = middle;
      else low = middle + 1;
    }
    best.splice(low, 0, entry);
    if (best.length > most) best.pop();
  }
  return best;
}

/** The `most` best note numbers, best first; of equals the newer one. */
export function bestNumbers(
  numbers: readonly number[],
  rank: Float32Array,
  most: number,
  lastModified: (number: number) => number = () => 0,
): number[] {
  const compare = (a: number, b: number) => rank[b]! - rank[a]! || lastModified(b) - lastModified(a) || a - b;
  return firstBy(numbers, compare, most);
}

/** File names, then tags, then text. */
function kindOf({ note }: Found, query: SearchQuery): number {
  if (nameMatches(note.path, query)) return 0;
  const tags = fold([...note.frontmatterTags, ...note.inlineTags].join('\n'), query.folding).text;
  return query.words.length > 0 && query.words.every((word) => tags.includes(word)) ? 1 : 2;
}
