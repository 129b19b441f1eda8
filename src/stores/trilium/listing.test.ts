import { expect, test } from 'vitest';
import type { NotePath } from '../../notes/path.ts';
import { createListingCache, type ListedFiles } from './watch.ts';
import type { TriliumNote } from './wire/entities.ts';

const PATH = 'a.md' as NotePath;
const NONE: ListedFiles = new Map();

function listed(title: string): ListedFiles {
  return new Map([[PATH, { title } as TriliumNote]]);
}

function counted() {
  const clock = { now: 0 };
  const made = { count: 0 };
  const listing = createListingCache(
    async () => listed(`${++made.count}`),
    () => clock.now,
  );
  return { clock, made, listing };
}

test('a caller that reads everything needs one more listing after a change, not one per note', async () => {
  const { made, listing } = counted();
  await listing.fresh();
  for (let n = 0; n < 20; n++) await listing.recall(PATH);
  for (let change = 0; change < 5; change++) {
    listing.forget();
    // Fewer than would count as many by themselves.
    for (let n = 0; n < 4; n++) expect((await listing.recall(PATH))?.note.title).toBe(`${change + 2}`);
  }
  expect(made.count).toBe(6);
});

test('a few reads after a change are looked up one by one', async () => {
  const { clock, made, listing } = counted();
  await listing.fresh();
  for (let n = 0; n < 20; n++) await listing.recall(PATH);
  listing.forget();
  for (let n = 0; n < 20; n++) {
    clock.now += 1_000;
    expect(await listing.recall(PATH)).toBeUndefined();
  }
  expect(made.count).toBe(1);
});

test('where no caller lists the notes, reading many of them makes no listing either', async () => {
  const { made, listing } = counted();
  listing.forget();
  for (let n = 0; n < 20; n++) expect(await listing.recall(PATH)).toBeUndefined();
  expect(made.count).toBe(0);
});

test('a listing that was begun before a change is not used after it', async () => {
  const answers: ((files: ListedFiles) => void)[] = [];
  const listing = createListingCache(
    () => new Promise((resolve) => answers.push(resolve)),
    () => 0,
  );
  const first = listing.fresh();
  answers[0]?.(NONE);
  await first;
  for (let n = 0; n < 20; n++) await listing.recall(PATH);
  listing.forget();
  const early = listing.recall(PATH);
  listing.forget();
  const late = listing.recall(PATH);
  answers[2]?.(listed('after'));
  answers[1]?.(listed('before'));
  expect((await early)?.note.title).toBe('before');
  expect((await late)?.note.title).toBe('after');
  expect((await listing.recall(PATH))?.note.title).toBe('after');
});
