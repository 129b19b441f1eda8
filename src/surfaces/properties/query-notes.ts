import * as z from 'zod';
import { assertField, groupNotes, queryNotes as query } from '../../notes/ops/query-notes.ts';
import { continuation, folder, isBelow, limit, listPage } from '../shared/list-page.ts';
import { defineTool } from '../shared/note-set.ts';
import { cursor, warning, withWarnings } from '../shared/parameters.ts';

const field = () => z.string().min(1, 'must not be empty').max(200);
/** Checked without a bound that every client would read at every start. */
const fields = () => z.array(field()).refine((list) => list.length <= 20, 'at most 20');

export const queryNotes = defineTool({
  name: 'query_notes',
  title: 'Query notes',
  description:
    'Notes by frontmatter. where: {"key":value} or {"key":{"op":value}}, op: =, !=, <, <=, >, >=, contains, in, exists, missing; join by "and":[…], "or":[…], "not":{…}. Dates: YYYY-MM-DD or today-7d. One element of a list suffices. Also file.name, .folder, .mtime, .size, .tags, .links. Example: {"where":{"status":"open","due":{"<":"2026-12-01"}},"sort":["-due"]}',
  effect: 'read',
  input: () =>
    z.strictObject({
      where: z.record(z.string(), z.unknown()).default({}),
      folder: folder(),
      tags: fields().default([]).describe('All of these'),
      sort: fields().default([]).describe('-key: descending'),
      columns: fields().optional().describe('Keys to show'),
      group_by: field().optional().describe('Count by this key'),
      limit: limit(50),
      cursor: cursor(),
    }),
  output: () =>
    z.object({
      total: z.number(),
      notes: z.array(z.looseObject({ path: z.string() })).optional(),
      groups: z.array(z.object({ value: z.unknown().optional(), notes: z.number() })).optional(),
      ...continuation(),
      warning: warning(),
    }),
  async run({ folder: given, group_by: groupBy, limit: most, cursor: after, ...wanted }, call) {
    const warned = withWarnings(call);
    const { searcher, now } = call.backend;
    if (groupBy !== undefined) assertField('group_by', groupBy);
    const request = { ...wanted, isWanted: isBelow(given), now: now() };
    const further = groupBy === undefined ? [] : [groupBy];
    const result = await query(searcher, request, further, warned.options);
    const page = { limit: most, cursor: after, tool: 'query_notes' };
    const total = result.notes.length;
    if (groupBy !== undefined) {
      const keyOf = ({ value }: { readonly value?: unknown }) => JSON.stringify(value ?? '');
      const list = listPage(groupNotes(result, groupBy), { ...page, entries: 'Groups', keyOf });
      return { value: { total, groups: list.shown, ...warned.warning(), ...list.more } };
    }
    const { shown, more } = listPage(result.notes, { ...page, entries: 'Notes', keyOf: ({ path }) => path });
    const rowOf = (note: (typeof shown)[number]) => ({
      path: note.path,
      ...Object.fromEntries(result.columns.map((name) => [name, result.valueOf(note, name)])),
    });
    return { value: { total, notes: shown.map(rowOf), ...warned.warning(), ...more } };
  },
});
