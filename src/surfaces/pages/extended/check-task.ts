import * as z from 'zod';
import { setTaskState } from '../../../notes/ops/tasks.ts';
import { parsePagePath } from '../../../notes/page-path.ts';
import { assertWritable } from '../access.ts';
import { defineTool } from '../backend.ts';
import { onPages } from '../page-errors.ts';
import { integer, oneLine, page, repeated } from '../parameters.ts';

export const checkTask = defineTool({
  name: 'check_task',
  title: 'Check off a task',
  description:
    'Set the state of one task, by its page and its text or a part of it that no other task has; "x" for done, " " to open it again, or any text of your own. Nothing else on the page changes. Example: {"page":"Inbox","text":"call the plumber"}',
  effect: 'write',
  input: () =>
    z.strictObject({
      page: page(),
      text: oneLine().describe('Text of the task, or a part that is unique'),
      line: integer(1).optional().describe('Line of the task, when several have this text'),
      state: z
        .string()
        .regex(/^[^[\]^\r\n][^[\]\r\n]{0,39}$/, 'must be 1 to 40 characters without brackets')
        .optional()
        .describe('New state. Default: x'),
    }),
  async run({ page: raw, text, line, state = 'x' }, { backend, signal }) {
    const path = parsePagePath(raw);
    assertWritable(backend, path);
    const { task, unchanged } = await onPages(backend.notes, [path], () =>
      setTaskState(backend, path, { text, state, line }, signal),
    );
    const result = repeated({ deduplicated: unchanged });
    return {
      value: { path, line: task.line, text: task.text, state, ...result },
      facts: { page: path, line: task.line, ...result },
    };
  },
});
