/** A client that never saw the answer calls again: nothing happens twice, for two minutes. */
import { expect, test } from 'vitest';
import type { NotePath } from '../../../src/notes/path.ts';
import type { NoteStore } from '../../../src/notes/store.ts';
import { textOf } from '../../../src/notes/text/text.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { ANONYMOUS } from '../../../src/shared/principal.ts';
import { openMemoryStore } from '../../../src/stores/memory.ts';
import { pagesBackendOver, withPages, withPagesOver } from '../../kit/server.ts';
import { fileText } from '../../kit/temp.ts';
import { contentsOf, expectCode, expectOk, plainStore } from './support.ts';

const A = 'a.md' as NotePath;
const WITHIN = 119_000;
const AFTER = 121_000;

/** Pages with a clock the test moves. */
async function space(seed: Record<string, string>, wrap: (store: NoteStore) => NoteStore = (store) => store) {
  const inner = plainStore(seed);
  const clock = { time: Date.UTC(2026, 10, 15) };
  const connected = await withPagesOver(wrap(inner), { now: () => clock.time });
  const textAt = async (path = A) => textOf(await inner.read(path));
  return { ...connected, store: inner, clock, textAt };
}

const INSERTS = [
  ['append_to_page', { page: 'a', content: '- milk' }],
  ['prepend_to_page', { page: 'a', content: '- milk' }],
  ['prepend_to_page', { page: 'a', content: '- milk', position: 'top' }],
] as const;

test.each(INSERTS)('%s %j: once', async (tool, args) => {
  const { call, clock, textAt } = await space({ 'a.md': '---\nk: 1\n---\ntext\n' });
  expect(expectOk(await call(tool, args)).json).not.toHaveProperty('deduplicated');
  const after = await textAt();
  clock.time += WITHIN;
  expect(expectOk(await call(tool, args)).json).toMatchObject({
    path: 'a.md',
    bytesAdded: 0,
    deduplicated: true,
  });
  expect(await textAt()).toBe(after);
  // Another page name for the same page is the same call.
  expect((await call(tool, { ...args, page: '/a.md' })).json.deduplicated).toBe(true);
});

test.each(INSERTS)('%s %j: twice when it was meant twice', async (tool, args) => {
  const { call, clock, store, textAt } = await space({ 'a.md': 'text\n' });
  const count = async () => (await textAt()).split('- milk').length - 1;
  expectOk(await call(tool, args));
  clock.time += AFTER;
  expect((await call(tool, args)).json.deduplicated).toBeUndefined();
  expect(await count()).toBe(2);
  // Another client took it away again.
  await store.write(A, 'text\n');
  expect((await call(tool, args)).json.deduplicated).toBeUndefined();
  expect(await count()).toBe(1);
  // The text is not at the end (the beginning) any more.
  await store.write(A, `first\n${await textAt()}\nlast`);
  expect((await call(tool, args)).json.deduplicated).toBeUndefined();
  expect(await count()).toBe(2);
  // Other text, other place.
  expect((await call(tool, { ...args, content: '- bread' })).json.deduplicated).toBeUndefined();
});

test('a text that was there before any call is no repetition', async () => {
  const { call, textAt } = await space({ 'a.md': 'list\n\n- milk' });
  expect((await call('append_to_page', INSERTS[0][1])).json.deduplicated).toBeUndefined();
  expect(await textAt()).toBe('list\n\n- milk\n\n- milk');
  expect((await call('append_to_page', INSERTS[0][1])).json.deduplicated).toBe(true);
});

test.each(INSERTS)('%s %j: the same call while the first still runs', async (tool, args) => {
  const { call, textAt } = await space({ 'a.md': 'text\n' });
  const answers = await Promise.all([1, 2, 3].map(() => call(tool, args)));
  expect(answers.filter(({ json }) => json.deduplicated)).toHaveLength(2);
  expect((await textAt()).split('- milk')).toHaveLength(2);
});

/** The first write fails: with the text written or without. */
const failingOnce = (isWritten: boolean) => {
  let failed = false;
  return (store: NoteStore): NoteStore => ({
    ...store,
    write: async (path, content, conditions) => {
      if (failed) return store.write(path, content, conditions);
      failed = true;
      if (isWritten) await store.write(path, content, conditions);
      throw new AppError('upstream_failed', 'Connection reset', { subject: path });
    },
  });
};

test.each([true, false])(
  'after a failure of the server behind the text is there once; written: %s',
  async (isWritten) => {
    for (const before of ['text\n', 'list\n\n- milk']) {
      const { call, textAt } = await space({ 'a.md': before }, failingOnce(isWritten));
      const lines = before.split('- milk').length - 1;
      expectCode(await call('append_to_page', INSERTS[0][1]), 'upstream', { status: 502, transient: true });
      expect((await call('append_to_page', INSERTS[0][1])).json.deduplicated).toBe(isWritten || undefined);
      expect((await textAt()).split('- milk').length - 1).toBe(lines + 1);
    }
  },
);

test.each([true, false])('create_page after a failure; written: %s', async (isWritten) => {
  const { call, store } = await space({}, failingOnce(isWritten));
  const args = { page: 'new', body: 'text' };
  expectCode(await call('create_page', args), 'upstream', { path: 'new.md' });
  expect(expectOk(await call('create_page', args)).json).toMatchObject({ created: true, path: 'new.md' });
  expect(await contentsOf(store)).toEqual({ 'new.md': 'text' });
});

test('one caller is not another', async () => {
  const store = openMemoryStore({ 'a.md': 'text\n' });
  const backend = pagesBackendOver(store);
  const as = (id: string) => withPagesOver(store, { backend, principal: { ...ANONYMOUS, id } });
  const [kim, alex] = [await as('kim'), await as('alex')];
  await kim.call('append_to_page', INSERTS[0][1]);
  expect((await alex.call('append_to_page', INSERTS[0][1])).json.deduplicated).toBeUndefined();
  await kim.call('create_page', { page: 'new', body: 'x' });
  expectCode(await alex.call('create_page', { page: 'new', body: 'x' }), 'already_exists');
  expect((await kim.call('create_page', { page: 'new', body: 'x' })).json.deduplicated).toBe(true);
  await kim.call('delete_page', { page: 'new' });
  expectCode(await alex.call('delete_page', { page: 'new' }), 'not_found');
});

test('create_page with the body that is there: a success for the client that made it, for two minutes', async () => {
  const { call, clock, store } = await space({ 'theirs.md': 'text' });
  const first = (await call('create_page', { page: 'new', body: 'text' })).json;
  clock.time += WITHIN;
  const again = expectOk(await call('create_page', { page: 'new', body: 'text' })).json;
  expect(again).toEqual({ ...first, deduplicated: true });
  expectOk(await call('write_page', { page: 'new', body: 'v2', expected_last_modified: again.lastModified }));
  // Not the same body, not the same page, not of their making.
  expectCode(await call('create_page', { page: 'new', body: 'text' }), 'already_exists');
  expectCode(await call('create_page', { page: 'new', body: 'other' }), 'already_exists');
  for (let i = 0; i < 2; i++)
    expectCode(await call('create_page', { page: 'theirs', body: 'text' }), 'already_exists');
  await call('create_page', { page: 'late', body: 'text' });
  clock.time += AFTER;
  expectCode(await call('create_page', { page: 'late', body: 'text' }), 'already_exists');
  expect(Object.keys(await contentsOf(store)).sort()).toEqual(['late.md', 'new.md', 'theirs.md']);
});

test('write_page with the body that is there writes nothing', async () => {
  const { call, folder } = await withPages({ 'a.md': 'one' });
  const { lastModified } = (await call('read_page', { page: 'a' })).json;
  const args = { page: 'a', body: 'two', expected_last_modified: lastModified };
  const first = expectOk(await call('write_page', args)).json;
  expect(expectOk(await call('write_page', args)).json).toEqual({ ...first, deduplicated: true });
  expect(await fileText(folder, 'a.md')).toBe('two');
});

test('delete_page again: the same success, until the page is there again or two minutes are over', async () => {
  const { call, clock, store } = await space({ 'a.md': 'one' });
  const first = expectOk(await call('delete_page', { page: 'a' })).json;
  clock.time += WITHIN;
  expect(expectOk(await call('delete_page', { page: 'a' })).json).toEqual({ ...first, deduplicated: true });
  await call('create_page', { page: 'a', body: 'second life' });
  const second = expectOk(await call('delete_page', { page: 'a' })).json;
  expect(second).toEqual({ deleted: true, trashPath: `_trash/2026-11/a-${clock.time}.md` });
  expect((await call('delete_page', { page: 'a' })).json).toEqual({ ...second, deduplicated: true });
  clock.time += AFTER;
  expectCode(await call('delete_page', { page: 'a' }), 'not_found');
  expect(await contentsOf(store)).toEqual({
    '_trash/2026-11/a.md': 'one',
    [second.trashPath]: 'second life',
  });
});

test.each([
  ['delete_page', { page: 'a' }],
  ['move_page', { from: 'a', to: 'b' }],
  ['create_page', { page: '_', body: 'one' }],
])('%s %j while the first still runs', async (tool, args) => {
  const { call, store } = await space(tool === 'create_page' ? {} : { 'a.md': 'one' });
  const answers = await Promise.all([1, 2, 3].map(() => call(tool, args)));
  expect(answers.filter(({ json }) => json.deduplicated)).toHaveLength(2);
  expect(Object.keys(await contentsOf(store))).toHaveLength(1);
});

test('move_page again: the same success, until the page is moved on or two minutes are over', async () => {
  const { call, clock, store } = await space({ 'a.md': 'one' });
  const args = { from: 'a', to: 'b' };
  const first = expectOk(await call('move_page', args)).json;
  clock.time += WITHIN;
  expect(expectOk(await call('move_page', args)).json).toEqual({ ...first, deduplicated: true });
  await call('create_page', { page: 'a', body: 'second life' });
  expectCode(await call('move_page', args), 'already_exists');
  await call('move_page', { from: 'a', to: 'c' });
  await call('move_page', { from: 'b', to: 'd' });
  expectCode(await call('move_page', args), 'not_found');
  clock.time += AFTER;
  expectCode(await call('move_page', { from: 'b', to: 'd' }), 'not_found');
  expect(await contentsOf(store)).toEqual({ 'c.md': 'second life', 'd.md': 'one' });
});
