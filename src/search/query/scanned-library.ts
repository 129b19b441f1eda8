/**
 * The library for one query while very many notes are not indexed yet: an index of all notes, by the words the query asks
 * for. What is found in it is found, ranked and shown as in the finished index, by the same code.
 */
import type { NotePath } from '../../notes/path.ts';
import { runInSlices } from '../../shared/async/time-slices.ts';
import { WordSequences } from '../index/word-sequences.ts';
import type { IndexedLibrary } from './context.ts';
import { type QueryWords, wantedPart } from './wanted-words.ts';

interface Scanning {
  readonly words: QueryWords;
  readonly breathe: () => Promise<unknown> | true;
  readonly onUnread: (path: NotePath) => void;
}

/** The library itself where no scan is needed, or where the query has no words to look for. */
export async function scannedLibrary(
  library: IndexedLibrary,
  { words, breathe, onUnread }: Scanning,
): Promise<IndexedLibrary> {
  if (!library.scan || words.words.length === 0) return library;
  // In one tick with the scan's look at what is pending, so that every note is in one of both.
  const index = wantedPart(library.index, words);
  await library.scan({
    words,
    breathe,
    onUnread,
    take: async ({ index: read, skimmed, others }, notes) => {
      index.putSkimmed(skimmed, notes);
      index.countOthers(others.notes, others.tokens);
      if (!read) return;
      await runInSlices(
        index.absorb(read, () => true),
        async () => {
          await breathe();
          return true;
        },
      );
    },
  });
  return {
    ...library,
    index,
    isSlice: true,
    sequences: new WordSequences(index),
    pending: () => [],
    scan: undefined,
  };
}
