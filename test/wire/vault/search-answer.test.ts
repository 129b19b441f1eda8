/** How vault_search words what a searcher found, whatever searcher that is. */
import { expect, test } from 'vitest';
import type { NotePath } from '../../../src/notes/path.ts';
import type { SearchField, SearchHit, SearchRequest } from '../../../src/notes/searcher.ts';
import { openMemoryStore } from '../../../src/stores/memory.ts';
import { connectVault } from '../../kit/server.ts';
import { checked } from '../notebook/support.ts';

const hit = (field: SearchField, more: Partial<SearchHit> = {}): SearchHit => ({
  path: 'a/note.md' as NotePath,
  title: 'A',
  field,
  excerpt: 'the word stands here',
  match: { start: 4, end: 8 },
  line: 7,
  count: 1,
  score: 1,
  lastModified: 0,
  ...more,
});

/** The surface over a searcher that answers with these hits, and remembers what it was asked. */
async function answering(hits: readonly SearchHit[], total = hits.length) {
  const asked: SearchRequest[] = [];
  const searcher = {
    search: async (request: SearchRequest) => {
      asked.push(request);
      return { hits, total };
    },
    files: async () => [],
    notes: async () => Promise.reject(new Error('not asked')),
    maybeCalled: async () => Promise.reject(new Error('not asked')),
    named: async () => Promise.reject(new Error('not asked')),
    tasks: async () => Promise.reject(new Error('not asked')),
    wordUse: async () => Promise.reject(new Error('not asked')),
    nearness: async () => undefined,
    links: async () => Promise.reject(new Error('not asked')),
    close: async () => {},
  };
  const files = openMemoryStore();
  const connected = await checked(connectVault({ files, searcher, rules: [], readThreshold: 200 }));
  return { ...connected, asked };
}

async function snippetFor(excerpt: string, sought: string): Promise<string> {
  const start = excerpt.indexOf(sought);
  const match = { start, end: start + sought.length };
  const { call } = await answering([hit('text', { excerpt, match })]);
  return (await call('vault_search', { query: sought })).json.results[0].snippet;
}

test('the searcher is asked for names, tags and text in this order', async () => {
  const { call, asked } = await answering([]);
  await call('vault_search', { query: 'x y' });
  await call('vault_search', { query: 'x', max_results: 7 });
  expect(asked).toEqual([
    { query: 'x y', limit: 20, sort: 'kind' },
    { query: 'x', limit: 7, sort: 'kind' },
  ]);
});

test.each<[SearchField, string]>([
  ['path', 'filename'],
  ['tag', 'tag'],
  ['title', 'content'],
  ['alias', 'content'],
  ['heading', 'content'],
  ['frontmatter', 'content'],
  ['text', 'content'],
])('a match in %s is a match of type %s', async (field, match_type) => {
  const { call } = await answering([hit(field)], 5);
  const { json } = await call('vault_search', { query: 'word' });
  const snippet = match_type === 'filename' ? 'a/note.md' : 'the **word** stands here';
  const line = match_type === 'filename' ? 1 : 7;
  expect(json).toEqual({
    query: 'word',
    total_matches: 5,
    results: [{ path: 'a/note.md', match_type, snippet, line }],
  });
});

test('types never mix, whatever order the hits come in', async () => {
  const { call } = await answering([hit('text'), hit('path'), hit('tag'), hit('heading'), hit('path')]);
  const { results } = (await call('vault_search', { query: 'word' })).json;
  expect(results.map(({ match_type }: { match_type: string }) => match_type)).toEqual([
    'filename',
    'filename',
    'tag',
    'content',
    'content',
  ]);
});

test('about 50 characters stand on each side, and dots where something is left out', async () => {
  const side = 'abcdefghi '.repeat(9);
  const snippet = await snippetFor(`${side}needle${side}`, 'needle');
  expect(snippet).toMatch(/^\.\.\.[a-i ]{40,50}\*\*needle\*\*[a-i ]{40,50}\.\.\.$/);
  expect(await snippetFor('a needle b', 'needle')).toBe('a **needle** b');
  expect(await snippetFor(`...${'x'.repeat(50)}needle...`, 'needle')).toBe(
    `...${'x'.repeat(50)}**needle**...`,
  );
});

test.each(['👩‍👩‍👧‍👦', '🏳️‍🌈', '👍🏽', '🇩🇪', 'e\u0301', 'नि', '한'])(
  'a character such as %s is never cut',
  async (character) => {
    const segments = new Intl.Segmenter('en', { granularity: 'grapheme' });
    for (let shift = 0; shift < 12; shift++) {
      const run = character.repeat(60);
      const snippet = await snippetFor(
        `${run}${'x'.repeat(shift)} needle ${'x'.repeat(shift)}${run}`,
        'needle',
      );
      expect(snippet).toContain('**needle**');
      const shown = [...segments.segment(snippet)].map(({ segment }) => segment);
      expect(shown.filter((one) => !/^[x *.a-z]$/.test(one) && one !== character)).toEqual([]);
      expect(snippet.length).toBeLessThan(140);
    }
  },
);

test('a match that ends within a character takes the whole of it', async () => {
  const excerpt = 'un cafe\u0301 noir';
  const { call } = await answering([hit('text', { excerpt, match: { start: 3, end: 7 } })]);
  const { results } = (await call('vault_search', { query: 'cafe' })).json;
  expect(results[0].snippet).toBe('un **cafe\u0301** noir');
});

test('a hit without a place is still shown in bold where it can be', async () => {
  const { match: _, ...unplaced } = hit('text', { excerpt: 'Über den WOLKEN' });
  const { call } = await answering([
    unplaced,
    { ...unplaced, path: 'wolken.md' as NotePath, excerpt: 'nothing' },
  ]);
  const { results } = (await call('vault_search', { query: '"wolken"' })).json;
  expect(results).toMatchObject([
    { match_type: 'filename', snippet: '**wolken**.md', line: 1 },
    { match_type: 'content', snippet: 'Über den **WOLKEN**' },
  ]);
});

test('a path that holds the query is a match by name, whatever else the searcher saw', async () => {
  const { call } = await answering([hit('text'), hit('text', { path: 'a/Word.md' as NotePath })]);
  const { results } = (await call('vault_search', { query: 'word.md' })).json;
  expect(results).toMatchObject([
    { path: 'a/Word.md', match_type: 'filename', snippet: 'a/**Word.md**', line: 1 },
    { path: 'a/note.md', match_type: 'content', line: 7 },
  ]);
});
