/** Every row of the error table in its shape, and what holds for all errors. */
import { chmod, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AppError, type ErrorCode } from '../../../src/shared/errors.ts';
import { openMemoryStore } from '../../../src/stores/memory.ts';
import { vaultSurface } from '../../../src/surfaces/vault/surface.ts';
import { connectVault, startVault, withVault } from '../../kit/server.ts';
import { temporaryFolder } from '../../kit/temp.ts';
import { callTool, initialize, startRaw } from '../notebook/raw-client.ts';
import { checked, snapshot } from '../notebook/support.ts';
import { errorOf, expectCode } from './support.ts';

type Args = Record<string, unknown>;

const SEED = { 'a.md': 'x\nx\n', 'sub/b.md': 'y', '.git/config': 'secret' };
const FILE_TOOLS: [string, (path: string) => Args][] = [
  ['vault_read', (path) => ({ path })],
  ['vault_edit', (path) => ({ path, old_text: 'x', new_text: 'y' })],
];
const ALL_PATHS: [string, (path: string) => Args][] = [
  ...FILE_TOOLS,
  ['vault_list', (path) => ({ path })],
  ['vault_write', (path) => ({ path, content: 'x' })],
];

test.each(FILE_TOOLS)('%s: FILE_NOT_FOUND', async (tool, args) => {
  const { call, folder } = await checked(withVault(SEED));
  const before = await snapshot(folder);
  const path = 'projects/nonexistent.md';
  const answer = await call(tool, args(path));
  expect(answer.content[0]?.text).toBe(
    '{"error":{"code":"FILE_NOT_FOUND","message":"File not found: projects/nonexistent.md"}}',
  );
  expectCode(answer, 'FILE_NOT_FOUND', `File not found: ${path}`);
  expect(await snapshot(folder)).toEqual(before);
});

test.each(ALL_PATHS)('%s: PATH_NOT_ALLOWED', async (tool, args) => {
  const { call, folder } = await checked(withVault(SEED));
  const before = await snapshot(folder);
  for (const path of ['../a.md', 'sub/../../a.md', '/../a.md', '..\\a.md', 'sub/..', './..'])
    expectCode(await call(tool, args(path)), 'PATH_NOT_ALLOWED', `Path traversal not allowed: ${path}`);
  for (const path of [
    '.git/config',
    '.git',
    '.obsidian/x.md',
    'sub/.secret/x.md',
    '.hidden.md',
    'node_modules/x',
  ])
    expectCode(await call(tool, args(path)), 'PATH_NOT_ALLOWED', `Access denied: ${path}`);
  expect(await snapshot(folder)).toEqual(before);
});

test('a name with dots that are not a segment is not traversal', async () => {
  const { call } = await checked(withVault({ 'a..b.md': '1', 'c.../d.md': '2' }));
  expect((await call('vault_read', { path: 'a..b.md' })).json.content).toBe('1');
  expect((await call('vault_read', { path: 'c.../d.md' })).json.content).toBe('2');
});

test('TEXT_NOT_FOUND, TEXT_NOT_UNIQUE and INVALID_RANGE', async () => {
  const { call } = await checked(withVault(SEED));
  expectCode(
    await call('vault_edit', { path: 'a.md', old_text: 'z', new_text: 'y' }),
    'TEXT_NOT_FOUND',
    'Text not found in file',
  );
  expectCode(
    await call('vault_edit', { path: 'a.md', old_text: 'x', new_text: 'y' }),
    'TEXT_NOT_UNIQUE',
    'Text appears 2 times in file, must be unique',
  );
  expectCode(
    await call('vault_read', { path: 'a.md', offset: 3 }),
    'INVALID_RANGE',
    /^Invalid range: offset 3/,
  );
});

test.each<[ErrorCode, string]>([
  ['not_found', 'FILE_NOT_FOUND'],
  ['forbidden', 'PATH_NOT_ALLOWED'],
  ['unauthorized', 'AUTH_REQUIRED'],
  ['invalid_input', 'INVALID_ARGUMENT'],
  ['unsupported', 'UNSUPPORTED'],
  ['conflict', 'CONFLICT'],
  ['already_exists', 'CONFLICT'],
  ['read_only', 'READ_ONLY'],
  ['approval_required', 'APPROVAL_REQUIRED'],
  ['rate_limited', 'RATE_LIMITED'],
  ['upstream_failed', 'UPSTREAM_FAILED'],
  ['timeout', 'TIMEOUT'],
  ['internal', 'INTERNAL'],
])('%s from below is %s', async (code, shown) => {
  const files = openMemoryStore();
  const fail = async () => {
    throw new AppError(code, 'No luck', { subject: 'x' });
  };
  const searcher = {
    search: fail,
    files: fail,
    notes: async () => Promise.reject(new Error('not asked')),
    maybeCalled: async () => Promise.reject(new Error('not asked')),
    named: async () => Promise.reject(new Error('not asked')),
    tasks: async () => Promise.reject(new Error('not asked')),
    wordUse: async () => Promise.reject(new Error('not asked')),
    nearness: async () => undefined,
    links: async () => Promise.reject(new Error('not asked')),
    close: async () => {},
  };
  const { call } = await checked(connectVault({ files, searcher, rules: [], readThreshold: 200 }));
  expectCode(await call('vault_list_all'), shown, 'No luck: x');
  expectCode(await call('vault_search', { query: 'x' }), shown, 'No luck: x');
});

test.each(['text_not_found', 'text_not_unique', 'invalid_range', 'too_large'] as const)(
  'the reason %s is a code of its own',
  (reason) => {
    const { content } = vaultSurface.renderError(
      new AppError('invalid_input', 'T', { reason }),
      'vault_edit',
    );
    expect(content).toEqual([
      { type: 'text', text: `{"error":{"code":"${reason.toUpperCase()}","message":"T"}}` },
    ]);
  },
);

test('an unforeseen failure shows a number and nothing of the inside', async () => {
  const fail = async () => {
    throw new Error('secret /etc/place');
  };
  const searcher = {
    search: fail,
    files: fail,
    notes: async () => Promise.reject(new Error('not asked')),
    maybeCalled: async () => Promise.reject(new Error('not asked')),
    named: async () => Promise.reject(new Error('not asked')),
    tasks: async () => Promise.reject(new Error('not asked')),
    wordUse: async () => Promise.reject(new Error('not asked')),
    nearness: async () => undefined,
    links: async () => Promise.reject(new Error('not asked')),
    close: async () => {},
  };
  const { call } = await checked(
    connectVault({ files: openMemoryStore(), searcher, rules: [], readThreshold: 200 }),
  );
  const answer = await call('vault_list_all');
  expectCode(answer, 'INTERNAL', /^Internal error [0-9a-f]{8}$/);
  expect(answer.text).not.toContain('secret');
});

test('READ_ONLY, when the vault is served read-only', async () => {
  const folder = await temporaryFolder(SEED);
  const { call, client } = await startVault(folder, ['--read-only']);
  const before = await snapshot(folder);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
    'vault_list_all',
    'vault_list',
    'vault_read',
    'vault_search',
  ]);
  expectCode(
    await call('vault_write', { path: 'n.md', content: 'x' }),
    'READ_ONLY',
    'vault_write is not offered',
  );
  expectCode(
    await call('vault_edit', { path: 'sub/b.md', old_text: 'y', new_text: 'z' }),
    'READ_ONLY',
    'vault_edit is not offered',
  );
  expect(await snapshot(folder)).toEqual(before);
});

test('what the file system refuses is not allowed', async () => {
  const folder = await temporaryFolder({ 'secret.md': 'x', 'fixed/a.md': 'x' });
  await chmod(folder, 0o755);
  await chmod(join(folder, 'secret.md'), 0o000);
  await chmod(join(folder, 'fixed'), 0o555);
  const state = await temporaryFolder();
  await chmod(state, 0o777);
  const client = startRaw(['vault', '--vault-path', folder, '--transport', 'stdio'], {
    env: { XDG_STATE_HOME: state },
    uid: process.getuid?.() === 0 ? 65_534 : undefined,
  });
  await initialize(client);
  const error = async (tool: string, args: Args) =>
    JSON.parse((await callTool(client, tool, args)).result.content[0].text).error;
  expect(await error('vault_read', { path: 'secret.md' })).toEqual({
    code: 'PATH_NOT_ALLOWED',
    message: 'Permission denied: secret.md',
  });
  expect(await error('vault_write', { path: 'fixed/new.md', content: 'x' })).toEqual({
    code: 'PATH_NOT_ALLOWED',
    message: 'Permission denied: fixed/new.md',
  });
  await chmod(join(folder, 'fixed'), 0o755);
});

test('no error shows where the vault is on the host, or tools that are not here', async () => {
  const outside = await temporaryFolder({ 'x.md': 'outside' });
  const { call, folder } = await checked(withVault({ ...SEED, 'bad.md': Uint8Array.of(0xff) }));
  await symlink(join(outside, 'x.md'), join(folder, 'out.md'));
  await symlink('nowhere.md', join(folder, 'dangling.md'));
  await symlink('loop.md', join(folder, 'loop.md'));
  for (const path of [
    '.git/config',
    '../x.md',
    'bad.md',
    'out.md',
    'dangling.md',
    'loop.md',
    'a.md/x',
    'sub',
    '/',
    'con:x',
  ])
    for (const [tool, args] of ALL_PATHS) {
      if (tool === 'vault_list' && ['sub', '/'].includes(path)) continue;
      const answer = await call(tool, args(path));
      const { message } = errorOf(answer);
      expect(message.length).toBeGreaterThan(5);
      for (const secret of [folder, outside]) expect(answer.text).not.toContain(secret);
      expect(answer.text, `${tool} ${path}`).not.toMatch(
        /\/tmp\/|\/proc\/|node:|at .*\.ts|list_directory|_notes?\b|oldString/,
      );
    }
  expect(await snapshot(outside)).toEqual({ 'x.md': 'outside' });
});
