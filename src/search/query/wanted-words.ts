/**
 * The words of an index that one query asks for. Of notes that are not indexed yet these alone are indexed to answer it,
 * and notes that cannot have any are told by their bytes.
 */
import { beginningsOf, termOf } from '../../notes/text/stems.ts';
import { LONG_RUN_MARK } from '../../notes/text/tokens.ts';
import { type NoteIndex, nameMark, type WordFilter } from '../index/note-index.ts';
import { literalTokens, wordsFor } from './literal-tokens.ts';
import type { SearchQuery } from './parse.ts';

/** Plain data, for a worker. */
export type QueryWords = SearchQuery['indexed'];

export interface WantedWords extends WordFilter {
  /** False when no word of the folded text is wanted. */
  mayStandIn(folded: string): boolean;
  /** The same of ASCII, folded or not. */
  mayStandInAscii(text: string): boolean;
}

export function createWantedWords({ words, literal }: QueryWords): WantedWords {
  const terms = new Set(words.map(termOf));
  const marks = new Set([LONG_RUN_MARK, nameMark(literal)]);
  const tokens = literalTokens(literal);
  const isPartOf = (word: string) =>
    tokens.some(({ text, openLeft, openRight }) => {
      if (openLeft && openRight) return word.includes(text);
      if (openLeft) return word.endsWith(text);
      return openRight ? word.startsWith(text) : word === text;
    });
  // A note that holds the query as it stands holds its words, so that these are enough to look for.
  const beginnings = [...new Set(words.flatMap(beginningsOf))];
  const plain = beginnings.filter((beginning) => /^[a-z0-9]*$/.test(beginning));
  const pattern = plain.length === 0 ? undefined : new RegExp(plain.join('|'), 'i');
  const wants = (word: string) => marks.has(word) || terms.has(termOf(word)) || isPartOf(word);
  /** By hash: the same words come again and again. */
  const known = new Map<number, boolean>();
  return {
    wants,
    wantsToken: (folded, start, end, hash) => {
      const before = known.get(hash);
      if (before !== undefined) return before;
      const isWanted = wants(folded.slice(start, end));
      known.set(hash, isWanted);
      return isWanted;
    },
    mayStandIn: (folded) => beginnings.some((beginning) => folded.includes(beginning)),
    mayStandInAscii: (text) => pattern?.test(text) ?? false,
  };
}

/** The part of an index that the query asks for. */
export function wantedPart(index: NoteIndex, { words, literal }: QueryWords): NoteIndex {
  const marks = [LONG_RUN_MARK, nameMark(literal)].flatMap((mark) => index.vocabulary.find(mark) ?? []);
  const found = new Set(marks);
  for (const word of words) index.stems.forEachLike(word, (like) => found.add(like));
  for (const token of literalTokens(literal)) for (const word of wordsFor(index, token)) found.add(word);
  return index.restrictedTo(found);
}
