import { expect, test } from 'vitest';
import { AppError } from '../../shared/errors.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import type { NotePath } from '../path.ts';
import type { NoteStore } from '../store.ts';
import { textOf } from '../text/text.ts';
import { relocate } from './links.ts';

const A = 'a.md' as NotePath;
const B = 'deep/b.md' as NotePath;

/** A store that cannot move, as some cannot. */
function plainStore(overrides: (store: NoteStore) => Partial<NoteStore> = () => ({})): NoteStore {
  const { move: _, ...store } = openMemoryStore({ 'a.md': 'text' });
  return { ...store, ...overrides(store) };
}

const contents = async (store: NoteStore) =>
  Object.fromEntries(
    await Promise.all(
      (await store.list()).map(async ({ path }) => [path, textOf(await store.read(path))] as const),
    ),
  );

test.each([
  ['with move', openMemoryStore({ 'a.md': 'text' })],
  ['without', plainStore()],
])('the note is at its new path and nowhere else: %s', async (_, store) => {
  await relocate(store, A, B);
  expect(await contents(store)).toEqual({ 'deep/b.md': 'text' });
  await expect(relocate(store, A, B)).rejects.toMatchObject({ code: 'not_found' });
});

test.each([
  ['with move', openMemoryStore({ 'a.md': 'text', 'deep/b.md': 'other' })],
  [
    'without',
    plainStore((store) => {
      void store.write(B, 'other');
      return {};
    }),
  ],
])('a target that is taken is left alone: %s', async (_, store) => {
  await expect(relocate(store, A, B)).rejects.toMatchObject({ code: 'already_exists', subject: B });
  expect(await contents(store)).toEqual({ 'a.md': 'text', 'deep/b.md': 'other' });
});

test('a note that changes meanwhile goes as it is then', async () => {
  let edits = 0;
  const store = plainStore((inner) => ({
    remove: async (path, conditions) => {
      if (path === A && edits++ < 3) await inner.write(A, `edit ${edits}`);
      return inner.remove(path, conditions);
    },
  }));
  await relocate(store, A, B);
  expect(await contents(store)).toEqual({ 'deep/b.md': 'edit 3' });
});

test('a note that never stops changing is a conflict, and stays where it is alone', async () => {
  let edits = 0;
  const store = plainStore((inner) => ({
    remove: async (path, conditions) => {
      if (path === A) await inner.write(A, `edit ${++edits}`);
      return inner.remove(path, conditions);
    },
  }));
  await expect(relocate(store, A, B)).rejects.toMatchObject({ code: 'conflict' });
  expect(await contents(store)).toEqual({ 'a.md': 'edit 5' });
});

test('a note that may not be removed leaves no copy behind', async () => {
  const store = plainStore((inner) => ({
    remove: async (path, conditions) => {
      if (path === A) throw new AppError('forbidden', 'Read-only page', { subject: path });
      return inner.remove(path, conditions);
    },
  }));
  await expect(relocate(store, A, B)).rejects.toMatchObject({ code: 'forbidden' });
  expect(await contents(store)).toEqual({ 'a.md': 'text' });
});

test('a removal whose answer was lost has happened', async () => {
  const store = plainStore((inner) => ({
    remove: async (path, conditions) => {
      await inner.remove(path, conditions);
      throw new AppError('upstream_failed', 'connection reset');
    },
  }));
  await relocate(store, A, B);
  expect(await contents(store)).toEqual({ 'deep/b.md': 'text' });
});

test('while it is not known whether the note is gone, the copy stays', async () => {
  let down = false;
  const store = plainStore((inner) => ({
    read: async (path) => {
      if (down) throw new AppError('upstream_failed', 'connection refused');
      return inner.read(path);
    },
    remove: async () => {
      down = true;
      throw new AppError('upstream_failed', 'connection reset');
    },
  }));
  await expect(relocate(store, A, B)).rejects.toMatchObject({ code: 'upstream_failed' });
  down = false;
  expect(await contents(store)).toEqual({ 'a.md': 'text', 'deep/b.md': 'text' });
});

test('a copy that is not what was written removes nothing', async () => {
  const store = plainStore((inner) => ({
    write: (path, content, conditions) => inner.write(path, path === B ? '' : content, conditions),
  }));
  await expect(relocate(store, A, B)).rejects.toMatchObject({ code: 'upstream_failed' });
  expect(await contents(store)).toEqual({ 'a.md': 'text' });
});
