/** Writes that lose nothing: a revision first, and only onto what was read. */
import { describe, expect, test } from 'vitest';
import { createNote, deleteNote } from '../../src/stores/trilium/create-note.ts';
import { createContentWriter } from '../../src/stores/trilium/write-content.ts';
import { asked, caught, start } from './kit.ts';

const NOTES = [
  { id: 'note', title: 'N', content: 'one' },
  { id: 'image', title: 'I', type: 'image', mime: 'image/png', content: Buffer.of(0x89, 0xff, 0) },
  { id: 'svg1', title: 'S', type: 'image', mime: 'image/svg+xml', content: '<svg/>' },
  { id: 'code', title: 'C', type: 'code', mime: 'application/javascript;env=backend', content: 'a' },
  { id: 'secret', title: 'P', isProtected: true, content: 'x' },
];

async function begin() {
  const { fake, client } = await start({ notes: NOTES });
  const revisions = (id: string) =>
    [...fake.db.revisions.values()]
      .filter(({ noteId }) => noteId === id)
      .map((one) => fake.db.content(one).toString());
  return { fake, client, writer: createContentWriter(client), revisions };
}

describe('replace', () => {
  test('takes a revision first and tells the new blobId', async () => {
    const { fake, writer, revisions } = await begin();
    const before = fake.db.note('note')?.blobId;
    const { note, isChanged } = await writer.replace('note', 'two');
    expect(fake.text('note')).toBe('two');
    expect(isChanged).toBe(true);
    expect(note.blobId).toBe(fake.db.note('note')?.blobId);
    expect(note.blobId).not.toBe(before);
    expect(revisions('note')[0]).toBe('one');
  });

  test('onto what was read', async () => {
    const { fake, client, writer } = await begin();
    const { blobId } = await client.notes.get('note');
    await writer.replace('note', 'two', { expectedBlobId: blobId });
    const error = await caught(writer.replace('note', 'three', { expectedBlobId: blobId }));
    expect(error).toMatchObject({ code: 'conflict' });
    expect(error.hint).toContain(blobId);
    expect(fake.text('note')).toBe('two');
  });

  test('sees a change made while the revision was taken', async () => {
    const { fake, client, writer } = await begin();
    const { blobId } = await client.notes.get('note');
    fake.faults.fate = ({ path }) => {
      if (path.endsWith('/revision')) fake.edit('note', 'theirs');
      return undefined;
    };
    expect(await caught(writer.replace('note', 'mine', { expectedBlobId: blobId }))).toMatchObject({
      code: 'conflict',
    });
    expect(fake.text('note')).toBe('theirs');
  });

  test('takes bytes', async () => {
    const { fake, writer } = await begin();
    await writer.replace('image', Uint8Array.of(1, 0xff, 2));
    expect([...fake.db.content(fake.db.note('image') ?? { blobId: '' })]).toEqual([1, 0xff, 2]);
  });

  test('writes nothing when the revision cannot be taken', async () => {
    const { fake, writer } = await begin();
    fake.faults.fate = ({ path }) =>
      path.endsWith('/revision') ? { kind: 'status', status: 500, applies: false } : undefined;
    expect(await caught(writer.replace('note', 'two'))).toMatchObject({ code: 'upstream_failed' });
    expect(fake.text('note')).toBe('one');
  });
});

describe('change', () => {
  test('computes from what is there, and takes a revision', async () => {
    const { fake, writer, revisions } = await begin();
    await writer.change('note', (text) => `${text} and two`);
    expect(fake.text('note')).toBe('one and two');
    expect(revisions('note')[0]).toBe('one');
  });

  test('is refused when the note moves on meanwhile, without an expected version', async () => {
    const { fake, writer } = await begin();
    const work = writer.change('note', (text) => {
      fake.edit('note', 'theirs');
      return `${text} mine`;
    });
    expect(await caught(work)).toMatchObject({ code: 'conflict' });
    expect(fake.text('note')).toBe('theirs');
  });

  test('is refused on another blobId than the caller read', async () => {
    const { fake, writer } = await begin();
    const options = { expectedBlobId: 'another' };
    expect(await caught(writer.change('note', (text) => `${text}!`, options))).toMatchObject({
      code: 'conflict',
    });
    expect(fake.text('note')).toBe('one');
  });

  test('many at once all count', async () => {
    const { fake, writer } = await begin();
    await Promise.all(Array.from({ length: 10 }, () => writer.change('note', (text) => `${text}.`)));
    expect(fake.text('note')).toBe('one..........');
  });

  test('that changes nothing writes nothing', async () => {
    const { fake, writer, revisions } = await begin();
    expect(await writer.change('note', (text) => text)).toMatchObject({ isChanged: false });
    expect(asked(fake).every((line) => line.startsWith('GET '))).toBe(true);
    expect(revisions('note')).toEqual([]);
  });

  test('is for text: never for the bytes of an image, but for code with parameters in its mime and for SVG', async () => {
    const { fake, writer } = await begin();
    expect(await caught(writer.change('image', (text) => `${text}x`))).toMatchObject({ code: 'unsupported' });
    await writer.change('code', (text) => `${text};`);
    await writer.change('svg1', (text) => `${text}\n`);
    expect([fake.text('code'), fake.text('svg1')]).toEqual(['a;', '<svg/>\n']);
    expect([...fake.db.content(fake.db.note('image') ?? { blobId: '' })]).toEqual([0x89, 0xff, 0]);
  });

  test('that throws changes nothing', async () => {
    const { fake, writer } = await begin();
    const work = writer.change('note', () => {
      throw new Error('no match');
    });
    expect(String(await caught(work))).toContain('no match');
    expect(fake.text('note')).toBe('one');
  });
});

test('protected notes are refused before anything is written', async () => {
  const { fake, writer } = await begin();
  for (const work of [() => writer.replace('secret', 'y'), () => writer.change('secret', () => 'y')])
    expect(await caught(work)).toMatchObject({ code: 'forbidden', upstream: { code: 'NOTE_IS_PROTECTED' } });
  expect(asked(fake).sort()).toEqual(['GET /notes/secret', 'GET /notes/secret', 'GET /notes/secret/content']);
});

describe('create and delete', () => {
  const NEW = { parentNoteId: 'root', title: 'New', type: 'text', content: 'new' };

  test('an id that is taken is refused and its note stays', async () => {
    const { fake, client } = await begin();
    expect(await caught(createNote(client, { ...NEW, noteId: 'note' }))).toMatchObject({
      code: 'already_exists',
    });
    expect(fake.text('note')).toBe('one');
    expect((await createNote(client, { ...NEW, noteId: 'fresh' })).note.noteId).toBe('fresh');
    expect((await createNote(client, NEW)).note.title).toBe('New');
  });

  test('an id of which nothing is known is not tried', async () => {
    const { fake, client } = await start({ notes: NOTES }, { retryPauses: [] });
    fake.faults.fate = ({ method }) =>
      method === 'GET' ? { kind: 'status', status: 500, applies: false } : undefined;
    expect(await caught(createNote(client, { ...NEW, noteId: 'note' }))).toMatchObject({
      code: 'upstream_failed',
    });
    expect(fake.text('note')).toBe('one');
  });

  test('a note that is not there is not deleted, and neither is the root', async () => {
    const { client, fake } = await begin();
    expect(await deleteNote(client, 'note')).toMatchObject({ title: 'N' });
    expect(await caught(deleteNote(client, 'note'))).toMatchObject({ code: 'not_found' });
    expect(await caught(deleteNote(client, 'root'))).toMatchObject({ code: 'forbidden' });
    expect(await caught(deleteNote(client, '_hidden'))).toMatchObject({ code: 'forbidden' });
    expect(fake.db.note('_hidden')).toBeDefined();
  });
});
