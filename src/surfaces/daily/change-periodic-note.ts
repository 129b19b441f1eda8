import * as z from 'zod';
import { addToPeriodicNote } from '../../notes/ops/periodic-note.ts';
import { defineTool } from '../shared/note-set.ts';
import { content, singleLine, warning, withWarnings } from '../shared/parameters.ts';
import { whichPeriod } from './parameters.ts';

const answer = () =>
  z.object({ path: z.string(), date: z.string(), created: z.boolean(), warning: warning() });

export const createPeriodicNote = defineTool({
  name: 'create_periodic_note',
  title: 'Create a daily note',
  description:
    'Make the note of a day, week, month, quarter or year from its template, if it is not there yet. {{date}}, {{time}} and {{title}} are filled in; Templater is not run, and the answer says so. Example: {"period":"week"}',
  effect: 'write',
  input: () => z.strictObject(whichPeriod()),
  output: answer,
  async run(wanted, call) {
    const warned = withWarnings(call);
    const { path, day, created } = await addToPeriodicNote(call.backend, wanted, {}, warned.options);
    return { value: { path, date: day, created, ...warned.warning() } };
  },
});

export const appendToPeriodicNote = defineTool({
  name: 'append_to_periodic_note',
  title: 'Add to a daily note',
  description:
    'Add text at the end of today\'s note or under a heading of it, which is made when missing; so is the note, from its template. Example: {"content":"- called the plumber","heading":"Log"}',
  effect: 'write',
  input: () =>
    z.strictObject({
      content: content().refine((text) => /\S/.test(text), 'must not be empty'),
      heading: singleLine().optional(),
      ...whichPeriod(),
    }),
  output: answer,
  async run({ content: text, heading, ...wanted }, call) {
    const warned = withWarnings(call);
    const addition = { content: text, heading };
    const { path, day, created } = await addToPeriodicNote(call.backend, wanted, addition, warned.options);
    return { value: { path, date: day, created, ...warned.warning() } };
  },
});
