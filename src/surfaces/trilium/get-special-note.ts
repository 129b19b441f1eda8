import * as z from 'zod';
import { AppError } from '../../shared/errors.ts';
import { calendarDate, findSpecialNote } from '../../stores/trilium/calendar-dates.ts';
import { defineTool } from './backend.ts';
import { noteView } from './note-view.ts';
import { checkField } from './parameters.ts';

const KINDS = ['day', 'week', 'month', 'year', 'inbox'] as const;

const input = () =>
  z
    .object({
      kind: z.enum(KINDS),
      date: z
        .string()
        .optional()
        .describe('YYYY-MM-DD (day, inbox), YYYY-Www, YYYY-MM or YYYY; the present one if omitted'),
    })
    .superRefine(({ kind, date }, context) => checkField(context, ['date'], () => calendarDate(kind, date)));

const findOnly = defineTool({
  name: 'get_special_note',
  title: 'Get periodic or inbox note',
  description:
    'The journal note of a day, week, month or year, or the inbox note, if there is one: this Trilium is served read-only. Returns its metadata; read the text with get_note. Example: {"kind":"day","date":"2026-02-28"}',
  effect: 'read',
  input,
  async run({ kind, date }, { backend: { client }, signal }) {
    const wanted = calendarDate(kind, date);
    const note = await findSpecialNote(client, kind, wanted, { signal });
    if (note) return { value: noteView(note) };
    throw new AppError('not_found', `There is no ${kind} note yet`, {
      subject: wanted,
      hint: 'This notebook is served read-only (--read-only), so none is made. Ask for another date, or look with search_notes.',
    });
  },
});

export const getSpecialNote = defineTool({
  name: 'get_special_note',
  title: 'Get periodic or inbox note',
  description:
    'The journal note of a day, week, month or year, or the inbox note for new things; made when it is missing. Returns its metadata; read the text with get_note. Example: {"kind":"day","date":"2026-02-28"}',
  effect: 'write',
  whenReadOnly: findOnly,
  idempotent: true,
  input,
  async run({ kind, date }, { backend: { client }, signal }) {
    const note = await client.calendar[kind](calendarDate(kind, date), { signal });
    return { value: noteView(note) };
  },
});
