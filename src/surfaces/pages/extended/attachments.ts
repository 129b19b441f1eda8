import * as z from 'zod';
import type { ContentBlock } from '../../../mcp/tool.ts';
import { listFiles } from '../../../notes/ops/file-listing.ts';
import { orMeant } from '../../../notes/ops/find-note.ts';
import { isTrashed } from '../../../notes/ops/trash.ts';
import { isPagePath, parseFilePath } from '../../../notes/page-path.ts';
import type { NotePath } from '../../../notes/path.ts';
import type { Note, NoteMeta, NoteStore } from '../../../notes/store.ts';
import { AppError, isAppError } from '../../../shared/errors.ts';
import { binaryBlock, isBinary, textIfAny } from '../../shared/binary.ts';
import { cursor, decodeCursor, encodeCursor, LIST_CHARACTERS, pageEnd } from '../../shared/parameters.ts';
import { blurredTime } from '../access.ts';
import { defineTool } from '../backend.ts';
import { onPages, tooLarge } from '../page-errors.ts';

export const listAttachments = defineTool({
  name: 'list_attachments',
  title: 'List attachments',
  description:
    'List the files of the space that are not pages (images, PDFs and others) with size in bytes and type, sorted by path. Read one with read_attachment. Example: {"folder":"projects"}',
  effect: 'read',
  input: () =>
    z.strictObject({
      folder: z.string().max(4096).optional().describe('Only below this folder'),
      cursor: cursor(),
    }),
  async run({ folder, cursor: after }, { backend, signal }) {
    const under =
      folder === undefined || /^\/?$/.test(folder) ? '' : `${parseFilePath(folder.replace(/\/$/, ''))}/`;
    const last = after === undefined ? '' : decodeCursor(after);
    const metas = (await backend.files.list({ signal })).filter(
      ({ path }) => !isPagePath(path) && !isTrashed(path) && path.startsWith(under),
    );
    const rest = metas.filter(({ path }) => path > last);
    const end = pageEnd(rest, 0, (meta) => JSON.stringify(entryOf(meta)).length + 1, LIST_CHARACTERS);
    const value = { count: metas.length, attachments: rest.slice(0, end).map(entryOf) };
    const final = rest[end - 1];
    if (end >= rest.length || !final) return { value };
    return { value: { ...value, next_cursor: encodeCursor(final.path) } };
  },
});

function entryOf({ path, size, contentType, lastModified }: NoteMeta) {
  return { path, size, contentType, lastModified: blurredTime(lastModified) };
}

/** Largest text or image in one answer; clients refuse much more. */
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_TEXT_BYTES = 256 * 1024;
const SMALLER = 'It is too large for one answer; open it in SilverBullet instead.';

export const readAttachment = defineTool({
  name: 'read_attachment',
  title: 'Read attachment',
  description:
    'Read a file that is not a page: images come as images, text as text, anything else as a blob; up to 5 MB. Pages are read with read_page. Example: {"path":"projects/plan.png"}',
  effect: 'read',
  input: () => z.strictObject({ path: z.string().describe('Path of the file, with its extension') }),
  async run({ path: raw }, { backend: { files }, signal }) {
    const given = parseFilePath(raw);
    if (isPagePath(given))
      throw new AppError('invalid_input', `${given} is a page`, {
        hint: 'Read it with read_page.',
        details: { path: given },
      });
    const names = {
      maybeCalled: async () =>
        (await listFiles(files, signal)).flatMap(({ path }) => (isPagePath(path) ? [] : path)),
      named: async () => [],
    };
    const show = (path: NotePath) => onPages(files, [path], () => showFile(files, path));
    return orMeant(names, { given: raw, path: given }, show);
  },
});

async function showFile(files: NoteStore, path: NotePath) {
  const { size } = await (files.stat ?? files.read)(path).catch((error: unknown) => {
    throw isAppError(error, 'not_found') ? noSuchFile(path) : error;
  });
  if (size > MAX_BYTES) throw tooLarge(path, size, MAX_BYTES, SMALLER);
  const file = await files.read(path);
  return {
    value: { path, size: file.size, contentType: file.contentType },
    blocks: [blockOf(path, file)],
  };
}

function noSuchFile(path: NotePath): AppError {
  const hint = 'list_attachments shows what files there are.';
  return new AppError('not_found', 'Not found', { subject: path, hint, details: { path } });
}

function blockOf(path: NotePath, file: Note): ContentBlock {
  const text = isBinary(path) ? undefined : textIfAny(file);
  if (text === undefined) return binaryBlock(file);
  if (file.size > MAX_TEXT_BYTES) throw tooLarge(path, file.size, MAX_TEXT_BYTES, SMALLER);
  return { type: 'text', text };
}
