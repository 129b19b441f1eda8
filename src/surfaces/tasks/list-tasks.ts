import * as z from 'zod';
import { findNote } from '../../notes/ops/find-note.ts';
import { byUrgency, type FoundTask, findTasks } from '../../notes/ops/tasks.ts';
import { type NotePath, parseFolderPath } from '../../notes/path.ts';
import { AppError } from '../../shared/errors.ts';
import { defineTool } from '../shared/note-set.ts';
import {
  calendarDay,
  continuationOf,
  cursor,
  decodeCursor,
  encodeCursor,
  LIST_CHARACTERS,
  pageEnd,
  path,
  warning,
  withWarnings,
} from '../shared/parameters.ts';
import { owner, PRIORITY_NAMES } from './parameters.ts';

export const listTasks = defineTool({
  name: 'list_tasks',
  title: 'List tasks',
  description:
    'List to-dos (- [ ] text), the soonest due first, then by priority. Dates, priorities and owners are understood as Obsidian Tasks, dataview, SilverBullet and plain notes write them. Example: {"state":"open","due_before":"2026-12-01","tag":"home"}',
  effect: 'read',
  input: () =>
    z.strictObject({
      path: path('Only of this note').optional(),
      folder: z.string().max(4096).optional(),
      state: z
        .string()
        .min(1, 'must not be empty')
        .max(100)
        .default('open')
        .describe('open, done, all, or the text in the brackets'),
      tag: z
        .string()
        .max(200)
        .refine((tag) => /^#?[^\s#]+$/.test(tag), 'must be one tag such as home')
        .optional(),
      owner: owner().optional().describe('Or part of it'),
      text: z.string().min(1, 'must not be empty').max(1000).optional().describe('Part of the text'),
      due_after: calendarDay().optional().describe('This day or later'),
      due_before: calendarDay().optional().describe('This day or sooner'),
      limit: z.number().int('must be a whole number').min(1).max(200).default(50),
      cursor: cursor(),
    }),
  output: () =>
    z.object({
      tasks: z.array(
        z.object({
          path: z.string(),
          line: z.number(),
          state: z.string(),
          text: z.string(),
          due: z.string().optional(),
          scheduled: z.string().optional(),
          start: z.string().optional(),
          priority: z.enum(PRIORITY_NAMES).optional(),
          owners: z.array(z.string()).optional(),
          tags: z.array(z.string()).optional(),
          recurrence: z.string().optional(),
        }),
      ),
      total: z.number(),
      next_cursor: z.string().optional(),
      note: z.string().optional(),
      warning: warning(),
    }),
  async run({ path: given, folder, due_after, due_before, limit, cursor: after, ...filter }, call) {
    const { backend } = call;
    const warned = withWarnings(call);
    const at = {
      path: given === undefined ? undefined : await findNote(backend, given, warned.options),
      folder: folder === undefined ? undefined : parseFolderPath(folder),
    };
    const dates = { dueAfter: due_after, dueBefore: due_before };
    const tasks = await findTasks(backend, { ...filter, ...at, ...dates }, warned.options);
    const from = after === undefined ? 0 : indexAfter(tasks, after);
    const shown = tasks.slice(from, from + limit).map(entryOf);
    const end = from + pageEnd(shown, 0, (entry) => JSON.stringify(entry).length, LIST_CHARACTERS);
    const page = { entries: 'Tasks', tool: 'list_tasks', from, end, total: tasks.length };
    return {
      value: {
        tasks: shown.slice(0, end - from),
        total: tasks.length,
        ...continuationOf(page, () => cursorOf(tasks[end - 1]!)),
        ...warned.warning(),
      },
    };
  },
});

function entryOf({
  path: at,
  line,
  state,
  text,
  due,
  scheduled,
  start,
  priority,
  owners,
  tags,
  recurrence,
}: FoundTask) {
  const own = tags.length > 0 ? tags : undefined;
  return { path: at, line, state, text, due, scheduled, start, priority, owners, tags: own, recurrence };
}

function cursorOf({ due = '', priority, line, path: at }: FoundTask): string {
  return encodeCursor([due, priority ?? '', line, at].join('\t'));
}

/** Of the first task behind the one that the cursor names, which may be gone. */
function indexAfter(tasks: readonly FoundTask[], cursor: string): number {
  const [, due = '', priority, line, at] =
    /^([\d-]*)\t(\w*)\t(\d+)\t([\s\S]+)$/.exec(decodeCursor(cursor)) ?? [];
  if (at === undefined) throw new AppError('invalid_input', 'Invalid cursor');
  const last = {
    due: due || undefined,
    priority: PRIORITY_NAMES.find((name) => name === priority),
    line: Number(line),
    path: at as NotePath,
  };
  const index = tasks.findIndex((task) => byUrgency(task, last) > 0);
  return index < 0 ? tasks.length : index;
}
