import { expect, test } from 'vitest';
import type { NotePath } from '../../../src/notes/path.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { openMemoryStore } from '../../../src/stores/memory.ts';
import { withPages, withPagesOver } from '../../kit/server.ts';
import { snapshot } from '../notebook/support.ts';
import { bodyOf, contentsOf, expectCode, expectOk, plainStore } from './support.ts';

const NOVEMBER = Date.UTC(2026, 10, 15, 12);
const now = () => NOVEMBER;

test('a page goes to the trash of the month, under its own path', async () => {
  const { call, folder } = await withPages({ 'ref/page.md': 'text', 'b.md': 'b' });
  const month = new Date().toISOString().slice(0, 7);
  const { json } = expectOk(await call('delete_page', { page: 'ref/page' }));
  expect(json).toEqual({ deleted: true, trashPath: `_trash/${month}/ref/page.md` });
  const files = Object.entries(await snapshot(folder)).filter(([, text]) => text !== '(not a file)');
  expect(Object.fromEntries(files)).toEqual({ 'b.md': 'b', [`_trash/${month}/ref/page.md`]: 'text' });
  expectCode(await call('read_page', { page: 'ref/page' }), 'not_found');
  expect(bodyOf(await call('read_page', { page: json.trashPath }))).toBe('text');
});

test.each([
  ['that can move', (seed: Record<string, string>) => openMemoryStore(seed)],
  ['that cannot', (seed: Record<string, string>) => plainStore(seed)],
])('what is in the trash is never replaced, on a store %s', async (_, open) => {
  const store = open({
    'a.md': 'third',
    '_trash/2026-11/a.md': 'first',
    [`_trash/2026-11/a-${NOVEMBER}.md`]: 'second',
  });
  const { call } = await withPagesOver(store, { now });
  const { json } = await call('delete_page', { page: 'a' });
  expect(json.trashPath).toBe(`_trash/2026-11/a-${NOVEMBER + 1}.md`);
  expect(await contentsOf(store)).toEqual({
    '_trash/2026-11/a.md': 'first',
    [`_trash/2026-11/a-${NOVEMBER}.md`]: 'second',
    [`_trash/2026-11/a-${NOVEMBER + 1}.md`]: 'third',
  });
});

test('the copy is there, whole, before the page is gone', async () => {
  const inner = plainStore({ 'a.md': 'text' });
  const steps: string[] = [];
  const store = {
    ...inner,
    read: async (path: NotePath) => {
      steps.push(`read ${path}`);
      return inner.read(path);
    },
    write: async (...[path, content, conditions]: Parameters<typeof inner.write>) => {
      steps.push(`write ${path} ${JSON.stringify(conditions)}`);
      return inner.write(path, content, conditions);
    },
    remove: async (...[path, conditions]: Parameters<typeof inner.remove>) => {
      steps.push(`remove ${path} if ${typeof conditions?.ifVersion}`);
      return inner.remove(path, conditions);
    },
  };
  const { call } = await withPagesOver(store, { now });
  expectOk(await call('delete_page', { page: 'a' }));
  expect(steps).toEqual([
    'read a.md',
    'write _trash/2026-11/a.md {"ifVersion":null}',
    'read _trash/2026-11/a.md',
    'remove a.md if string',
  ]);
});

test('a page that may not be removed leaves nothing in the trash', async () => {
  const inner = plainStore({ 'Library/Std.md': 'bundled' });
  const store = {
    ...inner,
    remove: async (...[path, conditions]: Parameters<typeof inner.remove>) => {
      if (path.startsWith('Library/'))
        throw new AppError('forbidden', 'Page is read-only', { subject: path });
      return inner.remove(path, conditions);
    },
  };
  const { call } = await withPagesOver(store);
  expectCode(await call('delete_page', { page: 'Library/Std' }), 'forbidden_path', {
    status: 403,
    path: 'Library/Std.md',
  });
  expect(await contentsOf(inner)).toEqual({ 'Library/Std.md': 'bundled' });
});

test('a page that is larger than may be written can still be deleted', async () => {
  const store = plainStore({ 'big.md': 'x'.repeat(300_000) });
  const { call } = await withPagesOver(store, { now });
  expectOk(await call('delete_page', { page: 'big' }));
  expect(Object.keys(await contentsOf(store))).toEqual(['_trash/2026-11/big.md']);
});

test('missing, and already in the trash', async () => {
  const { call } = await withPages({ '_trash/2026-11/a.md': 'x' });
  expectCode(await call('delete_page', { page: 'nope' }), 'not_found', { path: 'nope.md' });
  expectCode(await call('delete_page', { page: '_trash/2026-11/a' }), 'forbidden_path', { status: 403 });
});

test('with noDelete it is not offered, and says why in the documented shape', async () => {
  const { call, client } = await withPages({ 'a.md': 'x' }, { noDelete: true });
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('delete_page');
  expectCode(await call('delete_page', { page: 'a' }), 'forbidden_path', { status: 403 });
});
