/** Words that were probably meant: for a query that finds little as it was typed. */
import { editDistance } from '../shared/nearest.ts';
import type { NoteIndex } from './note-index.ts';
import type { WordGroup } from './rank.ts';

const MOST = 20;

/** Words that begin like the given one, and words one or two slips away from it, nearest first. */
export function similarWords(index: NoteIndex, word: string): WordGroup {
  const { vocabulary } = index;
  if (word.length < 3) return [];
  const begun = vocabulary
    .containing(word, 'start')
    .slice(0, MOST)
    .map((like) => ({ word: like, factor: 0.7 }));
  if (begun.length > 0 || word.length < 4) return begun;
  const slips = word.length < 8 ? 1 : 2;
  const near: { word: number; factor: number }[] = [];
  const { length } = word;
  for (const like of vocabulary.beginningWith(word.charCodeAt(0), length - slips, length + slips)) {
    const distance = editDistance(word, vocabulary.word(like), slips + 1);
    if (distance <= slips) near.push({ word: like, factor: 0.6 / distance });
  }
  return near.sort((a, b) => b.factor - a.factor).slice(0, MOST);
}
