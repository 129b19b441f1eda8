/**
 * Finds the words of a question in texts, whatever their inflection. Stems are compared as numbers, and only of words
 * that begin as a wanted one does: most words of a text are passed over without making anything of them.
 */
import { type Folded, fold } from '../fold.ts';
import { SEARCH_FOLDING } from './folding.ts';
import { stem } from './stem.ts';
import { forEachToken } from './tokens.ts';

/** Calls `visit` for every word found, with its place in the list of wanted ones and its offset in the folded text. */
export type StemFinder = (text: string, visit: (wanted: number, start: number) => void) => OffsetsOf;

type OffsetsOf = Pick<Folded, 'originalOffset'>;

const BEGINNINGS = 4096;
/** The same words come again and again. */
const REMEMBERED = 50_000;
const stems = new Map<number, string>();

/** `words` are folded, and no two have the same stem. */
export function createStemFinder(words: readonly string[]): StemFinder {
  const places = new Map(words.map((word, at) => [stem(word), at]));
  const begins = new Uint8Array(BEGINNINGS);
  for (const word of words) begins[beginning(word.charCodeAt(0), second(word))] = 1;
  return (text, visit) => {
    const folded = fold(text, SEARCH_FOLDING);
    forEachToken(folded.text, (start, end, hash, units) => {
      if (begins[beginning(units[start]!, end > start + 1 ? units[start + 1]! : 0)] === 0) return;
      const place = places.get(stemOf(hash | 0, folded.text, start, end));
      if (place !== undefined) visit(place, start);
    });
    return folded;
  };
}

/** No ending is so long that a stem would not begin as its word does. */
function beginning(first: number, next: number): number {
  return (first * 31 + next) & (BEGINNINGS - 1);
}

function second(word: string): number {
  return word.length > 1 ? word.charCodeAt(1) : 0;
}

function stemOf(hash: number, text: string, start: number, end: number): string {
  const known = stems.get(hash);
  if (known !== undefined) return known;
  if (stems.size >= REMEMBERED) stems.clear();
  const found = stem(text.slice(start, end));
  stems.set(hash, found);
  return found;
}
