/** Notes as MCP resources, with change notifications. */
import type { ResourceEvents, Resources } from '../../mcp/offers.ts';
import { type NotePath, nameOf, pathKey } from '../../notes/path.ts';
import type { Notebook, NoteChange, NoteMeta } from '../../notes/store.ts';
import { textOf } from '../../notes/text/text.ts';
import { AppError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { isBinary, NOTE_URI_TEMPLATE, noteUri, pathOfNoteUri } from '../shared/binary.ts';
import { decodeCursor, encodeCursor } from '../shared/parameters.ts';

const PAGE = 500;
const COMPLETIONS = 100;
const MAX_BYTES = 8 * 1024 * 1024;
/** Watching begins with a walk over all folders; the delay lets the first answers go out before it. */
const WATCH_DELAY_MS = 300;
const LISTING_TTL_MS = 2_000;

const TEMPLATE = {
  uriTemplate: NOTE_URI_TEMPLATE,
  name: 'note',
  description: 'A note by its path in the notebook',
  mimeType: 'text/markdown',
};

export function notebookResources({ notes }: Notebook, log: Log): Resources & { close(): Promise<void> } {
  const listeners = new Set<ResourceEvents>();
  let listing: { at: number; metas: Promise<NoteMeta[]> } | undefined;
  let watching: Promise<(() => Promise<void>) | undefined> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const allNotes = (): Promise<NoteMeta[]> => {
    if (!listing || Date.now() - listing.at > LISTING_TTL_MS)
      listing = { at: Date.now(), metas: notes.list() };
    return listing.metas;
  };
  const announce = (changes: readonly NoteChange[]) => {
    listing = undefined;
    for (const events of listeners) {
      for (const { kind, path } of changes) if (kind === 'changed') events.updated(canonicalUri(path));
      if (changes.some(({ kind }) => kind !== 'changed')) events.listChanged();
    }
  };
  const startWatching = () => {
    watching ??= notes.watch?.(announce).catch((error: unknown) => {
      log('warn', 'changes by other programs will not be announced', { error: String(error) });
      return undefined;
    });
  };

  return {
    templates: async () => [TEMPLATE],
    owns: (uri) => uri.startsWith(NOTE_URI_TEMPLATE.slice(0, NOTE_URI_TEMPLATE.indexOf('{'))),
    list: async (cursor) => {
      const metas = await allNotes();
      const after = cursor === undefined ? undefined : decodeCursor(cursor);
      const from = after === undefined ? 0 : metas.findIndex(({ path }) => path > after);
      const page = from < 0 ? [] : metas.slice(from, from + PAGE);
      const last = page.at(-1);
      return {
        entries: page.map(({ path, size, lastModified, contentType }) => ({
          uri: noteUri(path),
          name: nameOf(path),
          mimeType: contentType,
          size,
          annotations: { lastModified: new Date(lastModified).toISOString() },
        })),
        nextCursor: last && last !== metas.at(-1) ? encodeCursor(last.path) : undefined,
      };
    },
    read: async (uri) => {
      const note = await notes.read(pathOfNoteUri(uri));
      if (note.size > MAX_BYTES) {
        throw new AppError('unsupported', 'Note too large for a resource', {
          subject: note.path,
          hint: 'Read it in pages with the read_note tool.',
        });
      }
      if (isBinary(note.path))
        return [{ uri, mimeType: note.contentType, blob: Buffer.from(note.bytes).toString('base64') }];
      return [{ uri, mimeType: note.contentType, text: textOf(note) }];
    },
    canonical: (uri) => canonicalUri(pathOfNoteUri(uri)),
    complete: async ({ of, argument, value }) => {
      if (of !== NOTE_URI_TEMPLATE || argument !== 'path') return undefined;
      const wanted = pathKey(value);
      const paths = (await allNotes()).map(({ path }) => path);
      const placeIn = (path: NotePath) => pathKey(path).indexOf(wanted);
      const found = [
        ...paths.filter((path) => placeIn(path) === 0),
        ...paths.filter((path) => placeIn(path) > 0),
      ];
      return { values: found.slice(0, COMPLETIONS), total: found.length };
    },
    watch: (events) => {
      listeners.add(events);
      timer ??= setTimeout(startWatching, WATCH_DELAY_MS).unref();
      return () => void listeners.delete(events);
    },
    close: async () => {
      clearTimeout(timer);
      listeners.clear();
      await (await watching)?.();
    },
  };
}

/** URIs are in NFC, whatever Unicode form the file name has on disk. */
function canonicalUri(path: NotePath): string {
  return noteUri(path.normalize('NFC') as NotePath);
}
