/** Moving, cloning and unlinking: nothing is lost, and no note ends up below itself. */
import { describe, expect, test } from 'vitest';
import { cloneNote, moveNote, unlinkBranch } from '../../src/stores/trilium/place.ts';
import { asked, caught, start } from './kit.ts';

/** a › b › c; d beside them; e in a and in d. */
const TREE = [
  {
    id: 'aaaa',
    title: 'A',
    children: [
      { id: 'bbbb', title: 'B', children: [{ id: 'cccc', title: 'C' }] },
      { id: 'eeee', title: 'E' },
    ],
  },
  { id: 'dddd', title: 'D' },
];

async function tree() {
  const { fake, client } = await start({ notes: TREE });
  fake.db.addBranch('eeee', 'dddd', { prefix: 'P' });
  const parents = (id: string) => fake.db.parentBranches(id).map(({ parentNoteId }) => parentNoteId);
  const writes = () => asked(fake).filter((line) => !line.startsWith('GET '));
  return { fake, client, parents, writes };
}

describe('move', () => {
  test('takes a note to another parent, with its prefix', async () => {
    const { fake, client, parents } = await tree();
    fake.db.addBranch('bbbb', 'aaaa', { prefix: 'Old', isExpanded: true });
    const moved = await moveNote(client, { noteId: 'bbbb', newParentNoteId: 'dddd' });
    expect(moved).toMatchObject({ outcome: 'moved', removedBranchId: 'aaaa_bbbb' });
    expect(moved.branch).toMatchObject({ branchId: 'dddd_bbbb', prefix: 'Old', isExpanded: true });
    expect(parents('bbbb')).toEqual(['dddd']);
    expect(parents('cccc')).toEqual(['bbbb']);
  });

  test('gives it another prefix when asked to', async () => {
    const { client } = await tree();
    const { branch } = await moveNote(client, { noteId: 'bbbb', newParentNoteId: 'root', prefix: 'New' });
    expect(branch).toMatchObject({ branchId: 'root_bbbb', prefix: 'New' });
  });

  test('to where it is changes nothing and deletes nothing', async () => {
    const { client, parents, writes } = await tree();
    const moved = await moveNote(client, { noteId: 'bbbb', newParentNoteId: 'aaaa' });
    expect(moved).toMatchObject({ outcome: 'unchanged', branch: { branchId: 'aaaa_bbbb' } });
    expect(parents('bbbb')).toEqual(['aaaa']);
    expect(writes()).toEqual([]);
  });

  test('to where it is, with a prefix, changes the prefix alone', async () => {
    const { client, parents, writes } = await tree();
    const moved = await moveNote(client, { noteId: 'bbbb', newParentNoteId: 'aaaa', prefix: 'New' });
    expect(moved).toMatchObject({ outcome: 'updated', branch: { prefix: 'New' } });
    expect(parents('bbbb')).toEqual(['aaaa']);
    expect(writes()).toEqual(['PATCH /branches/aaaa_bbbb']);
  });

  test('to one of its places leaves the other only when that one is named', async () => {
    const { client, parents } = await tree();
    await moveNote(client, { noteId: 'eeee', newParentNoteId: 'dddd' });
    expect(parents('eeee')).toEqual(['aaaa', 'dddd']);
    const moved = await moveNote(client, {
      noteId: 'eeee',
      newParentNoteId: 'dddd',
      oldParentNoteId: 'aaaa',
    });
    expect(moved).toMatchObject({
      branch: { branchId: 'dddd_eeee', prefix: 'P' },
      removedBranchId: 'aaaa_eeee',
    });
    expect(parents('eeee')).toEqual(['dddd']);
    await moveNote(client, { noteId: 'eeee', newParentNoteId: 'dddd', oldParentNoteId: 'dddd' });
    expect(parents('eeee')).toEqual(['dddd']);
  });

  test.each([
    ['itself', 'aaaa', 'aaaa'],
    ['its child', 'aaaa', 'bbbb'],
    ['a note deeper below it', 'aaaa', 'cccc'],
    ['a clone below it', 'aaaa', 'eeee'],
  ])('below %s is refused, and searches still work', async (_, noteId, newParentNoteId) => {
    const { client, writes } = await tree();
    expect(await caught(moveNote(client, { noteId, newParentNoteId }))).toMatchObject({
      code: 'conflict',
      title: 'A note cannot be put below itself',
    });
    expect(writes()).toEqual([]);
    expect((await client.search({ search: 'note.title = A' })).results).toHaveLength(1);
  });

  test.each([
    ['root', 'aaaa'],
    ['_hidden', 'aaaa'],
    ['bbbb', '_hidden'],
    ['bbbb', 'none'],
  ])('of %s to %s is refused', async (noteId, newParentNoteId) => {
    const { fake, client } = await tree();
    expect(await caught(moveNote(client, { noteId, newParentNoteId }))).toMatchObject({ code: 'forbidden' });
    expect(fake.requests).toEqual([]);
  });

  test('of a note in several places asks which one to leave', async () => {
    const { fake, client, parents } = await tree();
    fake.db.addNote({ noteId: 'ffff', title: 'F', type: 'text', mime: 'text/html' }, '');
    fake.db.addBranch('ffff', 'root');
    const error = await caught(moveNote(client, { noteId: 'eeee', newParentNoteId: 'ffff' }));
    expect(error).toMatchObject({ code: 'conflict', title: 'The note is in several places' });
    expect(error.hint).toContain('aaaa (A), dddd (D)');
    await moveNote(client, { noteId: 'eeee', newParentNoteId: 'ffff', oldParentNoteId: 'dddd' });
    expect(parents('eeee')).toEqual(['aaaa', 'ffff']);
  });

  test("leaves a note's place among the bookmarks alone", async () => {
    const { fake, client, parents } = await tree();
    fake.db.addBranch('bbbb', '_options');
    await moveNote(client, { noteId: 'bbbb', newParentNoteId: 'dddd' });
    expect(parents('bbbb')).toEqual(['_options', 'dddd']);
  });

  test('from a place where the note is not is refused', async () => {
    const { client, writes } = await tree();
    const move = { noteId: 'bbbb', newParentNoteId: 'dddd', oldParentNoteId: 'root' };
    expect(await caught(moveNote(client, move))).toMatchObject({ code: 'invalid_input' });
    expect(writes()).toEqual([]);
  });

  test.each([
    ['nope00000000', 'aaaa'],
    ['bbbb', 'nope00000000'],
  ])('of %s to %s says that there is no such note', async (noteId, newParentNoteId) => {
    const { client, writes } = await tree();
    expect(await caught(moveNote(client, { noteId, newParentNoteId }))).toMatchObject({
      code: 'not_found',
      upstream: { status: 404, code: 'NOTE_NOT_FOUND' },
    });
    expect(writes()).toEqual([]);
  });

  test('that breaks off half-way says where the note is', async () => {
    const { fake, client, parents } = await tree();
    fake.faults.fate = ({ method }) =>
      method === 'DELETE' ? { kind: 'status', status: 503, applies: false } : undefined;
    const error = await caught(moveNote(client, { noteId: 'bbbb', newParentNoteId: 'dddd' }));
    expect(error).toMatchObject({ title: 'The old place of the note could not be taken away' });
    expect(error.hint).toContain('aaaa_bbbb');
    expect(parents('bbbb')).toEqual(['aaaa', 'dddd']);
  });

  test('comes to an end in a tree that has a loop already', async () => {
    const { fake, client } = await tree();
    fake.db.addBranch('aaaa', 'cccc');
    const moved = await moveNote(client, {
      noteId: 'dddd',
      newParentNoteId: 'cccc',
      oldParentNoteId: 'root',
    });
    expect(moved.outcome).toBe('moved');
  });
});

describe('clone', () => {
  test('adds a place', async () => {
    const { client, parents } = await tree();
    const cloned = await cloneNote(client, { noteId: 'bbbb', parentNoteId: 'dddd', prefix: 'X' });
    expect(cloned).toMatchObject({ outcome: 'cloned', branch: { prefix: 'X' } });
    expect(parents('bbbb')).toEqual(['aaaa', 'dddd']);
  });

  test('into a place that exists resets nothing there', async () => {
    const { client, writes } = await tree();
    const cloned = await cloneNote(client, { noteId: 'eeee', parentNoteId: 'dddd' });
    expect(cloned).toMatchObject({ outcome: 'unchanged', branch: { prefix: 'P' } });
    expect(writes()).toEqual([]);
  });

  test.each(['aaaa', 'cccc', '_hidden'])('of a into %s is refused', async (parentNoteId) => {
    const { client, writes } = await tree();
    await caught(cloneNote(client, { noteId: 'aaaa', parentNoteId }));
    expect(writes()).toEqual([]);
  });
});

describe('unlink', () => {
  test('takes one of several places away', async () => {
    const { client, parents } = await tree();
    await unlinkBranch(client, 'dddd_eeee');
    expect(parents('eeee')).toEqual(['aaaa']);
  });

  test('never takes the last one', async () => {
    const { fake, client } = await tree();
    expect(await caught(unlinkBranch(client, 'aaaa_bbbb'))).toMatchObject({ code: 'conflict' });
    expect(fake.db.note('bbbb')).toBeDefined();
  });

  test('says when there is nothing to unlink', async () => {
    const { client } = await tree();
    expect(await caught(unlinkBranch(client, 'root_cccc'))).toMatchObject({ code: 'not_found' });
  });
});
