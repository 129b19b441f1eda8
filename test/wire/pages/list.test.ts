import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openMemoryStore } from '../../../src/stores/memory.ts';
import { type ToolClient, withPages, withPagesOver } from '../../kit/server.ts';
import { expectCode, expectOk } from './support.ts';

const names = async ({ call }: ToolClient, args: Record<string, unknown> = {}): Promise<string[]> =>
  (await call('list_pages', args)).json.pages.map(({ page }: { page: string }) => page);

test('every .md page, last changed first, to the second', async () => {
  const connected = await withPages({
    'a.md': 'a',
    'sub/b.md': 'b',
    'p.png': Uint8Array.of(1),
    'c.txt': 'c',
  });
  const { call, folder } = connected;
  await utimes(join(folder, 'a.md'), 1_700_000_000.789, 1_700_000_000.789);
  await utimes(join(folder, 'sub/b.md'), 1_700_000_100.123, 1_700_000_100.123);
  const { json, content } = expectOk(await call('list_pages'));
  expect(json).toEqual({
    count: 2,
    pages: [
      { page: 'sub/b', path: 'sub/b.md', lastModified: 1_700_000_100_000 },
      { page: 'a', path: 'a.md', lastModified: 1_700_000_000_000 },
    ],
  });
  expect(content).toHaveLength(1);
});

test('where a disk keeps whole seconds, the time shown is still not the marker', async () => {
  const { call, folder } = await withPages({ 'a.md': 'needle' });
  await utimes(join(folder, 'a.md'), 1_700_000_000, 1_700_000_000);
  const marker = (await call('read_page', { page: 'a' })).json.lastModified;
  expect(marker).toBe(1_700_000_000_000);
  expect((await call('list_pages')).json.pages[0].lastModified).toBe(marker - 1000);
  expect((await call('search_pages', { query: 'needle' })).json.hits[0].lastModified).toBe(marker - 1000);
});

test('an empty space', async () => {
  const { call } = await withPages();
  expect((await call('list_pages')).json).toEqual({ count: 0, pages: [] });
});

test('the trash is shown only when asked for', async () => {
  const connected = await withPages({ 'a.md': 'a', '_trash/2026-11/b.md': 'b', 'x/_trash/c.md': 'c' });
  expect((await names(connected)).sort()).toEqual(['a', 'x/_trash/c']);
  expect((await names(connected, { include_trash: false })).sort()).toEqual(['a', 'x/_trash/c']);
  for (const include_trash of [true, 'true'])
    expect((await names(connected, { include_trash })).sort()).toEqual([
      '_trash/2026-11/b',
      'a',
      'x/_trash/c',
    ]);
});

test('odd names and SilverBullet conflict copies are shown as what they are', async () => {
  const seed = {
    'Plan.md': '1',
    'Plan.conflicted:1794710171000.md': '2',
    'rec/trailing .md': '3',
    'Release 1.2.md': '4',
  };
  const { call } = await withPagesOver(openMemoryStore(seed));
  const { pages } = (await call('list_pages')).json;
  expect(pages).toHaveLength(4);
  expect(pages.find(({ path }: { path: string }) => path.includes('conflicted'))).toMatchObject({
    page: 'Plan.conflicted:1794710171000',
    conflictCopyOf: 'Plan',
  });
  for (const { page } of pages) expectOk(await call('read_page', { page }));
});

test('a long list comes in parts, whole and in order, also while pages change', async () => {
  let time = 1_700_000_000_000;
  const seed = Object.fromEntries(
    Array.from({ length: 2_500 }, (_, i) => [`folder/page number ${i}.md`, 'x']),
  );
  const store = openMemoryStore(seed, () => (time += 7));
  const { call } = await withPagesOver(store);
  const seen: string[] = [];
  let cursor: string | undefined;
  let parts = 0;
  do {
    const answer = await call('list_pages', cursor === undefined ? {} : { cursor });
    expect(answer.text.length).toBeLessThan(100_000);
    expect(answer.json.count).toBe(2_500);
    seen.push(...answer.json.pages.map(({ page }: { page: string }) => page));
    cursor = answer.json.next_cursor;
    if (cursor !== undefined) expect(answer.json.note).toContain('next_cursor');
    // The last page shown moves to the front.
    if (parts++ === 0) await store.write(`${seen.at(-1)}.md` as never, 'changed');
  } while (cursor !== undefined);
  expect(parts).toBeGreaterThan(2);
  expect(new Set(seen).size).toBe(2_500);
  expect(seen.length).toBeLessThan(2_500 + 300);
  expect(seen[0]).toBe('folder/page number 2499');
});

test('a cursor gives no marker away', async () => {
  let time = 1_700_000_000_123;
  const seed = Object.fromEntries(
    Array.from({ length: 1_500 }, (_, i) => [`folder/page number ${i}.md`, 'x']),
  );
  const { call } = await withPagesOver(openMemoryStore(seed, () => (time += 1)));
  const { next_cursor } = (await call('list_pages')).json;
  expect(Buffer.from(next_cursor, 'base64url').toString()).toMatch(/^\d{10}000:folder/);
});

test.each(['', 'a b', 'bm8gdGltZQ'])('the cursor %j is refused', async (cursor) => {
  const { call } = await withPages({ 'a.md': 'a' });
  expectCode(await call('list_pages', { cursor }), 'invalid_arguments');
});
