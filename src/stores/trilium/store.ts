/**
 * A Trilium as a `NoteStore`. Titles are names (see names.ts); text notes are markdown with their labels as frontmatter,
 * all others are files. A version covers the note's `blobId` and its labels. Nothing is overwritten without a revision
 * in Trilium. Text notes hold HTML, so a read after a write gives the markdown of that HTML. In a listing, the size of
 * a note that was not read before is 0.
 */
import type { EditRecorder } from '../../notes/edit-recorder.ts';
import { joinPath, type NotePath, nameOf, parentOf } from '../../notes/path.ts';
import type { Note, NoteMeta, NoteStore, WrittenNote } from '../../notes/store.ts';
import { KeyedMutex } from '../../shared/async/keyed-mutex.ts';
import { AppError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { alreadyThere, movedOn } from '../condition.ts';
import { contentTypeOf } from '../content-type.ts';
import { calendarDate, findSpecialNote } from './calendar-dates.ts';
import type { TriliumClient } from './client.ts';
import { essenceOf, isOpened, isTextMime, utf8Text } from './content-kind.ts';
import { deleteNote, makeNote } from './create-note.ts';
import { changedAt, readLabelledText, versionOf } from './labels/labelled-text.ts';
import { hasChildren, isMarkdown, readFileName } from './names.ts';
import type { NoteAndContent } from './note-and-content.ts';
import { moveNote, unlinkBranch } from './place.ts';
import { blobIdOf } from './revisions.ts';
import { ANY_BYTES, isPlainUtf8 } from './stored-bytes.ts';
import { createTextNotes, type MarkdownPair } from './text-notes.ts';
import { createTree, type PlacedNote, titleFor, titleOfFile } from './tree.ts';
import { createListingCache, createWatch } from './watch.ts';
import { branchIdOf, isSystemId, type TriliumNote } from './wire/entities.ts';
import { ifFound } from './wire/errors.ts';
import { createContentWriter, createWriteState } from './write-content.ts';
import { createWriteLocks } from './write-lock.ts';

export interface TriliumStoreOptions {
  readonly client: TriliumClient;
  readonly markdown: MarkdownPair;
  /** Removes active content from a file. */
  cleanFile(mime: string, bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** Root of the served subtree. Default: the root of the tree. */
  readonly rootNoteId?: string;
  readonly log?: Log | undefined;
  /** Polling interval for changes by other clients. */
  readonly pollMs?: number;
  /** A client whose changes are recorded. */
  readonly recordedBy?: (recorder: EditRecorder) => TriliumClient;
}

const POLL_MS = 30_000;
const MAX_SIZES = 50_000;
/** Each read is a few requests in a row. */
const READS_AT_ONCE = 8;
/** Key of the mutex for changes of the tree's shape; no path equals it. */
const TREE = '/tree';

export function openTriliumStore(options: TriliumStoreOptions): NoteStore {
  const { client, recordedBy } = options;
  const state = openState(options);
  const recording =
    recordedBy && ((recorder: EditRecorder) => storeOver(recordedBy(recorder), options, state));
  return { ...storeOver(client, options, state), recording };
}

/** What all views of a Trilium share. */
function openState({ client, rootNoteId = 'root', pollMs = POLL_MS, log }: TriliumStoreOptions) {
  const listing = createListingCache((signal) => createTree(client.limited({ signal }), rootNoteId).files());
  const sizes = new Map<string, number>();
  const remember = (note: TriliumNote, size: number) => {
    if (sizes.size >= MAX_SIZES) sizes.clear();
    sizes.set(versionOf(note), size);
  };

  const metaOf = (path: NotePath, note: TriliumNote): NoteMeta => ({
    path,
    size: sizes.get(versionOf(note)) ?? 0,
    lastModified: changedAt(note),
    contentType: isMarkdown(note) ? 'text/markdown' : essenceOf(note.mime) || contentTypeOf(path),
  });

  const list = async (signal?: AbortSignal): Promise<NoteMeta[]> =>
    [...(await listing.fresh(signal))]
      .map(([path, note]) => metaOf(path, note))
      .sort((a, b) => (a.path < b.path ? -1 : 1));

  return {
    listing,
    remember,
    metaOf,
    list,
    watching: createWatch({ list, pollMs }),
    queue: new KeyedMutex(),
    lock: createWriteLocks({ log })(client.host),
    writes: createWriteState(),
    bodies: new Map<string, string>(),
  };
}

function storeOver(
  client: TriliumClient,
  { markdown, cleanFile, rootNoteId = 'root' }: TriliumStoreOptions,
  { listing, remember, metaOf, list, watching, queue, lock, writes, bodies }: ReturnType<typeof openState>,
): NoteStore {
  const tree = createTree(client, rootNoteId);
  const writer = createContentWriter(client, lock, writes);
  const texts = createTextNotes(client, { markdown, writer, bodies });
  /** Serializes changes of the tree's shape. */
  const changingTree = <T>(change: () => Promise<T>): Promise<T> =>
    queue.run(TREE, () => change().finally(() => listing.forget()));

  const find = async (path: NotePath): Promise<PlacedNote> => {
    const placed = await tree.find(path);
    if (!placed) throw new AppError('not_found', 'File not found', { subject: path });
    return placed;
  };

  /**
   * A note at the path it was listed at recently. Its labels may have changed without its content, so both are requested
   * concurrently, except during a bulk read.
   */
  const readListed = async (path: NotePath): Promise<NoteAndContent | undefined> => {
    const recalled = await listing.recall(path);
    if (!recalled) return undefined;
    const { note: listed, isBulk } = recalled;
    const { noteId } = listed;
    const found = await ifFound(
      Promise.all([
        isMarkdown(listed) && !isBulk ? client.notes.get(noteId) : listed,
        client.notes.content(noteId),
      ]),
    );
    if (!found) return undefined;
    const [note, { bytes }] = found;
    const isInPlace = note.title === listed.title && note.type === listed.type;
    return isInPlace && blobIdOf(bytes) === note.blobId ? { note, bytes } : undefined;
  };

  const readFound = async (path: NotePath): Promise<NoteAndContent> => {
    const { note } = await find(path);
    return { note, bytes: (await client.notes.content(note.noteId)).bytes };
  };

  const read = async (path: NotePath): Promise<Note> => {
    const { note, bytes } = (await readListed(path)) ?? (await readFound(path));
    const content = isMarkdown(note)
      ? Buffer.from(await texts.read(note, Buffer.from(bytes).toString()))
      : bytes;
    remember(note, content.length);
    return { ...metaOf(path, note), version: versionOf(note), bytes: content };
  };

  const written = (path: NotePath, note: TriliumNote, size: number): WrittenNote => {
    remember(note, size);
    return { ...metaOf(path, note), size, version: versionOf(note) };
  };

  const update = async (path: NotePath, note: TriliumNote, bytes: Uint8Array, ifVersion?: string) => {
    if (ifVersion !== undefined && versionOf(note) !== ifVersion) throw movedOn(path);
    const expectedBlobId = ifVersion === undefined ? undefined : note.blobId;
    const clean = isOpened(note) ? await cleanFile(note.mime, bytes) : bytes;
    const text = utf8Text(clean);
    if (isMarkdown(note) && text === undefined) throw notText(path);
    const after = isMarkdown(note)
      ? await texts.update(note, await readLabelledText(text ?? ''), { expectedBlobId })
      : (await writer.replace(note.noteId, text ?? clean, { expectedBlobId })).note;
    const meta = written(path, after, bytes.length);
    watching.announce('changed', meta);
    return meta;
  };

  const create = async (path: NotePath, bytes: Uint8Array): Promise<WrittenNote> => {
    const name = nameOf(path);
    const { title, isMarkdown: isText } = readFileName(name);
    const sent = isText ? utf8Text(bytes) : undefined;
    const parsed = sent === undefined ? undefined : await readLabelledText(sent);
    const folder = await tree.ensureFolder(parentOf(path));
    const made = parsed
      ? await texts.create({ parentNoteId: folder.noteId, title }, parsed)
      : await createFile(folder.noteId, name, bytes);
    const meta = written(path, made, bytes.length);
    watching.announce('added', meta);
    return meta;
  };

  const createFile = async (parentNoteId: string, name: string, bytes: Uint8Array): Promise<TriliumNote> => {
    const kind = kindOf(name, isPlainUtf8(bytes));
    const clean = isOpened(kind) ? await cleanFile(kind.mime, bytes) : bytes;
    const { note } = await makeNote(client, {
      note: { parentNoteId, title: titleOfFile(name), ...kind },
      body: isPlainUtf8(clean) ? Buffer.from(clean).toString() : clean,
      embeds: { images: [], files: [] },
    });
    return note;
  };

  const pathOf = async (wanted: string, subject: string): Promise<NotePath> => {
    for (const [path, { noteId }] of await listing.fresh()) if (noteId === wanted) return path;
    throw new AppError('forbidden', 'The note is not among those served here', { subject });
  };

  /** Removes the note from its folder; a note with children stays as their folder. Returns how to get it back. */
  const take = async ({ note, parentNoteId }: PlacedNote): Promise<string> => {
    const places = note.parentNoteIds.filter((id) => !isSystemId(id));
    if (places.length > 1) {
      await unlinkBranch(client, branchIdOf(parentNoteId, note.noteId));
      return 'taken out of this folder; it is still in its other places in Trilium';
    }
    if (hasChildren(note)) {
      await writer.replace(note.noteId, '', { expectedBlobId: note.blobId });
      await client.notes.patch(note.noteId, { type: 'book', mime: '' });
      return 'its text is kept in a revision in Trilium; the notes below it stay';
    }
    await writer.alone(note.noteId, () => deleteNote(client, note.noteId, { expectedBlobId: note.blobId }));
    return `Trilium keeps it for a while: undelete note ${note.noteId} there, under Recent Changes`;
  };

  return {
    name: 'trilium',
    readsAtOnce: READS_AT_ONCE,
    list: async ({ under = '', signal } = {}) =>
      (await list(signal)).filter(({ path }) => under === '' || path.startsWith(`${under}/`)),
    relist: async ({ paths, times }) => {
      const before = new Map(paths.map((path, row) => [path, times[row]]));
      const now = await list();
      const present = new Set(now.map(({ path }) => path));
      return {
        changed: now.filter((meta) => before.get(meta.path) !== meta.lastModified),
        removed: paths.filter((path) => !present.has(path)),
      };
    },
    read,
    journalNote: async (period, day, { create: isWanted }) => {
      const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
      const wanted = calendarDate(period, undefined, new Date(year, month - 1, date));
      const there = await findSpecialNote(client, period, wanted);
      if (!there && !isWanted) return undefined;
      const note = there ?? (await changingTree(() => client.calendar[period](wanted)));
      return pathOf(note.noteId, note.title);
    },
    deleted: {
      list: async () => {
        const rows = await client.notes.history(rootNoteId === 'root' ? undefined : rootNoteId);
        const gone = rows.filter((row) => row.current_isDeleted === 1 && row.canBeUndeleted === true);
        // The newest row of a note comes first, and is that of its deletion.
        const newest = new Map(gone.toReversed().map((row) => [row.noteId, row]));
        return [...newest.values()].map(({ noteId, current_title: title, utcDate }) => {
          return { id: noteId, title, deletedAt: Date.parse(utcDate.replace(' ', 'T')) };
        });
      },
      restore: async (id) => {
        await changingTree(() => client.notes.undelete(id));
        return pathOf(id, id);
      },
    },
    stat: async (path) => {
      const { bytes: _, version: __, ...meta } = await read(path);
      return meta;
    },
    write: async (path, content, { ifVersion } = {}) => {
      const bytes = Buffer.from(content as Uint8Array);
      const expected = ifVersion ?? undefined;
      if (ifVersion !== null) {
        const updated = await queue
          .run(path, async () => {
            const placed = ifVersion === undefined ? await tree.find(path) : await find(path);
            return placed && update(path, placed.note, bytes, expected);
          })
          .finally(() => listing.forget());
        if (updated) return updated;
      }
      return changingTree(async () => {
        const placed = await tree.find(path);
        if (placed && ifVersion === null) throw alreadyThere(path);
        return placed ? update(path, placed.note, bytes, expected) : create(path, bytes);
      });
    },
    remove: (path, { ifVersion } = {}) =>
      changingTree(async () => {
        const placed = await find(path);
        if (ifVersion !== undefined && versionOf(placed.note) !== ifVersion) throw movedOn(path);
        const recovery = await take(placed);
        watching.announce('removed', metaOf(path, placed.note));
        return { recovery };
      }),
    move: (from, to, { overwrite = false } = {}) =>
      changingTree(async () => {
        const source = await find(from);
        if (from === to) return metaOf(from, source.note);
        const target = await tree.find(to);
        if (target && !overwrite)
          throw new AppError('already_exists', 'Target file already exists', {
            subject: to,
            hint: 'Use overwrite=true to replace it.',
          });
        if (hasChildren(source.note)) throw isFolderToo(from);
        if (target && hasChildren(target.note)) throw isFolderToo(to);
        const title = titleFor(source.note, nameOf(to));
        const folder = await tree.ensureFolder(parentOf(to));
        const { noteId } = source.note;
        await moveNote(client, {
          noteId,
          newParentNoteId: folder.noteId,
          oldParentNoteId: source.parentNoteId,
        });
        const moved = title === source.note.title ? source.note : await client.notes.patch(noteId, { title });
        // Removed last: two notes of one title do no harm, a lost note does.
        if (target) await take(target);
        const meta = metaOf(joinPath(parentOf(to), nameOf(to)), moved);
        watching.announce('removed', metaOf(from, source.note));
        watching.announce(target ? 'changed' : 'added', meta);
        return meta;
      }),
    listFolder: async (path) => {
      const folder = await tree.folder(path);
      if (!folder) throw new AppError('not_found', 'File not found', { subject: path });
      const { files, folders } = await tree.names(folder);
      return { folders: [...folders.keys()].sort(), files: [...files.keys()].sort() };
    },
    watch: (onChange, watchOptions) => watching.watch(onChange, watchOptions),
    catchUp: () => watching.catchUp(),
    close: async () => {
      watching.close();
      client.close();
    },
  };
}

/** Type and MIME type for a file that is not markdown. */
function kindOf(name: string, isText: boolean): Pick<TriliumNote, 'type' | 'mime'> {
  const known = contentTypeOf(name);
  if (known.startsWith('image/')) return { type: 'image', mime: known };
  if (!isText) return { type: 'file', mime: isTextMime(known) ? ANY_BYTES : known };
  return isTextMime(known) ? { type: 'code', mime: known } : { type: 'file', mime: known };
}

function notText(path: NotePath): AppError {
  return new AppError('unsupported', 'Not UTF-8 text', {
    subject: path,
    hint: 'A text note of Trilium holds text only. Nothing was written.',
  });
}

function isFolderToo(path: NotePath): AppError {
  return new AppError('unsupported', 'The note has notes below it', {
    subject: path,
    hint: 'They would go along. Move those first, or move the note inside Trilium.',
  });
}
