import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withFolder, withMemory } from '../../kit/server.ts';
import { checked, expectError } from './support.ts';

const SEED = {
  'b.md': '',
  'a.md': '',
  'c.markdown': '',
  'd.txt': '',
  'zeta/x.md': '',
  'alpha/deep/y.md': '',
  'alpha/z.md': '',
  'image.png': '',
  noext: '',
  'Thumbs.db': '',
  '.DS_Store': '',
  '.hidden.md': '',
  '.git/config.md': '',
  '.obsidian/app.md': '',
  '.trash/old.md': '',
  'node_modules/m/readme.md': '',
  'alpha/node_modules/readme.md': '',
};

test('the top lists folders and notes, sorted, without path', async () => {
  const { call } = await checked(withFolder(SEED));
  const { json } = await call('list_directory');
  expect(json).toEqual({ dirs: ['alpha', 'zeta'], files: ['a.md', 'b.md', 'c.markdown', 'd.txt'] });
});

test.each(['', '/', '.', './', '  '])('%j means the top', async (path) => {
  const { call } = await checked(withFolder({ 'a.md': '', 'f/b.md': '' }));
  expect((await call('list_directory', { path })).json).toEqual({ dirs: ['f'], files: ['a.md'] });
});

test('a folder lists its direct entries only', async () => {
  const { call } = await checked(withFolder(SEED));
  for (const path of ['alpha', '/alpha/', ' alpha ', 'alpha\\', './alpha'])
    expect((await call('list_directory', { path })).json, path).toEqual({ dirs: ['deep'], files: ['z.md'] });
  expect((await call('list_directory', { path: 'alpha/deep' })).json).toEqual({ dirs: [], files: ['y.md'] });
});

test('an empty folder is an empty answer', async () => {
  const { call, folder } = await checked(withFolder());
  await mkdir(join(folder, 'empty'));
  expect((await call('list_directory', { path: 'empty' })).json).toEqual({ dirs: [], files: [] });
  expect((await call('list_directory')).json).toEqual({ dirs: ['empty'], files: [] });
});

test('prettyPrint indents the same answer', async () => {
  const { call } = await checked(withMemory({ 'a.md': '' }));
  expect((await call('list_directory')).text).toBe('{"dirs":[],"files":["a.md"]}');
  expect((await call('list_directory', { prettyPrint: true })).text).toBe(
    '{\n  "dirs": [],\n  "files": [\n    "a.md"\n  ]\n}',
  );
});

test('a missing folder, or a note, is not found', async () => {
  const { call } = await checked(withFolder({ 'a.md': 'x' }));
  expectError(await call('list_directory', { path: 'no' }), 'File not found: no');
  const note = await call('list_directory', { path: 'a.md' });
  expectError(note, 'File not found: a.md');
  expect(note.text).toContain('read_note');
});

test('hidden folders and paths that climb out are refused', async () => {
  const { call } = await checked(withFolder(SEED));
  for (const path of ['.git', '.obsidian', '.trash', 'node_modules', 'alpha/node_modules', 'NODE_MODULES'])
    expectError(await call('list_directory', { path }), `Access denied: ${path}`);
  for (const path of ['..', '../..', 'alpha/../..', '/..'])
    expectError(await call('list_directory', { path }), `Path traversal not allowed: ${path}`);
});

test('ignored globs and other extensions are left out', async () => {
  const { call } = await checked(
    withFolder(SEED, { ignore: ['zeta/**', 'b.*'], extensions: ['.md', '.png'] }),
  );
  expect((await call('list_directory')).json).toEqual({ dirs: ['alpha'], files: ['a.md', 'image.png'] });
  expectError(await call('list_directory', { path: 'zeta' }), 'Access denied: zeta');
});

test('a huge folder comes in pages that put together are the folder', async () => {
  const seed = Object.fromEntries(
    Array.from({ length: 6_000 }, (_, i) => [
      i < 40 ? `dir${i}/x.md` : `a-note-with-a-long-name-${i}.md`,
      '',
    ]),
  );
  const { call } = await checked(withMemory(seed));
  const seen: { dirs: string[]; files: string[] } = { dirs: [], files: [] };
  let offset: number | undefined = 0;
  let pages = 0;
  for (; offset !== undefined && pages < 10; pages++) {
    const { json, text }: Awaited<ReturnType<typeof call>> = await call('list_directory', { offset });
    expect(text.length).toBeLessThan(120_000);
    seen.dirs.push(...json.dirs);
    seen.files.push(...json.files);
    if (json.next !== undefined) {
      expect(json.total).toBe(6_000);
      expect(json.note).toContain(`offset=${json.next}`);
    }
    offset = json.next;
  }
  expect(pages).toBeGreaterThan(1);
  expect(seen.dirs).toHaveLength(40);
  expect(new Set(seen.files).size).toBe(5_960);
});
