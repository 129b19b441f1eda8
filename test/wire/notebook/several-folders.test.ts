import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProgram } from '../../kit/server.ts';
import { fileText, putFile, temporaryFolder } from '../../kit/temp.ts';
import { TOOL_COUNT } from '../../kit/tool-count.ts';
import { run } from './raw-client.ts';
import { expectError } from './support.ts';

const TWO = { 'notes/a.md': '# Alpha\n\nFerns at home.\n', 'Work Stuff/b.md': '# Beta\n\nFerns at work.\n' };

async function twoFolders() {
  const folder = await temporaryFolder(TWO);
  return { folder, notes: join(folder, 'notes'), work: join(folder, 'Work Stuff') };
}

test('several folders are served at once, each under its name', async () => {
  const { notes, work } = await twoFolders();
  const { client, call } = await startProgram([notes, work]);
  const { tools } = await client.listTools();
  expect(tools).toHaveLength(2 * TOOL_COUNT.notebook);
  expect(tools.every(({ name }) => /^(notes|work-stuff)_[a-z_]+$/.test(name))).toBe(true);
  expect(client.getInstructions()).toMatch(/^Notebooks: notes, work-stuff\. /);

  expect((await call('notes_read_note', { path: 'a.md' })).json.content).toContain('Ferns at home');
  expect((await call('work-stuff_search_notes', { query: 'ferns' })).json).toMatchObject([{ p: 'b.md' }]);
  expectError(await call('notes_read_note', { path: 'b.md' }), /File not found/);
  await call('work-stuff_write_note', { path: 'new.md', content: 'New.' });
  expect(await fileText(work, 'new.md')).toBe('New.');
});

test('their notes are resources at addresses with their names', async () => {
  const { notes, work } = await twoFolders();
  await putFile(work, 'c.md', '# Gamma\n');
  const { client } = await startProgram([notes, work]);
  const first = await client.listResources();
  const uris = first.resources.map(({ uri }) => uri);
  expect(uris).toEqual(['note://notes/a.md', 'note://work-stuff/b.md', 'note://work-stuff/c.md']);
  const { contents } = await client.readResource({ uri: 'note://work-stuff/c.md' });
  expect(contents).toMatchObject([{ uri: 'note://work-stuff/c.md', text: '# Gamma\n' }]);
  await expect(client.readResource({ uri: 'note:///a.md' })).rejects.toThrow('not found');
  await expect(client.readResource({ uri: 'note://notes/c.md' })).rejects.toThrow('not found');
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
    'note://notes/{+path}',
    'note://work-stuff/{+path}',
  ]);
  const completed = await client.complete({
    ref: { type: 'ref/resource', uri: 'note://work-stuff/{+path}' },
    argument: { name: 'path', value: 'c' },
  });
  expect(completed.completion.values).toEqual(['c.md']);
});

test('each has its history, its tool sets and its review', async () => {
  const { folder, notes, work } = await twoFolders();
  await putFile(
    folder,
    'quire.yaml',
    `notebooks:
  notes: { folder: ${JSON.stringify(notes)}, toolSets: [history, links] }
  work: { folder: ${JSON.stringify(work)}, review: all }
  read: { folder: ${JSON.stringify(work)}, readOnly: true, tools: vault }
state: { dir: ${JSON.stringify(join(folder, 'state'))} }
`,
  );
  const { client, call } = await startProgram(['--config', join(folder, 'quire.yaml')]);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['notes_undo_changes', 'work_list_proposals', 'read_vault_read']),
  );
  expect(names).not.toContain('read_vault_write');

  await call('notes_write_note', { path: 'a.md', content: 'Other.' });
  expect(await fileText(notes, 'a.md')).toBe('Other.');
  const { changes } = (await call('notes_list_changes')).json;
  expect((await call('notes_undo_changes', { id: changes[0].id })).isError).toBe(false);
  expect(await fileText(notes, 'a.md')).toBe(TWO['notes/a.md']);

  await call('work_write_note', { path: 'b.md', content: 'Proposed.' });
  expect(await fileText(work, 'b.md')).toBe(TWO['Work Stuff/b.md']);
  expect((await call('work_list_proposals')).json.proposals).toHaveLength(1);
  const { contents } = await client.readResource({ uri: 'quire://proposals' });
  expect(JSON.stringify(contents)).toContain('b.md');
});

test('a folder may be inside another, and folders of one name are told apart', async () => {
  const folder = await temporaryFolder({ 'all/notes/x.md': 'X', 'b/notes/y.md': 'Y' });
  const { call } = await startProgram(['all', 'all/notes', 'b/notes'].map((one) => join(folder, one)));
  expect((await call('all_read_note', { path: 'notes/x.md' })).json.content).toBe('X');
  expect((await call('notes_list_directory')).json.files).toEqual(['x.md']);
  expect((await call('notes-2_list_directory')).json.files).toEqual(['y.md']);
});

test('a folder given twice, one that is missing and a file are refused by name', async () => {
  const { folder, notes, work } = await twoFolders();
  await mkdir(join(folder, 'links'));
  await symlink(notes, join(folder, 'links/n'));
  const refusal = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    return stderr;
  };
  expect(await refusal(notes, `${notes}/`)).toBe(
    `quire: The same folder is given twice: ${notes} and ${notes}/\nLeave one of them out.\n`,
  );
  expect(await refusal(notes, work, join(folder, 'links/n'))).toContain('The same folder is given twice');
  expect(await refusal(notes, join(folder, 'none'))).toContain(`No such folder: ${folder}/none`);
  expect(await refusal(notes, join(notes, 'a.md'))).toContain(`${notes}/a.md is a file, not a folder`);
});
