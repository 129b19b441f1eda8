import { expect, test } from 'vitest';
import { childrenOf } from '../../src/stores/trilium/children.ts';
import { asked, start } from './kit.ts';

test('a hundred children come in one request, in tree order, archived ones too', async () => {
  const children = Array.from({ length: 100 }, (_, at) => ({
    id: `child${at}`,
    title: `T ${100 - at}`,
    ...(at === 7 && { labels: { archived: '' } }),
  }));
  const { fake, client } = await start({ notes: [{ id: 'parent', title: 'P', children }] });
  fake.db.addBranch('child99', 'parent', { notePosition: 5 });
  const parent = await client.notes.get('parent');
  fake.requests.length = 0;
  const found = await childrenOf(client, parent);
  expect(found.map(({ noteId }) => noteId)).toEqual([
    'child99',
    ...children.slice(0, 99).map(({ id }) => id),
  ]);
  expect(asked(fake)).toEqual(['GET /notes']);
});

test('grandchildren are not among them, clones are', async () => {
  const { fake, client } = await start({
    notes: [
      {
        id: 'parent',
        title: 'P',
        children: [{ id: 'one1', title: '1', children: [{ id: 'deep', title: 'D' }] }],
      },
      { id: 'away', title: 'A' },
    ],
  });
  fake.db.addBranch('away', 'parent');
  const found = await childrenOf(client, await client.notes.get('parent'));
  expect(found.map(({ noteId }) => noteId)).toEqual(['one1', 'away']);
});

test("Trilium's own notes show only below Trilium's own notes", async () => {
  const { client } = await start({ notes: [{ id: 'mine', title: 'M' }] });
  const below = async (id: string) =>
    (await childrenOf(client, await client.notes.get(id))).map(({ noteId }) => noteId);
  expect(await below('root')).toEqual(['mine']);
  expect(await below('_hidden')).toEqual(['_options']);
  expect(await below('mine')).toEqual([]);
});
