/** Properties of a file besides its text (mode, time, link), and their fate when it is deleted or moved. */
import { chmodSync, existsSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startBinary } from '../kit/server.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { bytesOf, modeOf, served, treeOf } from './served.ts';

test('every kind of edit keeps the mode of the file', async () => {
  for (const mode of [0o640, 0o600, 0o664, 0o755, 0o444]) {
    const folder = await temporaryFolder({ 'a.md': '---\ntags: [a]\n---\nword\n', 'l.md': '[[a]]\n' });
    for (const name of ['a.md', 'l.md']) chmodSync(join(folder, name), mode);
    const { call } = await startBinary(folder);
    const path = 'a.md';
    for (const [tool, args] of [
      ['patch_note', { path, oldString: 'word', newString: 'term' }],
      ['write_note', { path, content: 'end', mode: 'append' }],
      ['write_note', { path, content: 'top', mode: 'prepend' }],
      ['update_frontmatter', { path, frontmatter: { a: 1 } }],
      ['manage_tags', { path, operation: 'add', tags: ['b'] }],
      ['write_note', { path, content: 'new' }],
      ['move_note', { oldPath: path, newPath: 'b.md' }],
    ] as const) {
      expect((await call(tool, args)).isError).toBe(false);
      expect(modeOf(folder, tool === 'move_note' ? 'b.md' : path)).toBe(mode);
    }
    expect(bytesOf(folder, 'l.md').toString()).toBe('[[b]]\n');
    expect(modeOf(folder, 'l.md')).toBe(mode);
  }
});

test('new notes and folders get the mode that the umask leaves', async () => {
  const { folder, call } = await served();
  await call('write_note', { path: 'sub/new.md', content: 'x' });
  const umask = process.umask();
  expect(modeOf(folder, 'sub/new.md')).toBe(0o666 & ~umask);
  expect(modeOf(folder, 'sub')).toBe(0o777 & ~umask);
});

test('a move keeps the time of change and the mode', async () => {
  const { folder, call } = await served({ 'a.md': 'text\n', 'own.md': 'text\n' });
  const then = new Date('2020-02-02T02:02:02Z');
  utimesSync(join(folder, 'a.md'), then, then);
  chmodSync(join(folder, 'a.md'), 0o640);
  await call('move_note', { oldPath: 'a.md', newPath: 'sub/b.md' });
  expect(statSync(join(folder, 'sub/b.md')).mtimeMs).toBe(then.getTime());
  expect(modeOf(folder, 'sub/b.md')).toBe(0o640);
});

test('a deleted note is in the trash at its own path, with bytes, mode and time', async () => {
  const { folder, call } = await served({ 'sub/a.md': 'text\r\n' });
  const then = new Date('2020-02-02T02:02:02Z');
  utimesSync(join(folder, 'sub/a.md'), then, then);
  chmodSync(join(folder, 'sub/a.md'), 0o640);
  const answer = await call('delete_note', { path: 'sub/a.md', confirmPath: 'sub/a.md' });
  expect(answer.json.trashedTo).toBe('.trash/sub/a.md');
  expect(treeOf(folder)).toMatchObject({ '.trash/sub/a.md': 'text\r\n' });
  expect(existsSync(join(folder, 'sub/a.md'))).toBe(false);
  expect(statSync(join(folder, '.trash/sub/a.md')).mtimeMs).toBe(then.getTime());
  expect(modeOf(folder, '.trash/sub/a.md')).toBe(0o640);
});

test('two notes deleted from one path are both kept', async () => {
  const { folder, call } = await served({ 'a.md': 'one' });
  const places: string[] = [];
  for (const next of ['two', 'three', 'four']) {
    places.push((await call('delete_note', { path: 'a.md', confirmPath: 'a.md' })).json.trashedTo);
    await call('write_note', { path: 'a.md', content: next });
  }
  expect(new Set(places).size).toBe(3);
  expect(places.map((place) => bytesOf(folder, place).toString())).toEqual(['one', 'two', 'three']);
});

test('with --permanent-delete a note is gone', async () => {
  const { folder, call } = await served({ 'a.md': 'one' }, ['--permanent-delete']);
  expect((await call('delete_note', { path: 'a.md', confirmPath: 'a.md' })).isError).toBe(false);
  expect(treeOf(folder)).toEqual({});
});

test('a deletion that is not confirmed, or names a folder, deletes nothing', async () => {
  const { folder, call } = await served({ 'a.md': 'one', 'sub.md/b.md': 'two', 'sub/c.md': 'three' });
  const before = treeOf(folder);
  for (const [path, confirmPath] of [
    ['a.md', 'b.md'],
    ['a.md', 'A.md'],
    ['sub.md', 'sub.md'],
    ['sub', 'sub'],
    ['.', '.'],
    ['/', '/'],
  ])
    expect((await call('delete_note', { path, confirmPath })).isError).toBe(true);
  expect(treeOf(folder)).toEqual(before);
});

test('a move onto another note is refused, and with overwrite the other one goes to the trash', async () => {
  const { folder, call } = await served({ 'a.md': 'one', 'b.md': 'two', 'c/d.md': 'three' });
  const before = treeOf(folder);
  expect((await call('move_note', { oldPath: 'a.md', newPath: 'b.md' })).text).toMatch(
    /^Error: Target file already exists: b\.md/,
  );
  for (const newPath of ['c', 'c/', 'c.md/../x.md'])
    expect((await call('move_note', { oldPath: 'a.md', newPath, overwrite: true })).isError).toBe(true);
  expect(treeOf(folder)).toEqual(before);
  expect((await call('move_note', { oldPath: 'a.md', newPath: 'b.md', overwrite: true })).isError).toBe(
    false,
  );
  expect(treeOf(folder)).toEqual({
    '.trash/': 'folder',
    '.trash/b.md': 'two',
    'b.md': 'one',
    'c/': 'folder',
    'c/d.md': 'three',
  });
});

test('a move onto itself changes nothing, with overwrite or without', async () => {
  const { folder, call } = await served({ 'a.md': 'one [[a]]\n', 'links.md': '[[a]]\n', 'sub/b.md': 'two' });
  const before = treeOf(folder);
  const inode = statSync(join(folder, 'a.md')).ino;
  for (const overwrite of [true, false])
    for (const newPath of ['a.md', '/a.md', ' a.md ', './a.md'])
      expect((await call('move_note', { oldPath: 'a.md', newPath, overwrite })).isError).toBe(false);
  expect(
    (await call('move_note', { oldPath: 'sub/b.md', newPath: 'sub\\b.md', overwrite: true })).isError,
  ).toBe(false);
  expect(treeOf(folder)).toEqual(before);
  expect(statSync(join(folder, 'a.md')).ino).toBe(inode);
});

test('a move to another letter case of the same name keeps the note', async () => {
  const { folder, call } = await served({ 'readme.md': 'text\n', 'links.md': '[[readme]]\n' });
  for (const overwrite of [false, true]) {
    const [oldPath, newPath] = overwrite ? ['README.md', 'ReadMe.md'] : ['readme.md', 'README.md'];
    expect((await call('move_note', { oldPath, newPath, overwrite })).isError).toBe(false);
    expect(bytesOf(folder, newPath).toString()).toBe('text\n');
  }
  expect(Object.keys(treeOf(folder)).sort()).toEqual(['ReadMe.md', 'links.md']);
  expect(bytesOf(folder, 'links.md').toString()).toBe('[[ReadMe]]\n');
});

test('information on notes reports what failed and sees frontmatter under CRLF and BOM', async () => {
  const { folder, call } = await served({
    'lf.md': '---\na: 1\n---\ntext\n',
    'crlf.md': '---\r\na: 1\r\n---\r\ntext\r\n',
    'bom.md': '\uFEFF---\na: 1\n---\n',
    'rule.md': '---\n\ntext\n',
  });
  const before = treeOf(folder);
  const { json } = await call('get_notes_info', {
    paths: ['lf.md', 'crlf.md', 'bom.md', 'rule.md', 'gone.md', '../x.md', '.git/x.md', 'pic.png'],
  });
  expect(json.ok.map((info: { hasFrontmatter: boolean }) => info.hasFrontmatter)).toEqual([
    true,
    true,
    true,
    false,
  ]);
  for (const info of json.ok) {
    expect(info.size).toBe(bytesOf(folder, info.path).length);
    expect(info.modified).toBe(Math.trunc(statSync(join(folder, info.path)).mtimeMs));
  }
  expect(json.err).toEqual([
    { path: 'gone.md', error: 'File not found' },
    { path: '../x.md', error: 'Path traversal not allowed' },
    { path: '.git/x.md', error: expect.stringMatching(/^Access denied/) },
    { path: 'pic.png', error: expect.stringMatching(/^Access denied/) },
  ]);
  expect(treeOf(folder)).toEqual(before);
});
