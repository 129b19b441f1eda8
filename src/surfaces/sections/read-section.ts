import * as z from 'zod';
import { findNote } from '../../notes/ops/find-note.ts';
import { readSection as read } from '../../notes/ops/sections.ts';
import { defineTool } from '../shared/note-set.ts';
import { path, textPage, warning, withWarnings } from '../shared/parameters.ts';
import { whichSection } from './parameters.ts';

export const readSection = defineTool({
  name: 'read_section',
  title: 'Read a section',
  description:
    'Read one section of a note, with its heading and all below it, or one block by its id. get_outline lists them. Example: {"path":"projects/plan.md","heading":"Plan"}',
  effect: 'read',
  input: () =>
    z.strictObject({
      path: path('Note: path, title or alias'),
      ...whichSection(),
      offset: z
        .number()
        .int('must be a whole number')
        .min(0)
        .default(0)
        .describe('next_offset of the last answer'),
    }),
  output: () =>
    z.object({
      path: z.string(),
      heading: z.string().optional(),
      line: z.number(),
      text: z.string(),
      next_offset: z.number().optional(),
      warning: warning(),
    }),
  async run({ path: given, offset, ...wanted }, call) {
    const warned = withWarnings(call);
    const at = await findNote(call.backend, given, warned.options);
    const { note, text, line, heading } = await read(call.backend, at, wanted);
    const page = textPage(text, offset);
    return {
      value: {
        path: at,
        heading: heading?.join(' > '),
        line,
        text: page.text,
        next_offset: page.next,
        ...warned.warning(),
      },
      note,
    };
  },
});
