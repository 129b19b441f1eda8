/** The open loops of one text, as a scan of a library finds them in a note. */
import { loopsOf } from '../../src/brain/extract/loops/loops.ts';
import { readNote } from '../../src/brain/extract/note-facts.ts';
import type { ExtractOptions, Loop } from '../../src/brain/extract/types.ts';
import { runAtOnce } from '../../src/shared/async/time-slices.ts';

export async function openLoopsIn(text: string, options: ExtractOptions = {}): Promise<Loop[]> {
  return runAtOnce(loopsOf(await readNote(text, options)));
}
