/** The tools that flags remove or add, through the built binary. */

import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { pinnedTools } from '../../kit/pinned-tools.ts';
import { startBinary, withFolder } from '../../kit/server.ts';
import { temporaryFolder } from '../../kit/temp.ts';
import { TOOL_COUNT } from '../../kit/tool-count.ts';
import { SUBJECTS } from './bad-input-cases.ts';
import { expectError, snapshot, stamps } from './support.ts';

const SEED = { 'a.md': 'text\n', 'b.md': '[[a]]\n', 'sub/c.md': 'c\n' };
const PINNED = pinnedTools('notebook');
const READING = PINNED.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name);
const names = async (connected: Awaited<ReturnType<typeof startBinary>>) =>
  (await connected.client.listTools()).tools.map(({ name }) => name);

test('--read-only offers only tools that read', async () => {
  const connected = await startBinary(await temporaryFolder(SEED), ['--read-only']);
  expect(await names(connected)).toEqual(READING);
  for (const tool of READING)
    expect((await connected.call(tool, SUBJECTS[tool]?.good)).isError, tool).toBe(false);
});

test('--read-only refuses every other tool by name and says why', async () => {
  const folder = await temporaryFolder(SEED);
  const before = await snapshot(folder);
  const connected = await startBinary(folder, ['--read-only']);
  for (const tool of Object.keys(SUBJECTS).filter((name) => !READING.includes(name))) {
    const answer = await connected.call(tool, SUBJECTS[tool]?.good);
    expectError(answer, `${tool} is not offered`);
    expect(answer.text).toContain('--read-only');
  }
  expect(await snapshot(folder)).toEqual(before);
});

test('--read-only leaves the folder exactly as it is, litter of a crash included', async () => {
  const folder = await temporaryFolder({
    ...SEED,
    '.quire-00000000-999999-00000000-1.tmp': 'half',
    'sub/.quire-0123456789abcdef.lock': '00000000-999999-00000000',
  });
  for (const name of ['.quire-00000000-999999-00000000-1.tmp', 'sub/.quire-0123456789abcdef.lock'])
    await utimes(join(folder, name), 1_600_000_000, 1_600_000_000);
  const before = await stamps(folder);
  const connected = await startBinary(folder, ['--read-only']);
  await connected.call('search_notes', { query: 'text' });
  await connected.client.listResources();
  await connected.client.subscribeResource({ uri: 'note:///a.md' });
  // Long enough for the watch over all folders to begin.
  await sleep(900);
  await connected.client.close();
  expect(await stamps(folder)).toEqual(before);
});

test('--no-delete offers no delete_note, and no move may replace a note', async () => {
  const folder = await temporaryFolder(SEED);
  const connected = await startBinary(folder, ['--no-delete']);
  const offered = await names(connected);
  expect(offered).toHaveLength(TOOL_COUNT.notebook - 1);
  expect(offered).not.toContain('delete_note');
  const deletion = await connected.call('delete_note', { path: 'a.md', confirmPath: 'a.md' });
  expectError(deletion, 'delete_note is not offered');
  expect(deletion.text).toContain('--no-delete');
  const before = await snapshot(folder);
  expectError(
    await connected.call('move_note', { oldPath: 'a.md', newPath: 'b.md', overwrite: true }),
    'Overwriting is switched off: b.md',
  );
  expect(await snapshot(folder)).toEqual(before);
  expect((await connected.call('move_note', { oldPath: 'a.md', newPath: 'd.md' })).json.success).toBe(true);
  expect((await connected.call('write_note', { path: 'd.md', content: 'x' })).json.success).toBe(true);
});

test('--permanent-delete leaves no trace', async () => {
  const folder = await temporaryFolder(SEED);
  const { call } = await startBinary(folder, ['--permanent-delete']);
  const { json } = await call('delete_note', { path: 'a.md', confirmPath: 'a.md' });
  expect(json.message).toBe('Successfully deleted note: a.md (gone for good)');
  expect(Object.keys(await snapshot(folder)).sort()).toEqual(['b.md', 'sub', 'sub/c.md']);
});

test('without it a deleted note is kept in .trash', async () => {
  const folder = await temporaryFolder(SEED);
  const { call } = await startBinary(folder);
  await call('delete_note', { path: 'sub/c.md', confirmPath: 'sub/c.md' });
  expect((await snapshot(folder))['.trash/sub/c.md']).toBe('c\n');
});

test('--extensions decides what is a note', async () => {
  const bytes = Uint8Array.of(1, 2, 3);
  const folder = await temporaryFolder({
    ...SEED,
    'd.json': '{"k": "text"}',
    'p.PNG': bytes,
    'x.pdf': bytes,
  });
  const { call } = await startBinary(folder, ['--extensions', 'md, .json,.png,.pdf']);
  expect((await call('list_directory')).json.files.sort()).toEqual([
    'a.md',
    'b.md',
    'd.json',
    'p.PNG',
    'x.pdf',
  ]);
  expect((await call('read_note', { path: 'd.json' })).json).toEqual({ fm: {}, content: '{"k": "text"}' });
  expect(
    (await call('search_notes', { query: 'text' })).json.map(({ p }: { p: string }) => p).sort(),
  ).toEqual(['a.md', 'd.json']);
  const data = Buffer.from(bytes).toString('base64');
  expect((await call('read_note', { path: 'p.PNG' })).content[1]).toEqual({
    type: 'image',
    data,
    mimeType: 'image/png',
  });
  expect((await call('read_note', { path: 'x.pdf' })).content[1]).toEqual({
    type: 'resource',
    resource: { uri: 'note:///x.pdf', mimeType: 'application/pdf', blob: data },
  });
  expectError(await call('write_note', { path: 'n.txt', content: 'x' }), 'Access denied: n.txt');
  expect((await call('write_note', { path: 'n.json', content: '{}' })).json.success).toBe(true);
});

test('--ignore hides paths, any number of them', async () => {
  const folder = await temporaryFolder({
    ...SEED,
    'drafts/d.md': 'text',
    'x/old.md': 'text',
    'y/z/w.md': 'text',
  });
  const { call, client } = await startBinary(folder, [
    '--ignore',
    'drafts/**',
    '--ignore',
    '**/old.md,{y,q}/**',
  ]);
  expect((await call('list_directory')).json).toEqual({ dirs: ['sub', 'x'], files: ['a.md', 'b.md'] });
  for (const path of ['drafts/d.md', 'x/old.md', 'y/z/w.md', 'DRAFTS/d.md'])
    expectError(await call('read_note', { path }), `Access denied: ${path}`);
  expectError(
    await call('write_note', { path: 'drafts/new.md', content: 'x' }),
    'Access denied: drafts/new.md',
  );
  expectError(
    await call('move_note', { oldPath: 'a.md', newPath: 'drafts/a.md' }),
    'Access denied: drafts/a.md',
  );
  expect((await call('search_notes', { query: 'text' })).json).toHaveLength(1);
  expect((await client.listResources()).resources).toHaveLength(3);
});

test('a name without a slash is ignored at every depth', async () => {
  const { call } = await withFolder(
    { 'private/a.md': '', 'x/private/b.md': '', 'x/c.md': '' },
    { ignore: ['private'] },
  );
  expect((await call('list_directory')).json.dirs).toEqual(['x']);
  expect((await call('list_directory', { path: 'x' })).json).toEqual({ dirs: [], files: ['c.md'] });
});
