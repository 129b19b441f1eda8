import * as z from 'zod';
import type { ContentBlock } from '../../../mcp/tool.ts';
import { isPagePath, parseFilePath } from '../../../notes/page-path.ts';
import type { NotePath } from '../../../notes/path.ts';
import type { Note } from '../../../notes/store.ts';
import { textOf } from '../../../notes/text/text.ts';
import { AppError, isAppError } from '../../../shared/errors.ts';
import { binaryBlock, isBinary } from '../../shared/binary.ts';
import { defineTool } from '../backend.ts';
import { onPages, tooLarge } from '../page-errors.ts';

/** As text or picture in one answer; clients refuse much more. */
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
  async run({ path: raw }, { backend: { files } }) {
    const path = parseFilePath(raw);
    if (isPagePath(path))
      throw new AppError('invalid_input', `${path} is a page`, {
        hint: 'Read it with read_page.',
        details: { path },
      });
    return onPages(files, [path], async () => {
      const { size } = await (files.stat ?? files.read)(path).catch((error: unknown) => {
        throw isAppError(error, 'not_found') ? noSuchFile(path) : error;
      });
      if (size > MAX_BYTES) throw tooLarge(path, size, MAX_BYTES, SMALLER);
      const file = await files.read(path);
      return {
        value: { path, size: file.size, contentType: file.contentType },
        blocks: [blockOf(path, file)],
      };
    });
  },
});

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

function textIfAny(file: Note): string | undefined {
  try {
    return file.bytes.includes(0) ? undefined : textOf(file);
  } catch (error) {
    if (isAppError(error, 'unsupported')) return undefined;
    throw error;
  }
}
