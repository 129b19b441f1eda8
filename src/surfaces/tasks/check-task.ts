import * as z from 'zod';
import { checkTask as check } from '../../notes/ops/change-tasks.ts';
import { findNote } from '../../notes/ops/find-note.ts';
import { defineTool } from '../shared/note-set.ts';
import { warning, withWarnings } from '../shared/parameters.ts';
import { whichTask } from './parameters.ts';

export const checkTask = defineTool({
  name: 'check_task',
  title: 'Check off a task',
  description:
    'Set the state of one task: "x" done, " " open again, "-" cancelled, or text of your own. A done date is added where the vault has them. Of a recurring task the next one is made when its rule is simple (every week), else the answer says that it was not. Example: {"path":"Inbox.md","text":"call the plumber"}',
  effect: 'write',
  input: () =>
    z.strictObject({
      ...whichTask(),
      state: z
        .string()
        .regex(/^[^[\]^\r\n][^[\]\r\n]{0,39}$/, 'must be 1 to 40 characters without brackets')
        .default('x')
        .describe('New state'),
    }),
  output: () =>
    z.object({
      path: z.string(),
      line: z.number(),
      state: z.string(),
      text: z.string(),
      next: z.string().optional(),
      unchanged: z.literal(true).optional(),
      warning: warning(),
    }),
  async run({ path, ...change }, call) {
    const warned = withWarnings(call);
    const at = await findNote(call.backend, path, warned.options);
    const { task, text, next, unchanged } = await check(call.backend, at, change, warned.options);
    return {
      value: {
        path: at,
        line: task.line,
        state: change.state,
        text,
        next,
        unchanged: unchanged || undefined,
        ...warned.warning(),
      },
    };
  },
});
