/** What every store says when a write's or a removal's condition does not hold. */
import type { NotePath } from '../notes/path.ts';
import { AppError } from '../shared/errors.ts';

/** `ifVersion` as `NoteStore.write` takes it; `current` is what stands there now. */
export function assertCondition(
  path: NotePath,
  current: { readonly version: string } | undefined,
  ifVersion: string | null | undefined,
): void {
  if (ifVersion === undefined) return;
  if (ifVersion === null) {
    if (current) throw alreadyThere(path);
  } else if (!current) {
    throw new AppError('not_found', 'File not found', { subject: path, hint: 'It was removed meanwhile.' });
  } else if (current.version !== ifVersion) throw movedOn(path);
}

export function alreadyThere(path: NotePath): AppError {
  return new AppError('already_exists', 'Note already exists', { subject: path });
}

export function movedOn(path: NotePath): AppError {
  return new AppError('conflict', 'Note changed meanwhile', {
    subject: path,
    hint: 'Somebody else wrote it at the same time. Nothing was changed. Read it again and repeat the edit.',
  });
}
