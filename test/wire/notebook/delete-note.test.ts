import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withFolder } from '../../kit/server.ts';
import { checked, expectError, snapshot } from './support.ts';

test('a deleted note goes to .trash under its path, and the answer says so', async () => {
  const { call, folder } = await checked(withFolder({ 'archive/old-note.md': 'kept' }));
  const { json } = await call('delete_note', {
    path: 'archive/old-note.md',
    confirmPath: 'archive/old-note.md',
  });
  expect(json).toEqual({
    success: true,
    path: 'archive/old-note.md',
    message: 'Successfully deleted note: archive/old-note.md (moved to .trash/archive/old-note.md)',
    trashedTo: '.trash/archive/old-note.md',
  });
  const after = await snapshot(folder);
  expect(after['archive/old-note.md']).toBeUndefined();
  expect(after['.trash/archive/old-note.md']).toBe('kept');
  expectError(
    await call('read_note', { path: 'archive/old-note.md' }),
    'File not found: archive/old-note.md',
  );
});

test('a second note of the same path does not displace the first in .trash', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': 'first' }));
  const remove = () => call('delete_note', { path: 'a.md', confirmPath: 'a.md' });
  const first = await remove();
  await call('write_note', { path: 'a.md', content: 'second' });
  const second = await remove();
  expect(second.json.trashedTo).not.toBe(first.json.trashedTo);
  const after = await snapshot(folder);
  expect(after[first.json.trashedTo]).toBe('first');
  expect(after[second.json.trashedTo]).toBe('second');
});

test('with permanent delete the note is gone for good, and the answer says so', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': 'x', 'b.md': 'y' }, { permanentDelete: true }));
  const { json } = await call('delete_note', { path: 'a.md', confirmPath: 'a.md' });
  expect(json).toEqual({
    success: true,
    path: 'a.md',
    message: 'Successfully deleted note: a.md (gone for good)',
  });
  expect(await snapshot(folder)).toEqual({ 'b.md': 'y' });
});

test.each(['b.md', 'A.md', './a.md', '/a.md', 'a', 'a.md/'])(
  'a confirmation of %s does not delete a.md',
  async (confirmPath) => {
    const { call, folder } = await checked(withFolder({ 'a.md': 'x', 'b.md': 'y' }));
    expectError(
      await call('delete_note', { path: 'a.md', confirmPath }),
      'Deletion cancelled: confirmation path does not match',
    );
    expect(await snapshot(folder)).toEqual({ 'a.md': 'x', 'b.md': 'y' });
  },
);

test('space around either path is trimmed before they are compared', async () => {
  const { call } = await checked(withFolder({ 'a.md': 'x' }));
  expect((await call('delete_note', { path: ' a.md', confirmPath: 'a.md ' })).json.success).toBe(true);
});

test('a folder cannot be deleted, whatever its name', async () => {
  const { call, folder } = await checked(withFolder({ 'dir/a.md': 'x' }));
  await mkdir(join(folder, 'looks-like.md'));
  const before = await snapshot(folder);
  expectError(await call('delete_note', { path: 'dir', confirmPath: 'dir' }), 'File not found: dir');
  expectError(
    await call('delete_note', { path: 'looks-like.md', confirmPath: 'looks-like.md' }),
    'Not a note: looks-like.md',
  );
  expectError(await call('delete_note', { path: '.', confirmPath: '.' }), 'Invalid path: .');
  expect(await snapshot(folder)).toEqual(before);
});

test('a missing note is named with the one that was probably meant', async () => {
  const { call, folder } = await checked(withFolder({ 'plan.md': 'x' }));
  const answer = await call('delete_note', { path: 'plam.md', confirmPath: 'plam.md' });
  expectError(answer, 'File not found: plam.md');
  expect(answer.text).toContain('Did you mean plan.md?');
  expect(await snapshot(folder)).toEqual({ 'plan.md': 'x' });
});

test('hidden files, foreign kinds and paths that climb out are refused', async () => {
  const { call, folder } = await checked(withFolder({ '.git/config': 'x', 'p.png': 'y' }));
  const before = await snapshot(folder);
  const remove = (path: string) => call('delete_note', { path, confirmPath: path });
  expectError(await remove('.git/config'), 'Access denied: .git/config');
  expectError(await remove('p.png'), 'Access denied: p.png');
  expectError(await remove('../x.md'), 'Path traversal not allowed: ../x.md');
  expect(await snapshot(folder)).toEqual(before);
});
