/** Looks through notes that are not indexed yet by reading them, so that an answer is right from the first moment. */
import { fold } from '../notes/fold.ts';
import type { NotePath } from '../notes/path.ts';
import { documentOf } from './document.ts';
import type { Look } from './find.ts';
import { ALL_WORDS_BONUS, LITERAL_BONUS } from './match.ts';
import { SEARCH_FOLDING } from './note-index.ts';
import type { IndexedNote } from './note-table.ts';
import type { Found } from './order.ts';
import { rarityOf, saturated } from './rank.ts';

const MOST_COUNTED = 20;
const CHARACTERS_PER_WORD = 6;

/** `looked` says what was looked at before, and learns what is now. */
export async function amongPending(look: Look, looked: Set<NotePath>): Promise<Found[]> {
  const { index, texts, pending } = look.library;
  const { words, literal } = look.query.indexed;
  const rarity = rarityOf(1, Math.max(index.size, 10));
  const found: Found[] = [];
  for (const meta of pending()) {
    if (looked.has(meta.path)) continue;
    looked.add(meta.path);
    await look.breathe();
    const text = (await texts.get(meta.path)) ?? '';
    const folded = fold(`${meta.path}\n${text}`, SEARCH_FOLDING).text;
    const holdsLiteral = folded.includes(literal);
    const counts = words.map((word) => countOf(folded, word));
    if (!holdsLiteral && counts.every((count) => count === 0)) continue;
    const note: IndexedNote = {
      ...meta,
      ...(await documentOf(meta.path, text)),
      length: folded.length / CHARACTERS_PER_WORD,
    };
    if (!look.accepts(note)) continue;
    const score = counts.reduce(
      (sum, count) => sum + rarity * saturated(count, note.length / index.averageLength),
      0,
    );
    const all = words.length > 1 && counts.every((count) => count > 0) ? ALL_WORDS_BONUS : 0;
    found.push({ note, rank: score + all + (holdsLiteral && words.length > 1 ? LITERAL_BONUS : 0) });
  }
  return found;
}

function countOf(text: string, word: string): number {
  let count = 0;
  for (
    let at = text.indexOf(word);
    at >= 0 && count < MOST_COUNTED;
    at = text.indexOf(word, at + word.length)
  )
    count++;
  return count;
}
