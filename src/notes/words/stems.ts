/**
 * Words by their stems, as numbers: a text is compared with a question without making a string of each word. Two
 * words rarely share a number by accident; that costs a place in a ranking, nothing more.
 */
import { type Folded, fold } from '../fold.ts';
import { SEARCH_FOLDING } from './folding.ts';
import { stem } from './stem.ts';
import { forEachToken, hashOf } from './tokens.ts';
import { unitsOf } from './units.ts';

/** The same words come again and again. */
const REMEMBERED = 200_000;
const keys = new Map<number, number>();

/** Of a word that is folded already. */
export function stemKey(word: string): number {
  const stemmed = stem(word);
  return hashOf(unitsOf(stemmed), 0, stemmed.length);
}

/** Calls `visit` for every word with its stem's number and its offsets in the folded text, which is the answer. */
export function forEachStem(
  text: string,
  visit: (key: number, start: number, end: number) => void,
): Pick<Folded, 'originalOffset'> {
  const folded = fold(text, SEARCH_FOLDING);
  const unknown: [at: number, start: number, end: number, hash: number][] = [];
  const found: number[] = [];
  forEachToken(folded.text, (start, end, hash) => {
    const key = keys.get(hash);
    if (key === undefined) unknown.push([found.length, start, end, hash]);
    found.push(key ?? 0, start, end);
  });
  // Not while the text is being cut: both use the same scratch space.
  for (const [at, start, end, hash] of unknown) found[at] = remembered(hash, folded.text.slice(start, end));
  for (let at = 0; at < found.length; at += 3) visit(found[at]!, found[at + 1]!, found[at + 2]!);
  return folded;
}

function remembered(hash: number, word: string): number {
  if (keys.size >= REMEMBERED) keys.clear();
  const key = stemKey(word);
  keys.set(hash, key);
  return key;
}
