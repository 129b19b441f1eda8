/** The notes above a note, itself included. A tree with a loop in it ends too. */
import { AppError } from '../../shared/errors.ts';
import type { TriliumClient } from './client.ts';
import type { CallOptions, TriliumNote } from './wire/types.ts';

/** Far more than any tree is deep; a walk beyond it has gone astray. */
const MAX_NOTES = 5_000;

export async function lineageOf(
  { notes }: Pick<TriliumClient, 'notes'>,
  start: TriliumNote,
  options?: CallOptions,
): Promise<ReadonlySet<string>> {
  const found = new Set([start.noteId]);
  let level: readonly TriliumNote[] = [start];
  while (level.length > 0) {
    const above = [...new Set(level.flatMap(({ parentNoteIds }) => parentNoteIds))].filter(
      (id) => !found.has(id),
    );
    for (const id of above) found.add(id);
    if (found.size > MAX_NOTES)
      throw new AppError('unsupported', 'Too many notes above this one', { subject: start.noteId });
    level = await Promise.all(above.filter((id) => id !== 'root').map((id) => notes.get(id, options)));
  }
  return found;
}
