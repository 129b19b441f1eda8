/** A place for the history that cannot be used, and settings about it, with real processes. */
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startProgram } from '../kit/server.ts';
import { fileText, temporaryFolder } from '../kit/temp.ts';

async function served(history: string, files: Record<string, string> = {}) {
  const folder = await temporaryFolder({ 'notes/a.md': 'old\n', 'notes/b.md': 'b\n', ...files });
  const config = join(folder, 'quire.yaml');
  await writeFile(
    config,
    `notebooks:\n  notes: { folder: ./notes }\nstate: { dir: ${join(folder, 'state')} }\n${history}`,
  );
  const server = await startProgram(['notebook', '--config', config]);
  return { folder, ...server, text: (name: string) => fileText(folder, `notes/${name}`) };
}

/** Where the folder should be there is a file, as if the disk were read-only: also for a superuser. */
const BLOCKED = { 'state/history': 'in the way' };
const write = ['write_note', { path: 'a.md', content: 'new\n' }] as const;

describe('a state folder that cannot be written to', () => {
  test('refuses every change and says how to go on; reading goes on, and so does writing once it works', async () => {
    const { call, text, folder } = await served('', BLOCKED);
    for (const [tool, args] of [
      write,
      ['patch_note', { path: 'a.md', oldString: 'old', newString: 'new' }],
      ['delete_note', { path: 'a.md', confirmPath: 'a.md' }],
      ['move_note', { oldPath: 'a.md', newPath: 'c.md' }],
      ['move_note', { oldPath: 'a.md', newPath: 'b.md', overwrite: true }],
      ['write_note', { path: 'new.md', content: 'x' }],
    ] as const) {
      const refused = await call(tool, args);
      expect(refused.isError).toBe(true);
      expect(refused.text).toContain('The change cannot be recorded, so it was not made');
      expect(refused.text).toContain('history.required');
    }
    expect((await readdir(join(folder, 'notes'))).sort()).toEqual(['a.md', 'b.md']);
    expect([await text('a.md'), await text('b.md')]).toEqual(['old\n', 'b\n']);
    expect((await call('read_note', { path: 'a.md' })).text).toContain('old');
    await rm(join(folder, 'state/history'));
    expect((await call(...write)).isError).toBe(false);
    expect(await text('a.md')).toBe('new\n');
  });

  test('with required: false, changes are made, and the log says that they are not recorded', async () => {
    const { call, text, stderr } = await served('history: { required: false }\n', BLOCKED);
    expect((await call(...write)).isError).toBe(false);
    expect((await call('delete_note', { path: 'b.md', confirmPath: 'b.md' })).isError).toBe(false);
    expect(await text('a.md')).toBe('new\n');
    expect(stderr()).toContain('a change is made without a record');
  });
});

test('the history is outside the notes, for its owner alone, and has the change before it is answered', async () => {
  const { call, folder } = await served('');
  expect((await call(...write)).isError).toBe(false);
  const [place] = await readdir(join(folder, 'state/history'));
  const base = join(folder, 'state/history', place!);
  const files = await readdir(base);
  for (const name of files) expect([name, (await stat(join(base, name))).mode & 0o077]).toEqual([name, 0]);
  expect((await stat(base)).mode & 0o077).toBe(0);
  const lines = await readFile(join(base, files.find((name) => name.endsWith('.changes'))!), 'utf8');
  const [begun, ended] = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(begun).toMatchObject({
    notebook: 'notes',
    tool: 'write_note',
    by: { client: 'test 1', session: 'stdio' },
    edit: { kind: 'write', path: 'a.md' },
  });
  expect(ended).toMatchObject({ end: begun.id, state: 'done' });
  expect(await readdir(join(folder, 'notes'))).toEqual(['a.md', 'b.md']);
});

test('history: off records nothing', async () => {
  const { call, folder } = await served('history: "off"\n');
  expect((await call(...write)).isError).toBe(false);
  expect(await readdir(join(folder, 'state')).catch(() => [])).not.toContain('history');
});
