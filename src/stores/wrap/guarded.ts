/**
 * Exposes only the notes that the filter allows; other paths are refused with `Access denied` before the store is
 * called.
 */
import { extensionOf, type NotePath } from '../../notes/path.ts';
import type { PathFilter } from '../../notes/path-filter.ts';
import type { JointChange, NoteMeta, NoteStore } from '../../notes/store.ts';
import { AppError } from '../../shared/errors.ts';

export function guarded(
  store: NoteStore,
  filter: Pick<PathFilter, 'isHidden' | 'isAllowed' | 'extensions'>,
): NoteStore {
  const allow = (path: NotePath): NotePath => {
    if (filter.isHidden(path)) {
      throw new AppError('forbidden', 'Access denied', {
        subject: path,
        hint: 'Hidden files and folders are not part of the notebook.',
      });
    }
    if (!filter.isAllowed(path) && extensionOf(path) === '') {
      throw new AppError('forbidden', 'The path has no extension', {
        subject: path,
        hint: `The path of a note ends in ${filter.extensions.join(', ')}.`,
      });
    }
    if (!filter.isAllowed(path)) {
      throw new AppError('forbidden', 'Access denied', {
        subject: path,
        hint: `Only ${filter.extensions.join(', ')} files are served here.`,
      });
    }
    return path;
  };
  const allowFolder = (path: NotePath): NotePath => {
    if (path !== '' && filter.isHidden(path))
      throw new AppError('forbidden', 'Access denied', { subject: path });
    return path;
  };
  const { listFolder, relist, stat, move, changeAll, restore, trash, pruneFolders, recording, watch } = store;
  const { readListed, readsAtOnce, hasFeed, catchUp, revision, preparesWrites, journalNote, deleted } = store;
  return {
    name: store.name,
    list: async (options = {}) => {
      const metas = await store.list(
        options.under === undefined ? options : { ...options, under: allowFolder(options.under) },
      );
      return metas.filter((meta) => filter.isAllowed(meta.path));
    },
    read: async (path) => store.read(allow(path)),
    write: async (path, content, conditions) => store.write(allow(path), content, conditions),
    remove: async (path, conditions) => store.remove(allow(path), conditions),
    close: () => store.close(),
    check: store.check,
    recordsIn: store.recordsIn,
    spelling: store.spelling,
    preparesWrites,
    readsAtOnce,
    hasFeed,
    readListed: readListed
      ? (note) => (filter.isAllowed(note.path) ? readListed(note) : undefined)
      : undefined,
    catchUp: catchUp || undefined,
    revision: revision || undefined,
    listFolder: listFolder
      ? async (path) => {
          const { folders, files } = await listFolder(allowFolder(path));
          const prefix = path === '' ? '' : `${path}/`;
          return {
            folders: folders.filter((name) => !filter.isHidden(prefix + name)),
            files: files.filter((name) => filter.isAllowed(prefix + name)),
          };
        }
      : undefined,
    relist: relist
      ? async (before, onChanged) => {
          const allowed = (files: readonly NoteMeta[]) => files.filter(({ path }) => filter.isAllowed(path));
          const { changed, ...rest } = await relist(
            before,
            onChanged && ((found) => onChanged(allowed(found))),
          );
          return { ...rest, changed: allowed(changed) };
        }
      : undefined,
    stat: stat ? async (path) => stat(allow(path)) : undefined,
    move: move ? async (from, to, options) => move(allow(from), allow(to), options) : undefined,
    changeAll: changeAll
      ? async (changes, options) => {
          for (const path of changes.flatMap(pathsOf)) allow(path);
          return changeAll(changes, options);
        }
      : undefined,
    restore: restore ? async (trashed, to, content) => restore(trashed, allow(to), content) : undefined,
    trash: trash && {
      ...trash,
      list: async (signal) => (await trash.list(signal)).filter(({ original }) => filter.isAllowed(original)),
    },
    deleted: deleted && { ...deleted, restore: async (id) => allow(await deleted.restore(id)) },
    pruneFolders: pruneFolders ? async (path, top) => pruneFolders(allow(path), allowFolder(top)) : undefined,
    journalNote: journalNote
      ? async (period, day, options) => {
          const path = await journalNote(period, day, options);
          return path === undefined ? undefined : allow(path);
        }
      : undefined,
    recording: recording ? (recorder) => guarded(recording(recorder), filter) : undefined,
    watch: watch
      ? (onChange, options) =>
          watch((changes) => {
            const visible = changes.filter((change) => filter.isAllowed(change.path));
            if (visible.length > 0) onChange(visible);
          }, options)
      : undefined,
  };
}

/** All paths that a change is about. */
function pathsOf(change: JointChange): readonly NotePath[] {
  return change.kind === 'move' ? [change.from, change.to] : [change.path];
}

/** Refuses every change with `read_only`. */
export function readOnly(store: NoteStore): NoteStore {
  const refuse = async (): Promise<never> => {
    throw new AppError('read_only', 'Notebook is read-only', {
      subject: store.name,
      hint: 'It is served without the right to change notes.',
    });
  };
  return {
    ...store,
    write: refuse,
    remove: refuse,
    ...(store.move && { move: refuse }),
    ...(store.changeAll && { changeAll: refuse }),
    ...(store.restore && { restore: refuse }),
    ...(store.trash && { trash: { ...store.trash, purge: refuse } }),
    ...(store.pruneFolders && { pruneFolders: refuse }),
    ...withoutMaking(store),
    recording: undefined,
  };
}

/** Notes that a server places itself are found, and neither made nor brought back. */
export function withoutMaking({
  journalNote,
  deleted,
}: NoteStore): Pick<NoteStore, 'journalNote' | 'deleted'> {
  const refuse = async (id: string): Promise<never> => {
    throw new AppError('unsupported', 'The note cannot be brought back here', {
      subject: id,
      hint: 'Trilium chooses its place itself, so that can be neither proposed nor limited to some places. Bring it back there, under Recent Changes.',
    });
  };
  return {
    journalNote: journalNote && ((period, day) => journalNote(period, day, { create: false })),
    deleted: deleted && { ...deleted, restore: refuse },
  };
}

/** Refuses changes of other paths than those that `isWritable` allows; `within` names them. */
export function writableWithin(
  store: NoteStore,
  isWritable: (path: NotePath) => boolean,
  within: readonly string[],
): NoteStore {
  const assertWritable = (...paths: readonly NotePath[]) => {
    const path = paths.find((one) => !isWritable(one));
    if (path === undefined) return;
    throw new AppError('forbidden', 'Writing is limited to certain folders here', {
      subject: path,
      hint: within.length > 0 ? `Choose a path under: ${within.join(', ')}.` : 'Nothing may be written.',
    });
  };
  const { move, changeAll, restore, recording } = store;
  return {
    ...store,
    // Where the server would make one is not known before.
    ...withoutMaking(store),
    write: async (path, content, conditions) => {
      assertWritable(path);
      return store.write(path, content, conditions);
    },
    remove: async (path, conditions) => {
      assertWritable(path);
      return store.remove(path, conditions);
    },
    ...(move && {
      move: async (from, to, options) => {
        assertWritable(from, to);
        return move(from, to, options);
      },
    }),
    ...(changeAll && {
      changeAll: async (changes, options) => {
        assertWritable(...changes.flatMap(pathsOf));
        return changeAll(changes, options);
      },
    }),
    ...(restore && {
      restore: async (trashed, to, content) => {
        assertWritable(to);
        return restore(trashed, to, content);
      },
    }),
    ...(recording && { recording: (recorder) => writableWithin(recording(recorder), isWritable, within) }),
  };
}
