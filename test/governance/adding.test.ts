/** What `quire mcp add` makes of the words it is given, before anything is fetched or started. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localEntry, ownFiles } from '../../src/governance/adding/entry.ts';
import { planOf } from '../../src/governance/adding/plan.ts';
import { targetOf } from '../../src/governance/adding/target.ts';
import { openMarketplace } from '../../src/governance/marketplace/marketplace.ts';
import { temporaryFolder } from '../kit/temp.ts';

const { entries } = await openMarketplace({ source: 'builtin', stateFolder: '/nowhere' });
const target = (first: string, words: readonly string[] = [], isCommand = false) =>
  targetOf(first, words, { entries, isCommand });
const plan = (first: string, words: readonly string[] = [], env: Record<string, string> = {}) =>
  planOf(target(first, words), { env, network: 'none' });

describe('what is to be added', () => {
  it.each([
    ['https://example.com/mcp', { kind: 'address' }],
    ['server-memory', { kind: 'catalogue' }],
    ['io.github.modelcontextprotocol/server-memory', { kind: 'catalogue' }],
    ['@scope/name', { kind: 'npm', package: { name: '@scope/name', version: undefined } }],
    ['name@1.2.3', { kind: 'npm', package: { name: 'name', version: '1.2.3' } }],
    ['./server.js', { kind: 'command', command: './server.js' }],
    ['/usr/bin/server', { kind: 'command' }],
  ])('%s', (word, expected) => {
    expect(target(word)).toMatchObject(expected);
  });

  it.each(['server-memry', 'name', 'name@latest', '@scope', 'a b', '', '--flag', '@x/../y'])(
    'refuses %j, and says what it could be',
    (word) => {
      expect(() => target(word)).toThrow(/Neither a server/);
    },
  );

  it('names the server that was probably meant', () => {
    expect(() => target('server-memry')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('Did you mean server-memory?') }),
    );
  });

  it('takes the word after --command as a program', () => {
    expect(target('node', ['x.js'], true)).toEqual({ kind: 'command', command: 'node', words: ['x.js'] });
  });
});

describe('the plan', () => {
  it('fetches a package of the catalogue in its version, and needs no network to run it', () => {
    expect(plan('server-memory')).toMatchObject({
      name: 'server-memory',
      start: { kind: 'npm', package: { name: '@modelcontextprotocol/server-memory' } },
      network: 'none',
    });
  });

  it('says what is missing, as a command', () => {
    expect(() => plan('server-filesystem')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('quire mcp add server-filesystem <folder>') }),
    );
    expect(plan('server-filesystem', ['/tmp']).words).toEqual(['/tmp']);
  });

  it.each([
    ['https://mcp.example.com/x', 'example-com'],
    ['@scope/my.server', 'my-server'],
    ['./tools/server.mjs', 'server'],
  ])('calls %s %s', (word, name) => {
    expect(plan(word).name).toBe(name);
  });
});

describe('the entry', () => {
  const usual = {
    name: 'one',
    command: 'node',
    read: [],
    words: [],
    env: {},
    data: '/place/data',
    workingFolder: '/',
    network: 'none',
  } as const;

  it('opens folders among the arguments for writing, and programs with their project for reading', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'project', 'dist'), { recursive: true });
    await mkdir(join(folder, 'notes'));
    await writeFile(join(folder, 'project', 'package.json'), '{}');
    await writeFile(join(folder, 'project', 'dist', 'index.js'), '');
    const entry = localEntry({
      ...usual,
      workingFolder: folder,
      words: ['./project/dist/index.js', './notes', './missing', '--x'],
    });
    expect(entry.args).toEqual([
      join(folder, 'project/dist/index.js'),
      join(folder, 'notes'),
      './missing',
      '--x',
    ]);
    expect(entry.sandbox_write).toEqual(['/place/data', join(folder, 'notes')]);
    expect(entry.sandbox_read).toEqual([join(folder, 'project')]);
    expect(entry.sandbox_profile).toBe('restricted');
  });

  it('has no network, all of it, or the hosts it was given', () => {
    expect(localEntry(usual)).not.toHaveProperty('sandbox_network');
    expect(localEntry({ ...usual, network: 'all' })).toMatchObject({ sandbox_profile: 'network' });
    expect(localEntry({ ...usual, network: ['api.example.com:443'] })).toMatchObject({
      sandbox_profile: 'restricted',
      sandbox_network: ['api.example.com:443'],
    });
    expect(planOf(target('server-memory'), { env: {}, network: ['a.example:443'] }).network).toEqual([
      'a.example:443',
    ]);
  });

  it('puts the files a server keeps into its own folder', () => {
    const input = { isPositional: false, isRequired: false, isSecret: false };
    const places = ownFiles(
      [
        { ...input, name: 'MEMORY_FILE_PATH' },
        { ...input, name: 'CACHE_DIR' },
        { ...input, name: 'API_KEY', isSecret: true },
        { ...input, name: 'LOG_PATH', value: '/var/log' },
      ],
      '/place/data',
    );
    expect(places).toEqual({ MEMORY_FILE_PATH: '/place/data/memory.json', CACHE_DIR: '/place/data' });
  });
});
