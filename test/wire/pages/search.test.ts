import { expect, test } from 'vitest';
import { withPages } from '../../kit/server.ts';
import { expectCode, expectOk } from './support.ts';

const SEED = {
  'Garden.md':
    '---\ntags: outdoors\naliases: [plot]\n---\n# Garden\n\n## Tools\n\nA spade and a rake. The spade is old.\n',
  'Shed.md': 'The spade stands here.\n',
  '_trash/2026-11/Old shed.md': 'A rusty spade.\n',
};

test('hits have the documented fields, and score, line and heading', async () => {
  const { call } = await withPages(SEED);
  const { json, content } = expectOk(await call('search_pages', { query: 'spade' }));
  expect(content).toHaveLength(1);
  expect(json).toMatchObject({ query: 'spade', count: 2 });
  expect(json.hits.map(({ page }: { page: string }) => page).sort()).toEqual(['Garden', 'Shed']);
  expect(json.hits.find(({ page }: { page: string }) => page === 'Garden')).toEqual({
    page: 'Garden',
    path: 'Garden.md',
    lastModified: expect.any(Number),
    snippet: expect.stringContaining('A spade and a rake'),
    matches: 2,
    score: expect.any(Number),
    line: 9,
    heading: 'Tools',
  });
});

test('names, aliases and tags of the frontmatter are found too', async () => {
  const { call } = await withPages(SEED);
  for (const query of ['garden', 'plot', 'outdoors'])
    expect((await call('search_pages', { query })).json.hits[0].page, query).toBe('Garden');
});

test('a part of a word is found, as a substring search would', async () => {
  const { call } = await withPages(SEED);
  expect((await call('search_pages', { query: 'pad' })).json.count).toBe(2);
});

test('nothing found', async () => {
  const { call } = await withPages(SEED);
  expect((await call('search_pages', { query: 'zzzznothing' })).json).toEqual({
    query: 'zzzznothing',
    count: 0,
    hits: [],
  });
});

test('the trash is searched only when asked for', async () => {
  const { call } = await withPages(SEED);
  const found = async (args: object) =>
    (await call('search_pages', { query: 'spade', ...args })).json.hits.map(
      ({ page }: { page: string }) => page,
    );
  expect(await found({})).not.toContain('_trash/2026-11/Old shed');
  expect(await found({ include_trash: true })).toContain('_trash/2026-11/Old shed');
});

test('limit, also as a numeral, and how many there are beyond it', async () => {
  const { call } = await withPages(SEED);
  for (const limit of [1, '1']) {
    const { json } = await call('search_pages', { query: 'spade', limit });
    expect(json).toMatchObject({ count: 1, total: 2 });
    expect(json.hits).toHaveLength(1);
  }
  for (const limit of [0, -1, 101, 1.5, 'many', ''])
    expect(
      expectCode(await call('search_pages', { query: 'spade', limit }), 'invalid_arguments').message,
    ).toContain('limit');
});

test('what was just written is found, what was deleted is not', async () => {
  const { call } = await withPages(SEED);
  await call('create_page', { page: 'New', body: 'a brand new wheelbarrow' });
  expect((await call('search_pages', { query: 'wheelbarrow' })).json.count).toBe(1);
  await call('delete_page', { page: 'New' });
  expect((await call('search_pages', { query: 'wheelbarrow' })).json.count).toBe(0);
  expect((await call('search_pages', { query: 'wheelbarrow', include_trash: true })).json.count).toBe(1);
});
