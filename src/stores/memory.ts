/** An in-memory store, for tests and for copies of notes that are only searched. Keeps the promises of every store. */
import { createHash } from 'node:crypto';
import { joinPath, type NotePath, nameOf, parentOf } from '../notes/path.ts';
import type { Note, NoteChange, NoteMeta, NoteStore } from '../notes/store.ts';
import { AppError } from '../shared/errors.ts';
import { assertCondition } from './condition.ts';

export function openMemoryStore(
  seed: Readonly<Record<string, string>> = {},
  now: () => number = Date.now,
): NoteStore {
  const notes = new Map<NotePath, Note>();
  const listeners = new Set<(changes: readonly NoteChange[]) => void>();

  const put = (path: NotePath, content: string | Uint8Array): Note => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content);
    const note: Note = {
      path,
      size: bytes.length,
      lastModified: now(),
      contentType: 'text/markdown',
      version: createHash('sha256').update(bytes).digest('base64url'),
      bytes,
    };
    announce(notes.has(path) ? 'changed' : 'added', path);
    notes.set(path, note);
    return note;
  };
  const announce = (kind: NoteChange['kind'], path: NotePath) => {
    for (const listener of listeners) queueMicrotask(() => listener([{ kind, path }]));
  };
  const find = (path: NotePath): Note => {
    const note = notes.get(path);
    if (!note) throw new AppError('not_found', 'File not found', { subject: path });
    return note;
  };
  const drop = (path: NotePath) => {
    notes.delete(path);
    announce('removed', path);
  };

  for (const [path, text] of Object.entries(seed)) put(path as NotePath, text);

  return {
    name: 'memory',
    list: async ({ under = '' } = {}) =>
      [...notes.values()]
        .filter((note) => under === '' || note.path.startsWith(`${under}/`))
        .map(metaOf)
        .sort((a, b) => (a.path < b.path ? -1 : 1)),
    read: async (path) => find(path),
    write: async (path, content, { ifVersion } = {}) => {
      assertCondition(path, notes.get(path), ifVersion);
      const { bytes: _, ...written } = put(path, content);
      return written;
    },
    remove: async (path, { ifVersion } = {}) => {
      const note = find(path);
      assertCondition(path, note, ifVersion);
      drop(path);
      return {};
    },
    close: async () => {},

    listFolder: async (folder) => {
      const prefix = folder === '' ? '' : `${folder}/`;
      const below = [...notes.keys()]
        .filter((path) => path.startsWith(prefix))
        .map((path) => path.slice(prefix.length));
      if (below.length === 0 && folder !== '')
        throw new AppError('not_found', 'File not found', { subject: folder });
      return {
        folders: [
          ...new Set(
            below.filter((rest) => rest.includes('/')).map((rest) => rest.slice(0, rest.indexOf('/'))),
          ),
        ].sort(),
        files: below.filter((rest) => !rest.includes('/')).sort(),
      };
    },
    stat: async (path) => metaOf(find(path)),
    move: async (from, to, { overwrite = false } = {}) => {
      const note = find(from);
      if (from === to) return metaOf(note);
      if (notes.has(to) && !overwrite) {
        throw new AppError('already_exists', 'Target file already exists', {
          subject: to,
          hint: 'Use overwrite=true to replace it.',
        });
      }
      drop(from);
      return metaOf(put(joinPath(parentOf(to), nameOf(to)), note.bytes));
    },
    watch: async (onChange) => {
      listeners.add(onChange);
      return async () => void listeners.delete(onChange);
    },
  };
}

function metaOf({ path, size, lastModified, contentType }: Note): NoteMeta {
  return { path, size, lastModified, contentType };
}
