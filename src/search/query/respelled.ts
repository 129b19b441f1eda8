/** A mistyped word as the notes spell it. */
import { editDistance } from '../../shared/nearest.ts';
import type { NoteIndex } from '../index/note-index.ts';

/** A shorter word is too often another word. */
const SHORTEST = 7;

/**
 * The most frequent word of the index that differs by one slip: a letter too many, one too few, or two that are swapped.
 * With another letter in place of one, most words are other words: "concept" and "concert".
 */
export function respelled({ vocabulary, postings }: NoteIndex, word: string): string | undefined {
  if (word.length < SHORTEST) return undefined;
  let best: { readonly text: string; readonly holders: number } | undefined;
  for (const like of vocabulary.maybeNear(word, 1)) {
    const text = vocabulary.word(like);
    const holders = postings.countOf(like);
    if (holders > (best?.holders ?? 0) && isOneSlip(word, text)) best = { text, holders };
  }
  return best?.text;
}

function isOneSlip(word: string, other: string): boolean {
  if (editDistance(word, other, 2) !== 1) return false;
  return word.length !== other.length || sorted(word) === sorted(other);
}

function sorted(word: string): string {
  return [...word].sort().join('');
}
