import { mkdir, open, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/kit/temp.ts';
import { makeFolders, makeFoldersSync } from './make-folders.ts';

test('makes a folder and those above it, and names the topmost one that is new', async () => {
  const root = await temporaryFolder({});
  expect(await makeFolders(join(root, 'a/b/c'), 0o700)).toBe(join(root, 'a'));
  expect((await stat(join(root, 'a/b'))).mode & 0o777).toBe(0o700);
  expect(await makeFolders(join(root, 'a/b/c'))).toBeUndefined();
  expect(await makeFolders(join(root, 'a/b/d'))).toBe(join(root, 'a/b/d'));
  makeFoldersSync(join(root, 'x/y'));
  makeFoldersSync(join(root, 'x/y'));
  expect((await stat(join(root, 'x/y'))).isDirectory()).toBe(true);
});

test('a link to a folder is one, and a file is none', async () => {
  const root = await temporaryFolder({ file: '' });
  await mkdir(join(root, 'real'));
  await symlink(join(root, 'real'), join(root, 'link'));
  expect(await makeFolders(join(root, 'link'))).toBeUndefined();
  await expect(makeFolders(join(root, 'file'))).rejects.toThrow('EEXIST');
  await expect(makeFolders(join(root, 'file/below'))).rejects.toThrow('ENOTDIR');
  expect(() => makeFoldersSync(join(root, 'file/below'))).toThrow('ENOTDIR');
});

test('two at once both succeed', async () => {
  const root = await temporaryFolder({});
  await Promise.all(Array.from({ length: 8 }, () => makeFolders(join(root, 'a/b/c/d'))));
  await writeFile(join(root, 'a/b/c/d/note.md'), '');
});

// In a removed folder that is still open, where Node's `recursive` runs for ever.
test.runIf(process.platform === 'linux')('ends where no folder can be made', async () => {
  const root = await temporaryFolder({});
  const handle = await open(root);
  try {
    await rm(root, { recursive: true });
    const gone = join('/proc/self/fd', String(handle.fd));
    await expect(makeFolders(join(gone, 'state/below'))).rejects.toThrow('ENOENT');
    expect(() => makeFoldersSync(join(gone, 'state/below'))).toThrow('ENOENT');
  } finally {
    await handle.close();
  }
});
