import * as z from 'zod';
import { defineTool } from './backend.ts';
import { cursor, question, whole } from './parameters.ts';
import { decodeShown } from './recall.ts';
import { recallOutput, shownOf } from './sb-recall.ts';

export const searchLocalContext = defineTool({
  name: 'search_local_context',
  title: 'Search the local context',
  description:
    'Search all notes, by words and where possible by meaning; best passages first, each with a citation. The plain form of sb_recall, which can also narrow by folder, tag and time. Example: {"query":"heating","limit":5}',
  effect: 'read',
  input: () =>
    z.strictObject({
      query: question('Words, a phrase, or a question'),
      limit: whole(1, 50, 10).describe('Passages to return'),
      cursor: cursor(),
    }),
  output: recallOutput,
  async run({ query, limit, cursor: after }, call) {
    const search = { query, mode: 'hybrid', scope: {} } as const;
    const shown = decodeShown(after, search);
    const found = await call.backend.recall({ ...search, limit, shown }, call);
    return { value: shownOf(found, { search, shown, withText: true }) };
  },
});
