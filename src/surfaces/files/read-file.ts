import * as z from 'zod';
import { findFile } from '../../notes/ops/file-listing.ts';
import type { NotePath } from '../../notes/path.ts';
import { AppError } from '../../shared/errors.ts';
import { binaryBlock, isBinary, textIfAny } from '../shared/binary.ts';
import { defineTool } from '../shared/note-set.ts';
import { path as pathOf } from '../shared/parameters.ts';

/** Clients refuse much larger answers: text costs a model tokens, and base64 makes a file a third larger. */
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_TEXT_BYTES = 256 * 1024;

const PDF_NOTE =
  'This is the PDF itself, as bytes: its text is not extracted here. A client that reads PDFs can show it.';

export const readFile = defineTool({
  name: 'read_file',
  title: 'Read file',
  description:
    'Read a file that is not a note: images come as images, audio as audio, text as text (up to 256 KB), PDF and anything else as a blob, whose text is not extracted; up to 5 MB. Notes are read with read_note, canvases with read_canvas. Example: {"path":"projects/plan.png"}',
  effect: 'read',
  input: () => z.strictObject({ path: pathOf('Path or name of a file') }),
  async run({ path: given }, { backend: { files } }) {
    const path = await findFile(files, given);
    const { size } = await (files.stat ?? files.read)(path);
    if (size > MAX_BYTES) throw tooLarge(path, size, MAX_BYTES);
    const file = await files.read(path);
    const note = file.contentType === 'application/pdf' ? PDF_NOTE : undefined;
    const value = { path, size: file.size, type: file.contentType, note };
    const text = isBinary(path) ? undefined : textIfAny(file);
    if (text === undefined) return { value, blocks: [binaryBlock(file)] };
    if (file.size > MAX_TEXT_BYTES) throw tooLarge(path, file.size, MAX_TEXT_BYTES);
    return { value, blocks: [{ type: 'text', text }] };
  },
});

function tooLarge(path: NotePath, size: number, most: number): AppError {
  return new AppError('unsupported', 'File too large', {
    subject: path,
    hint: `It holds ${size} bytes; at most ${most} are sent. Open it in another program.`,
    reason: 'too_large',
  });
}
