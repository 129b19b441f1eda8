import * as z from 'zod';
import { addTask as add } from '../../notes/ops/change-tasks.ts';
import { findNote } from '../../notes/ops/find-note.ts';
import { normalizeTag } from '../../notes/tags.ts';
import { defineTool } from '../shared/note-set.ts';
import { calendarDay, newTags, path, singleLine, warning, withWarnings } from '../shared/parameters.ts';
import { owner, PRIORITY_NAMES } from './parameters.ts';

export const addTask = defineTool({
  name: 'add_task',
  title: 'Add a task',
  description:
    'Add an open task to a note, at its end or under a heading. Date, tags, owner and priority take the form that the tasks of the note or vault have. Example: {"path":"Inbox.md","text":"call the plumber","due":"2026-11-20","tags":["home"]}',
  effect: 'write',
  input: () =>
    z.strictObject({
      path: path('Note: path, title or alias'),
      text: singleLine().describe('What is to be done'),
      heading: singleLine().optional().describe('To put it under, e.g. "Plan > Next"'),
      due: calendarDay().optional(),
      tags: newTags().default([]),
      owner: owner().optional(),
      priority: z.enum(PRIORITY_NAMES).optional(),
    }),
  output: () => z.object({ path: z.string(), task: z.string(), warning: warning() }),
  async run({ path: given, tags, text, ...task }, call) {
    const warned = withWarnings(call);
    const at = await findNote(call.backend, given, warned.options);
    // Assistants like to send the whole line.
    const words = text.trim().replace(/^[-*+][ \t]+\[ \][ \t]+(?=\S)/, '');
    const added = await add(
      call.backend,
      at,
      { ...task, text: words, tags: tags.map(normalizeTag) },
      warned.options,
    );
    return { value: { path: at, task: added, ...warned.warning() } };
  },
});
