/** Parses a query: quoted phrases are preferred to their words. */

import { tellingOf } from '../../notes/text/analyzer.ts';
import { type FoldOptions, fold, SEARCH_FOLDING } from '../../notes/text/fold.ts';
import { lemmaOf, stem } from '../../notes/text/stems.ts';
import { termsOf } from '../../notes/text/tokens.ts';

export interface SearchQuery {
  /** The folding of all that follows, and of the texts it is compared with. */
  readonly folding: FoldOptions;
  /** The whole query without quotes; a note that contains it is always found. */
  readonly literal: string;
  /** Each must occur in the note, if there is any note with all of them. */
  readonly phrases: readonly string[];
  /** The words that tell what is looked for, each once; all words when none does. */
  readonly words: readonly string[];
  /** The literal and the words in the folding of the index; of words with one stem, the first. */
  readonly indexed: { readonly literal: string; readonly words: readonly string[] };
  /** How often the query has each of those words, inflections included. */
  readonly times: readonly number[];
}

const MAX_WORDS = 64;
const EXACT: FoldOptions = { ignoreLineEndings: true };

export function parseQuery(text: string, caseSensitive: boolean): SearchQuery {
  const folding = caseSensitive ? EXACT : SEARCH_FOLDING;
  const phrases: string[] = [];
  const unquoted = text.replace(/["“”„]([^"“”„]+)["“”]/g, (_, phrase: string) => {
    if (phrase.trim() !== '') phrases.push(fold(phrase.trim(), folding).text);
    return ` ${phrase} `;
  });
  const plain = (phrases.length > 0 ? unquoted : text).trim();
  const literal = fold(plain, folding).text;
  const words = wordsOf(literal);
  const indexedLiteral = caseSensitive ? fold(plain, SEARCH_FOLDING).text : literal;
  const indexedWords = onePerStem(caseSensitive ? wordsOf(indexedLiteral) : words);
  const lemmas = termsOf(indexedLiteral).map(lemmaOf);
  return {
    folding,
    literal,
    phrases,
    words,
    indexed: { literal: indexedLiteral, words: indexedWords },
    times: indexedWords.map((word) => countOf(lemmaOf(word), lemmas)),
  };
}

function countOf(wanted: string, words: readonly string[]): number {
  let count = 0;
  for (const word of words) if (word === wanted) count++;
  return count;
}

/** For finding an inflection of a word in a text, where its case does not matter. */
export function stemsOf({ words, folding }: SearchQuery): string[] {
  return folding.ignoreCase ? words.map(stem).filter((reduced) => reduced.length > 2) : [];
}

function onePerStem(words: readonly string[]): string[] {
  const byStem = new Map<string, string>();
  for (const word of words) {
    const lemma = lemmaOf(word);
    if (!byStem.has(lemma)) byStem.set(lemma, word);
  }
  return [...byStem.values()];
}

/** Without stop words, and without single letters among signs (`C++`, `(a+b)*`), which would match every note. */
function wordsOf(text: string): string[] {
  const words = tellingOf([...new Set(termsOf(text))]).slice(0, MAX_WORDS);
  const hasSigns = /[^\s\p{L}\p{M}\p{N}]/u.test(text);
  return hasSigns ? words.filter((word) => !/^[a-z0-9]$/i.test(word)) : words;
}
