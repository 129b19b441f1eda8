import * as z from 'zod';
import { type FoundTask, findTasks } from '../../../notes/ops/tasks.ts';
import { pageNameOf, parsePagePath } from '../../../notes/page-path.ts';
import { withWarnings } from '../../shared/warnings.ts';
import { defineTool } from '../backend.ts';
import { onPages } from '../page-errors.ts';
import { day, limit, page } from '../parameters.ts';

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
    const path = raw === undefined ? undefined : parsePagePath(raw);
    const filter = {
      state,
      path,
      tag,
      dueAfter: due_after,
      dueBefore: due_before,
    };
    const warned = withWarnings(call);
    const find = () => findTasks(call.backend, filter, warned.asking);
    const tasks = await (path === undefined ? find() : onPages(call.backend.notes, [path], find));
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
  return {
    page: pageNameOf(path),
    line,
    state,
    done,
    text,
    due,
    tags: tags.length > 0 ? tags : undefined,
  };
}
