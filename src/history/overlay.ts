/** Notes with changes that are only made in memory, to find out what a change would do. */
import type { NotePath } from '../notes/path.ts';
import type { Note, NoteStore } from '../notes/store.ts';
import { AppError, isAppError } from '../shared/errors.ts';
import { hashOf } from './text-pack.ts';

/** What undoing needs of a store. */
export type EditableNotes = Pick<
  NoteStore,
  'read' | 'write' | 'remove' | 'move' | 'restore' | 'pruneFolders'
>;

/** A note that would come back from the trash comes back with its content, whatever is in the trash. */
export function overlay(store: EditableNotes): EditableNotes {
  /** Undefined for notes that are removed. */
  const changed = new Map<NotePath, Note | undefined>();
  const read = async (path: NotePath): Promise<Note> => {
    const note = changed.has(path) ? changed.get(path) : await store.read(path);
    if (note) return note;
    throw new AppError('not_found', 'File not found', { subject: path });
  };
  const put = (path: NotePath, bytes: Uint8Array): Note => {
    const version = hashOf(bytes);
    const note = { path, size: bytes.length, lastModified: 0, contentType: '', version, bytes };
    changed.set(path, note);
    return note;
  };
  const isThere = (path: NotePath) =>
    read(path).then(
      () => true,
      (error: unknown) => {
        if (isAppError(error, 'not_found')) return false;
        throw error;
      },
    );
  const assertFree = async (path: NotePath) => {
    if (await isThere(path)) throw new AppError('already_exists', 'Note already exists', { subject: path });
  };
  return {
    read,
    write: async (path, content) => put(path, Buffer.from(content)),
    remove: async (path) => {
      await read(path);
      changed.set(path, undefined);
      return {};
    },
    move: async (from, to) => {
      const { bytes } = await read(from);
      if (from.toLowerCase() !== to.toLowerCase()) await assertFree(to);
      changed.set(from, undefined);
      return put(to, bytes);
    },
    restore: async (trashed, to, content) => {
      await assertFree(to);
      // Some stores keep their trash among the notes; that of others cannot be read.
      const isVisible = await isThere(trashed).catch(() => false);
      if (isVisible) changed.set(trashed, undefined);
      put(to, content);
    },
  };
}
