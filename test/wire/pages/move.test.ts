import { expect, test } from 'vitest';
import { openMemoryStore } from '../../../src/stores/memory.ts';
import { withPages, withPagesOver } from '../../kit/server.ts';
import { contentsOf, expectCode, expectOk, plainStore } from './support.ts';

const STORES = [
  ['that can move', (seed: Record<string, string>) => openMemoryStore(seed)],
  ['that cannot', (seed: Record<string, string>) => plainStore(seed)],
] as const;

test.each(STORES)('a page has a new name and nothing else changes, on a store %s', async (_, open) => {
  const store = open({ 'inbox/idea.md': 'text', 'b.md': '[[inbox/idea]]' });
  const { call } = await withPagesOver(store);
  const { json } = expectOk(await call('move_page', { from: 'inbox/idea', to: 'projects/2026/idea.md' }));
  expect(json).toEqual({ from: 'inbox/idea.md', to: 'projects/2026/idea.md', moved: true });
  expect(await contentsOf(store)).toEqual({ 'projects/2026/idea.md': 'text', 'b.md': '[[inbox/idea]]' });
});

test.each(STORES)('a page that is there is never replaced, on a store %s', async (_, open) => {
  const store = open({ 'a.md': 'a', 'b.md': 'b' });
  const { call } = await withPagesOver(store);
  expectCode(await call('move_page', { from: 'a', to: 'b' }), 'already_exists', {
    status: 409,
    path: 'b.md',
  });
  expect(await contentsOf(store)).toEqual({ 'a.md': 'a', 'b.md': 'b' });
});

test('the marker of the old name is none of the new one', async () => {
  const { call } = await withPages({ 'a.md': 'a' });
  const { lastModified } = (await call('read_page', { page: 'a' })).json;
  await call('move_page', { from: 'a', to: 'b' });
  expectCode(
    await call('write_page', { page: 'a', body: 'x', expected_last_modified: lastModified }),
    'not_found',
  );
});

test('names that cannot be', async () => {
  const { call, folder: _ } = await withPages({ 'a.md': 'a', 'Release 1.2.md': 'r' });
  const moving = (from: string, to: string) => call('move_page', { from, to });
  expectCode(await moving('a', 'a'), 'invalid_path', { reason: 'source and destination are identical' });
  expectCode(await moving('a', '/a.md'), 'invalid_path');
  expectCode(await moving('a', '../b'), 'invalid_path', { input: '../b' });
  expectCode(await moving('../a', 'b'), 'invalid_path', { input: '../a' });
  expectCode(await moving('nope', 'b'), 'not_found', { path: 'nope.md' });
  const refusal = expectCode(await moving('a', 'Release 1.3'), 'invalid_path', { status: 422 });
  expect(refusal.remediation).toContain('"Release 1-3"');
  // An odd name is a fine place to leave.
  expectOk(await moving('Release 1.2', 'Release 1-2'));
});

test('into the trash no, out of it yes', async () => {
  const store = plainStore({ 'a.md': 'a', '_trash/2026-11/b.md': 'b' });
  const { call } = await withPagesOver(store);
  const refusal = expectCode(await call('move_page', { from: 'a', to: '_trash/x' }), 'forbidden_path', {
    status: 403,
    path: '_trash/x.md',
  });
  expect(refusal.remediation).toContain('delete_page');
  expectOk(await call('move_page', { from: '_trash/2026-11/b', to: 'b' }));
  expect(await contentsOf(store)).toEqual({ 'a.md': 'a', 'b.md': 'b' });
});
