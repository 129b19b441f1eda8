/** Every row of the error table, word for word, and what holds for all of them. */
import { chmod, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withFolder } from '../../kit/server.ts';
import { temporaryFolder } from '../../kit/temp.ts';
import { callTool, initialize, startRaw } from './raw-client.ts';
import { checked, expectError, snapshot } from './support.ts';

const SEED = { 'a.md': 'x\nx\n', 'sub/b.md': 'y', '.git/config': 'secret', 'p.png': 'png' };
const NOTE_TOOLS: [string, (path: string) => Record<string, unknown>][] = [
  ['read_note', (path) => ({ path })],
  ['patch_note', (path) => ({ path, oldString: 'x', newString: 'y' })],
  ['delete_note', (path) => ({ path, confirmPath: path })],
  ['move_note', (path) => ({ oldPath: path, newPath: 'new.md' })],
  ['get_frontmatter', (path) => ({ path })],
  ['update_frontmatter', (path) => ({ path, frontmatter: { a: 1 } })],
  ['manage_tags', (path) => ({ path, operation: 'add', tags: ['t'] })],
];
const WRITE: [string, (path: string) => Record<string, unknown>] = [
  'write_note',
  (path) => ({ path, content: 'x' }),
];
const MOVE_TO: [string, (path: string) => Record<string, unknown>] = [
  'move_note',
  (path) => ({ oldPath: 'a.md', newPath: path }),
];

test.each(NOTE_TOOLS)('%s: File not found', async (tool, args) => {
  const { call, folder } = await checked(withFolder(SEED));
  const before = await snapshot(folder);
  expectError(await call(tool, args('no/such.md')), 'File not found: no/such.md');
  expect(await snapshot(folder)).toEqual(before);
});

test.each([...NOTE_TOOLS, WRITE, MOVE_TO])('%s: Access denied', async (tool, args) => {
  const { call, folder } = await checked(withFolder(SEED));
  const before = await snapshot(folder);
  for (const path of [
    '.git/config',
    '.git/x.md',
    '.hidden.md',
    'sub/.secret/x.md',
    'node_modules/x.md',
    'p.png',
  ])
    expectError(await call(tool, args(path)), `Access denied: ${path}`);
  expect(await snapshot(folder)).toEqual(before);
});

test.each(NOTE_TOOLS)('%s: a name that no note has is not found, a folder neither', async (tool, args) => {
  const { call, folder } = await checked(withFolder(SEED));
  const before = await snapshot(folder);
  for (const path of ['sub', 'nowhere']) expectError(await call(tool, args(path)), `File not found: ${path}`);
  expect(await snapshot(folder)).toEqual(before);
});

test.each([WRITE, MOVE_TO])('%s: a new path needs its extension', async (tool, args) => {
  const { call, folder } = await checked(withFolder(SEED));
  const before = await snapshot(folder);
  for (const path of ['sub', 'new'])
    expectError(await call(tool, args(path)), `The path has no extension: ${path}`);
  expect(await snapshot(folder)).toEqual(before);
});

test.each([...NOTE_TOOLS, WRITE, MOVE_TO])('%s: Path traversal not allowed', async (tool, args) => {
  const { call, folder } = await checked(withFolder(SEED));
  const before = await snapshot(folder);
  for (const path of ['../a.md', 'sub/../../a.md', '/../a.md', '..\\a.md', 'sub/..', './..'])
    expectError(await call(tool, args(path)), `Path traversal not allowed: ${path}`);
  expect(await snapshot(folder)).toEqual(before);
});

test('a path with dots that are not a segment is not traversal', async () => {
  const { call } = await checked(withFolder({ 'a..b.md': '1', 'c.../d.md': '2', '...e.md': '3' }));
  expect((await call('read_note', { path: 'a..b.md' })).json.content).toBe('1');
  expect((await call('read_note', { path: 'c.../d.md' })).json.content).toBe('2');
});

test('Permission denied, when the file system refuses', async () => {
  const folder = await temporaryFolder({ 'secret.md': 'x', 'fixed/a.md': 'x' });
  await chmod(folder, 0o755);
  await chmod(join(folder, 'secret.md'), 0o000);
  await chmod(join(folder, 'fixed'), 0o555);
  const isRoot = process.getuid?.() === 0;
  const state = await temporaryFolder();
  await chmod(state, 0o777);
  const client = startRaw([folder], {
    env: { XDG_STATE_HOME: state },
    uid: isRoot ? 65_534 : undefined,
  });
  await initialize(client);
  const firstLine = async (tool: string, args: object) => {
    const { result } = await callTool(client, tool, args);
    expect(result.isError).toBe(true);
    return result.content[0].text.split('\n')[0];
  };
  expect(await firstLine('read_note', { path: 'secret.md' })).toBe('Error: Permission denied: secret.md');
  expect(await firstLine('write_note', { path: 'fixed/new.md', content: 'x' })).toBe(
    'Error: Permission denied: fixed/new.md',
  );
  expect(await firstLine('patch_note', { path: 'fixed/a.md', oldString: 'x', newString: 'y' })).toBe(
    'Error: Permission denied: fixed/a.md',
  );
  await chmod(join(folder, 'fixed'), 0o755);
});

test.each([
  ['write_note', { path: 'a.md', content: 'x', frontmatter: 'text' }],
  ['write_note', { path: 'a.md', content: 'x', frontmatter: ['list'] }],
  ['update_frontmatter', { path: 'a.md', frontmatter: 1 }],
])('%s: Invalid frontmatter', async (tool, args) => {
  const { call, folder } = await checked(withFolder(SEED));
  expectError(await call(tool, args), /^Invalid frontmatter: \S.+/);
  expect((await snapshot(folder))['a.md']).toBe('x\nx\n');
});

test('Deletion cancelled, when the confirmation differs', async () => {
  const { call } = await checked(withFolder(SEED));
  expectError(
    await call('delete_note', { path: 'a.md', confirmPath: 'sub/b.md' }),
    'Deletion cancelled: confirmation path does not match',
  );
});

test('Found n occurrences, when oldString is ambiguous', async () => {
  const { call } = await checked(withFolder(SEED));
  expectError(
    await call('patch_note', { path: 'a.md', oldString: 'x', newString: 'z' }),
    /^Found 2 occurrences.*Use replaceAll=true/,
  );
});

test('no error shows where the notebook is on the host', async () => {
  const outside = await temporaryFolder({ 'x.md': 'outside' });
  const { call, folder } = await checked(withFolder({ ...SEED, 'bad.md': Uint8Array.of(0xff) }));
  await symlink(join(outside, 'x.md'), join(folder, 'out.md'));
  await symlink('nowhere.md', join(folder, 'dangling.md'));
  await symlink('loop.md', join(folder, 'loop.md'));
  for (const path of [
    'no.md',
    '.git/config',
    '../x.md',
    'bad.md',
    'out.md',
    'dangling.md',
    'loop.md',
    'a.md/x.md',
    '/etc/passwd',
  ]) {
    // A link may be deleted, a file in another encoding moved, a new note written: no errors there.
    const others = NOTE_TOOLS.filter(([tool]) => !['delete_note', 'move_note'].includes(tool));
    for (const [tool, args] of path === 'bad.md' || path === 'no.md' ? others : [...others, WRITE]) {
      const { text, isError } = await call(tool, args(path));
      expect(isError, `${tool} ${path}: ${text}`).toBe(true);
      expect(text).not.toContain(folder);
      expect(text).not.toContain(outside);
      expect(text).not.toMatch(/\/tmp\/|\/proc\/|node:|at .*\.ts/);
    }
  }
  expect(await snapshot(outside)).toEqual({ 'x.md': 'outside' });
});
