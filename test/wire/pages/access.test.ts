/** The limits of writes: paths, sizes and page names. */
import { expect, test } from 'vitest';
import { openMemoryStore } from '../../../src/stores/memory.ts';
import { withPages, withPagesOver } from '../../kit/server.ts';
import { fileText } from '../../kit/temp.ts';
import { snapshot } from '../notebook/support.ts';
import { contentsOf, expectCode, expectOk, plainStore } from './support.ts';

type Args = Record<string, unknown>;

const LIMIT = 256 * 1024;

/** Every tool that changes a page, by name. */
const WRITES: [string, (page: string) => Args][] = [
  ['create_page', (page) => ({ page, body: 'x' })],
  ['write_page', (page) => ({ page, body: 'x', expected_last_modified: 1 })],
  ['append_to_page', (page) => ({ page, content: 'x' })],
  ['prepend_to_page', (page) => ({ page, content: 'x' })],
  ['delete_page', (page) => ({ page })],
  ['move_page', (page) => ({ from: page, to: 'elsewhere' })],
  ['move_page', (page) => ({ from: 'a', to: page })],
];
const INTO_TRASH = WRITES.filter(([tool, args]) => tool !== 'move_page' || args('x').to === 'x');

test.each(WRITES)('%s: paths that are none', async (tool, args) => {
  const { call, folder } = await withPages({ 'a.md': 'a', '.git/config': 'git' });
  const before = await snapshot(folder);
  for (const page of [
    '../a',
    'x/../../a',
    './a',
    'a//b',
    'a/',
    'a.md.md',
    '.git/config',
    'a/.b',
    '',
    ' ',
    'a\u0000',
    'a\nb',
  ]) {
    const { remediation } = expectCode(await call(tool, args(page)), 'invalid_path', { status: 422 });
    expect(remediation).toMatch(/\S/);
  }
  expect(await snapshot(folder)).toEqual(before);
});

test.each(INTO_TRASH)('%s: not into the trash', async (tool, args) => {
  const { call, folder } = await withPages({ 'a.md': 'a', '_trash/2026-11/t.md': 't' });
  const before = await snapshot(folder);
  for (const page of ['_trash/2026-11/t', '_trash/x', '_TRASH/x', '/_trash/x.md']) {
    const payload = expectCode(await call(tool, args(page)), 'forbidden_path', { status: 403 });
    expect(payload.path).toMatch(/^_trash\//i);
    expect(payload.remediation).toContain('delete_page');
  }
  expect(await snapshot(folder)).toEqual(before);
});

test.each(WRITES)('%s: only where it is allowed', async (tool, args) => {
  const { call, folder } = await withPages(
    { 'a.md': 'a', 'Journal/2026.md': 'j', 'private/p.md': 'p', 'Journals.md': 'x' },
    { writable: ['Journal/', '/Inbox', 'a'] },
  );
  const before = await snapshot(folder);
  for (const page of ['private/p', 'Journals', 'journal/2026', 'new', 'InboxOther/x']) {
    const payload = expectCode(await call(tool, args(page)), 'forbidden_path', { status: 403 });
    expect(payload.remediation).toContain('Journal');
  }
  expect(await snapshot(folder)).toEqual(before);
});

test('what is allowed can be written: the folder, all below it, and a page of that name', async () => {
  const { call } = await withPages({ 'private/p.md': 'p' }, { writable: ['Journal', 'Inbox.md'] });
  for (const page of ['Journal/2026', 'Journal/deep/x', 'Journal', 'Inbox'])
    expectOk(await call('create_page', { page, body: 'x' }));
  expectOk(await call('delete_page', { page: 'Journal/2026' }));
  expectOk(await call('read_page', { page: 'private/p' }));
  expect((await call('list_pages')).json.count).toBe(4);
});

test('an empty list allows nothing', async () => {
  const { call } = await withPages({}, { writable: [] });
  expectCode(await call('create_page', { page: 'a', body: 'x' }), 'forbidden_path');
});

test('256 KB are a page, one byte more is not', async () => {
  const { call, folder } = await withPages();
  const full = 'é'.repeat(LIMIT / 2);
  const { lastModified } = expectOk(await call('create_page', { page: 'full', body: full })).json;
  const over = `${full}x`;
  const tooLarge = { status: 413, bytes: LIMIT + 1, limit: LIMIT };
  expectCode(await call('create_page', { page: 'over', body: over }), 'too_large', {
    ...tooLarge,
    path: 'over.md',
  });
  expectCode(
    await call('write_page', { page: 'full', body: over, expected_last_modified: lastModified }),
    'too_large',
    tooLarge,
  );
  expectCode(await call('append_to_page', { page: 'full', content: 'x' }), 'too_large', { bytes: LIMIT + 3 });
  expectCode(await call('prepend_to_page', { page: 'full', content: 'x' }), 'too_large', {
    bytes: LIMIT + 2,
  });
  expectCode(await call('append_to_page', { page: 'full', content: over }), 'too_large', tooLarge);
  expect(Object.keys(await snapshot(folder))).toEqual(['full.md']);
  expect(await fileText(folder, 'full.md')).toBe(full);
});

test('a page that is refused is refused for its name before its size', async () => {
  const { call } = await withPagesOver(openMemoryStore());
  const body = 'x'.repeat(LIMIT + 1);
  expectCode(await call('create_page', { page: '_trash/x', body }), 'forbidden_path');
  expectCode(await call('create_page', { page: '../x', body }), 'invalid_path');
});

test('half a character in a name is an invalid path', async () => {
  const store = plainStore();
  const { call } = await withPagesOver(store);
  for (const [tool, args] of WRITES)
    expectCode(await call(tool, args('a\ud800')), 'invalid_path', { status: 422 });
  expect(await contentsOf(store)).toEqual({});
});

test('read-only: nothing that writes is offered', async () => {
  const { client, call } = await withPages({ 'a.md': 'a' }, { readOnly: true });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
    'list_pages',
    'read_page',
    'search_pages',
  ]);
  expectCode(await call('append_to_page', { page: 'a', content: 'x' }), 'forbidden_path', { status: 403 });
});
