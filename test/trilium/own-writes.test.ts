/** Several writers, one note: nothing acknowledged is lost, and a row of additions shares a revision. */
import { expect, test } from 'vitest';
import { patchNote } from '../../src/stores/trilium/create-note.ts';
import { createContentWriter, createOwnWrites, keepsAll } from '../../src/stores/trilium/write-content.ts';
import { createWriteLocks } from '../../src/stores/trilium/write-lock.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { asked, caught, clientFor, start } from './kit.ts';

const NOTES = [{ id: 'abcd', title: 'A', content: '<p>0</p>' }];

async function begin() {
  const { fake, client } = await start({ notes: NOTES });
  const folder = await temporaryFolder({});
  /** As another process would. */
  const writer = (other = clientFor(fake.url)) =>
    createContentWriter(other, createWriteLocks({ folder })(other.host));
  const revisions = () => [...fake.db.revisions.values()].map((one) => fake.db.content(one).toString());
  return { fake, client, writer, revisions };
}

const add = (text: string) => (before: string) => `${before}<p>${text}</p>`;

test('thirty racing additions of two writers are all there', async () => {
  const { fake, writer } = await begin();
  fake.faults.latencyMs = () => Math.random() * 3;
  const [one, two] = [writer(), writer()];
  await Promise.all(
    Array.from({ length: 30 }, (_, at) => (at % 2 ? one : two).change('abcd', add(`line ${at}`))),
  );
  for (let at = 0; at < 30; at++) expect(fake.text('abcd').split(`<p>line ${at}</p>`)).toHaveLength(2);
});

test('a text another client writes over ours is noticed, and ours is added again', async () => {
  const { fake, writer, revisions } = await begin();
  let isDone = false;
  fake.faults.after = ({ method }) => {
    if (isDone || method !== 'PUT') return;
    isDone = true;
    fake.edit('abcd', '<p>0</p><p>theirs</p>');
  };
  await writer().change('abcd', add('ours'));
  expect(fake.text('abcd')).toBe('<p>0</p><p>theirs</p><p>ours</p>');
  expect(revisions()).toContain('<p>0</p><p>theirs</p>');
});

test('a replacement that was overwritten is a conflict, and one that was built upon is not', async () => {
  const { fake, writer } = await begin();
  let theirs = '<p>theirs</p>';
  fake.faults.after = ({ method }) => method === 'PUT' && fake.edit('abcd', theirs);
  expect(await caught(writer().replace('abcd', '<p>ours</p>'))).toMatchObject({ code: 'conflict' });
  theirs = '<p>ours</p><p>and theirs</p>';
  expect(await writer().replace('abcd', '<p>ours</p>')).toMatchObject({ isChanged: true });
});

test('thirty quick additions share a revision; a text of another client and a lost word get one', async () => {
  const { fake, writer, revisions } = await begin();
  const own = writer();
  for (let at = 0; at < 30; at++) await own.change('abcd', add(`${at}`));
  expect(revisions()).toEqual(['<p>0</p>']);
  const foreign = `${fake.text('abcd')}<p>foreign</p>`;
  fake.edit('abcd', foreign);
  await own.change('abcd', add('more'));
  expect(revisions().at(-1)).toBe(foreign);
  const before = fake.text('abcd');
  await own.replace('abcd', '<p>all new</p>');
  expect(revisions()).toEqual(['<p>0</p>', foreign, before]);
});

test('an addition takes five requests once its row has a revision, six before', async () => {
  const { fake, writer } = await begin();
  const own = writer();
  await own.change('abcd', add('1'));
  expect(asked(fake)).toHaveLength(6);
  fake.requests.length = 0;
  await own.change('abcd', add('2'));
  // The first two side by side.
  expect(asked(fake).slice(0, 2).sort()).toEqual(['GET /notes/abcd', 'GET /notes/abcd/content']);
  expect(asked(fake).slice(2)).toEqual(['GET /notes/abcd', 'PUT /notes/abcd/content', 'GET /notes/abcd']);
});

test('after ten minutes a row of additions begins anew', () => {
  let now = 0;
  const own = createOwnWrites(() => now);
  own.remember('n', 'b1', 'a', true);
  expect(own.isCovered('n', 'b1', 'a b')).toBe(true);
  expect(own.isCovered('n', 'b2', 'a b')).toBe(false);
  expect(own.isCovered('n', 'b1', 'b')).toBe(false);
  now = 600_000;
  expect(own.isCovered('n', 'b1', 'a b')).toBe(false);
  expect(keepsAll('<ul><li>a</li></ul>', '<ul><li>a</li><li>b</li></ul>')).toBe(true);
});

test.each(['root', '_hidden', '_options'])('%s keeps its title and content', async (noteId) => {
  const { fake, client, writer } = await begin();
  const before = JSON.stringify(fake.db.note(noteId));
  for (const work of [
    () => writer().replace(noteId, 'x'),
    () => writer().change(noteId, add('x')),
    () => patchNote(client, noteId, { title: 'Mine' }),
  ])
    expect(await caught(work)).toMatchObject({ code: 'forbidden' });
  expect(JSON.stringify(fake.db.note(noteId))).toBe(before);
});

test('ciphertext is no title, wherever a protected note shows', async () => {
  const { client } = await start({
    notes: [{ id: 'lock', title: 'Diary', isProtected: true, children: [{ id: 'open', title: 'O' }] }],
  });
  expect((await client.notes.get('lock')).title).toBe('[protected]');
  const { results } = await client.search({ search: 'note.noteId = lock' });
  expect(results[0]?.title).toBe('[protected]');
  const rows = (await client.notes.history()).filter(({ noteId }) => noteId === 'lock');
  expect(rows).toMatchObject([{ title: '[protected]', current_title: '[protected]' }]);
});
