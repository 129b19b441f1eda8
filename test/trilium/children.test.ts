import { expect, test } from 'vitest';
import { type TreeNode, treeOf } from '../../src/stores/trilium/note-tree.ts';
import { childrenOf, EVERY_NOTE } from '../../src/stores/trilium/tree.ts';
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

const AT_TOP = [
  {
    id: 'first',
    title: 'F',
    children: [{ id: 'deep', title: 'D', children: [{ id: 'deeper', title: 'E' }] }],
  },
  { id: 'second', title: 'S', labels: { archived: '' } },
  { id: 'third', title: 'T' },
];

test('below the root are its children and no other notes, in one request', async () => {
  const { fake, client } = await start({ notes: AT_TOP });
  const root = await client.notes.get('root');
  fake.requests.length = 0;
  const found = await childrenOf(client, root);
  expect(found.map(({ noteId }) => noteId)).toEqual(['first', 'second', 'third']);
  expect(asked(fake)).toEqual(['GET /notes']);
});

test('a search that ignores what it was asked changes nothing in that', async () => {
  const { client } = await start({ notes: AT_TOP });
  const everything = await client.search({ search: EVERY_NOTE, includeArchivedNotes: true });
  const parent = await client.notes.get('root');
  const careless = { ...client, search: async () => everything };
  const found = await childrenOf(careless, parent);
  expect(found.map(({ noteId }) => noteId)).toEqual(['first', 'second', 'third']);
  const forgetful = { ...client, search: async () => ({ results: everything.results.slice(0, 1) }) };
  expect((await childrenOf(forgetful, parent)).map(({ noteId }) => noteId)).toEqual([
    'first',
    'second',
    'third',
  ]);
});

test('the tree of the root opens level by level', async () => {
  const { client } = await start({ notes: AT_TOP });
  const { root } = await treeOf(client, 'root', { depth: 3, offset: 0, limit: 100, maxNotes: 500 });
  const shape = (node: TreeNode): unknown => [node.note.noteId, ...(node.children ?? []).map(shape)];
  expect(shape(root)).toEqual(['root', ['first', ['deep', ['deeper']]], ['second'], ['third']]);
});
