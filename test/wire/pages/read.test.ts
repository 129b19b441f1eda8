import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openMemoryStore } from '../../../src/stores/memory.ts';
import { withPages, withPagesOver } from '../../kit/server.ts';
import { bodyOf, errorOf, expectCode } from './support.ts';

test('two blocks: the envelope, and the body to the letter', async () => {
  const text = '\uFEFF---\r\ntags: x\r\n---\r\n# T\r\n😀 end';
  const { call, folder } = await withPages({ 'ref/page.md': text });
  const answer = await call('read_page', { page: 'ref/page' });
  const { mtimeMs } = await stat(join(folder, 'ref/page.md'));
  expect(answer.json).toEqual({ path: 'ref/page.md', lastModified: Math.trunc(mtimeMs) });
  expect(answer.content.map(({ type }) => type)).toEqual(['text', 'text']);
  expect(bodyOf(answer)).toBe(text);
});

test.each(['ref/page', 'ref/page.md', '/ref/page', '/ref/page.md'])(
  '%s names the same page',
  async (page) => {
    const { call } = await withPages({ 'ref/page.md': 'text' });
    const answer = await call('read_page', { page });
    expect(answer.json.path).toBe('ref/page.md');
    expect(bodyOf(answer)).toBe('text');
  },
);

test('an empty page has an empty body', async () => {
  const { call } = await withPages({ 'a.md': '' });
  expect(bodyOf(await call('read_page', { page: 'a' }))).toBe('');
});

test('a page that is not there, with the one that was probably meant', async () => {
  const { call } = await withPages({ 'projects/plan.md': 'x' });
  const missing = await call('read_page', { page: 'nope/none' });
  expectCode(missing, 'not_found', { status: 404, path: 'nope/none.md', message: 'Not found: nope/none.md' });
  expect(errorOf(missing).remediation).toMatch(/list_pages.*include_trash: true/);
  expect(errorOf(await call('read_page', { page: 'projects/plam' })).remediation).toContain(
    'Did you mean "projects/plan"?',
  );
});

test('pages in the trash can be read', async () => {
  const { call } = await withPages({ '_trash/2026-11/a.md': 'gone' });
  expect(bodyOf(await call('read_page', { page: '_trash/2026-11/a' }))).toBe('gone');
});

test('what is hidden, outside or no page cannot be read', async () => {
  const { call } = await withPages({ 'a.md': 'a', '.silverbullet.auth.json': 'secret', 'p.png': 'png' });
  for (const page of ['.silverbullet.auth.json', '../a', 'x/../a', '.git/config', 'a/.b'])
    expectCode(await call('read_page', { page }), 'invalid_path', { status: 422, input: page });
  expectCode(await call('read_page', { page: 'p.png' }), 'not_found', { path: 'p.png.md' });
  expectCode(await call('read_page', { page: 'node_modules/x' }), 'forbidden_path', { status: 403 });
});

test('bytes that are no text are not shown as text', async () => {
  const { call } = await withPages({ 'l.md': Uint8Array.of(0x78, 0xe9) });
  expectCode(await call('read_page', { page: 'l' }), 'upstream', {
    status: 415,
    transient: false,
    path: 'l.md',
  });
});

test('a page no client could show is refused with its size', async () => {
  const big = 'x'.repeat(1024 * 1024 + 1);
  const { call } = await withPagesOver(openMemoryStore({ 'big.md': big, 'fits.md': big.slice(1) }));
  expectCode(await call('read_page', { page: 'big' }), 'too_large', { status: 413, bytes: big.length });
  expect(bodyOf(await call('read_page', { page: 'fits' }))).toHaveLength(1024 * 1024);
});
