import { expect, test } from 'vitest';
import { flushFolder, hasFileModes, renameEntry, renameEntrySync } from './platform.ts';
import { makePrivate } from './private.ts';

const errno = (code: string) => Object.assign(new Error(code), { code });

test('Windows cannot flush a folder, and a write does not fail for that', async () => {
  const folder = { sync: async () => Promise.reject(errno('EPERM')) };
  await expect(flushFolder(folder, 'win32')).resolves.toBeUndefined();
  await expect(flushFolder(folder, 'linux')).rejects.toThrow('EPERM');
  const broken = { sync: async () => Promise.reject(errno('EIO')) };
  await expect(flushFolder(broken, 'win32')).rejects.toThrow('EIO');
});

test.each(['EPERM', 'EACCES', 'EBUSY'])(
  'a rename over a file that is held open is tried again on Windows: %s',
  async (code) => {
    let tries = 0;
    const renameOnce = async () => {
      if (++tries < 4) throw errno(code);
    };
    await renameEntry('a', 'b', { platform: 'win32', renameOnce });
    expect(tries).toBe(4);
    tries = 0;
    await expect(renameEntry('a', 'b', { platform: 'darwin', renameOnce })).rejects.toThrow(code);
    expect(tries).toBe(1);
  },
);

test('but not for ever, and not for other errors', async () => {
  let tries = 0;
  const fails = (code: string) => async () => {
    tries++;
    throw errno(code);
  };
  await expect(renameEntry('a', 'b', { platform: 'win32', renameOnce: fails('EBUSY') })).rejects.toThrow(
    'EBUSY',
  );
  expect(tries).toBeLessThan(10);
  tries = 0;
  await expect(renameEntry('a', 'b', { platform: 'win32', renameOnce: fails('ENOENT') })).rejects.toThrow();
  expect(tries).toBe(1);
  let syncTries = 0;
  const renameOnce = () => {
    syncTries++;
    throw errno('EPERM');
  };
  expect(() => renameEntrySync('a', 'b', { platform: 'win32', renameOnce })).toThrow('EPERM');
  expect(syncTries).toBe(3);
});

test('modes mean nothing on Windows', async () => {
  expect(hasFileModes('win32')).toBe(false);
  expect(hasFileModes('darwin')).toBe(true);
  expect(await makePrivate('no/such/file', 0o600, 'win32')).toBeUndefined();
});
