/** Sorts hits. Among equals the newer comes first, then the lesser path. */

import type { SearchRequest } from '../../notes/searcher.ts';
import { fold } from '../../notes/text/fold.ts';
import type { IndexedNote } from '../index/note-table.ts';
import { nameMatches } from './explain.ts';
import type { SearchQuery } from './parse.ts';

export interface RankedHit {
  readonly note: IndexedNote;
  /** Absent for a note that is not indexed yet. */
  readonly number?: number;
  rank: number;
}

type Compare = (a: RankedHit, b: RankedHit) => number;

/** From this many wanted hits on, sorting all is faster. */
const MANY = 200;

/** The first `most` in the wanted order. */
export function orderBy(
  found: RankedHit[],
  query: SearchQuery,
  sort: NonNullable<SearchRequest['sort']>,
  most: number,
): RankedHit[] {
  return firstBy(found, compareBy(found, query, sort), most);
}

function compareBy(
  found: readonly RankedHit[],
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

/** Keeps the best few in order, because sorting ten thousand to show twenty would be most of the work of a search. */
function firstBy<T>(found: readonly T[], compare: (a: T, b: T) => number, most: number): T[] {
  if (most > MANY || found.length <= most) return [...found].sort(compare).slice(0, most);
  const best: T[] = [];
  for (const entry of found) insert(best, entry, compare, most);
  return best;
}

/** Inserts into a sorted list of at most `most` entries. */
function insert<T>(best: T[], entry: T, compare: (a: T, b: T) => number, most: number): void {
  if (best.length === most && compare(entry, best[most - 1]!) >= 0) return;
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

/** The `most` best note numbers, best first; of equals the newer one, where times are given. */
export function bestNumbers(
  numbers: readonly number[],
  rank: Float32Array,
  most: number,
  times?: { lastModified(number: number): number },
): number[] {
  const newer = (a: number, b: number) => (times ? times.lastModified(b) - times.lastModified(a) : 0);
  const compare = (a: number, b: number) => rank[b]! - rank[a]! || newer(a, b) || a - b;
  if (most > MANY || numbers.length <= most) return firstBy(numbers, compare, most);
  const best = numbers.slice(0, most).sort(compare);
  // Most notes rank below the last of the best, which one comparison shows.
  for (let at = most; ; at++) {
    at = nextNotBelow(rank[best[most - 1]!]!, numbers, at, rank);
    if (at === numbers.length) return best;
    insert(best, numbers[at]!, compare, most);
  }
}

function nextNotBelow(bar: number, numbers: readonly number[], from: number, rank: Float32Array): number {
  let at = from;
  while (at < numbers.length && rank[numbers[at]!]! < bar) at++;
  return at;
}

/** File names, then tags, then text. */
function kindOf({ note }: RankedHit, query: SearchQuery): number {
  if (nameMatches(note.path, query)) return 0;
  const tags = fold([...note.frontmatterTags, ...note.inlineTags].join('\n'), query.folding).text;
  return query.words.length > 0 && query.words.every((word) => tags.includes(word)) ? 1 : 2;
}
