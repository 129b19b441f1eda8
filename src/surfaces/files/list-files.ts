import * as z from 'zod';
import { listFiles as list } from '../../notes/ops/file-listing.ts';
import { linkedFiles } from '../../notes/ops/linked-files.ts';
import { extensionOf, type NotePath } from '../../notes/path.ts';
import type { NoteSearcher } from '../../notes/searcher.ts';
import type { NoteMeta } from '../../notes/store.ts';
import { isBinary } from '../shared/binary.ts';
import { continuation, folder, isBelow, limit, listPage } from '../shared/list-page.ts';
import { defineTool } from '../shared/note-set.ts';
import { cursor, warning, withWarnings } from '../shared/parameters.ts';

const KINDS = ['image', 'audio', 'video', 'pdf', 'canvas', 'other'] as const;

export const listFiles = defineTool({
  name: 'list_files',
  title: 'List files',
  description:
    'Files that are not notes (images, PDFs, audio, canvases and others) with type, size in bytes and whether a note or canvas links to them. unlinked: only those that nothing links to. Read one with read_file or read_canvas. Example: {"folder":"projects","kind":"image","unlinked":true}',
  effect: 'read',
  input: () =>
    z.strictObject({
      folder: folder(),
      kind: z.enum(KINDS).optional().describe('Only of this kind'),
      unlinked: z.boolean().default(false).describe('Only files without links to them'),
      limit: limit(50),
      cursor: cursor(),
    }),
  output: () =>
    z.object({
      total: z.number(),
      bytes: z.number(),
      files: z.array(z.object({ path: z.string(), type: z.string(), size: z.number(), linked: z.boolean() })),
      ...continuation(),
      warning: warning(),
    }),
  async run({ folder: given, kind, unlinked, ...page }, call) {
    const { backend, signal } = call;
    const warned = withWarnings(call);
    const below = isBelow(given);
    const listing = await list(backend.files, signal);
    const isNote = await noteTest(backend.searcher);
    const linked = await linkedFiles(backend, listing, warned.options);
    const wanted = listing.filter(
      (meta) =>
        below(meta.path) &&
        !isNote(meta.path) &&
        (kind === undefined || kindOf(meta) === kind) &&
        !(unlinked && linked.has(meta.path)),
    );
    const { shown, more } = listPage(wanted, {
      ...page,
      tool: 'list_files',
      entries: 'Files',
      keyOf: ({ path }) => path,
    });
    const files = shown.map(({ path, size, contentType }) => ({
      path,
      type: contentType,
      size,
      linked: linked.has(path),
    }));
    const bytes = wanted.reduce((sum, { size }) => sum + size, 0);
    return { value: { total: wanted.length, bytes, files, ...warned.warning(), ...more } };
  },
});

/** Kinds of text that some tools serve like notes, and that nobody calls a note. */
const NO_NOTES = new Set(['.canvas', '.base', '.svg', '.json', '.csv', '.html', '.yaml', '.yml']);

async function noteTest(searcher: NoteSearcher): Promise<(path: NotePath) => boolean> {
  const notes = new Set((await searcher.notes()).map(({ path }) => path));
  return (path) => notes.has(path) && !isBinary(path) && !NO_NOTES.has(extensionOf(path));
}

function kindOf({ path, contentType }: NoteMeta): (typeof KINDS)[number] {
  if (extensionOf(path) === '.canvas') return 'canvas';
  if (contentType === 'application/pdf') return 'pdf';
  const [family] = contentType.split('/');
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'other';
}
