/** Parses a query: quoted phrases are preferred to their words. */

import type { SearchRequest } from '../../notes/searcher.ts';
import { tellingOf } from '../../notes/text/analyzer.ts';
import { type FoldOptions, fold, SEARCH_FOLDING } from '../../notes/text/fold.ts';
import { lemmaOf, stem } from '../../notes/text/stems.ts';
import { termsOf } from '../../notes/text/tokens.ts';

export interface SearchQuery {
  /** The folding of all that follows, and of the texts it is compared with. */
  readonly folding: FoldOptions;
  /** The whole query without quotes; a note that contains it is always found. */
  readonly literal: string;
  /** Each must occur in the note, if there is any note with all of them. None of a sentence that tells enough without. */
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
const QUOTED = /["“”„]([^"“”„]+)["“”]/g;
/** With so many telling words around it, a quotation is the name of something the sentence is about. */
const WORDS_AROUND = 3;

export function queryOf({ query, caseSensitive = false, mode }: SearchRequest): SearchQuery {
  return parseQuery(query, caseSensitive, caseSensitive || mode === 'exact');
}

/** `isExact`: every quoted phrase is wanted as it stands, whatever stands around it. */
export function parseQuery(text: string, caseSensitive: boolean, isExact = caseSensitive): SearchQuery {
  const folding = caseSensitive ? EXACT : SEARCH_FOLDING;
  const quoted: string[] = [];
  const unquoted = text.replace(QUOTED, (_, phrase: string) => {
    if (phrase.trim() !== '') quoted.push(fold(phrase.trim(), folding).text);
    return ` ${phrase} `;
  });
  const plain = (quoted.length > 0 ? unquoted : text).trim();
  const literal = fold(plain, folding).text;
  const words = wordsOf(literal);
  const phrases = !isExact && tellsEnough(fold(text.replace(QUOTED, ' '), folding).text, words) ? [] : quoted;
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

/**
 * A sentence may quote a title that its answer does not have: 'the poems of Poe but for "The Raven"'. Notes with the quoted
 * words together still come higher, because near words count more.
 */
function tellsEnough(around: string, words: readonly string[]): boolean {
  const own = new Set(termsOf(around));
  return words.filter((word) => own.has(word)).length >= WORDS_AROUND;
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
