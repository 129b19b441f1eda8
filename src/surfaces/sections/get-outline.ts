import * as z from 'zod';
import { createLineNumbers } from '../../notes/markdown/lines.ts';
import { pathOf } from '../../notes/markdown/sections.ts';
import { findNote } from '../../notes/ops/find-note.ts';
import { outlineNote } from '../../notes/ops/sections.ts';
import { AppError } from '../../shared/errors.ts';
import { defineTool } from '../shared/note-set.ts';
import {
  continuationOf,
  cursor,
  decodeCursor,
  encodeCursor,
  LIST_CHARACTERS,
  pageEnd,
  path,
  warning,
  withWarnings,
} from '../shared/parameters.ts';

/** Block ids that are named for each heading. */
const MOST_BLOCKS = 20;

export const getOutline = defineTool({
  name: 'get_outline',
  title: 'Outline of a note',
  description:
    'List the headings of a note with level, line, size and the block ids under each: to see what is in a long note before reading a part of it with read_section. Example: {"path":"projects/plan.md"}',
  effect: 'read',
  input: () => z.strictObject({ path: path('Note: path, title or alias'), cursor: cursor() }),
  output: () =>
    z.object({
      path: z.string(),
      lines: z.number(),
      characters: z.number(),
      headings: z.array(
        z.object({
          heading: z.string(),
          level: z.number(),
          line: z.number(),
          characters: z.number(),
          blocks: z.array(z.string()).optional(),
        }),
      ),
      blocks: z.array(z.string()).optional(),
      next_cursor: z.string().optional(),
      note: z.string().optional(),
      warning: warning(),
    }),
  async run({ path: given, cursor: after }, call) {
    const { backend } = call;
    const warned = withWarnings(call);
    const at = await findNote(backend, given, warned.options);
    const { note, text, sections, blocks } = await outlineNote(backend, at);
    const idsIn = (start: number, end: number) => {
      const ids = blocks
        .filter((block) => block.start >= start && block.start < end)
        .map(({ id }) => `^${id}`);
      const shown = ids.length > MOST_BLOCKS ? [...ids.slice(0, MOST_BLOCKS), '…'] : ids;
      return shown.length > 0 ? shown : undefined;
    };
    const headings = sections.map((section) => ({
      heading: pathOf(section),
      level: section.level,
      line: section.line,
      characters: section.end - section.start,
      blocks: idsIn(section.start, section.ownEnd),
    }));
    const from = after === undefined ? 0 : indexAfter(headings, after);
    const end = pageEnd(headings, from, (entry) => JSON.stringify(entry).length, LIST_CHARACTERS);
    const page = { entries: 'Headings', tool: 'get_outline', from, end, total: headings.length };
    return {
      value: {
        path: at,
        lines: createLineNumbers(text)(text.length),
        characters: text.length,
        headings: headings.slice(from, end),
        blocks: idsIn(0, sections[0]?.start ?? text.length + 1),
        ...continuationOf(page, () => encodeCursor(`line ${headings[end - 1]!.line}`)),
        ...warned.warning(),
      },
      note,
    };
  },
});

function indexAfter(headings: readonly { readonly line: number }[], cursor: string): number {
  const last = /^line (\d+)$/.exec(decodeCursor(cursor))?.[1];
  if (last === undefined) throw new AppError('invalid_input', 'Invalid cursor');
  const index = headings.findIndex(({ line }) => line > Number(last));
  return index < 0 ? headings.length : index;
}
