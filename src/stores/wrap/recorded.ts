/**
 * Records every change of a store's notes in the history before it is made, for one call of a tool. All changes are
 * conditional, so that the text in the record is the one that is replaced.
 */

import type { Edit, EditState } from '../../history/change.ts';
import type { EditInspector } from '../../history/recover.ts';
import { hashOf } from '../../history/text-pack.ts';
import type { EditRecorder, EditTexts, NewEdit, OpenEdit, RecordWithin } from '../../notes/edit-recorder.ts';
import { readIfThere } from '../../notes/ops/update-note.ts';
import type { NotePath } from '../../notes/path.ts';
import type { Note, NoteStore, WrittenNote } from '../../notes/store.ts';
import { isAppError } from '../../shared/errors.ts';
import { LruMap } from '../../shared/memoize.ts';
import { editsOf, type JointEdit, spelled, unlessTooLarge } from './joint-edits.ts';

/** Few, because a move reads every note that may link to the moved one; as many as are edited at a time. */
const MOST_READ = 16;

export function recorded(store: NoteStore, recorder: EditRecorder): NoteStore {
  if (store.recording) return { ...store.recording(recorder), base: store.base ?? store };
  /** The notes that this call read last: the text before a change need not be read again. */
  const lastRead = new LruMap<Note>(MOST_READ);
  const inspect = inspectorOf(store);
  const spelling = store.spelling ?? ((path: NotePath) => path);

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
  const carryOut = async <T>(
    edit: NewEdit,
    texts: EditTexts,
    open: OpenEdit,
    change: () => Promise<T>,
  ): Promise<T> => {
    try {
      return await change();
    } catch (error) {
      const state = isRefusal(error)
        ? 'failed'
        : await inspect(hashed(edit, texts)).catch((): EditState => 'open');
      await settle(open, state);
      throw error;
    }
  };
  /** The store prepares the write while the history is being written, and replaces the note only after that. */
  const writeWhileRecording = async (
    edit: NewEdit,
    texts: EditTexts,
    write: (ready: Promise<unknown>) => Promise<WrittenNote>,
  ): Promise<WrittenNote> => {
    const beginning = recorder.begin(edit, texts);
    const writing = write(beginning);
    // The write may fail before the history is written; `carryOut` looks at that then.
    writing.catch(() => {});
    const open = await beginning.catch(async (error: unknown) => {
      // The store gives up too, because of `ready`; nothing of its preparation may be left when the caller goes on.
      await writing.catch(() => {});
      throw error;
    });
    const written = await carryOut(edit, texts, open, () => writing);
    await open.done({ madeFolder: written.madeFolder });
    return written;
  };

  /** Notes and history in one database are changed in one transaction: there is nothing to settle afterwards. */
  const within =
    store.recordsIn !== undefined && recorder.within?.database === store.recordsIn
      ? recorder.within
      : undefined;
  const recordOf = (edits: readonly JointEdit[]): RecordWithin => {
    return async (transaction, made) => {
      for (const [at, { edit, texts }] of edits.entries())
        await within?.record(transaction, edit, texts, made[at]);
    };
  };

  return {
    ...store,
    base: store.base ?? store,
    read,
    async write(given, content, options = {}) {
      const path = spelling(given);
      const after = typeof content === 'string' ? Buffer.from(content) : content;
      const note = await current(path, options.ifVersion);
      const ifVersion = options.ifVersion === undefined ? (note?.version ?? null) : options.ifVersion;
      const edit = { kind: note ? 'write' : 'create', path, mode: note?.mode } as const;
      if (within) {
        const record = recordOf([{ edit, texts: { before: note?.bytes, after } }]);
        return store.write(path, after, { ...options, ifVersion, record });
      }
      return writeWhileRecording(edit, { before: note?.bytes, after }, async (ready) => {
        if (!store.preparesWrites) await ready;
        return store.write(path, after, { ...options, ifVersion, ready });
      });
    },
    async remove(given, options = {}) {
      const path = spelling(given);
      const note = await current(path, options.ifVersion).catch(unlessTooLarge);
      const edit = { kind: 'delete', path, mode: note?.mode } as const;
      const texts = { before: note?.bytes };
      const ifVersion = options.ifVersion ?? note?.version;
      if (within) return store.remove(path, { ifVersion, record: recordOf([{ edit, texts }]) });
      const open = await recorder.begin(edit, texts);
      const removed = await carryOut(edit, texts, open, () => store.remove(path, { ifVersion }));
      await open.done({ trashedTo: removed.trashedTo });
      return removed;
    },
    move: store.move
      ? async (givenFrom, givenTo, options = {}) => {
          const [from, to] = [spelling(givenFrom), spelling(givenTo)];
          const note = await readIfThere(store, from).catch(unlessTooLarge);
          const replaced = options.overwrite ? await readIfThere(store, to).catch(unlessTooLarge) : undefined;
          const edit = { kind: 'move', path: from, to, mode: replaced?.mode } as const;
          const texts = { before: note?.bytes, after: note?.bytes, replaced: replaced?.bytes };
          if (within) return store.move!(from, to, { ...options, record: recordOf([{ edit, texts }]) });
          const open = await recorder.begin(edit, texts);
          const moved = await carryOut(edit, texts, open, () => store.move!(from, to, options));
          await open.done({ trashedTo: moved.trashedTo, madeFolder: moved.madeFolder });
          return moved;
        }
      : undefined,
    changeAll: store.changeAll
      ? async (given) => {
          const changes = given.map((change) => spelled(change, spelling));
          const edits = await editsOf(changes, current);
          if (within) return store.changeAll!(changes, { record: recordOf(edits) });
          const open: OpenEdit[] = [];
          try {
            for (const { edit, texts } of edits) open.push(await recorder.begin(edit, texts));
          } catch (error) {
            for (const one of open) await one.failed();
            throw error;
          }
          try {
            const made = await store.changeAll!(changes);
            for (const [at, one] of open.entries()) await one.done({ trashedTo: made[at]?.trashedTo });
            return made;
          } catch (error) {
            // All or nothing: what became of the first edit became of all.
            const [first] = edits;
            const state: EditState =
              isRefusal(error) || !first
                ? 'failed'
                : await inspect(hashed(first.edit, first.texts)).catch((): EditState => 'open');
            for (const one of open) await settle(one, state);
            throw error;
          }
        }
      : undefined,
    restore: store.restore
      ? async (trashed, given, content) => {
          const to = spelling(given);
          const edit = { kind: 'create', path: to } as const;
          const texts = { after: content };
          const open = await recorder.begin(edit, texts);
          await carryOut(edit, texts, open, () => store.restore!(trashed, to, content));
          await open.done();
        }
      : undefined,
  };
}

function settle(open: OpenEdit, state: EditState): Promise<void> {
  if (state === 'failed') return open.failed();
  return state === 'done' ? open.done() : open.unsettled();
}

function hashed(edit: NewEdit, { before, after, replaced }: EditTexts): Edit {
  return {
    ...edit,
    before: before && hashOf(before),
    after: after && hashOf(after),
    replaced: replaced && hashOf(replaced),
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

/** Compares the notes with an edit that was cut off. */
export function inspectorOf(store: NoteStore): EditInspector {
  const hashAt = (path: string): Promise<string | undefined> =>
    readIfThere(store, path as NotePath).then(
      (note) => note && hashOf(note.bytes),
      (error: unknown) => unlessTooLarge(error) ?? TOO_LARGE,
    );
  return async (edit) => {
    if (edit.form !== undefined) return 'unknown';
    const hash = await hashAt(edit.path);
    if (edit.kind === 'move') return stateOfMove(edit, hash, await hashAt(edit.to ?? edit.path));
    if (hash === edit.after) return 'done';
    // The text of a file that is too large to be read was not recorded.
    return hash === (edit.before ?? TOO_LARGE) || hash === edit.before ? 'failed' : 'unknown';
  };
}

/** Stands for the hash of a file that cannot be read as a note. */
const TOO_LARGE = 'too large';

/** A move takes the replaced note away, makes the new name, and removes the old one. */
function stateOfMove(
  { before, replaced }: Edit,
  here: string | undefined,
  there: string | undefined,
): EditState {
  if (here === undefined) return there === undefined ? 'unknown' : 'done';
  if (there === replaced) return 'failed';
  // The note has both names, or the replaced one is gone.
  return there === before || there === undefined ? 'unknown' : 'failed';
}
