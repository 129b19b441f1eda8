import * as z from 'zod';
import { readBase as read } from '../../notes/ops/read-base.ts';
import { AppError } from '../../shared/errors.ts';
import { continuation, limit, listPage } from '../shared/list-page.ts';
import { defineTool } from '../shared/note-set.ts';
import { cursor, path, warning, withWarnings } from '../shared/parameters.ts';

export const readBase = defineTool({
  name: 'read_base',
  title: 'Read base',
  description:
    'The rows of a view of one of Obsidian\'s Bases: a .base file, or a code block `base` in a note. Filters, formulas, sort, groups and limit are evaluated over the notes; what is not supported is named in `unsupported`, and no rows are shown when that is a filter. For questions of your own use query_notes. Example: {"path":"books.base","view":"To read"}',
  effect: 'read',
  input: () =>
    z.strictObject({
      path: path('A .base file, or a note with a base in it'),
      view: z.string().min(1, 'must not be empty').max(200).optional().describe('Name; default: the first'),
      limit: limit(50),
      cursor: cursor(),
    }),
  output: () =>
    z.object({
      path: z.string(),
      view: z.string(),
      type: z.string(),
      views: z.array(z.string()),
      total: z.number(),
      columns: z.record(z.string(), z.string()),
      rows: z.array(z.looseObject({ path: z.string() })),
      unsupported: z.array(z.string()).optional(),
      problems: z.array(z.string()).optional(),
      ...continuation(),
      warning: warning(),
    }),
  async run({ path: given, view, ...page }, call) {
    if (call.backend.kind === 'trilium')
      throw new AppError('unsupported', 'path: Trilium does not keep bases', {
        hint: 'Use query_notes: it finds notes by their properties.',
      });
    const warned = withWarnings(call);
    const request = { path: given, view, now: call.backend.now() };
    const base = await read(call.backend, request, warned.options);
    const { shown, more } = listPage(base.rows, {
      ...page,
      tool: 'read_base',
      entries: 'Rows',
      keyOf: (row) => row.path,
    });
    return {
      value: {
        path: base.path,
        view: base.view.name,
        type: base.view.type,
        views: base.views,
        total: base.rows.length,
        columns: base.columns,
        rows: shown.map(({ path: at, values, group }) => ({ path: at, group, ...values })),
        unsupported: base.unsupported.length > 0 ? base.unsupported : undefined,
        problems: base.problems.length > 0 ? base.problems : undefined,
        ...warned.warning(),
        ...more,
      },
    };
  },
});
