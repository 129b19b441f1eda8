/** Path resolution: never out of the notebook, never into hidden folders, and exact to the letter. */
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { startBinary } from '../kit/server.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { bytesOf, filesOf, served, treeOf } from './served.ts';

/** A notebook in a folder whose other entries must never be read or changed. */
async function besideSecret() {
  const outer = await temporaryFolder({ 'secret.md': 'SECRET', 'notes/a.md': 'one\n' });
  return { outer, folder: join(outer, 'notes'), ...(await startBinary(join(outer, 'notes'))) };
}

test('a path with .. is refused by every tool and nothing is read or written', async () => {
  const { outer, call } = await besideSecret();
  const before = treeOf(outer);
  for (const path of [
    '../secret.md',
    'a/../../secret.md',
    'x/y/../../../secret.md',
    '..\\secret.md',
    'a\\..\\../secret.md',
    '/../secret.md',
    '  ../secret.md  ',
  ]) {
    const answers = await Promise.all([
      call('read_note', { path }),
      call('write_note', { path, content: 'x' }),
      call('write_note', { path, content: 'x', mode: 'append' }),
      call('patch_note', { path, oldString: 'SECRET', newString: 'x' }),
      call('delete_note', { path, confirmPath: path }),
      call('move_note', { oldPath: path, newPath: 'b.md' }),
      call('move_note', { oldPath: 'a.md', newPath: path }),
      call('list_directory', { path: path.replace('secret.md', '') }),
      call('get_frontmatter', { path }),
      call('update_frontmatter', { path, frontmatter: { a: 1 } }),
      call('manage_tags', { path, operation: 'add', tags: ['x'] }),
    ]);
    for (const { text } of answers) expect(text).toMatch(/^Error: Path traversal not allowed: /);
    for (const tool of ['read_multiple_notes', 'get_notes_info']) {
      const { json } = await call(tool, { paths: [path, 'a.md'] });
      expect(json.ok).toHaveLength(1);
      expect(json.err[0].error).toBe('Path traversal not allowed');
    }
    expect(treeOf(outer)).toEqual(before);
  }
});

test('an absolute path means a path inside the notebook', async () => {
  const { outer, folder, call } = await besideSecret();
  const absolute = join(outer, 'secret.md');
  expect((await call('read_note', { path: absolute })).text).toMatch(/^Error: File not found/);
  await call('write_note', { path: absolute, content: 'inside' });
  expect(bytesOf(outer, 'secret.md').toString()).toBe('SECRET');
  expect(bytesOf(folder, absolute).toString()).toBe('inside');
});

test('a percent-encoded .. is a name like any other', async () => {
  const { outer, folder, call } = await besideSecret();
  expect((await call('read_note', { path: '%2e%2e/secret.md' })).text).toMatch(/^Error: File not found/);
  await call('write_note', { path: '%2e%2e%2fsecret.md', content: 'inside' });
  expect(filesOf(folder)).toEqual(['%2e%2e%2fsecret.md', 'a.md']);
  expect(bytesOf(outer, 'secret.md').toString()).toBe('SECRET');
});

test('a path with NUL, a line break or a drive letter is refused and nothing is made', async () => {
  const { folder, call } = await served({ 'a.md': 'one\n' });
  const before = treeOf(folder);
  for (const path of ['a\u0000b.md', 'a\nb.md', 'C:\\notes\\a.md', 'c:a.md']) {
    for (const answer of [
      await call('read_note', { path }),
      await call('write_note', { path, content: 'x' }),
      await call('move_note', { oldPath: 'a.md', newPath: path }),
    ])
      expect(answer.text).toMatch(/^Error: Invalid path: /);
  }
  expect(treeOf(folder)).toEqual(before);
});

test('odd names are kept to the letter through write, read, edit, move, search and delete', async () => {
  const { folder, call } = await served();
  const names = [
    'a # b.md',
    '100%.md',
    'why?.md',
    'this & that.md',
    'c++.md',
    '[[brackets]].md',
    "it's.md",
    'party 🎉.md',
    '-dash.md',
    '"quoted".md',
    'tilde~.md',
    'dollar $& $1.md',
    'two  blanks.md',
    'ümläut/日本語.md',
  ];
  for (const path of names) {
    expect((await call('write_note', { path, content: 'needle\n' })).isError).toBe(false);
    expect((await call('patch_note', { path, oldString: 'needle', newString: 'thread' })).isError).toBe(
      false,
    );
    expect((await call('read_note', { path })).json.content).toBe('thread\n');
    expect(bytesOf(folder, path).toString()).toBe('thread\n');
  }
  expect(filesOf(folder).sort()).toEqual([...names].sort());
  expect((await call('search_notes', { query: 'thread', limit: 100 })).json).toHaveLength(names.length);
  for (const path of names) {
    const newPath = join(dirname(path), `new ${path.split('/').at(-1)}`);
    expect((await call('move_note', { oldPath: path, newPath })).isError).toBe(false);
    expect(bytesOf(folder, newPath).toString()).toBe('thread\n');
    expect((await call('delete_note', { path: newPath, confirmPath: newPath })).isError).toBe(false);
    expect(bytesOf(folder, join('.trash', newPath)).toString()).toBe('thread\n');
  }
});

test('a name of 300 letters and a path of 5,000 bytes are refused with a reason', async () => {
  const { folder, call } = await served({ 'a.md': 'one\n' });
  const before = treeOf(folder);
  for (const path of [`${'n'.repeat(300)}.md`, `${'é'.repeat(130)}.md`, `${'folder/'.repeat(580)}x.md`]) {
    for (const answer of [
      await call('write_note', { path, content: 'x' }),
      await call('read_note', { path }),
      await call('move_note', { oldPath: 'a.md', newPath: path }),
    ]) {
      expect(answer.text).toMatch(/^Error: Path too long: /);
      expect(answer.text.length).toBeLessThan(1_000);
    }
  }
  const path = `${'folder/'.repeat(714)}x.md`;
  expect((await call('write_note', { path, content: 'x' })).text).toContain(
    'path: longer than 4096 characters',
  );
  expect(treeOf(folder)).toEqual(before);
});

test('a hidden folder is closed to writes in any letter case and at any depth', async () => {
  const { folder, call } = await served({ 'a.md': 'one\n', '.obsidian/app.md': 'settings' });
  const before = treeOf(folder);
  for (const path of [
    '.obsidian/x.md',
    '.OBSIDIAN/x.md',
    'sub/.obsidian/x.md',
    'sub/.Obsidian/plugins/x.md',
    '.git/hooks/x.md',
    '.trash/x.md',
    '.hidden.md',
    'node_modules/x.md',
    'sub/NODE_MODULES/x.md',
    '..drafts/x.md',
    '.../x.md',
  ]) {
    for (const answer of [
      await call('write_note', { path, content: 'x' }),
      await call('read_note', { path }),
      await call('move_note', { oldPath: 'a.md', newPath: path }),
    ])
      expect(answer.text).toMatch(/^Error: Access denied: /);
  }
  expect((await call('read_note', { path: '.obsidian/app.md' })).isError).toBe(true);
  expect((await call('list_directory')).json).toEqual({ dirs: [], files: ['a.md'] });
  expect(treeOf(folder)).toEqual(before);
});

test('a folder named ..drafts is hidden like any dot folder, not taken for a way out', async () => {
  const { folder, call } = await served({ '..drafts/x.md': 'draft', 'a..b/y..z.md': 'kept' });
  const before = treeOf(folder);
  expect((await call('read_note', { path: '..drafts/x.md' })).text).toMatch(
    /^Error: Access denied: \.\.drafts\/x\.md/,
  );
  expect((await call('read_note', { path: 'a..b/y..z.md' })).json.content).toBe('kept');
  expect(treeOf(folder)).toEqual(before);
});

test('a note in a folder that Windows cannot hold can still be edited, deleted and moved away', async () => {
  const { folder, call } = await served({ 'bee:c/x.md': 'one', 'bee:c/y.md': 'two' });
  await call('patch_note', { path: 'bee:c/x.md', oldString: 'one', newString: '1' });
  expect((await call('delete_note', { path: 'bee:c/x.md', confirmPath: 'bee:c/x.md' })).isError).toBe(false);
  expect((await call('move_note', { oldPath: 'bee:c/y.md', newPath: 'y.md' })).isError).toBe(false);
  expect(bytesOf(folder, '.trash/bee:c/x.md').toString()).toBe('1');
  expect(bytesOf(folder, 'y.md').toString()).toBe('two');
});

test('names that Windows cannot hold are refused for new notes and reachable where they exist', async () => {
  const { folder, call } = await served({ 'CON.md': 'old', 'a.md': 'one\n' });
  const before = treeOf(folder);
  for (const path of ['NUL.md', 'sub/com1.txt', 'aux/x.md', 'a.md:x.md', 'bee:c/x.md', 'dot./x.md']) {
    for (const answer of [
      await call('write_note', { path, content: 'x' }),
      await call('move_note', { oldPath: 'a.md', newPath: path }),
    ])
      expect(answer.text).toMatch(/^Error: (Invalid path|Access denied): /);
  }
  expect(treeOf(folder)).toEqual(before);
  await call('delete_note', { path: 'CON.md', confirmPath: 'CON.md' });
  expect((await call('write_note', { path: 'CON.md', content: 'x' })).text).toMatch(/device name on Windows/);
  expect(filesOf(folder)).toEqual(['.trash/CON.md', 'a.md']);
});
