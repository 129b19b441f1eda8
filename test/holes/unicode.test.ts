/** One name and one word, whichever way Unicode spells them. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bytesOf, served, treeOf } from './served.ts';

const NFC = 'Café/Résumé.md'.normalize('NFC');
const NFD = NFC.normalize('NFD');

test.each([
  ['composed', NFC, NFD],
  ['decomposed', NFD, NFC],
])('a path in the other form finds a file with a %s name, for every tool', async (_, onDisk, asked) => {
  const { folder, call } = await served({ [onDisk]: '---\ntags: [a]\n---\nword\n' });
  expect((await call('read_note', { path: asked })).json.content).toBe('word\n');
  expect((await call('get_frontmatter', { path: asked })).json).toEqual({ tags: ['a'] });
  expect((await call('get_notes_info', { paths: [asked] })).json.err).toEqual([]);
  expect((await call('list_directory', { path: asked.split('/')[0] })).json.files).toHaveLength(1);
  await call('patch_note', { path: asked, oldString: 'word', newString: 'term' });
  await call('write_note', { path: asked, content: 'end', mode: 'append' });
  await call('manage_tags', { path: asked, operation: 'add', tags: ['b'] });
  expect(treeOf(folder)).toEqual({
    [`${onDisk.split('/')[0]}/`]: 'folder',
    [onDisk]: Buffer.from('---\ntags: [a, b]\n---\nterm\n\nend\n').toString('latin1'),
  });
});

test.each([
  ['composed', NFC, NFD],
  ['decomposed', NFD, NFC],
])(
  'a write in the other form goes to the file with the %s name and makes no twin',
  async (_, onDisk, asked) => {
    const { folder, call } = await served({ [onDisk]: 'old' });
    await call('write_note', { path: asked, content: 'new' });
    expect(bytesOf(folder, onDisk).toString()).toBe('new');
    expect(readdirSync(folder)).toHaveLength(1);
    await call('write_note', { path: `${asked.split('/')[0]}/second.md`, content: 'x' });
    expect(readdirSync(folder)).toHaveLength(1);
    expect(
      (await call('move_note', { oldPath: `${asked.split('/')[0]}/second.md`, newPath: asked })).text,
    ).toMatch(/^Error: Target file already exists/);
    expect(bytesOf(folder, onDisk).toString()).toBe('new');
    expect((await call('delete_note', { path: asked, confirmPath: asked })).isError).toBe(false);
    expect(bytesOf(folder, `.trash/${onDisk}`).toString()).toBe('new');
  },
);

test('a search in one form finds text and names in the other', async () => {
  const { folder, call } = await served({
    'nfc.md': 'a café au lait\n'.normalize('NFC'),
    'nfd.md': 'a café au lait\n'.normalize('NFD'),
    [NFD]: 'nothing\n',
  });
  const before = treeOf(folder);
  for (const form of ['NFC', 'NFD']) {
    for (const caseSensitive of [false, true]) {
      const { json } = await call('search_notes', { query: 'café au'.normalize(form), caseSensitive });
      const found = json.filter((hit: { ln?: number }) => hit.ln !== undefined);
      expect(found.map((hit: { p: string }) => hit.p).sort()).toEqual(['nfc.md', 'nfd.md']);
    }
    expect((await call('search_notes', { query: 'Résumé'.normalize(form) })).json[0].p).toBe(NFD);
  }
  expect(treeOf(folder)).toEqual(before);
});

test('an edit in one form finds text in the other and leaves the rest in its own form', async () => {
  const text = 'é à la carte, é again?\n'.normalize('NFD');
  const { folder, call } = await served({ 'a.md': text });
  await call('patch_note', { path: 'a.md', oldString: 'à la'.normalize('NFC'), newString: 'on the' });
  expect(bytesOf(folder, 'a.md').toString()).toBe(text.replace('à la'.normalize('NFD'), 'on the'));
});
