import * as z from 'zod';
import { moveTask as move } from '../../notes/ops/change-tasks.ts';
import { findNote } from '../../notes/ops/find-note.ts';
import { AppError } from '../../shared/errors.ts';
import { defineTool } from '../shared/note-set.ts';
import { path, singleLine, warning, withWarnings } from '../shared/parameters.ts';
import { whichTask } from './parameters.ts';

export const moveTask = defineTool({
  name: 'move_task',
  title: 'Move a task',
  description:
    'Move one task, with everything indented below it, to another note or heading. It is added there before it is taken away, so it is never lost. Example: {"path":"Inbox.md","text":"call the plumber","to":"Home.md","heading":"Next"}',
  effect: 'write',
  input: () =>
    z.strictObject({
      ...whichTask(),
      to: path('Note; else the same').optional(),
      heading: singleLine().optional().describe('There; else the end of the note'),
    }),
  output: () =>
    z.object({ path: z.string(), to: z.string(), task: z.string(), lines: z.number(), warning: warning() }),
  async run({ path: given, to: target, heading: under, ...wanted }, call) {
    const { backend, signal } = call;
    if (target === undefined && under === undefined)
      throw new AppError('invalid_input', 'Nowhere to move it', { hint: 'Give to, heading or both.' });
    const warned = withWarnings(call);
    const from = await findNote(backend, given, warned.options);
    const to = target === undefined ? from : await findNote(backend, target, warned.options);
    const { task, lines, staleLinks } = await move(backend, wanted, { from, to, heading: under }, signal);
    const id = /[ \t]\^([A-Za-z0-9-]+)$/.exec(task.text)?.[1];
    if (id !== undefined && from !== to)
      warned.options.onWarning?.(
        `Links to the block ^${id} of ${from} still lead there, where it is no more.`,
      );
    if (staleLinks > 0)
      warned.options.onWarning?.('A link of the task could not be rewritten, and leads elsewhere now.');
    return { value: { path: from, to, task: task.text, lines, ...warned.warning() } };
  },
});
