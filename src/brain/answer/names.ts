/** Names in a claim: words written large where nothing but a name is, and words at its beginning that no note has. */
import { isStopWord, stemOf, wordsIn } from '../words.ts';
import { isMeasureWord } from './facts.ts';

const TOKEN = /\p{L}[\p{L}\p{M}\p{N}]*(?:['’]\p{L}+)?/gu;
/** As much of a word's beginning as inflections leave alone. */
const SHARED = 5;

/** The first name in `claim` that `source` does not have. */
export function unknownName(claim: string, source: string): string | undefined {
  const known = new Set(wordsIn(source));
  const stems = new Set([...known].map(stemOf));
  const beginnings = new Set(
    [...known].filter((word) => word.length >= SHARED).map((word) => word.slice(0, SHARED)),
  );
  const isKnown = (word: string) =>
    known.has(word) ||
    stems.has(stemOf(word)) ||
    (word.length >= SHARED && beginnings.has(word.slice(0, SHARED)));
  return (claim.match(TOKEN) ?? [])
    .filter((token) => /^\p{Lu}/u.test(token))
    .find((token) =>
      wordsIn(token).some((word) => !isStopWord(word) && !isMeasureWord(word) && !isKnown(word)),
    );
}
