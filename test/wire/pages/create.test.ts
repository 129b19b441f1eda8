import { expect, test } from 'vitest';
import { openMemoryStore } from '../../../src/stores/memory.ts';
import { withPages, withPagesOver } from '../../kit/server.ts';
import { fileText } from '../../kit/temp.ts';
import { snapshot } from '../notebook/support.ts';
import { errorOf, expectCode, expectOk } from './support.ts';

test('a new page is made, with its folders, to the letter', async () => {
  const { call, folder } = await withPages();
  const body = '---\ntags: x\n---\r\n# Idée 😀\n\nno end';
  const { json } = expectOk(await call('create_page', { page: 'projects/new/idea', body }));
  expect(json).toEqual({ created: true, path: 'projects/new/idea.md', lastModified: expect.any(Number) });
  expect(await fileText(folder, 'projects/new/idea.md')).toBe(body);
});

test('.md is never doubled, and an empty body is a body', async () => {
  const { call, folder } = await withPages();
  expect((await call('create_page', { page: 'a.md', body: '' })).json.path).toBe('a.md');
  expect(await snapshot(folder)).toEqual({ 'a.md': '' });
});

test('the client that made a page may write it at once', async () => {
  const { call, folder } = await withPages();
  const { lastModified } = (await call('create_page', { page: 'a', body: 'one' })).json;
  expectOk(await call('write_page', { page: 'a', body: 'two', expected_last_modified: lastModified }));
  expect(await fileText(folder, 'a.md')).toBe('two');
});

test('a page that exists is left alone', async () => {
  const { call, folder } = await withPages({ 'a.md': 'mine' });
  const answer = await call('create_page', { page: 'a', body: 'yours' });
  expectCode(answer, 'already_exists', { status: 409, path: 'a.md', message: 'Page already exists: a.md' });
  expect(errorOf(answer).remediation).toMatch(/write_page.*expected_last_modified/);
  expect(answer.text).not.toContain('lastModified":');
  expect(await fileText(folder, 'a.md')).toBe('mine');
});

test('of many clients that create one page, one succeeds', async () => {
  const { call } = await withPages();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) => call('create_page', { page: 'race', body: `text ${i}` })),
  );
  expect(answers.filter(({ json }) => json.created)).toHaveLength(1);
  expect(answers.filter(({ json }) => json.error === 'already_exists')).toHaveLength(7);
});

test.each([
  ['Release 1.2', 'Release 1-2'],
  ['C# notes', 'C- notes'],
  ['me@home', 'me-home'],
  ['^meta', 'meta'],
  ['a|b', 'a-b'],
  ['[[x]]', 'x'],
  ['notes.txt', 'notes-txt'],
])('SilverBullet could not open %s; %s is suggested', async (page, suggestion) => {
  const store = openMemoryStore({ [`${page}.md`]: 'there already' });
  const { call } = await withPagesOver(store);
  const refusal = expectCode(await call('create_page', { page, body: 'x' }), 'invalid_path', {
    status: 422,
    input: page,
  });
  expect(refusal.remediation).toContain(`"${suggestion}"`);
  expectOk(await call('create_page', { page: suggestion, body: 'x' }));
  // A page that has such a name already can be used like any other.
  const { lastModified } = expectOk(await call('read_page', { page })).json;
  expectOk(await call('write_page', { page, body: 'y', expected_last_modified: lastModified }));
  expectOk(await call('append_to_page', { page, content: 'z' }));
  expectOk(await call('move_page', { from: page, to: 'proper' }));
});

test.each(['con', 'a:b', 'folder /x', 'deep/aux/x'])(
  'what the disk cannot hold is an invalid path: %s',
  async (page) => {
    const { call, folder } = await withPages();
    expectCode(await call('create_page', { page, body: 'x' }), 'invalid_path', { status: 422 });
    expect(await snapshot(folder)).toEqual({});
  },
);
