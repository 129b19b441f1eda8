/** The version handshake: what was not seen is never overwritten, and no number but the right one is good for it. */
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { NotePath } from '../../../src/notes/path.ts';
import { textOf } from '../../../src/notes/text/text.ts';
import { ANONYMOUS } from '../../../src/shared/principal.ts';
import { openMemoryStore } from '../../../src/stores/memory.ts';
import { pagesBackendOver, type ToolClient, withPages, withPagesOver } from '../../kit/server.ts';
import { fileText, putFile } from '../../kit/temp.ts';
import { stamps } from '../notebook/support.ts';
import { bodyOf, errorOf, expectCode, expectOk } from './support.ts';

const A = 'a.md' as NotePath;
const SECOND = 1_700_000_000_000;

const markerOf = async ({ call }: ToolClient, page = 'a'): Promise<number> =>
  (await call('read_page', { page })).json.lastModified;
const write = ({ call }: ToolClient, body: string, expected_last_modified: unknown, page = 'a') =>
  call('write_page', { page, body, expected_last_modified });

test('read, write, write again: each answer is the key to the next', async () => {
  const connected = await withPages({ 'a.md': 'one' });
  const first = await markerOf(connected);
  const second = expectOk(await write(connected, 'two', first)).json;
  expect(second).toEqual({ written: true, path: 'a.md', lastModified: expect.any(Number) });
  expectOk(await write(connected, 'three', String(second.lastModified)));
  expect(await fileText(connected.folder, 'a.md')).toBe('three');
});

test('a page that changed meanwhile is a conflict without the present marker', async () => {
  const connected = await withPages({ 'a.md': 'one' });
  const marker = await markerOf(connected);
  await putFile(connected.folder, 'a.md', 'edited by hand');
  const answer = await write(connected, 'two', marker);
  const payload = expectCode(answer, 'conflict', { status: 409, path: 'a.md', expectedLastModified: marker });
  expect(Object.keys(payload)).toEqual([
    'error',
    'status',
    'message',
    'path',
    'expectedLastModified',
    'remediation',
  ]);
  expect(payload.message).toContain('has been modified');
  expect(payload.remediation).toContain('read_page');
  const now = await markerOf(connected);
  if (now !== marker) expect(answer.text).not.toContain(String(now));
  expect(await fileText(connected.folder, 'a.md')).toBe('edited by hand');
  expectOk(await write(connected, 'two', now));
});

test('write_page makes no pages', async () => {
  const connected = await withPages();
  const answer = await write(connected, 'x', 1, 'nope/none');
  expectCode(answer, 'not_found', { status: 404, path: 'nope/none.md' });
  expect(errorOf(answer).message).toMatch(/^Page does not exist: nope\/none\.md.*create_page/);
  expect(errorOf(answer).remediation).toContain('create_page');
});

test('the times in lists, searches, conflicts and errors are no keys', async () => {
  const connected = await withPages({ 'a.md': 'needle' });
  const { call } = connected;
  await markerOf(connected);
  const listed = (await call('list_pages')).json.pages[0].lastModified;
  const found = (await call('search_pages', { query: 'needle' })).json.hits[0].lastModified;
  for (const marker of [listed, found, 0, -1, listed + 1000])
    expectCode(await write(connected, 'x', marker), 'conflict');
  expectCode(await call('create_page', { page: 'a', body: 'x' }), 'already_exists');
  expect(await fileText(connected.folder, 'a.md')).toBe('needle');
});

test('append and prepend give no marker and leave the old one useless', async () => {
  const connected = await withPages({ 'a.md': 'one' });
  const marker = await markerOf(connected);
  for (const tool of ['append_to_page', 'prepend_to_page'])
    expect((await connected.call(tool, { page: 'a', content: 'more' })).text).not.toContain('lastModified');
  expectCode(await write(connected, 'two', marker), 'conflict');
});

test('on a disk of whole seconds the true time is no key when it was not given out', async () => {
  const connected = await withPages({ 'a.md': 'one', 'b.md': 'b' });
  const { folder } = connected;
  const setTime = (time: number) => utimes(join(folder, 'a.md'), time / 1000, time / 1000);
  await setTime(SECOND);
  await markerOf(connected);
  await putFile(folder, 'a.md', 'edited by hand');
  await setTime(SECOND + 5_000);
  // Guessed, or seen somewhere else: it is the time of the page, and still not a marker of it.
  expectCode(await write(connected, 'two', SECOND + 5_000), 'conflict');
  await setTime(SECOND);
  // The old marker is the time of the page again, and the text is another one.
  expectCode(await write(connected, 'two', SECOND), 'conflict');
  expect(await fileText(folder, 'a.md')).toBe('edited by hand');
});

test('two texts of one tick have two markers, each for its own text', async () => {
  const store = openMemoryStore({ 'a.md': 'one' }, () => SECOND);
  const connected = await withPagesOver(store);
  const first = await markerOf(connected);
  await store.write(A, 'edited by hand');
  const second = await markerOf(connected);
  expect(second).not.toBe(first);
  expectCode(await write(connected, 'two', first), 'conflict');
  expectOk(await write(connected, 'two', second));
  expect(textOf(await store.read(A))).toBe('two');
});

test('after a restart the time of change is believed, once, and only the exact one', async () => {
  const store = openMemoryStore({ 'a.md': 'one' });
  const { lastModified } = await store.read(A);
  expectCode(await write(await withPagesOver(store), 'two', lastModified - 1), 'conflict');
  expectOk(await write(await withPagesOver(store), 'two', lastModified));
  expect(textOf(await store.read(A))).toBe('two');
  const again = await withPagesOver(store);
  await markerOf(again);
  await store.write(A, 'edited by hand');
  expectCode(await write(again, 'three', (await store.read(A)).lastModified), 'conflict');
});

test('a version marker belongs to the caller that received it', async () => {
  const store = openMemoryStore({ 'a.md': 'one' });
  const kim = { ...ANONYMOUS, id: 'kim', kind: 'user' as const };
  const alex = { ...ANONYMOUS, id: 'alex', kind: 'user' as const };
  const backend = pagesBackendOver(store);
  const kims = await withPagesOver(store, { backend, principal: kim });
  const alexs = await withPagesOver(store, { backend, principal: alex });
  const marker = await markerOf(kims);
  // The marker is the time of the page, but alex did not get it from a read.
  expectCode(await write(alexs, 'two', marker), 'conflict');
  expectOk(await write(kims, 'two', marker));
});

test('nothing is lost between the check and the write', async () => {
  const inner = openMemoryStore({ 'a.md': 'one' });
  const store = {
    ...inner,
    write: async (...[path, content, conditions]: Parameters<typeof inner.write>) => {
      await inner.write(path, 'a careless editor came first');
      return inner.write(path, content, conditions);
    },
  };
  const connected = await withPagesOver(store);
  expectCode(await write(connected, 'two', await markerOf(connected)), 'conflict');
  expect(textOf(await inner.read(A))).toBe('a careless editor came first');
});

test('a body that is there already is a success without a write, whatever the marker', async () => {
  const connected = await withPages({ 'a.md': 'one' });
  const marker = await markerOf(connected);
  expectOk(await write(connected, 'two', marker));
  const before = await stamps(connected.folder);
  const { json } = expectOk(await write(connected, 'two', marker));
  expect(json).toMatchObject({ written: true, path: 'a.md', deduplicated: true });
  expect(await stamps(connected.folder)).toEqual(before);
  expectOk(await write(connected, 'three', json.lastModified));
});

test('of many writers with one marker, one writes', async () => {
  const connected = await withPages({ 'a.md': 'one' });
  const marker = await markerOf(connected);
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) => write(connected, `text ${i}`, marker)),
  );
  expect(answers.filter(({ json }) => json.written)).toHaveLength(1);
  expect(answers.filter(({ json }) => json.error === 'conflict')).toHaveLength(7);
  const winner = answers.findIndex(({ json }) => json.written);
  expect(bodyOf(await connected.call('read_page', { page: 'a' }))).toBe(`text ${winner}`);
});

test.each([['abc'], [1.5], [null], [true], [''], [{}]])('%j is no marker', async (marker) => {
  const connected = await withPages({ 'a.md': 'one' });
  const payload = expectCode(await write(connected, 'two', marker), 'invalid_arguments', { status: 400 });
  expect(payload.message).toContain('expected_last_modified');
});
