import { expect, test } from 'vitest';
import type { TriliumNote } from '../wire/entities.ts';
import { createFacts } from './facts.ts';

const leaf = { noteId: 'leaf', parentNoteIds: ['mid1'] } as unknown as TriliumNote;

test('what a call has learnt is used for a second', async () => {
  let now = 0;
  const facts = createFacts(() => now);
  await facts.reading('leaf', async () => leaf);
  facts.learnOwner('Attachment', 'a1', 'leaf');
  expect(facts.parentsOf('leaf')).toEqual(['mid1']);
  expect(facts.ownerOf('Attachment', 'a1')).toBe('leaf');
  expect(facts.ownerOf('Revision', 'a1')).toBeUndefined();
  now = 1_000;
  expect(facts.parentsOf('leaf')).toBeUndefined();
  expect(facts.ownerOf('Attachment', 'a1')).toBeUndefined();
});

test('a note on its way is asked for once; one that has arrived is asked for again', async () => {
  const facts = createFacts();
  let asked = 0;
  const read = () =>
    facts.reading('leaf', async () => {
      asked++;
      return leaf;
    });
  expect(await Promise.all([read(), read()])).toEqual([leaf, leaf]);
  expect(asked).toBe(1);
  await read();
  expect(asked).toBe(2);
});

test('after a change of the tree nothing is known, not even of a note on its way', async () => {
  const facts = createFacts();
  let arrive = (_: TriliumNote) => {};
  const reading = facts.reading('leaf', () => new Promise((resolve) => (arrive = resolve)));
  facts.clear();
  arrive(leaf);
  await reading;
  expect(facts.parentsOf('leaf')).toBeUndefined();
});

test('a failure is nothing that is known', async () => {
  const facts = createFacts();
  await expect(facts.reading('leaf', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  expect(facts.parentsOf('leaf')).toBeUndefined();
  expect(await facts.reading('leaf', async () => leaf)).toBe(leaf);
});
