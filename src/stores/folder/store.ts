/**
 * Notes as files in a folder. Bytes are stored unchanged; a write is atomic, even if the process is killed; nothing
 * outside the folder is ever read or written.
 */
import { lstat, rmdir, stat, unlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { assertPortable, joinPath, type NotePath, nameOf, parentOf, pathKey } from '../../notes/path.ts';
import type {
  Listing,
  ListingChanges,
  MadeFolder,
  Note,
  NoteMeta,
  NoteStore,
  WrittenNote,
} from '../../notes/store.ts';
import type { Yielder } from '../../shared/async/time-slices.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { ifPresent, isErrno } from '../../shared/fs/errno.ts';
import { readableFolder } from '../../shared/fs/folder.ts';
import type { LockedSection } from '../../shared/fs/lock-file.ts';
import { flushFolder } from '../../shared/fs/platform.ts';
import { alreadyThere, assertCondition, movedOn, targetExists, versionOf } from '../condition.ts';
import type { SharedComparison } from './differences.ts';
import {
  isUnchanged,
  MAX_NOTE_BYTES,
  moveEntry,
  readState,
  replaceFile,
  respellEntry,
  stateAt,
  trashEntry,
  withNoteLock,
} from './file.ts';
import { createListedReader, onPath, readSmallNote } from './read-file.ts';
import { relist } from './relist.ts';
import { brokenLink, type Place, type Root, withFile, withFolder, withPlace } from './root.ts';
import { folderTrash } from './trash.ts';
import { entriesOf, toMeta } from './walk.ts';
import { watchFolder } from './watch.ts';

interface FolderOptions {
  /** Files and folders that are not visible do not exist for callers. */
  readonly isVisible: Root['isVisible'];
  /** Deletes removed notes for good instead of moving them to `.trash`. */
  readonly permanentDelete?: boolean;
  /** Changes nothing in the folder; temporary files of dead processes stay, too. */
  readonly untouched?: boolean;
  /** Time slices of the watch. */
  readonly turns?: Yielder;
  /** Of the file system; the one of this process unless a test says otherwise. */
  readonly platform?: NodeJS.Platform;
}

/** The store of a folder, which can also join a comparison with its files that was begun elsewhere. */
export interface FolderStore extends NoteStore {
  relist(
    before: Listing,
    onChanged?: (changed: readonly NoteMeta[]) => void,
    comparison?: SharedComparison,
  ): Promise<ListingChanges>;
}

export async function openFolderStore(folder: string, options: FolderOptions): Promise<FolderStore> {
  const { isVisible, platform = process.platform } = options;
  const root: Root = { real: await readableFolder(folder), isVisible };
  /** Windows opens devices (`con`), hidden streams (`a.md:x`) and other files (`a.md.`) under such names. */
  const onPaths = <T>(path: NotePath, to: NotePath, operation: () => Promise<T>) =>
    onPath(path, async () => {
      if (platform === 'win32') for (const named of [path, to]) assertPortable(named);
      return operation();
    });
  const on = <T>(path: NotePath, operation: () => Promise<T>) => onPaths(path, path, operation);

  const discard = async (place: Place): Promise<{ trashedTo?: NotePath }> => {
    if (!options.permanentDelete) return { trashedTo: await trashEntry(root, place) };
    await unlink(place.folder.at(place.name));
    await flushFolder(place.folder.handle);
    return {};
  };

  return {
    name: basename(root.real),
    list: ({ under, signal } = {}) => onPath(under ?? '', () => listNotes(root, under, signal)),
    read: (path) => on(path, () => readNote(root, path)),
    write: (path, content, conditions = {}) => on(path, () => writeNote(root, path, content, conditions)),
    remove: (path, conditions = {}) => on(path, () => removeNote(root, path, conditions, discard)),
    close: async () => {},

    preparesWrites: true,
    readListed: createListedReader(root),
    listFolder: (path) =>
      on(path, () =>
        withFolder(root, path, async (anchor) => {
          const { folders, files } = await entriesOf(root, anchor);
          return { folders, files };
        }),
      ),
    relist: (before, onChanged, comparison) =>
      onPath('', () => relist(root, before, { sweeps: !options.untouched, onChanged, comparison })),
    stat: (path) => on(path, () => statNote(root, path)),
    move: (from, to, conditions = {}) =>
      onPaths(from, to, () => moveNote(root, from, to, conditions.overwrite ? discard : undefined)),
    restore: (trashed, to, content) => on(to, () => restoreNote(root, trashed, to, content)),
    trash: folderTrash(root),
    pruneFolders: (path, top) => on(top, () => pruneFolders(root, path, top)),
    watch: (onChange, how = {}) =>
      watchFolder(root, onChange, { ...how, sweeps: !options.untouched, turns: options.turns }),
  };
}

async function listNotes(root: Root, under: NotePath | undefined, signal?: AbortSignal): Promise<NoteMeta[]> {
  const { changed } = await relist(root, { paths: [], sizes: [], times: [] }, { signal });
  return changed
    .filter(({ path }) => !under || path.startsWith(`${under}/`))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function readNote(root: Root, path: NotePath): Promise<Note> {
  const small = readSmallNote(root, path);
  if (small) return small;
  const { stat: entry, version, bytes } = await withFile(root, path, (handle) => readState(handle, path));
  return { ...toMeta(path, entry), version, bytes, mode: Number(entry.mode) & 0o7777 };
}

async function statNote(root: Root, path: NotePath): Promise<NoteMeta> {
  const entry = await withFile(root, path, (handle) => handle.stat());
  if (!entry.isFile())
    throw new AppError('invalid_input', 'Not a note', { subject: path, hint: 'It is a folder.' });
  return toMeta(path, entry);
}

function writeNote(
  root: Root,
  path: NotePath,
  content: string | Uint8Array,
  { ifVersion, mode, ready }: NonNullable<Parameters<NoteStore['write']>[2]>,
): Promise<WrittenNote> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  if (bytes.length > MAX_NOTE_BYTES) {
    throw new AppError('invalid_input', 'Note too large', {
      subject: path,
      hint: `A note holds at most ${MAX_NOTE_BYTES / 1048576} MB.`,
    });
  }
  return withPlace(root, path, { create: true, follow: true }, (place) =>
    withNoteLock(place, async (lock) => {
      const previous = await stateAt(place, path);
      if (previous === undefined) assertPortable(path);
      assertCondition(path, previous, ifVersion);
      const lastCheck = async () => {
        await ready;
        await lock.assertHeld();
        if (!(await isUnchanged(place, path, previous))) throw movedOn(path);
      };
      const written = await replaceFile(place, bytes, { previous, mode }, lastCheck).catch(
        (error: unknown) => {
          throw isErrno(error, 'EEXIST') ? movedOn(path) : error;
        },
      );
      return { ...toMeta(path, written), version: versionOf(bytes), madeFolder: place.madeFolder };
    }),
  );
}

function removeNote(
  root: Root,
  path: NotePath,
  conditions: { ifVersion?: string },
  discard: (place: Place) => Promise<{ trashedTo?: NotePath }>,
): Promise<{ trashedTo?: NotePath }> {
  return withPlace(root, path, {}, (place) =>
    withNoteLock(place, async () => {
      if (await isFolderAt(place))
        throw new AppError('invalid_input', 'Not a note', {
          subject: path,
          hint: 'It is a folder; only single notes can be deleted.',
        });
      if (conditions.ifVersion !== undefined && (await readNote(root, path)).version !== conditions.ifVersion)
        throw movedOn(path);
      return discard(place);
    }),
  );
}

/** Throws when the entry does not exist. A broken link exists. */
async function isFolderAt(place: Place): Promise<boolean> {
  const entry = await lstat(place.folder.at(place.name));
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return (await ifPresent(stat(place.folder.at(place.name))))?.isDirectory() ?? false;
}

async function moveNote(
  root: Root,
  from: NotePath,
  to: NotePath,
  discard: ((place: Place) => Promise<{ trashedTo?: NotePath }>) | undefined,
): Promise<NoteMeta & MadeFolder & { trashedTo?: NotePath }> {
  const source = await statNote(root, from);
  let replaced: { trashedTo?: NotePath } = {};
  let madeFolder: NotePath | undefined;
  await withPlace(root, from, {}, (here) =>
    withPlace(root, to, { create: true }, (there) =>
      withBothLocks(here, there, async () => {
        madeFolder = there.madeFolder;
        const [a, b] = await Promise.all([identityAt(here), identityAt(there)]);
        if (b === undefined) assertPortable(to);
        if (a === b && keyOf(here) === keyOf(there)) {
          return here.name === nameOf(to) ? undefined : respellEntry(here, nameOf(to));
        }
        if (b !== undefined) {
          if (b === 'folder')
            throw new AppError('invalid_input', 'Target is a folder', {
              subject: to,
              hint: 'Give the full new path with a file name.',
            });
          if (!discard) throw targetExists(to);
          if (!(await ifPresent(stat(there.folder.at(there.name))))) throw brokenLink(to);
          replaced = await discard(there);
        }
        await moveEntry(root, here, there).catch((error: unknown) => {
          throw isErrno(error, 'EEXIST') ? targetExists(to) : error;
        });
      }),
    ),
  );
  return { ...source, ...replaced, madeFolder, path: to };
}

/** Out of the trash, if it is still what went there. */
async function restoreNote(root: Root, trashed: NotePath, to: NotePath, content: Uint8Array): Promise<void> {
  const gone = () => new AppError('not_found', 'Not in the trash', { subject: trashed });
  await withPlace(root, trashed, { hidden: true }, async (here) => {
    // A link leads to the same file as before, whatever that one says now.
    const isLink = (await lstat(here.folder.at(here.name))).isSymbolicLink();
    const state = isLink ? undefined : await stateAt(here, trashed);
    if (!isLink && (!state || Buffer.compare(state.bytes, content) !== 0)) throw gone();
    await withPlace(root, to, { create: true }, (there) =>
      withNoteLock(there, () =>
        moveEntry(root, here, there).catch((error: unknown) => {
          throw isErrno(error, 'EEXIST') ? alreadyThere(to) : error;
        }),
      ),
    );
  }).catch((error: unknown) => {
    throw isErrno(error, 'ENOENT', 'ELOOP') ? gone() : error;
  });
}

/** What the system answers of a folder that is in use, not empty, not there, or no folder. */
const NOT_PRUNED = ['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR', 'EBUSY', 'EPERM', 'EACCES'];

/** The system itself refuses to remove a folder with anything in it, hidden or written just now. */
async function pruneFolders(root: Root, path: NotePath, top: NotePath): Promise<void> {
  for (
    let folder = parentOf(path);
    folder === top || folder.startsWith(`${top}/`);
    folder = parentOf(folder)
  ) {
    if (!root.isVisible(folder, 'folder')) return;
    const isRemoved = await withPlace(root, folder, { hidden: true }, async (place) => {
      await rmdir(place.folder.at(place.name));
      await flushFolder(place.folder.handle);
      return true;
    }).catch((error: unknown) => {
      // Forbidden: a link leads elsewhere now.
      if (!isErrno(error, ...NOT_PRUNED) && !isAppError(error, 'forbidden')) throw error;
      return false;
    });
    if (!isRemoved) return;
  }
}

/** Takes the locks in one order, so that two opposite moves do not deadlock. */
function withBothLocks<T>(a: Place, b: Place, use: (section: LockedSection) => Promise<T>): Promise<T> {
  if (keyOf(a) === keyOf(b)) return withNoteLock(a, use);
  const [first, second] = keyOf(a) < keyOf(b) ? [a, b] : [b, a];
  return withNoteLock(first, () => withNoteLock(second, use));
}

function keyOf(place: Place): string {
  return pathKey(joinPath(place.folder.path, place.name));
}

/** Equal for two names of one entry. */
async function identityAt(place: Place): Promise<string | undefined> {
  const entry = await lstat(place.folder.at(place.name), { bigint: true }).catch(() => undefined);
  if (!entry) return undefined;
  return entry.isDirectory() ? 'folder' : `${entry.dev}:${entry.ino}`;
}
