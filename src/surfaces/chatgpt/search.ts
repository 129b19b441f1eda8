import * as z from 'zod';
import { noteUri } from '../shared/binary.ts';
import { inTime } from '../shared/in-time.ts';
import { defineTool } from '../shared/note-set.ts';
import { query } from '../shared/parameters.ts';

const HITS = 10;
/** Of paths, titles and excerpts together. */
const ROOM = 2_000;

export const search = defineTool({
  name: 'search',
  title: 'Search',
  description:
    'Find notes by words, best first. Returns `results`, each with id, title, text (an excerpt) and url; fetch reads one whole by its id. Example: {"query":"heating controller"}',
  effect: 'read',
  input: () => z.strictObject({ query: query() }),
  output: () =>
    z.object({
      results: z.array(z.object({ id: z.string(), title: z.string(), text: z.string(), url: z.string() })),
    }),
  // ChatGPT reads the text block as JSON, and there must be only one.
  line: (value) => JSON.stringify(value),
  async run({ query: words }, { backend: { searcher }, signal }) {
    // The answer has no room to say that notes are still being read, so it waits until they are.
    await inTime(searcher.notes({ signal }));
    const { hits } = await searcher.search({ query: words, limit: HITS, room: ROOM }, { signal });
    const results = hits.map(({ path, title, excerpt }) => ({
      id: path,
      title,
      text: excerpt,
      url: noteUri(path),
    }));
    return { value: { results } };
  },
});
