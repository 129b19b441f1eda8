/** list_trash and restore_page. */
import { expect, test } from 'vitest';
import { type ToolClient, withPagesOver } from '../../kit/server.ts';
import { contentsOf, expectCode, expectOk, plainStore } from './support.ts';

const NOVEMBER = Date.UTC(2026, 10, 15);

async function space(seed: Record<string, string>, writable?: string[]) {
  const store = plainStore(seed);
  const clock = { time: NOVEMBER };
  const parts = { extended: true, now: () => clock.time++, ...(writable && { writable }) };
  return { store, clock, ...(await withPagesOver(store, parts)) };
}

const originals = async ({ call }: ToolClient): Promise<string[]> =>
  (await call('list_trash')).json.pages.map(({ original }: { original: string }) => original);

test('what was deleted, the latest first, under the name it had', async () => {
  const connected = await space({ 'a.md': '1', 'ref/b.md': '2', '_trash/2026-10/c.md': '0' });
  const { call } = connected;
  await call('delete_page', { page: 'a' });
  await call('create_page', { page: 'a', body: 'second' });
  await call('delete_page', { page: 'a' });
  await call('delete_page', { page: 'ref/b' });
  const { json } = expectOk(await call('list_trash'));
  expect(json.count).toBe(4);
  expect(json.pages[0]).toEqual({
    page: expect.stringMatching(/^_trash\/2026-11\/a-\d{13}$/),
    path: expect.stringMatching(/^_trash\/2026-11\/a-\d{13}\.md$/),
    original: 'a',
    deleted: '2026-11',
    size: 6,
    lastModified: expect.any(Number),
  });
  expect((await originals(connected)).sort()).toEqual(['a', 'a', 'c', 'ref/b']);
  expect((await originals(connected)).at(-1)).toBe('c');
  expect((await call('list_trash', { limit: 1 })).json).toMatchObject({ count: 1, total: 4 });
});

test('a page comes back by its old name or its place in the trash', async () => {
  const { call, store } = await space({ 'a.md': 'one', 'ref/b.md': 'two', '_trash/2026-10/a.md': 'older' });
  const { trashPath } = (await call('delete_page', { page: 'ref/b' })).json;
  await call('delete_page', { page: 'a' });
  expect(expectOk(await call('restore_page', { page: 'a' })).json).toEqual({
    restored: true,
    path: 'a.md',
    from: '_trash/2026-11/a.md',
  });
  expectOk(await call('restore_page', { page: trashPath }));
  expect(await contentsOf(store)).toEqual({
    'a.md': 'one',
    'ref/b.md': 'two',
    '_trash/2026-10/a.md': 'older',
  });
});

test('never over a page that is there; another name will do', async () => {
  const { call, store } = await space({ 'a.md': 'one' });
  await call('delete_page', { page: 'a' });
  await call('create_page', { page: 'a', body: 'new' });
  expectCode(await call('restore_page', { page: 'a' }), 'already_exists', { path: 'a.md' });
  expectOk(await call('restore_page', { page: 'a', to: 'a restored' }));
  expect(await contentsOf(store)).toEqual({ 'a.md': 'new', 'a restored.md': 'one' });
});

test('an odd name may come back as it was, but not be made', async () => {
  const { call } = await space({ 'Release 1.2.md': 'r' });
  await call('delete_page', { page: 'Release 1.2' });
  expectCode(await call('restore_page', { page: 'Release 1.2', to: 'Release 1.3' }), 'invalid_path');
  expectOk(await call('restore_page', { page: 'Release 1.2' }));
});

test('what is not there, and where may not be written', async () => {
  const { call } = await space({ '_trash/2026-11/private/a.md': 'x' }, ['open']);
  expect(expectCode(await call('restore_page', { page: 'nope' }), 'not_found').remediation).toContain(
    'list_trash',
  );
  expectCode(await call('restore_page', { page: 'private/a' }), 'forbidden_path', { path: 'private/a.md' });
  expectCode(await call('restore_page', { page: 'private/a', to: '_trash/x' }), 'forbidden_path');
  expectOk(await call('restore_page', { page: 'private/a', to: 'open/a' }));
});

test('restoring again is the same success', async () => {
  const { call, store } = await space({ '_trash/2026-11/a.md': 'x' });
  expectOk(await call('restore_page', { page: 'a' }));
  expect(expectOk(await call('restore_page', { page: 'a' })).json).toMatchObject({
    restored: true,
    path: 'a.md',
    deduplicated: true,
  });
  expect(await contentsOf(store)).toEqual({ 'a.md': 'x' });
});
