import * as z from 'zod';
import { changeTask as change } from '../../notes/ops/change-tasks.ts';
import { findNote } from '../../notes/ops/find-note.ts';
import { AppError } from '../../shared/errors.ts';
import { defineTool } from '../shared/note-set.ts';
import { warning, withWarnings } from '../shared/parameters.ts';
import { dayOrNone, owner, PRIORITY_NAMES, whichTask } from './parameters.ts';

export const changeTask = defineTool({
  name: 'change_task',
  title: 'Reschedule a task',
  description:
    'Change the dates, priority or owner of one task, or take one out with "none"; the form that it has is kept. check_task sets its state, move_task its place. Example: {"path":"Inbox.md","text":"call the plumber","due":"2026-12-01"}',
  effect: 'write',
  input: () =>
    z.strictObject({
      ...whichTask(),
      due: dayOrNone(),
      scheduled: dayOrNone(),
      start: dayOrNone(),
      priority: z.enum([...PRIORITY_NAMES, 'none']).optional(),
      owner: owner().optional(),
    }),
  output: () =>
    z.object({
      path: z.string(),
      line: z.number(),
      text: z.string(),
      unchanged: z.literal(true).optional(),
      warning: warning(),
    }),
  async run({ path, text, line, ...changes }, call) {
    if (Object.values(changes).every((value) => value === undefined))
      throw new AppError('invalid_input', 'Nothing to change', {
        hint: 'Give due, scheduled, start, priority or owner.',
      });
    const warned = withWarnings(call);
    const at = await findNote(call.backend, path, warned.options);
    const changed = await change(call.backend, at, { text, line }, changes, warned.options);
    return {
      value: {
        path: at,
        line: changed.task.line,
        text: changed.text,
        unchanged: changed.unchanged || undefined,
        ...warned.warning(),
      },
    };
  },
});
