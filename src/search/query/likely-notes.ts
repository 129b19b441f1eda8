/**
 * Of very many notes, the likeliest. Hundreds of thousands may hold a common word, or one that only begins like a word of
 * the query: those with the rarer words leave them behind, and are the only ones that are scored.
 */
import type { NoteIndex } from '../index/note-index.ts';
import type { WordGroup } from './rank.ts';

/** Of fewer notes, all that match are scored. */
const VERY_MANY_NOTES = 200_000;
/** Words of the query are taken in turn, the rarest first, until so many notes hold one of them. */
const LIKELY_NOTES = 20_000;
/** So many are enough where the next word is very common, or only begins like one of the query. */
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
  const [first = [], ...others] = byFrequency(index, groups);
  const isAlone = others.length === 0;
  if (isAlone && groups.length < 2 && first.every(({ count }) => count <= COMMON_ALONE)) return undefined;
  const likely = index.scratch.marks();
  let notes = 0;
  const take = (word: number, least: number) => {
    notes += postings.mark(word, least, likely, sizes);
  };
  // A note with the word once is left behind by those with it in the title, or several times.
  const leastOf = (word: number) => postings.weightOf(word, isAlone ? ENOUGH_NOTES : LIKELY_NOTES);
  // A note with all words of the query has the rarest.
  for (const { word, count } of first) take(word, isAlone && count > COMMON_ALONE ? leastOf(word) : 0);
  for (const { word, count } of others.flat()) {
    const isCommon = count > VERY_COMMON;
    if (notes >= LIKELY_NOTES || (isCommon && notes >= ENOUGH_NOTES)) continue;
    take(word, isCommon ? leastOf(word) : 0);
  }
  const alike = groups.flat().filter(({ factor }) => factor < BEGINS_ALIKE);
  const countOf = ({ word }: (typeof alike)[number]) => postings.countOf(word);
  for (const { word } of notes < ENOUGH_NOTES ? alike.sort((a, b) => countOf(a) - countOf(b)) : [])
    if (notes < ENOUGH_NOTES) take(word, 0);
  return likely;
}

/** The words of the query with their inflections, the rarest of the query first; without those that no note has. */
function byFrequency({ postings }: NoteIndex, groups: readonly WordGroup[]) {
  const counted = groups.map((group) =>
    group
      .filter(({ factor }) => factor >= BEGINS_ALIKE)
      .map(({ word }) => ({ word, count: postings.countOf(word) }))
      .sort((a, b) => a.count - b.count),
  );
  const sumOf = (group: (typeof counted)[number]) => group.reduce((sum, { count }) => sum + count, 0);
  return counted.filter((group) => sumOf(group) > 0).sort((a, b) => sumOf(a) - sumOf(b));
}
