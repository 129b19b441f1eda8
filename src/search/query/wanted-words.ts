/**
 * The words of an index that one query asks for. Of notes that are not indexed yet these alone are indexed to answer it,
 * and notes that cannot have any are told by their bytes.
 */
import { SEARCH_FOLDING } from '../../notes/text/fold.ts';
import { beginningsOf, createBeginnings, termOf } from '../../notes/text/stems.ts';
import { LONG_RUN_MARK } from '../../notes/text/tokens.ts';
import { type NoteIndex, nameMark, type WordFilter } from '../index/note-index.ts';
import { type LiteralToken, literalTokens, wordsFor } from './literal-tokens.ts';
import { patternFor } from './occurrences.ts';
import type { SearchQuery } from './parse.ts';
import { createSkim, type Skim } from './skim.ts';

/** Plain data, for a worker. */
export type QueryWords = SearchQuery['indexed'] & {
  /** Whether the fields of all notes that match are needed, not only those of the hits shown. */
  readonly withFields?: boolean;
};

export interface WantedWords extends WordFilter {
  /** False when no word of the text is wanted. It is folded, or ASCII. */
  mayStandIn(text: string): boolean;
  /** Undefined where the notes have to be read word by word. */
  readonly skim: Skim | undefined;
}

export function createWantedWords({ words, literal, withFields }: QueryWords): WantedWords {
  const terms = new Set(words.map(termOf));
  const marks = new Set([LONG_RUN_MARK, nameMark(literal)]);
  const tokens = literalTokens(literal);
  const beginnings = [...new Set(words.flatMap(beginningsOf))];
  const pattern = patternOf(
    beginnings,
    tokens.slice(0, 1).filter(({ text, openLeft }) => openLeft && words.includes(text)),
  );
  const begins = beginnings.some((beginning) => beginning.length < 2 && isPlain(beginning))
    ? undefined
    : createBeginnings(beginnings);
  const canSkim =
    withFields !== true &&
    beginnings.every((beginning) => beginning.length > 1) &&
    !literal.includes('\n') &&
    [...beginnings, ...tokens.map(({ text }) => text)].every(isPlain);
  const isPartOf = (word: string) =>
    tokens.some(({ text, openLeft, openRight }) => {
      if (openLeft && openRight) return word.includes(text);
      if (openLeft) return word.endsWith(text);
      return openRight ? word.startsWith(text) : word === text;
    });
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
    mayStandIn: (text) => pattern.test(text),
    skim: canSkim
      ? createSkim({
          pattern: new RegExp(pattern.source, 'gi'),
          wants,
          whole: tokens[0]?.text === literal ? undefined : patternFor(literal, SEARCH_FOLDING),
        })
      : undefined,
    // Only to show that a note holds the query as it stands are its other words needed.
    beginningsIn: (folded) => (folded.includes(literal) ? undefined : begins),
  };
}

/**
 * A note that matches has a word that begins as one of the query does, or holds the query as it stands: then it has all
 * of its words, the first of them perhaps at the end of a longer one.
 */
function patternOf(beginnings: readonly string[], anywhere: readonly LiteralToken[]): RegExp {
  const plain = beginnings.filter(isPlain).map((beginning) => `(?<![a-z0-9])${beginning}`);
  const others = beginnings.filter((beginning) => !isPlain(beginning));
  return new RegExp([...plain, ...others, ...anywhere.map(({ text }) => text)].join('|'), 'i');
}

function isPlain(text: string): boolean {
  return /^[a-z0-9]*$/.test(text);
}

/** The part of an index that the query asks for. */
export function wantedPart(index: NoteIndex, { words, literal }: QueryWords): NoteIndex {
  const marks = [LONG_RUN_MARK, nameMark(literal)].flatMap((mark) => index.vocabulary.find(mark) ?? []);
  const found = new Set(marks);
  for (const word of words) index.stems.forEachLike(word, (like) => found.add(like));
  for (const token of literalTokens(literal)) for (const word of wordsFor(index, token)) found.add(word);
  return index.restrictedTo(found);
}
