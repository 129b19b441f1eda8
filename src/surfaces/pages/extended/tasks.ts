import * as z from 'zod';
import { type FoundTask, findTasks, setTaskState } from '../../../notes/ops/tasks.ts';
import { insertIntoNote } from '../../../notes/ops/update-note.ts';
import { pageNameOf } from '../../../notes/page-path.ts';
import type { NotePath } from '../../../notes/path.ts';
import { normalizeTag } from '../../../notes/tags.ts';
import { addTask as add, countTask, endsInTask, taskText } from '../../../notes/tasks.ts';
import { newTags, withWarnings } from '../../shared/parameters.ts';
import { assertSize, assertWritable } from '../access.ts';
import { defineTool, repeatKey } from '../backend.ts';
import { onNamedPage } from '../page-errors.ts';
import { day, integer, limit, oneLine, page, repeated } from '../parameters.ts';

const USUAL_LIMIT = 50;

export const listTasks = defineTool({
  name: 'list_tasks',
  title: 'List tasks',
  description:
    'List tasks such as * [ ] text [due: "2026-11-20"] #tag, from one page or all, the soonest due first. Check one off with check_task and its page and text. Example: {"state":"open","tag":"home","due_before":"2026-12-01"}',
  effect: 'read',
  input: () =>
    z.strictObject({
      page: page('Only of this page').optional(),
      state: z
        .string()
        .min(1, 'must not be empty')
        .max(100)
        .optional()
        .describe('open, done, all, or the text in the brackets. Default: open'),
      tag: z
        .string()
        .regex(/^#?[^\s#]+$/, 'must be one tag such as home')
        .max(200)
        .optional()
        .describe('Only with this tag'),
      due_after: day().optional().describe('Due on this day or later, e.g. "2026-11-01"'),
      due_before: day().optional().describe('Due on this day or sooner'),
      limit: limit(USUAL_LIMIT),
    }),
  async run({ page: raw, state = 'open', tag, due_after, due_before, limit: most = USUAL_LIMIT }, call) {
    const filter = { state, tag, dueAfter: due_after, dueBefore: due_before };
    const warned = withWarnings(call);
    const find = (path?: NotePath) => findTasks(call.backend, { ...filter, path }, warned.options);
    const tasks = await (raw === undefined ? find() : onNamedPage(call.backend, raw, find, call));
    const shown = tasks.slice(0, most).map(entryOf);
    return {
      value: {
        count: shown.length,
        tasks: shown,
        total: tasks.length > shown.length ? tasks.length : undefined,
        ...warned.warning(),
      },
    };
  },
});

function entryOf({ path, line, state, done, text, due, tags }: FoundTask) {
  return { page: pageNameOf(path), line, state, done, text, due, tags: tags.length > 0 ? tags : undefined };
}

export const addTask = defineTool({
  name: 'add_task',
  title: 'Add a task',
  description:
    'Add an open task at the end of a page, as * [ ] text [due: "…"] #tag; the page need not be read. The same task sent twice within two minutes is added once. Example: {"page":"Inbox","text":"call the plumber","due":"2026-11-20","tags":["home"]}',
  effect: 'write',
  input: () =>
    z.strictObject({
      page: page(),
      text: oneLine().describe('What is to be done, in one line'),
      due: day().optional().describe('Day it is due, e.g. "2026-11-20"'),
      tags: newTags().optional().describe('Tags, with or without #'),
    }),
  async run({ page: raw, text, due, tags = [] }, call) {
    const { backend, signal } = call;
    const task = taskText({ text, tags: tags.map(normalizeTag), due });
    const addTo = async (path: NotePath) => {
      assertWritable(backend, path);
      const added = await insertIntoNote(
        backend,
        path,
        {
          isIn: (current) => endsInTask(current, task),
          countIn: (current) => countTask(current, task),
          insert: (current) => ({ text: add(current, task), afterFrontmatter: false }),
          assertSize: (result) => assertSize(path, result),
        },
        { key: repeatKey(call, 'task', path, task), recent: backend.repeats.inserts },
        signal,
      );
      const result = repeated(added);
      return { value: { added: true, path, task, ...result }, facts: { page: path, ...result } };
    };
    return onNamedPage(backend, raw, addTo, { signal });
  },
});

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
    const check = async (path: NotePath) => {
      assertWritable(backend, path);
      const { task, unchanged } = await setTaskState(backend, path, { text, state, line }, signal);
      const result = repeated({ deduplicated: unchanged });
      return {
        value: { path, line: task.line, text: task.text, state, ...result },
        facts: { page: path, line: task.line, ...result },
      };
    };
    return onNamedPage(backend, raw, check, { signal });
  },
});
