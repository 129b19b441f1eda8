/** Links on disk: those that stay inside work and stay links; those that leave are closed, whatever stands below them. */
import { lstatSync, mkdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startBinary } from '../kit/server.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { bytesOf, treeOf } from './served.ts';

/** A notebook with links to a folder outside, and one to nothing. */
async function withLinksOut() {
  const outside = await temporaryFolder({ 'secret.md': '---\ntags: [hush]\n---\nSECRET\n' });
  const folder = await temporaryFolder({ 'a.md': 'one\n', 'sub/b.md': 'two\n' });
  symlinkSync(join(outside, 'secret.md'), join(folder, 'file-link.md'));
  symlinkSync(outside, join(folder, 'folder-link'));
  symlinkSync(outside, join(folder, 'sub', 'deep-link'));
  symlinkSync(join(outside, 'not-yet.md'), join(folder, 'dangling.md'));
  symlinkSync(join(outside, 'not-yet'), join(folder, 'dangling-folder'));
  return { outside, folder, ...(await startBinary(folder)) };
}

test('a linked file or folder that leaves the notebook is closed to every kind of read', async () => {
  const { outside, folder, call } = await withLinksOut();
  const before = treeOf(folder);
  for (const path of ['file-link.md', 'folder-link/secret.md', 'sub/deep-link/secret.md']) {
    for (const [tool, args] of [
      ['read_note', { path }],
      ['get_frontmatter', { path }],
      ['manage_tags', { path, operation: 'list' }],
      ['move_note', { oldPath: path, newPath: 'stolen.md' }],
      ['patch_note', { path, oldString: 'SECRET', newString: 'x' }],
    ] as const) {
      const answer = await call(tool, args);
      expect(answer.text).toMatch(/^Error: Access denied: /);
    }
    for (const tool of ['read_multiple_notes', 'get_notes_info'])
      expect((await call(tool, { paths: [path] })).json.ok).toEqual([]);
  }
  expect((await call('list_directory', { path: 'folder-link' })).text).toMatch(/^Error: Access denied/);
  expect((await call('list_directory')).json).toEqual({ dirs: ['sub'], files: ['a.md'] });
  expect((await call('search_notes', { query: 'secret' })).json).toEqual([]);
  expect(treeOf(folder)).toEqual(before);
  expect(Object.keys(treeOf(outside))).toEqual(['secret.md']);
});

test.each([
  ['into a linked folder', 'folder-link/new.md'],
  ['over a file behind a linked folder', 'folder-link/secret.md'],
  ['into a new folder below a linked folder', 'folder-link/new/deeper/new.md'],
  ['into a new folder below a link further down', 'sub/deep-link/new/new.md'],
  ['through a linked file', 'file-link.md'],
  ['through a dangling link', 'dangling.md'],
  ['below a dangling link', 'dangling-folder/new.md'],
])('a write or move %s is refused and nothing is made outside', async (_, path) => {
  const { outside, folder, call } = await withLinksOut();
  const [inside, beyond] = [treeOf(folder), treeOf(outside)];
  for (const [tool, args] of [
    ['write_note', { path, content: 'x' }],
    ['write_note', { path, content: 'x', mode: 'append' }],
    ['write_note', { path, content: 'x', mode: 'prepend' }],
    ['update_frontmatter', { path, frontmatter: { a: 1 } }],
    ['manage_tags', { path, operation: 'add', tags: ['x'] }],
    ['move_note', { oldPath: 'a.md', newPath: path }],
    ['move_note', { oldPath: 'a.md', newPath: path, overwrite: true }],
  ] as const)
    expect((await call(tool, args)).isError).toBe(true);
  expect(treeOf(outside)).toEqual(beyond);
  expect(treeOf(folder)).toEqual(inside);
});

test('a trash that leads outside takes nothing with it', async () => {
  const outside = await temporaryFolder();
  const folder = await temporaryFolder({ 'a.md': 'one\n' });
  symlinkSync(outside, join(folder, '.trash'));
  const { call } = await startBinary(folder);
  expect((await call('delete_note', { path: 'a.md', confirmPath: 'a.md' })).isError).toBe(true);
  expect(treeOf(outside)).toEqual({});
  expect(bytesOf(folder, 'a.md').toString()).toBe('one\n');
});

test('a link to a hidden place inside the notebook opens nothing', async () => {
  const folder = await temporaryFolder({ '.obsidian/app.md': 'settings', 'a.md': 'one\n' });
  symlinkSync('.obsidian', join(folder, 'open'));
  symlinkSync('.obsidian/app.md', join(folder, 'app.md'));
  const before = treeOf(folder);
  const { call } = await startBinary(folder);
  for (const path of ['open/app.md', 'app.md']) {
    expect((await call('read_note', { path })).text).toMatch(/^Error: Access denied/);
    expect((await call('write_note', { path, content: 'x' })).text).toMatch(/^Error: Access denied/);
  }
  expect((await call('write_note', { path: 'open/new.md', content: 'x' })).isError).toBe(true);
  expect((await call('write_note', { path: 'open/new/new.md', content: 'x' })).isError).toBe(true);
  expect(treeOf(folder)).toEqual(before);
});

test('a linked note inside the notebook is read, and stays a link after every kind of edit', async () => {
  const folder = await temporaryFolder({ 'real/note.md': '---\ntags: [a]\n---\nfirst line\n' });
  symlinkSync('real/note.md', join(folder, 'link.md'));
  const { call } = await startBinary(folder);
  const path = 'link.md';
  expect((await call('read_note', { path })).json.content).toBe('first line\n');
  for (const [tool, args] of [
    ['patch_note', { path, oldString: 'first', newString: 'only' }],
    ['write_note', { path, content: 'last', mode: 'append' }],
    ['write_note', { path, content: 'top', mode: 'prepend' }],
    ['update_frontmatter', { path, frontmatter: { status: 'done' } }],
    ['manage_tags', { path, operation: 'add', tags: ['b'] }],
  ] as const)
    expect((await call(tool, args)).isError).toBe(false);
  expect(readlinkSync(join(folder, path))).toBe('real/note.md');
  expect(bytesOf(folder, 'real/note.md').toString()).toBe(
    '---\ntags: [a, b]\nstatus: done\n---\ntop\n\nonly line\n\nlast\n',
  );
  await call('write_note', { path, content: 'all new' });
  expect(readlinkSync(join(folder, path))).toBe('real/note.md');
  expect(lstatSync(join(folder, 'real/note.md')).isFile()).toBe(true);
  expect(bytesOf(folder, 'real/note.md').toString()).toBe('all new');
});

test('a linked note that moves stays a link to the same file', async () => {
  const folder = await temporaryFolder({ 'real/note.md': 'text\n' });
  symlinkSync('real/note.md', join(folder, 'link.md'));
  const { call } = await startBinary(folder);
  await call('move_note', { oldPath: 'link.md', newPath: 'deep/er/link.md' });
  expect(readlinkSync(join(folder, 'deep/er/link.md'))).toBe('../../real/note.md');
  expect(bytesOf(folder, 'deep/er/link.md').toString()).toBe('text\n');
  expect(lstatSync(join(folder, 'real/note.md')).isFile()).toBe(true);
});

test('notes behind a linked folder inside the notebook are read and written where they stand', async () => {
  const folder = await temporaryFolder({ 'real/note.md': 'text\n' });
  symlinkSync('real', join(folder, 'alias'));
  const { call } = await startBinary(folder);
  await call('patch_note', { path: 'alias/note.md', oldString: 'text', newString: 'word' });
  await call('write_note', { path: 'alias/new/note.md', content: 'new' });
  expect(treeOf(folder)).toEqual({
    alias: 'link to real',
    'real/': 'folder',
    'real/note.md': 'word\n',
    'real/new/': 'folder',
    'real/new/note.md': 'new',
  });
});

test('links that lead in a circle are answered, not followed for ever', async () => {
  const folder = await temporaryFolder({ 'a.md': 'needle\n' });
  symlinkSync('two.md', join(folder, 'one.md'));
  symlinkSync('one.md', join(folder, 'two.md'));
  mkdirSync(join(folder, 'sub'));
  symlinkSync('..', join(folder, 'sub', 'up'));
  const before = treeOf(folder);
  const { call } = await startBinary(folder);
  for (const tool of ['read_note', 'get_frontmatter'])
    expect((await call(tool, { path: 'one.md' })).text).toMatch(/^Error: Access denied/);
  expect((await call('write_note', { path: 'one.md', content: 'x' })).isError).toBe(true);
  expect((await call('search_notes', { query: 'needle' })).json).toHaveLength(1);
  expect(treeOf(folder)).toEqual(before);
});
