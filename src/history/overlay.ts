/** Notes with changes that are only made in memory, to find out what a change would do. */
import { isRespelled } from '../notes/ops/links.ts';
import { readIfThere } from '../notes/ops/update-note.ts';
import type { NotePath } from '../notes/path.ts';
import type { JointChange, Note, NoteStore } from '../notes/store.ts';
import { AppError, isAppError } from '../shared/errors.ts';
import { hashOf } from './text-pack.ts';

/** What undoing and landing need of a store. */
export type EditableNotes = Pick<
  NoteStore,
  'read' | 'write' | 'remove' | 'move' | 'changeAll' | 'restore' | 'pruneFolders'
>;

/**
 * A note that would come back from the trash comes back with its content, whatever is in the trash. `onChange` is told
 * of each change, without what it is where no joint change can be that.
 */
export function overlay(
  store: EditableNotes,
  onChange: (change: JointChange | undefined) => void = () => {},
): EditableNotes {
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
    if (await isThere(path)) throw taken(path);
  };
  /** The store knows no version of a text that is only here. */
  const inStore = <Version>(path: NotePath, version: Version) => (changed.has(path) ? undefined : version);
  return {
    read,
    write: async (path, content, { ifVersion } = {}) => {
      const bytes = Buffer.from(content);
      const expected = ifVersion === null ? null : inStore(path, ifVersion);
      onChange({ kind: 'write', path, content: bytes, ifVersion: expected });
      return put(path, bytes);
    },
    remove: async (path, { ifVersion } = {}) => {
      await read(path);
      onChange({ kind: 'remove', path, ifVersion: inStore(path, ifVersion) });
      changed.set(path, undefined);
      return {};
    },
    move: async (from, to) => {
      const { bytes, version } = await read(from);
      const there = await readIfThere({ read } as NoteStore, to);
      if (there && !isRespelled([from, { bytes }], [to, there])) throw taken(to);
      onChange({ kind: 'move', from, to, ifVersion: inStore(from, version) });
      changed.set(from, undefined);
      return put(to, bytes);
    },
    restore: async (trashed, to, content) => {
      await assertFree(to);
      // Some stores keep their trash among the notes; that of others cannot be read.
      const isVisible = await isThere(trashed).catch(() => false);
      if (isVisible) changed.set(trashed, undefined);
      onChange(undefined);
      put(to, content);
    },
  };
}

function taken(path: NotePath): AppError {
  return new AppError('already_exists', 'Note already exists', { subject: path });
}
