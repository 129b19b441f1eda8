import * as z from 'zod';
import { insertIntoNote } from '../../../notes/ops/insert-into-note.ts';
import { parsePagePath } from '../../../notes/page-path.ts';
import { normalizeTag, tagProblem } from '../../../notes/tags.ts';
import { addTask as add, countTask, endsInTask, taskText } from '../../../notes/tasks.ts';
import { assertSize, assertWritable } from '../access.ts';
import { defineTool, repeatKey } from '../backend.ts';
import { onPages } from '../page-errors.ts';
import { day, oneLine, page, repeated } from '../parameters.ts';

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
      tags: z
        .array(
          z
            .string()
            .max(200)
            .refine(
              (tag) => tagProblem(normalizeTag(tag)) === undefined,
              'must be words such as home or area/house',
            ),
        )
        .max(20, 'at most 20 tags')
        .optional()
        .describe('Tags, with or without #'),
    }),
  async run({ page: raw, text, due, tags = [] }, call) {
    const { backend, signal } = call;
    const path = parsePagePath(raw);
    assertWritable(backend, path);
    const task = taskText({ text, tags: tags.map(normalizeTag), due });
    const added = await onPages(backend.notes, [path], () =>
      insertIntoNote(
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
      ),
    );
    const result = repeated(added);
    return { value: { added: true, path, task, ...result }, facts: { page: path, ...result } };
  },
});
