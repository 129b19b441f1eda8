/**
 * Questions in whole sentences name few of the words their answers use. The best notes found so far use them:
 * what is typical of these counts a little for the rest, too. It only reorders what was found.
 */
import { fold, SEARCH_FOLDING } from '../../notes/text/fold.ts';
import { stem } from '../../notes/text/stems.ts';
import { tokensOf } from '../../notes/text/tokens.ts';
import type { NoteIndex } from '../index/note-index.ts';
import { inflectionsOf, rarityOf, scoreWords, type WordGroup } from './rank.ts';

/** A question, and not a few words put together. */
export const WORDS_OF_A_QUESTION = 5;
export const FEEDBACK_NOTES = 3;
const TYPICAL_WORDS = 10;
const SHARE = 0.3;
/** What of a long note is looked at. */
const READ_CHARACTERS = 20_000;

/** Adds to the ranks what the texts of the best notes teach. */
export function expandQuery(
  index: NoteIndex,
  texts: readonly { readonly text: string; readonly weight: number }[],
  { numbers, rank, words }: { numbers: readonly number[]; rank: Float32Array; words: number },
): void {
  const typical = typicalWords(index, texts);
  const sum = typical.reduce((total, { weight }) => total + weight, 0);
  if (sum === 0) return;
  const { score } = scoreWords(
    index,
    typical.map(({ group }) => group),
    typical.map(({ weight }) => weight / sum),
  );
  const factor = (words * SHARE) / (1 - SHARE);
  for (const number of numbers) rank[number]! += factor * score[number]!;
}

/** Words frequent in these texts and rare in others. */
function typicalWords(
  index: NoteIndex,
  texts: readonly { readonly text: string; readonly weight: number }[],
): { group: WordGroup; weight: number }[] {
  const found = new Map<string, { word: string; share: number }>();
  for (const { text, weight } of texts) {
    const tokens = tokensOf(fold(text.slice(0, READ_CHARACTERS), SEARCH_FOLDING).text);
    for (const word of tokens) {
      if (word.length < 3 || /^\d+$/.test(word)) continue;
      const key = stem(word);
      const known = found.get(key);
      if (known) known.share += weight / tokens.length;
      else found.set(key, { word, share: weight / tokens.length });
    }
  }
  return [...found.values()]
    .map(({ word, share }) => {
      const group = inflectionsOf(index, word);
      const holders = group.reduce((total, each) => total + index.postings.countOf(each.word), 0);
      return { group, weight: share * rarityOf(holders, index.size) };
    })
    .sort((a, b) => b.weight - a.weight)
    .slice(0, TYPICAL_WORDS);
}
