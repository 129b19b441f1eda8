import * as z from 'zod';
import { calendarDate } from '../../stores/trilium/calendar-dates.ts';
import { defineTool } from './backend.ts';
import { noteView } from './note-view.ts';
import { checkField } from './parameters.ts';

export const getSpecialNote = defineTool({
  name: 'get_special_note',
  title: 'Get periodic or inbox note',
  description:
    'The journal note of a day, week, month or year, or the inbox note for new things; made when it is missing. Returns its metadata; read the text with get_note. Example: {"kind":"day","date":"2026-02-28"}',
  effect: 'write',
  idempotent: true,
  input: () =>
    z
      .object({
        kind: z.enum(['day', 'week', 'month', 'year', 'inbox']),
        date: z
          .string()
          .optional()
          .describe('YYYY-MM-DD (day, inbox), YYYY-Www, YYYY-MM or YYYY; the present one if omitted'),
      })
      .superRefine(({ kind, date }, context) =>
        checkField(context, ['date'], () => calendarDate(kind, date)),
      ),
  async run({ kind, date }, { backend: { client }, signal }) {
    const options = { signal };
    const note = await client.calendar[kind](calendarDate(kind, date), options);
    return { value: noteView(note) };
  },
});
