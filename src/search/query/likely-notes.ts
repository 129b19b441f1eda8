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
/** Of a word that is alone in the query, all notes are scored up to so many. */
const COMMON_ALONE = 2 * LIKELY_NOTES;
/** The factor of an inflection is greater. */
const BEGINS_ALIKE = 0.5;

export function hasVeryMany({ span }: NoteIndex): boolean {
  return span > VERY_MANY_NOTES;
}

/** By note number, 1 for each; undefined where all are scored: of few notes, and for a word that few of them hold. */
export function likelyNotes(index: NoteIndex, groups: readonly WordGroup[]): Uint8Array | undefined {
  const { sizes, postings } = index;
  if (!hasVeryMany(index)) return undefined;
  const words = groups.flat().map(({ word, factor }) => ({
    word,
    count: postings.countOf(word),
    isAlike: factor < BEGINS_ALIKE,
  }));
  const isAlone = groups.length < 2;
  const mostWhole = isAlone ? COMMON_ALONE : VERY_COMMON;
  if (isAlone && words.every(({ count }) => count <= mostWhole)) return undefined;
  words.sort((a, b) => Number(a.isAlike) - Number(b.isAlike) || a.count - b.count);
  const likely = index.scratch.marks();
  let notes = 0;
  for (const { word, count, isAlike } of words) {
    const isCommon = count > mostWhole;
    // A rarer inflection does not stand for the word itself.
    if (!isAlone && (notes >= LIKELY_NOTES || (notes >= ENOUGH_NOTES && (isAlike || isCommon)))) break;
    // A note with the word once is left behind by those with it in the title, or several times.
    const least = isCommon ? postings.weightOf(word, LIKELY_NOTES) : 0;
    postings.forEach(word, (note, weight) => {
      if (weight < least || likely[note] !== 0 || sizes[note] === 0) return;
      likely[note] = 1;
      notes++;
    });
  }
  return likely;
}
