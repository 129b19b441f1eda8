/**
 * A Trilium as a store of notes: titles are names (see names.ts), text notes are markdown, all others are files as
 * they are. A version is the note's `blobId`. Nothing is overwritten without a revision in Trilium. Text notes hold
 * HTML, so what is read after a write is the markdown of that HTML. A listing does not tell sizes that were not read
 * before: they are 0.
 */
import { joinPath, type NotePath, nameOf, parentOf } from '../../notes/path.ts';
import type { Note, NoteMeta, NoteStore, WrittenNote } from '../../notes/store.ts';
import { AppError } from '../../shared/errors.ts';
import { KeyedQueue } from '../../shared/keyed-queue.ts';
import { alreadyThere, movedOn } from '../condition.ts';
import { contentTypeOf } from '../folder/content-type.ts';
import type { TriliumClient } from './client.ts';
import { essenceOf, isTextMime } from './content-kind.ts';
import { createNote } from './create-note.ts';
import { deleteNote } from './delete-note.ts';
import { hasChildren, isMarkdown, readFileName } from './names.ts';
import { noteMarkdown } from './note-markdown.ts';
import { moveNote, unlinkBranch } from './place.ts';
import { linkedNotes } from './titles.ts';
import { createTree, type Placed, titleFor, titleOfFile } from './tree.ts';
import { createWatch } from './watch.ts';
import { branchIdOf, isSystemId } from './wire/ids.ts';
import type { TriliumNote } from './wire/types.ts';
import { createContentWriter } from './write-content.ts';

export interface MarkdownPair {
  toMarkdown(html: string): string | Promise<string>;
  /** `links` has ids of notes by their titles. */
  toHtml(
    markdown: string,
    options: { readonly links: ReadonlyMap<string, string> },
  ): string | Promise<string>;
}

export interface TriliumStoreOptions {
  readonly client: TriliumClient;
  readonly markdown: MarkdownPair;
  /** A file without what runs when somebody opens it. */
  cleanFile(mime: string, bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** Below which note; the whole tree unless told. */
  readonly rootNoteId?: string;
  /** How often to look for changes of others. */
  readonly pollMs?: number;
}

const POLL_MS = 30_000;
const MAX_SIZES = 50_000;
/** Whatever changes the shape of the tree goes one after the other. */
const TREE = 'tree';

export function openTriliumStore(options: TriliumStoreOptions): NoteStore {
  const { client, markdown, cleanFile, rootNoteId = 'root', pollMs = POLL_MS } = options;
  const tree = createTree(client, rootNoteId);
  const writer = createContentWriter(client);
  const queue = new KeyedQueue();
  const sizes = new Map<string, number>();
  const remember = (blobId: string, size: number) => {
    if (sizes.size >= MAX_SIZES) sizes.clear();
    sizes.set(blobId, size);
  };

  const metaOf = (path: NotePath, note: TriliumNote): NoteMeta => ({
    path,
    size: sizes.get(note.blobId) ?? 0,
    lastModified: Date.parse(note.utcDateModified.replace(' ', 'T')),
    contentType: isMarkdown(note) ? 'text/markdown' : essenceOf(note.mime) || contentTypeOf(path),
  });

  const list = async (signal?: AbortSignal): Promise<NoteMeta[]> =>
    [...(await tree.files({ signal }))]
      .map(([path, note]) => metaOf(path, note))
      .sort((a, b) => (a.path < b.path ? -1 : 1));

  const watching = createWatch({ list, pollMs });

  const find = async (path: NotePath): Promise<Placed> => {
    const placed = await tree.find(path);
    if (!placed) throw new AppError('not_found', 'File not found', { subject: path });
    return placed;
  };

  const read = async (path: NotePath): Promise<Note> => {
    const { note } = await find(path);
    const { bytes } = await client.notes.content(note.noteId);
    const content = isMarkdown(note)
      ? Buffer.from((await noteMarkdown(markdown.toMarkdown, Buffer.from(bytes).toString())).text)
      : bytes;
    remember(note.blobId, content.length);
    return { ...metaOf(path, note), version: note.blobId, bytes: content };
  };

  const written = (path: NotePath, note: TriliumNote, size: number): WrittenNote => {
    remember(note.blobId, size);
    return { ...metaOf(path, note), size, version: note.blobId };
  };

  const htmlOf = async (text: string): Promise<string> =>
    markdown.toHtml(text, { links: await linkedNotes(client, text) });

  const update = async (path: NotePath, note: TriliumNote, bytes: Uint8Array, expectedBlobId?: string) => {
    const clean = isOpened(note) ? await cleanFile(note.mime, bytes) : bytes;
    const text = textOrUndefined(clean);
    if (isMarkdown(note) && text === undefined) throw notText(path);
    const content = isMarkdown(note) ? await htmlOf(text ?? '') : (text ?? clean);
    const { note: after } = await writer.replace(note.noteId, content, { expectedBlobId });
    const meta = written(path, after, bytes.length);
    watching.announce('changed', meta);
    return meta;
  };

  const create = async (path: NotePath, bytes: Uint8Array): Promise<WrittenNote> => {
    const folder = await tree.ensureFolder(parentOf(path));
    const name = nameOf(path);
    const { title, isMarkdown: isText } = readFileName(name);
    const sent = textOrUndefined(bytes);
    const kind = isText && sent !== undefined ? TEXT_NOTE : kindOf(name, sent);
    const clean = isOpened(kind) ? await cleanFile(kind.mime, bytes) : bytes;
    const text = textOrUndefined(clean);
    const note =
      kind === TEXT_NOTE
        ? { title, type: kind.type, content: await htmlOf(text ?? '') }
        : { title: titleOfFile(name), ...kind, content: text ?? '' };
    const made = await createNote(client, { parentNoteId: folder.noteId, ...note });
    if (text === undefined) await client.notes.putContent(made.note.noteId, clean);
    const meta = written(
      path,
      text === undefined ? await client.notes.get(made.note.noteId) : made.note,
      bytes.length,
    );
    watching.announce('added', meta);
    return meta;
  };

  /** Takes one place away; a note with others below it stays as their folder. */
  const take = async ({ note, parentNoteId }: Placed): Promise<void> => {
    const places = note.parentNoteIds.filter((id) => !isSystemId(id));
    if (places.length > 1) await unlinkBranch(client, branchIdOf(parentNoteId, note.noteId));
    else if (hasChildren(note)) {
      await writer.replace(note.noteId, '', { expectedBlobId: note.blobId });
      await client.notes.patch(note.noteId, { type: 'book', mime: '' });
    } else await deleteNote(client, note.noteId, { expectedBlobId: note.blobId });
  };

  return {
    name: 'trilium',
    list: async ({ under = '', signal } = {}) =>
      (await list(signal)).filter(({ path }) => under === '' || path.startsWith(`${under}/`)),
    relist: async ({ files }) => {
      const before = new Map(files.map((meta) => [meta.path, meta.lastModified]));
      const now = await list();
      const present = new Set(now.map(({ path }) => path));
      return {
        changed: now.filter((meta) => before.get(meta.path) !== meta.lastModified),
        removed: files.map(({ path }) => path).filter((path) => !present.has(path)),
      };
    },
    read,
    stat: async (path) => {
      const { bytes: _, version: __, ...meta } = await read(path);
      return meta;
    },
    write: async (path, content, { ifVersion } = {}) => {
      const bytes = Buffer.from(content as Uint8Array);
      const expected = ifVersion ?? undefined;
      if (ifVersion !== null) {
        const placed = ifVersion === undefined ? await tree.find(path) : await find(path);
        if (placed) return update(path, placed.note, bytes, expected);
      }
      return queue.run(TREE, async () => {
        const placed = await tree.find(path);
        if (placed && ifVersion === null) throw alreadyThere(path);
        return placed ? update(path, placed.note, bytes, expected) : create(path, bytes);
      });
    },
    remove: (path, { ifVersion } = {}) =>
      queue.run(TREE, async () => {
        const placed = await find(path);
        if (ifVersion !== undefined && placed.note.blobId !== ifVersion) throw movedOn(path);
        await take(placed);
        watching.announce('removed', metaOf(path, placed.note));
        return {};
      }),
    move: (from, to, { overwrite = false } = {}) =>
      queue.run(TREE, async () => {
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
        // Two notes of one title do no harm; a lost one would.
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
    close: async () => {
      watching.close();
      client.close();
    },
  };
}

interface Kind {
  readonly type: string;
  readonly mime: string;
}

const TEXT_NOTE: Kind = { type: 'text', mime: 'text/html' };

/** Shown by a browser as what its mime says. */
function isOpened({ type }: Kind): boolean {
  return type === 'file' || type === 'image';
}

/** Of a note that is not a text note. */
function kindOf(name: string, text: string | undefined): Kind {
  const known = contentTypeOf(name);
  if (known.startsWith('image/')) return { type: 'image', mime: known };
  if (text === undefined)
    return { type: 'file', mime: isTextMime(known) ? 'application/octet-stream' : known };
  return isTextMime(known) ? { type: 'code', mime: known } : { type: 'file', mime: known };
}

function textOrUndefined(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Bytes then; there is nothing wrong with them.
    return undefined;
  }
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
