import * as z from 'zod';
import { findPeriodicNote } from '../../notes/ops/periodic-note.ts';
import { textOf } from '../../notes/text/text.ts';
import { defineTool } from '../shared/note-set.ts';
import { textPage, warning, withWarnings } from '../shared/parameters.ts';
import { whichPeriod } from './parameters.ts';

export const getPeriodicNote = defineTool({
  name: 'get_periodic_note',
  title: 'Read a daily note',
  description:
    'Read the daily, weekly, monthly, quarterly or yearly note where the app\'s own settings place it (Obsidian, Logseq, SilverBullet, Trilium). Says where it would be when it is missing; create_periodic_note makes it. Example: {"period":"day","date":"yesterday"}',
  effect: 'read',
  input: () => z.strictObject(whichPeriod()),
  output: () =>
    z.object({
      path: z.string().optional(),
      date: z.string(),
      exists: z.boolean(),
      text: z.string().optional(),
      truncated: z.literal(true).optional(),
      warning: warning(),
    }),
  async run(wanted, call) {
    const { backend } = call;
    const warned = withWarnings(call);
    const { path, day, note } = await findPeriodicNote(backend, wanted, warned.options);
    const page = note && textPage(textOf(note), 0);
    if (note) {
      if (page?.next === undefined) void backend.guard?.shown(note);
      else void backend.guard?.shownPart(note);
    }
    return {
      value: {
        path,
        date: day,
        exists: note !== undefined,
        text: page?.text,
        // The rest is read as that of any other note.
        truncated: page?.next === undefined ? undefined : true,
        ...warned.warning(),
      },
      note,
    };
  },
});
