/** Sorts hits. Among equals the newer comes first, then the lesser path. */

import type { SearchRequest } from '../../notes/searcher.ts';
import { fold } from '../../notes/text/fold.ts';
import type { IndexedNote } from '../index/note-table.ts';
import { nameMatches } from './explain.ts';
import type { SearchQuery } from './parse.ts';
import { firstBy } from './selection.ts';

export interface RankedHit {
  readonly note: IndexedNote;
  /** Absent for a note that is not indexed yet. */
  readonly number?: number;
  rank: number;
}

type Compare = (a: RankedHit, b: RankedHit) => number;

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

/** File names, then tags, then text. */
function kindOf({ note }: RankedHit, query: SearchQuery): number {
  if (nameMatches(note.path, query)) return 0;
  const tags = fold([...note.frontmatterTags, ...note.inlineTags].join('\n'), query.folding).text;
  return query.words.length > 0 && query.words.every((word) => tags.includes(word)) ? 1 : 2;
}
