/** `quire vault`: its flags, its environment, and what it says when something is amiss. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProgram, startVault, type ToolClient } from '../../kit/server.ts';
import { putFile, temporaryFolder } from '../../kit/temp.ts';
import { initialize, run, startRaw } from '../notebook/raw-client.ts';
import { expectCode } from './support.ts';

const SEED = { 'a.md': 'a\n', 'p.png': Uint8Array.of(1), 'drafts/d.md': 'd\n' };
const STDIO = ['--transport', 'stdio'];

const paths = async ({ call }: ToolClient): Promise<string[]> =>
  (await call('vault_list_all')).json.files.map(({ path }: { path: string }) => path);

test('--vault-path and VAULT_PATH name the folder, and the flag wins', async () => {
  const folder = await temporaryFolder(SEED);
  const other = await temporaryFolder({ 'other.md': 'x' });
  const env = { VAULT_PATH: other };
  expect(await paths(await startVault(folder))).toEqual(['a.md', 'drafts/d.md', 'p.png']);
  expect(await paths(await startProgram(['vault', ...STDIO], { env }))).toEqual(['other.md']);
  expect(await paths(await startVault(folder, [], { env }))).toHaveLength(3);
});

test('a client of the newest revision is served too', async () => {
  const folder = await temporaryFolder(SEED);
  expect(await paths(await startVault(folder, [], { mode: 'auto' }))).toHaveLength(3);
});

test('the notebook does not take its folder from VAULT_PATH', async () => {
  const { code, stderr } = await run([], { VAULT_PATH: await temporaryFolder() });
  expect(code).toBe(2);
  expect(stderr).toContain('No folder given');
});

test('--ignore hides paths from every tool', async () => {
  const folder = await temporaryFolder(SEED);
  for (const connected of [
    await startVault(folder, ['--ignore', 'drafts/**', '--ignore', '*.png']),
    await startVault(folder, [], { env: { QUIRE_IGNORE: 'drafts/**,*.png' } }),
  ]) {
    const { call } = connected;
    expect(await paths(connected)).toEqual(['a.md']);
    expect((await call('vault_list')).json.entries).toMatchObject([{ name: 'a.md' }]);
    expect((await call('vault_search', { query: 'd' })).json.results).toEqual([]);
    for (const path of ['drafts/d.md', 'DRAFTS/d.md', 'p.png', 'drafts/new.md'])
      for (const [tool, args] of [
        ['vault_read', { path }],
        ['vault_write', { path, content: 'x' }],
        ['vault_edit', { path, old_text: 'd', new_text: 'x' }],
      ] as const)
        if (tool === 'vault_read' || path !== 'p.png')
          expectCode(await call(tool, args), 'PATH_NOT_ALLOWED', `Access denied: ${path}`);
  }
});

test('QUIRE_READ_ONLY leaves out the tools that write', async () => {
  const { client } = await startVault(await temporaryFolder(), [], { env: { QUIRE_READ_ONLY: '1' } });
  expect((await client.listTools()).tools).toHaveLength(4);
});

test('a configuration file can choose the vault tools, and quire vault can use one', async () => {
  const folder = await temporaryFolder();
  await putFile(folder, 'notes/a.md', 'one\ntwo\nthree\n');
  await putFile(folder, 'vault.yaml', 'notebooks:\n  v: { folder: notes, tools: vault, readThreshold: 2 }\n');
  await putFile(folder, 'plain.yaml', 'notebooks:\n  n: { folder: notes, readThreshold: 2 }\n');
  for (const args of [
    ['--config', join(folder, 'vault.yaml')],
    ['vault', ...STDIO, '--config', join(folder, 'vault.yaml')],
    ['vault', ...STDIO, '--config', join(folder, 'plain.yaml'), '--notebook', 'n'],
    ['vault', ...STDIO, '--config', join(folder, 'plain.yaml'), '--vault-path', join(folder, 'notes')],
  ]) {
    const { call } = await startProgram(args);
    expect((await call('vault_read', { path: 'a.md' })).json).toMatchObject({
      showing: [1, 2],
      truncated: true,
    });
  }
});

test.each([
  [['vault'], {}, /^quire: No folder given\nUsage: quire vault --vault-path <folder> --server-url <url>/],
  [['vault', '--vault-path', '.'], {}, /^quire: No one can log in: there are no users/],
  [
    ['vault', '--vault-path', '.'],
    { AUTH_USERS: 'alex:$2b$04$abcdefghijklmnopqrstuuJ4N9WyE0mGzZrOQO1cZ3vE2sF4q5r6S' },
    /^quire: The address clients reach this server at is not known: give --server-url or SERVER_URL with/,
  ],
  [['vault', '--transport', 'carrier-pigeon'], {}, /Unknown transport: carrier-pigeon/],
  [['vault', ...STDIO], {}, /^quire: No folder given\nUsage: quire vault --vault-path <folder>/],
  [['vault', ...STDIO], { VAULT_PATH: '' }, /VAULT_PATH: must not be empty/],
  [['vault', ...STDIO], { VAULT_PATH: '/no/such/folder' }, /^quire: No such folder: \/no\/such\/folder/],
  [['vault', ...STDIO, '--vault-path', '/no/such'], {}, /^quire: No such folder/],
  [
    ['vault', ...STDIO, '--vault-path', '.', '--read-threshold', 'many'],
    {},
    /--read-threshold: must be a whole number/,
  ],
  [
    ['vault', ...STDIO, '--vault-path', '.', '--read-threshold', '0'],
    {},
    /--read-threshold: must be at least 1/,
  ],
  [
    ['vault', ...STDIO, '--vault-path', '.', '--read-threshold', '1.5'],
    {},
    /--read-threshold: must be a whole number/,
  ],
  [
    ['vault', ...STDIO, '--vault-path', '.'],
    { READ_THRESHOLD: 'x' },
    /READ_THRESHOLD: must be a whole number/,
  ],
  [['vault', ...STDIO, '--vault-path', '.'], { LOG_LEVEL: 'loud' }, /Unknown log level: loud/],
  [['vault', ...STDIO, '--vault-path', '.', '--log-level', 'loud'], {}, /Unknown log level: loud/],
  [['vault', ...STDIO, '--vault-pat', '.'], {}, /Did you mean --vault-path\?/],
  [['vault', ...STDIO, 'a-folder'], {}, /too many arguments/],
])('%j with %j is refused in words', async (args, env, says) => {
  const { code, stdout, stderr } = await run(args, env);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(says);
  expect(stderr).not.toMatch(/\n\s+at /);
});

test('the help names every flag and its variable', async () => {
  const { code, stdout } = await run(['vault', '--help']);
  expect(code).toBe(0);
  for (const word of [
    '--vault-path',
    'VAULT_PATH',
    '--transport',
    '--read-threshold',
    'READ_THRESHOLD',
    '--ignore',
  ])
    expect(stdout).toContain(word);
  for (const word of ['--read-only', '--log-level', 'LOG_LEVEL', '--config']) expect(stdout).toContain(word);
  expect((await run(['--help'])).stdout).toContain('quire vault');
});

test('it starts, answers and leaves with the client', async () => {
  const folder = await temporaryFolder(SEED);
  const client = startRaw(['vault', '--vault-path', folder, ...STDIO], { env: { LOG_LEVEL: 'error' } });
  const { result } = await initialize(client);
  expect(result.serverInfo.name).toBe('quire');
  expect(result.instructions).toContain('vault_read');
  expect((await client.end()).code).toBe(0);
  expect(client.stderr()).toBe('');
});
