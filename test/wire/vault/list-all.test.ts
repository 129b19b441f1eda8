import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startVault, type ToolClient, withVault } from '../../kit/server.ts';
import { temporaryFolder } from '../../kit/temp.ts';
import { checked } from '../notebook/support.ts';
import { expectCode } from './support.ts';

const AT = new Date('2026-02-08T14:30:00.750Z');

test('every file comes with path, size, time of change and tags, and nothing else', async () => {
  const { call, folder } = await checked(
    withVault({ 'projects/vault-sync.md': '---\ntags: [project, go]\n---\n# Vault\n' }),
  );
  await utimes(join(folder, 'projects/vault-sync.md'), AT, AT);
  const { json, content } = await call('vault_list_all');
  expect(json).toEqual({
    total_files: 1,
    files: [
      { path: 'projects/vault-sync.md', size: 36, modified: '2026-02-08T14:30:00Z', tags: ['project', 'go'] },
    ],
  });
  expect(content).toHaveLength(1);
});

test('all file types are there, in path order, and hidden ones are not', async () => {
  const { call } = await checked(
    withVault({
      'b.md': '',
      'a/pic.png': Uint8Array.of(0, 1),
      'a/doc.pdf': 'x',
      'a/data.csv': 'x',
      noext: 'x',
      'z.canvas': '{}',
      '.obsidian/app.json': '{}',
      '.hidden.md': 'x',
      'a/.git/config': 'x',
      '.trash/old.md': 'x',
    }),
  );
  const { json } = await call('vault_list_all');
  const paths = json.files.map(({ path }: { path: string }) => path);
  expect(paths).toEqual(['a/data.csv', 'a/doc.pdf', 'a/pic.png', 'b.md', 'noext', 'z.canvas']);
  expect(json.total_files).toBe(6);
});

test.each([
  ['a list', 'tags: [a, b]', ['a', 'b']],
  ['a list by lines', 'tags:\n  - a\n  - b', ['a', 'b']],
  ['words with commas', 'tags: a, b', ['a', 'b']],
  ['a single word', 'tags: a', ['a']],
  ['with signs', 'tags: ["#a", "#b"]', ['a', 'b']],
  ['the key tag', 'tag: a', ['a']],
  ['numbers', 'tags: [2024, a]', ['2024', 'a']],
  ['no tags', 'title: x', []],
  ['an empty key', 'tags:', []],
  ['frontmatter that is no YAML', 'tags: [a', []],
])('tags of frontmatter: %s', async (_, yaml, tags) => {
  const { call } = await checked(withVault({ 'a.md': `---\n${yaml}\n---\ntext #inline\n` }));
  expect((await call('vault_list_all')).json.files[0].tags).toEqual(tags);
});

test('only .md files have their frontmatter read', async () => {
  const text = '---\ntags: [a]\n---\n';
  const { call } = await checked(
    withVault({ 'a.txt': text, 'b.MD': text, 'c.html': text, 'd.markdown': text }),
  );
  const { json } = await call('vault_list_all');
  expect(json.files.map(({ tags }: { tags: string[] }) => tags)).toEqual([[], ['a'], [], []]);
});

test('an empty vault is an empty list', async () => {
  const { call } = await checked(withVault({}));
  expect((await call('vault_list_all')).json).toEqual({ total_files: 0, files: [] });
});

const tagsByPath = async ({ call }: ToolClient): Promise<Record<string, string[]>> =>
  Object.fromEntries(
    (await call('vault_list_all')).json.files.map(({ path, tags }: { path: string; tags: string[] }) => [
      path,
      tags,
    ]),
  );

test('what is written is listed at once', async () => {
  const vault = await checked(withVault({ 'a.md': '' }));
  expect(await tagsByPath(vault)).toEqual({ 'a.md': [] });
  await vault.call('vault_write', { path: 'new.md', content: '---\ntags: own\n---\n' });
  expect(await tagsByPath(vault)).toEqual({ 'a.md': [], 'new.md': ['own'] });
  await vault.call('vault_edit', { path: 'new.md', old_text: 'own', new_text: 'x, y' });
  expect(await tagsByPath(vault)).toEqual({ 'a.md': [], 'new.md': ['x', 'y'] });
});

test('what other programs change and remove is listed accordingly', async () => {
  const folder = await temporaryFolder({ 'a.md': '---\ntags: [old]\n---\n', 'gone.md': 'x' });
  const vault = await startVault(folder);
  expect(await tagsByPath(vault)).toEqual({ 'a.md': ['old'], 'gone.md': [] });
  await writeFile(join(folder, 'a.md'), '---\ntags: [newer]\n---\n');
  await rm(join(folder, 'gone.md'));
  await expect.poll(() => tagsByPath(vault), { timeout: 40_000 }).toEqual({ 'a.md': ['newer'] });
});

async function allPages({ call }: ToolClient, tool: string, list: string, args = {}) {
  const pages = [];
  let cursor: string | undefined;
  do {
    const answer = await call(tool, { ...args, ...(cursor && { cursor }) });
    expect(answer.isError, answer.text).toBe(false);
    expect(answer.text.length).toBeLessThanOrEqual(100_000);
    pages.push(answer.json);
    cursor = answer.json.next_cursor;
  } while (cursor !== undefined && pages.length < 50);
  return { pages, all: pages.flatMap((page) => page[list]) };
}

test('a list that would pass 100,000 characters says how it goes on, and is whole when put together', async () => {
  const seed = Object.fromEntries(
    Array.from({ length: 2_500 }, (_, i) => [`folder ${i % 7}/note ü ${i}.md`, '---\ntags: [t]\n---\n']),
  );
  const connected = await checked(withVault(seed));
  const { pages, all } = await allPages(connected, 'vault_list_all', 'files');
  expect(pages.length).toBeGreaterThan(1);
  expect(pages[0].note).toBe(
    `Files 1 to ${pages[0].files.length} of 2500; call vault_list_all again with cursor=next_cursor for more.`,
  );
  expect(pages.every(({ total_files }) => total_files === 2_500)).toBe(true);
  expect(all.map(({ path }) => path)).toEqual(Object.keys(seed).sort());
  expect(pages.at(-1).next_cursor).toBeUndefined();
  expect(pages.at(-1).note).toBeUndefined();
});

test('a folder of thousands is listed in pages too', async () => {
  const seed = Object.fromEntries(Array.from({ length: 1_500 }, (_, i) => [`big/${i} note.md`, 'x']));
  const connected = await checked(withVault({ ...seed, 'big/!sub/a.md': '', 'big/!sub/b.md': '' }));
  const { pages, all } = await allPages(connected, 'vault_list', 'entries', { path: 'big' });
  expect(pages.length).toBeGreaterThan(1);
  expect(pages[0].note).toContain('of 1501; call vault_list again with cursor=next_cursor');
  expect(all).toHaveLength(1_501);
  expect(all.at(-1)).toEqual({ name: '!sub', type: 'folder', children: 2 });
});

test('a cursor outlives changes of the list, and one that is none is refused', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'd'));
  for (let i = 1_000; i < 2_500; i++)
    await writeFile(join(folder, `d/${i} ${'long name '.repeat(3)}.md`), '');
  const { call } = await startVault(folder);
  const first = await call('vault_list_all');
  for (const { path } of first.json.files) await rm(join(folder, path));
  const second = await call('vault_list_all', { cursor: first.json.next_cursor });
  expect(second.json.files[0].path > first.json.files.at(-1).path).toBe(true);
  for (const cursor of ['', 'a b', 'ü'])
    expectCode(await call('vault_list_all', { cursor }), 'INVALID_ARGUMENT', /cursor/);
});
