import { chmod, mkdir, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answerJson, withVault } from '../../kit/server.ts';
import { temporaryFolder } from '../../kit/temp.ts';
import { callTool, initialize, startRaw } from '../notebook/raw-client.ts';
import { checked } from '../notebook/support.ts';
import { expectCode, hintOf } from './support.ts';

const AT = new Date('2026-02-08T14:30:00Z');
const SEED = {
  'projects/vault-sync.md': '# Vault\n',
  'projects/b.png': Uint8Array.of(1, 2, 3),
  'projects/archive/one.md': '',
  'projects/archive/deep/two.md': '',
  'projects/archive/.hidden.md': '',
  'projects/Zoo/x.md': '',
  'top.md': '',
  '.obsidian/app.json': '{}',
};

test('one level of a folder: files with size and time, then folders with their children', async () => {
  const { call, folder } = await checked(withVault(SEED));
  for (const name of ['vault-sync.md', 'b.png']) await utimes(join(folder, 'projects', name), AT, AT);
  const { json } = await call('vault_list', { path: '/projects' });
  expect(json).toEqual({
    path: '/projects',
    entries: [
      { name: 'b.png', type: 'file', size: 3, modified: '2026-02-08T14:30:00Z' },
      { name: 'vault-sync.md', type: 'file', size: 8, modified: '2026-02-08T14:30:00Z' },
      { name: 'Zoo', type: 'folder', children: 1 },
      { name: 'archive', type: 'folder', children: 2 },
    ],
    total_entries: 4,
  });
});

test('without a path it is the root, however that is spelled', async () => {
  const { call } = await checked(withVault(SEED));
  const root = (await call('vault_list')).json;
  expect(root).toMatchObject({ path: '/', total_entries: 2 });
  expect(root.entries).toMatchObject([{ name: 'top.md' }, { name: 'projects', children: 4 }]);
  for (const path of ['/', '', '.', './']) expect((await call('vault_list', { path })).json).toEqual(root);
});

test.each(['projects', '/projects', 'projects/', './projects//', '\\projects'])(
  '%s is /projects',
  async (path) => {
    const { call } = await checked(withVault(SEED));
    expect((await call('vault_list', { path })).json.path).toBe('/projects');
  },
);

test('an empty folder has no entries', async () => {
  const { call, folder } = await checked(withVault(SEED));
  await mkdir(join(folder, 'empty'));
  expect((await call('vault_list', { path: 'empty' })).json).toEqual({
    path: '/empty',
    entries: [],
    total_entries: 0,
  });
  expect((await call('vault_list')).json.entries).toContainEqual({
    name: 'empty',
    type: 'folder',
    children: 0,
  });
});

test('what is missing, is a file or lies outside is an error', async () => {
  const { call, folder } = await checked(withVault(SEED));
  const outside = await temporaryFolder({ 'secret.md': 'x' });
  await symlink(outside, join(folder, 'link'));
  const list = (path: string) => call('vault_list', { path });
  expectCode(await list('nope/deeper'), 'FILE_NOT_FOUND', 'Folder not found: nope/deeper');
  const file = await list('top.md');
  expectCode(file, 'INVALID_ARGUMENT', 'Not a folder: top.md');
  expect(hintOf(file)).toContain('vault_read');
  for (const path of ['..', '../x', 'projects/../..', '/../etc', '..\\x'])
    expectCode(await list(path), 'PATH_NOT_ALLOWED', `Path traversal not allowed: ${path}`);
  for (const path of ['.obsidian', 'projects/.git', 'link'])
    expectCode(await list(path), 'PATH_NOT_ALLOWED', `Access denied: ${path}`);
  expect((await call('vault_list')).json.entries.map(({ name }: { name: string }) => name)).toEqual([
    'top.md',
    'projects',
  ]);
});

test('what may not be opened is listed all the same', async () => {
  const folder = await temporaryFolder({ 'secret.md': 'x', 'closed/a.md': 'x' });
  await chmod(folder, 0o755);
  await chmod(join(folder, 'secret.md'), 0o000);
  await chmod(join(folder, 'closed'), 0o000);
  const client = startRaw(
    ['vault', '--vault-path', folder, '--transport', 'stdio'],
    process.getuid?.() === 0 ? { uid: 65_534 } : {},
  );
  await initialize(client);
  const { result } = await callTool(client, 'vault_list', {});
  await chmod(join(folder, 'closed'), 0o755);
  expect(answerJson(result).entries).toEqual([
    { name: 'secret.md', type: 'file' },
    { name: 'closed', type: 'folder', children: 0 },
  ]);
});
