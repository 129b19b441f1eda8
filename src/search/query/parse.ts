/** What somebody typed, taken apart: quoted phrases must stand in the note, words should. */
import { type FoldOptions, fold, SEARCH_FOLDING } from '../../notes/text/fold.ts';
import { stem } from '../../notes/text/stems.ts';
import { tokensOf } from '../../notes/text/tokens.ts';

export interface SearchQuery {
  /** How text must be folded to be compared with what follows. */
  readonly folding: FoldOptions;
  /** The whole, without quotes: a note that holds it as it stands is always found. */
  readonly literal: string;
  /** Each must stand in the note. */
  readonly phrases: readonly string[];
  /** The tokens of everything, each once. */
  readonly words: readonly string[];
  /** Beginnings the words share with their inflections, for showing where one stands. */
  readonly stems: readonly string[];
  /** The literal and the words as the index has them, whatever the folding. */
  readonly indexed: { readonly literal: string; readonly words: readonly string[] };
}

/** What of a longer query is looked at. */
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
  const indexedLiteral = fold(plain, SEARCH_FOLDING).text;
  const indexedWords = wordsOf(indexedLiteral);
  const words = wordsOf(literal);
  const stems = caseSensitive ? [] : words.map(stem).filter((reduced) => reduced.length > 2);
  return {
    folding,
    literal,
    phrases,
    words,
    stems,
    indexed: { literal: indexedLiteral, words: indexedWords },
  };
}

/** A letter among signs (`C++`, `(a+b)*`) is part of the signs: as a word it would find everything. */
function wordsOf(text: string): string[] {
  const words = [...new Set(tokensOf(text))].slice(0, MAX_WORDS);
  const hasSigns = /[^\s\p{L}\p{M}\p{N}]/u.test(text);
  return hasSigns ? words.filter((word) => !/^[a-z0-9]$/i.test(word)) : words;
}
