/**
 * Records every change of a store's notes in the history before it is made, for one call of a tool. All changes are
 * conditional, so that the text in the record is the one that is replaced.
 */

import type { Edit, EditState } from '../../history/change.ts';
import type { ChangeRecorder, EditInspector, OpenEdit } from '../../history/history.ts';
import { hashOf } from '../../history/text-pack.ts';
import { readIfThere } from '../../notes/ops/update-note.ts';
import type { NotePath } from '../../notes/path.ts';
import type { Note, NoteStore } from '../../notes/store.ts';
import { isAppError } from '../../shared/errors.ts';

export function recorded(store: NoteStore, recorder: ChangeRecorder): NoteStore {
  /** The notes of this call as they were read last: the text before a change need not be read again. */
  const lastRead = new Map<NotePath, Note>();
  const inspect = inspectorOf(store);

  const read = async (path: NotePath): Promise<Note> => {
    const note = await store.read(path);
    lastRead.set(path, note);
    return note;
  };
  const current = async (path: NotePath, version: string | null | undefined): Promise<Note | undefined> => {
    if (version === null) return undefined;
    const known = lastRead.get(path);
    return known && known.version === version ? known : readIfThere(store, path);
  };
  const carryOut = async <T>(edit: Edit, open: OpenEdit, change: () => Promise<T>): Promise<T> => {
    try {
      return await change();
    } catch (error) {
      const state = isRefusal(error) ? 'failed' : await inspect(edit).catch((): EditState => 'open');
      if (state === 'failed') await open.failed();
      else if (state === 'done') await open.done();
      throw error;
    }
  };

  return {
    ...store,
    base: store.base ?? store,
    read,
    async write(path, content, options = {}) {
      const after = typeof content === 'string' ? Buffer.from(content) : content;
      const before = await current(path, options.ifVersion);
      const ifVersion = options.ifVersion === undefined ? (before?.version ?? null) : options.ifVersion;
      const edit = { kind: before ? 'write' : 'create', path, mode: before?.mode } as const;
      const open = await recorder.begin(edit, { before: before?.bytes, after });
      const hashed = { ...edit, before: before && hashOf(before.bytes), after: hashOf(after) };
      const written = await carryOut(hashed, open, () => store.write(path, after, { ...options, ifVersion }));
      await open.done();
      return written;
    },
    async remove(path, options = {}) {
      const before = await current(path, options.ifVersion).catch(unlessTooLarge);
      const edit = { kind: 'delete', path, mode: before?.mode } as const;
      const open = await recorder.begin(edit, { before: before?.bytes });
      const hashed = { ...edit, before: before && hashOf(before.bytes) };
      const ifVersion = options.ifVersion ?? before?.version;
      const removed = await carryOut(hashed, open, () => store.remove(path, { ifVersion }));
      await open.done({ trashedTo: removed.trashedTo });
      return removed;
    },
    move: store.move
      ? async (from, to, options = {}) => {
          const replaced = options.overwrite ? await readIfThere(store, to).catch(unlessTooLarge) : undefined;
          const edit = { kind: 'move', path: from, to, mode: replaced?.mode } as const;
          const open = await recorder.begin(edit, { replaced: replaced?.bytes });
          const moved = await carryOut(edit, open, () => store.move!(from, to, options));
          await open.done({ trashedTo: moved.trashedTo });
          return moved;
        }
      : undefined,
    restore: store.restore
      ? async (trashed, to, content) => {
          const edit = { kind: 'create', path: to } as const;
          const open = await recorder.begin(edit, { after: content });
          const hashed = { ...edit, after: hashOf(content) };
          await carryOut(hashed, open, () => store.restore!(trashed, to, content));
          await open.done();
        }
      : undefined,
  };
}

/** After any other error, a far server may have made the change although its answer was lost. */
function isRefusal(error: unknown): boolean {
  const codes = [
    'conflict',
    'already_exists',
    'not_found',
    'invalid_input',
    'forbidden',
    'read_only',
  ] as const;
  return codes.some((code) => isAppError(error, code) && error.details.wasWritten !== true);
}

/** Files too large to be read as notes can be moved and removed; the trash alone keeps them. */
function unlessTooLarge(error: unknown): undefined {
  if (!isAppError(error, 'unsupported')) throw error;
}

/** Compares the notes with an edit that was cut off. */
export function inspectorOf(store: NoteStore): EditInspector {
  const hashAt = async (path: string) => {
    const note = await readIfThere(store, path as NotePath);
    return note && hashOf(note.bytes);
  };
  return async ({ kind, path, to = path, before, after, form }) => {
    if (form !== undefined) return 'unknown';
    const hash = await hashAt(path);
    if (kind === 'move') {
      const isThere = (await hashAt(to)) !== undefined;
      if (isThere === (hash !== undefined)) return 'unknown';
      return isThere ? 'done' : 'failed';
    }
    if (hash === after) return 'done';
    return hash === before ? 'failed' : 'unknown';
  };
}
