/**
 * Of very many notes, the likeliest. Hundreds of thousands may hold a common word, or one that only begins like a word of
 * the query: those with the rarer words leave them behind, and are the only ones that are scored.
 */
import type { NoteIndex } from '../index/note-index.ts';
import type { WordGroup } from './rank.ts';

/** Of fewer notes, all that match are scored. */
const VERY_MANY_NOTES = 200_000;
/** Words are taken in turn, the rarest first, until so many notes hold one of them. */
const LIKELY_NOTES = 20_000;
/** So many are enough where the next word is very common, or only begins like a word of the query. */
const ENOUGH_NOTES = 1_000;
const VERY_COMMON = 100_000;
/** The factor of an inflection is greater. */
const BEGINS_ALIKE = 0.5;

/** By note number, 1 for each; undefined where all are scored: of few notes, and for a single word. */
export function likelyNotes(
  { span, sizes, postings }: NoteIndex,
  groups: readonly WordGroup[],
): Uint8Array | undefined {
  if (span <= VERY_MANY_NOTES || groups.length < 2) return undefined;
  const words = groups.flat().map(({ word, factor }) => ({
    word,
    count: postings.countOf(word),
    isAlike: factor < BEGINS_ALIKE,
  }));
  words.sort((a, b) => Number(a.isAlike) - Number(b.isAlike) || a.count - b.count);
  const likely = new Uint8Array(span);
  let notes = 0;
  for (const { word, count, isAlike } of words) {
    if (notes >= LIKELY_NOTES || (notes >= ENOUGH_NOTES && (isAlike || count > VERY_COMMON))) break;
    postings.forEach(word, (note) => {
      if (likely[note] !== 0 || sizes[note] === 0) return;
      likely[note] = 1;
      notes++;
    });
  }
  return likely;
}
