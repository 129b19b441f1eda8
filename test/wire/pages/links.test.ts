/** backlinks and rename_page. */
import { expect, test } from 'vitest';
import { openMemoryStore } from '../../../src/stores/memory.ts';
import { withPages, withPagesOver } from '../../kit/server.ts';
import { snapshot, stamps } from '../notebook/support.ts';
import { contentsOf, expectCode, expectOk, plainStore } from './support.ts';

const SEED = {
  'old/Plan.md': '# Plan\n\nsee [[Index]]\n',
  'Index.md':
    '[[old/Plan]] and [[old/Plan|the plan]], [[old/Plan#Plan]]\n\n![[old/Plan]]\n\n[md](old/Plan.md) `[[old/Plan]]`\n',
  'Other.md': 'nothing\n',
  '_trash/2026-11/Gone.md': '[[old/Plan]]\n',
};
const RENAMED =
  '[[new/Plan 2]] and [[new/Plan 2|the plan]], [[new/Plan 2#Plan]]\n\n![[new/Plan 2]]\n\n[md](new/Plan%202.md) `[[old/Plan]]`\n';

test('the pages that link to a page, line by line', async () => {
  const { call } = await withPages(SEED, { extended: true });
  const { json } = expectOk(await call('backlinks', { page: 'old/Plan' }));
  expect(json).toMatchObject({ path: 'old/Plan.md', count: 5 });
  expect(json.backlinks.map(({ page, line }: { page: string; line: number }) => [page, line])).toEqual([
    ['Index', 1],
    ['Index', 1],
    ['Index', 1],
    ['Index', 3],
    ['Index', 5],
  ]);
  expect((await call('backlinks', { page: 'old/Plan', limit: 2 })).json).toMatchObject({
    count: 2,
    total: 5,
  });
  expect((await call('backlinks', { page: 'Other' })).json).toEqual({
    path: 'Other.md',
    count: 0,
    backlinks: [],
  });
  expectCode(await call('backlinks', { page: 'nope' }), 'not_found', { path: 'nope.md' });
});

test.each([
  ['that can move', () => openMemoryStore(SEED)],
  ['that cannot', () => plainStore(SEED)],
])('a page is renamed and every link to it with it, on a store %s', async (_, open) => {
  const store = open();
  const { call } = await withPagesOver(store, { extended: true });
  const { json } = expectOk(await call('rename_page', { from: 'old/Plan', to: 'new/Plan 2' }));
  expect(json).toEqual({
    from: 'old/Plan.md',
    to: 'new/Plan 2.md',
    renamed: true,
    linksUpdated: 5,
    updated: [{ page: 'Index', links: 5 }],
  });
  const { 'old/Plan.md': plan, ...rest } = SEED;
  expect(await contentsOf(store)).toEqual({ ...rest, 'new/Plan 2.md': plan, 'Index.md': RENAMED });
  // The same call again.
  expect(expectOk(await call('rename_page', { from: 'old/Plan', to: 'new/Plan 2' })).json).toMatchObject({
    renamed: true,
    deduplicated: true,
  });
});

test('dry_run only says what would change', async () => {
  const { call, folder } = await withPages(SEED, { extended: true });
  const before = await stamps(folder);
  const { json } = expectOk(await call('rename_page', { from: 'old/Plan', to: 'Plan 2', dry_run: true }));
  expect(json).toMatchObject({ dryRun: true, linksUpdated: 5, updated: [{ page: 'Index', links: 5 }] });
  expect(json).not.toHaveProperty('renamed');
  expect(await stamps(folder)).toEqual(before);
});

test('pages that may not be written keep their links and are named', async () => {
  const { call, folder } = await withPages(
    { 'w/a.md': 'a', 'w/b.md': '[[w/a]]', 'private.md': '[[w/a]]' },
    { extended: true, writable: ['w'] },
  );
  const { json } = expectOk(await call('rename_page', { from: 'w/a', to: 'w/c' }));
  expect(json).toMatchObject({
    linksUpdated: 1,
    updated: [{ page: 'w/b', links: 1 }],
    failed: [{ path: 'private.md' }],
  });
  expect(await snapshot(folder)).toMatchObject({
    'w/b.md': '[[w/c]]',
    'private.md': '[[w/a]]',
    'w/c.md': 'a',
  });
});

test('what move_page refuses, this refuses', async () => {
  const { call, folder } = await withPages({ ...SEED, 'taken.md': 't' }, { extended: true });
  const before = await snapshot(folder);
  const renaming = (from: string, to: string) => call('rename_page', { from, to });
  expectCode(await renaming('old/Plan', 'taken'), 'already_exists', { path: 'taken.md' });
  expectCode(await renaming('old/Plan', 'old/Plan'), 'invalid_path');
  expectCode(await renaming('old/Plan', '_trash/x'), 'forbidden_path');
  expectCode(await renaming('old/Plan', 'v1.2'), 'invalid_path');
  expectCode(await renaming('nope', 'x'), 'not_found', { path: 'nope.md' });
  expect(await snapshot(folder)).toEqual(before);
});
