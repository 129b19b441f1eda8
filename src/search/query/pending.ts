/** Searches pending notes by reading them, so that answers are complete from the start. */

import type { NotePath } from '../../notes/path.ts';
import { idf, saturation } from '../../notes/text/bm25.ts';
import { fold, SEARCH_FOLDING } from '../../notes/text/fold.ts';
import { mapConcurrently } from '../../shared/async/semaphore.ts';
import { documentOf } from '../index/document.ts';
import type { IndexedNote } from '../index/note-table.ts';
import type { SearchContext } from './context.ts';
import { ALL_WORDS_BONUS, LITERAL_BONUS } from './match.ts';
import type { RankedHit } from './order.ts';

/** The share of an answer's time for reading them; the rest is for excerpts. */
const PENDING_PART = 2 / 3;
const MOST_COUNTED = 20;
const CHARACTERS_PER_WORD = 6;
/** As the weights of a title and a path in the index. */
const IN_NAME = 6;

interface Candidate {
  readonly note: IndexedNote;
  readonly holdsLiteral: boolean;
  /** How often each word of the query occurs. */
  readonly counts: readonly number[];
}

/** Skips the paths in `looked`, and adds those it has searched. */
export function amongPending(look: SearchContext, looked: Set<NotePath>): Promise<RankedHit[]> {
  return look.library.undisturbed(() => lookThrough(look, looked));
}

async function lookThrough(look: SearchContext, looked: Set<NotePath>): Promise<RankedHit[]> {
  const { index, texts, pending, hopeless } = look.library;
  const { byName } = look;
  const isFresh = ({ path }: { path: NotePath }) => !looked.has(path);
  const unreadable = hopeless().filter(isFresh);
  const fresh = [...pending().filter(isFresh), ...unreadable];
  for (const { path } of unreadable) byName.add(path);
  for (const { path } of fresh) looked.add(path);
  const total = index.size + fresh.length;
  const found = await mapConcurrently(fresh, texts.readsAtOnce, async (meta) => {
    await look.breathe();
    return lookAt(
      look,
      meta,
      byName.has(meta.path) ? '' : ((await look.texts.get(meta.path, PENDING_PART)) ?? ''),
    );
  });
  const candidates = found.filter((candidate) => candidate !== undefined);
  const { words } = look.query.indexed;
  const idfs = words.map((_, word) =>
    idf(candidates.filter(({ counts }) => counts[word]! > 0).length, Math.max(total, 10)),
  );
  return candidates.map((candidate) => ({ note: candidate.note, rank: rankOf(look, candidate, idfs) }));
}

/** Undefined when the note does not match. */
async function lookAt(
  { query: { indexed }, accepts, library: { haystacks } }: SearchContext,
  meta: { path: NotePath; size: number; lastModified: number },
  text: string,
): Promise<Candidate | undefined> {
  const { words, literal } = indexed;
  const haystack = haystacks.get(text, SEARCH_FOLDING);
  const path = fold(meta.path, SEARCH_FOLDING).text;
  const holdsLiteral = haystack.holds(literal) || path.includes(literal);
  const inText = words.map((word) => haystack.places(word, MOST_COUNTED).length);
  const inPath = words.map((word) => path.includes(word));
  if (!holdsLiteral && inText.every((count, word) => count === 0 && !inPath[word])) return undefined;
  const length = text.length / CHARACTERS_PER_WORD;
  const note: IndexedNote = { ...meta, ...(await documentOf(meta.path, text)), length };
  if (!accepts(note)) return undefined;
  const title = fold(note.title, SEARCH_FOLDING).text;
  const counts = words.map((word, at) => inText[at]! + (inPath[at] || title.includes(word) ? IN_NAME : 0));
  return { note, holdsLiteral, counts };
}

/** An approximation of the rank the note will have in the index. */
function rankOf(
  { library: { index } }: SearchContext,
  candidate: Candidate,
  idfs: readonly number[],
): number {
  const { note, holdsLiteral, counts } = candidate;
  const relativeLength = index.size === 0 ? 1 : note.length / index.averageLength;
  const score = counts.reduce((sum, count, word) => sum + idfs[word]! * saturation(count, relativeLength), 0);
  if (counts.length < 2) return score;
  const all = counts.every((count) => count > 0) ? ALL_WORDS_BONUS : 0;
  return score + all + (holdsLiteral ? LITERAL_BONUS : 0);
}
