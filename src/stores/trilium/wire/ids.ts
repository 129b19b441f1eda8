/** Ids come from outside and go into addresses: nothing that is not an id gets there. */
import { AppError } from '../../../shared/errors.ts';

export type IdKind = 'note' | 'branch' | 'attribute' | 'attachment' | 'revision';

/** A branch is named after two notes. */
const MAX_LENGTH = 128;
const BRANCH_LENGTH = 2 * MAX_LENGTH + 1;

export function isId(id: string, kind: IdKind = 'note'): boolean {
  const most = kind === 'branch' ? BRANCH_LENGTH : MAX_LENGTH;
  return id.length <= most && /^[A-Za-z0-9_]+$/.test(id);
}

export function assertId(id: string, kind: IdKind = 'note'): string {
  if (!isId(id, kind))
    throw new AppError('invalid_input', `Invalid ${kind} id`, {
      subject: printable(id),
      hint: `An id holds letters, digits and underscores only, at most ${MAX_LENGTH}. Take it from an answer, for example of a search.`,
    });
  return id;
}

export const branchIdOf = (parentNoteId: string, noteId: string): string => `${parentNoteId}_${noteId}`;

/** Ids of Trilium's own furniture begin so. */
export const isSystemId = (noteId: string): boolean => noteId.startsWith('_');

function printable(text: string): string {
  const plain = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\uFFFD');
  return plain.length > 60 ? `${plain.slice(0, 60)}…` : plain;
}
