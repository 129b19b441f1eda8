import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withFolder } from '../../kit/server.ts';
import { checked, expectError, snapshot, stamps } from './support.ts';

test('a note moves, folders are made, and the answer names both places', async () => {
  const { call, folder } = await checked(withFolder({ 'inbox/idea.md': 'text\r\n' }));
  const { json } = await call('move_note', {
    oldPath: 'inbox/idea.md',
    newPath: 'projects/new/idea.md',
  });
  expect(json).toEqual({
    success: true,
    path: 'projects/new/idea.md',
    oldPath: 'inbox/idea.md',
    newPath: 'projects/new/idea.md',
    message: 'Successfully moved note from inbox/idea.md to projects/new/idea.md',
    linksUpdated: 0,
    updated: [],
  });
  const after = await snapshot(folder);
  expect(after['projects/new/idea.md']).toBe('text\r\n');
  expect(after['inbox/idea.md']).toBeUndefined();
});

test('without overwrite a taken place is refused and nothing changes', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': 'A', 'b.md': 'B' }));
  for (const extra of [{}, { overwrite: false }, { dryRun: true }])
    expectError(
      await call('move_note', { oldPath: 'a.md', newPath: 'b.md', ...extra }),
      'Target file already exists: b.md',
    );
  expect(await snapshot(folder)).toEqual({ 'a.md': 'A', 'b.md': 'B' });
});

test('with overwrite the note there is replaced, and can be brought back', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': 'A', 'b.md': 'B' }));
  const { json } = await call('move_note', { oldPath: 'a.md', newPath: 'b.md', overwrite: true });
  expect(json.success).toBe(true);
  const after = await snapshot(folder);
  expect(after['b.md']).toBe('A');
  expect(after['a.md']).toBeUndefined();
  expect(after['.trash/b.md']).toBe('B');
});

test('with overwrite and permanent delete the note there is gone', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': 'A', 'b.md': 'B' }, { permanentDelete: true }));
  await call('move_note', { oldPath: 'a.md', newPath: 'b.md', overwrite: true });
  expect(await snapshot(folder)).toEqual({ 'b.md': 'A' });
});

test('a dry run changes nothing and reports what would', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': 'A', 'links.md': '[[a]] and [x](a.md)' }));
  const before = await stamps(folder);
  const { json } = await call('move_note', { oldPath: 'a.md', newPath: 'z/b.md', dryRun: true });
  expect(json).toMatchObject({
    success: true,
    linksUpdated: 2,
    updated: [{ path: 'links.md', links: 2 }],
    message: 'Would move note from a.md to z/b.md (2 links in 1 note to update)',
  });
  expect(await stamps(folder)).toEqual(before);
});

test.each([true, false])('a move onto itself changes nothing (overwrite %s)', async (overwrite) => {
  const { call, folder } = await checked(withFolder({ 'a.md': '[[a]]', 'b.md': '[[a]]' }));
  const before = await stamps(folder);
  const { json } = await call('move_note', { oldPath: 'a.md', newPath: ' /a.md', overwrite });
  expect(json).toMatchObject({ success: true, path: 'a.md', linksUpdated: 0, updated: [] });
  expect(await stamps(folder)).toEqual(before);
});

test('only the case of a name can be changed', async () => {
  const { call, folder } = await checked(withFolder({ 'readme.md': 'x', 'l.md': '[[readme]]' }));
  const { json } = await call('move_note', { oldPath: 'readme.md', newPath: 'README.md' });
  expect(json.success).toBe(true);
  const after = await snapshot(folder);
  expect(after['README.md']).toBe('x');
  expect(after['readme.md']).toBeUndefined();
});

test('missing, hidden, foreign and climbing paths are refused on either side', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': 'A', '.git/x.md': 'g', 'p.png': 'p' }));
  const before = await snapshot(folder);
  const move = (oldPath: string, newPath: string) => call('move_note', { oldPath, newPath, overwrite: true });
  expectError(await move('no.md', 'b.md'), 'File not found: no.md');
  expectError(await move('.git/x.md', 'b.md'), 'Access denied: .git/x.md');
  expectError(await move('a.md', '.git/y.md'), 'Access denied: .git/y.md');
  expectError(await move('p.png', 'b.md'), 'Access denied: p.png');
  expectError(await move('a.md', 'a.exe'), 'Access denied: a.exe');
  expectError(await move('../a.md', 'b.md'), 'Path traversal not allowed: ../a.md');
  expectError(await move('a.md', 'x/../../b.md'), 'Path traversal not allowed: x/../../b.md');
  expectError(await move('a.md', 'con.md'), 'Invalid path: con.md');
  expectError(await move('a.md', '/'), /^Invalid path: \//);
  expect(await snapshot(folder)).toEqual(before);
});

test('a folder is neither moved nor replaced', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': 'A', 'dir/x.md': 'X' }));
  await mkdir(join(folder, 'dir.md'));
  const before = await snapshot(folder);
  expectError(await call('move_note', { oldPath: 'dir', newPath: 'b.md' }), 'File not found: dir');
  expectError(await call('move_note', { oldPath: 'dir.md', newPath: 'b.md' }), 'Not a note: dir.md');
  const onto = await call('move_note', { oldPath: 'a.md', newPath: 'dir.md', overwrite: true });
  expectError(onto, /dir\.md$/);
  expect(await snapshot(folder)).toEqual(before);
});

test('a link that leads out of the notebook is no place to move to', async () => {
  const { folder: elsewhere } = await withFolder();
  const { call, folder } = await checked(withFolder({ 'a.md': 'A' }));
  await symlink(elsewhere, join(folder, 'out'));
  expectError(await call('move_note', { oldPath: 'a.md', newPath: 'out/a.md' }), 'Access denied: out/a.md');
  expect((await snapshot(folder))['a.md']).toBe('A');
  expect(await snapshot(elsewhere)).toEqual({});
});
