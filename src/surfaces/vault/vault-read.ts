import * as z from 'zod';
import { type LinePage, linePage } from '../../notes/markdown/lines.ts';
import type { Note } from '../../notes/store.ts';
import { textOf } from '../../notes/text/text.ts';
import { isAppError } from '../../shared/errors.ts';
import { binaryBlock, isBinary, notTextSentence, opening } from '../shared/binary.ts';
import { PAGE_CHARACTERS } from '../shared/parameters.ts';
import { defineTool, filePath, onNamedFile } from './backend.ts';

/**
 * The schema documents the default without filling it in, because an omitted range is handled differently from a
 * given one.
 */
const wholeNumber = (usual: number, meaning: string) =>
  z.number().int('must be a whole number').optional().meta({ description: meaning, default: usual });

export const vaultRead = defineTool({
  name: 'vault_read',
  title: 'Read a file',
  description:
    'Read a file, whole or by lines. A long file read without offset and limit comes cut, with truncated: true; note says how to go on. Images come as images, other files that are not text as a blob. To find the file use vault_search. Example: {"path":"projects/plan.md","offset":201,"limit":100}',
  effect: 'read',
  input: () =>
    z.strictObject({
      path: filePath(),
      offset: wholeNumber(1, 'First line to show, counted from 1'),
      limit: wholeNumber(0, 'Number of lines; 0 for all remaining'),
      column: wholeNumber(
        1,
        'Character of the first line to start at, where a line is too long for one answer',
      ),
    }),
  output: () =>
    z.object({
      path: z.string(),
      total_lines: z.number(),
      showing: z.array(z.number()).length(2),
      content: z.string(),
      truncated: z.boolean().optional(),
      note: z.string().optional(),
      url: z.string().optional(),
    }),
  async run({ path: raw, ...asked }, { backend, signal }) {
    const note = await onNamedFile(backend, raw, (target) => backend.files.read(target), signal);
    const isContinued = (asked.offset ?? 1) > 1 || (asked.column ?? 1) > 1;
    void backend.guard?.[isContinued ? 'shownPart' : 'shown'](note);
    const text = textIfAny(note);
    const { url } = opening(backend);
    const shown = (page: LinePage) => ({ ...answerOf(note, page), url: url(note.path) });
    const range = { offset: asked.offset ?? 1, limit: asked.limit ?? 0, column: asked.column ?? 1 };
    if (text === undefined) {
      const value = shown(linePage('', range, PAGE_CHARACTERS));
      return { value: { ...value, note: notTextSentence(note) }, blocks: [binaryBlock(note)], note };
    }
    const page = linePage(text, range, PAGE_CHARACTERS);
    const isRange = Object.values(asked).some((value) => value !== undefined);
    if (isRange || page.last <= backend.readThreshold) return { value: shown(page), note };
    const head = linePage(text, { ...range, limit: backend.readThreshold }, PAGE_CHARACTERS);
    return { value: shown({ next: { offset: head.last + 1, column: 1 }, ...head }), note };
  },
});

/** Undefined for binary content: by file name, or, for unknown types, by the bytes. */
function textIfAny(note: Note): string | undefined {
  if (isBinary(note.path)) return undefined;
  const mayBeAnything = note.contentType === 'application/octet-stream';
  if (mayBeAnything && note.bytes.includes(0)) return undefined;
  try {
    return textOf(note);
  } catch (error) {
    if (mayBeAnything && isAppError(error, 'unsupported')) return undefined;
    throw error;
  }
}

function answerOf({ path }: Note, { total, first, last, text, next }: LinePage) {
  const value = { path, total_lines: total, showing: [first, last], content: text };
  if (!next) return value;
  const goOn = `offset=${next.offset}${next.column > 1 ? ` and column=${next.column}` : ''}`;
  const note =
    next.column > 1
      ? `Line ${next.offset} is cut before character ${next.column}; call vault_read again with ${goOn}.`
      : `Lines ${first} to ${last} of ${total}; call vault_read again with ${goOn}.`;
  return { ...value, truncated: true, note };
}
