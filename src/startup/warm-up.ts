/** What a notebook's search tool is asked when nobody else asks, to become quick. */
import type { ToolCall } from '../mcp/rehearse.ts';
import type { IndexedSearcher } from '../search/open-searcher.ts';

/** Asked again and again, until V8 has compiled most of what a search takes; of few notes, which stay in memory. */
const REHEARSED = 12;
/** Fewer notes are searched in no time by cold code too. */
const WORTH_IT = 3 * REHEARSED;
const ROUNDS = 10;
const MOST_WORDS = 4;

/** Questions of one word, two, three and more: of one title, and of several, which find more. */
export async function warmUpSearches(searcher: IndexedSearcher, tool: string): Promise<ToolCall[]> {
  const titles = await searcher.someTitles(WORTH_IT);
  if (titles.length < WORTH_IT) return [];
  // From all over the index, as those are.
  const some = titles.filter((_, at) => at % (WORTH_IT / REHEARSED) === 0);
  const words = some.map((title) => title.split(/\s+/));
  const mixed = (at: number, count: number) =>
    Array.from({ length: count }, (_, i) => words[(at + 7 * i) % REHEARSED]?.at(-1) ?? '');
  const calls = words.map((own, at) => {
    const count = 1 + (at % MOST_WORDS);
    const asked = at % 8 < MOST_WORDS ? own.slice(0, count) : mixed(at, count);
    return { name: tool, arguments: { query: asked.join(' ') } };
  });
  return Array.from({ length: ROUNDS }, () => calls).flat();
}
