/** A move is a copy, checked, and then the removal of the original, if it is still what was copied. */
import type { NotePath } from '../../notes/path.ts';
import type { NoteMeta } from '../../notes/store.ts';
import { AppError } from '../../shared/errors.ts';
import { copyToTrash, discard, hasStayed, takeBack } from './remove-note.ts';
import { assertMayCreate, currentFor, missing, type Space, toMeta } from './space.ts';
import type { Snapshot } from './stable-read.ts';
import { saveNote } from './write-note.ts';

/** To be called by the one writer of both pages. */
export async function moveNote(
  space: Space,
  from: NotePath,
  to: NotePath,
  { overwrite = false }: { overwrite?: boolean },
): Promise<NoteMeta> {
  const source = await currentFor(space, from);
  if (!source) throw missing(from);
  if (from === to) return toMeta(from, source);
  const target = await currentFor(space, to);
  if (target && !overwrite)
    throw new AppError('already_exists', 'Target file already exists', {
      subject: to,
      hint: 'Use overwrite=true to replace it, or choose another newPath.',
    });
  if (target) await copyToTrash(space, to, target);
  else await assertMayCreate(space, to);
  const copy = await saveNote(space, to, source.bytes, target);
  await discard(space, from, source).catch(async (error: unknown) => {
    if (await hasStayed(space, from)) await undo(space, to, copy, target);
    throw error;
  });
  return toMeta(to, copy);
}

/** The original stayed, so the target goes back to what it was. */
async function undo(space: Space, to: NotePath, copy: Snapshot, target: Snapshot | undefined): Promise<void> {
  if (!target) return takeBack(space, to, copy);
  try {
    const there = await space.reader.read(to);
    if (there?.version === copy.version) await saveNote(space, to, target.bytes, there);
  } catch (error) {
    space.log('warn', 'a note that was to be replaced could not be brought back', {
      path: to,
      error: String(error),
    });
  }
}
