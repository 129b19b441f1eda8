import * as z from 'zod';
import { defineTool } from './backend.ts';
import { cursor, decodePlace, question, whole } from './parameters.ts';
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
    const offset = decodePlace(after);
    const found = await call.backend.recall({ query, limit, offset, mode: 'hybrid', scope: {} }, call);
    return { value: shownOf(found, { offset, withText: true }) };
  },
});
