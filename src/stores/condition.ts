/** Versions, and the checks before a change, for all stores. */
import { hash } from 'node:crypto';
import type { NotePath } from '../notes/path.ts';
import { AppError } from '../shared/errors.ts';

/** The version of a note whose store keeps none: a hash of its bytes alone, because time stamps repeat and go backwards. */
export function versionOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'base64url').slice(0, 22);
}

/** `ifVersion` as in `NoteStore.write`; `current` is the present version. */
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
    hint: 'Another writer changed it at the same time. Nothing was changed. Read it again and repeat the edit.',
  });
}

export function targetExists(path: NotePath): AppError {
  return new AppError('already_exists', 'Target file already exists', {
    subject: path,
    hint: 'Use overwrite=true to replace it, or choose another newPath.',
  });
}
