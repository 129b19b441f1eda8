/** History and undo of notes that another server keeps: a SilverBullet space and a Trilium. */
import { expect, test } from 'vitest';
import { pinnedNames } from '../../kit/pinned-tools.ts';
import { startProgram } from '../../kit/server.ts';
import { TOKEN as SPACE_TOKEN, startSilverBullet } from '../../kit/silverbullet/server.ts';
import { startTrilium, TOKEN } from '../../kit/trilium/server.ts';
import { desk } from './support.ts';

test('a page of a space is restored, by the assistant and at the terminal', async () => {
  const { url, disk } = await startSilverBullet({ files: { 'Inbox.md': 'alpha\n' } });
  const { env, quire } = await desk();
  const space = { SB_URL: url, SB_TOKEN: SPACE_TOKEN };
  const flags = ['silverbullet', '--transport', 'stdio', '--tools', 'all,history'];
  const { call, client } = await startProgram(flags, { env: { ...env, ...space } });
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual([
    ...pinnedNames('pages'),
    ...pinnedNames('pages-extended'),
    ...pinnedNames('history'),
  ]);
  await call('append_to_page', { page: 'Inbox', content: 'one' });
  const after = disk.text('Inbox.md');
  await call('append_to_page', { page: 'Inbox', content: 'two' });
  const [{ id }] = (await call('list_changes', { path: 'Inbox.md' })).json.changes;
  expect((await call('undo_changes', { id: 'x' })).json).toMatchObject({
    error: 'invalid_arguments',
    status: 400,
  });
  expect((await call('undo_changes', { id })).json.success).toBe(true);
  expect(disk.text('Inbox.md')).toBe(after);

  const undo = await quire('undo', '--last', '--sb-url', url, '--sb-token', SPACE_TOKEN);
  expect(undo).toMatchObject({ code: 0, stderr: '' });
  expect(disk.text('Inbox.md')).toBe('alpha\n');
});

test('a note of a Trilium is restored, by the assistant and at the terminal', async () => {
  const notes = [{ id: 'abcd', title: 'A', content: '<p>text</p>' }];
  const fake = await startTrilium({ notes });
  const { env, quire } = await desk();
  const place = { TRILIUM_URL: `${fake.url}/etapi`, TRILIUM_TOKEN: TOKEN };
  const { call, client } = await startProgram(['trilium', '--tools', 'history'], {
    env: { ...env, ...place },
  });
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual([...pinnedNames('trilium'), ...pinnedNames('history')]);
  await call('write_note', { noteId: 'abcd', mode: 'replace', content: '<p>first</p>' });
  await call('write_note', { noteId: 'abcd', mode: 'replace', content: '<p>second</p>' });
  expect(fake.text('abcd')).toBe('<p>second</p>');
  const { changes, outside } = (await call('list_changes', { path: 'abcd' })).json;
  expect(changes).toMatchObject([{ tool: 'write_note', notes: [{ path: 'abcd', title: 'A' }] }, {}]);
  expect(outside).toBeUndefined();
  expect((await call('undo_changes', { id: 'x' })).text).toMatch(/^\*\*Error\*\*: Not the id of a change/);
  expect((await call('undo_changes', { id: changes[0].id })).json.success).toBe(true);
  expect(fake.text('abcd')).toBe('<p>first</p>');

  const flags = ['--url', `${fake.url}/etapi`, '--token', TOKEN];
  expect((await quire('history', ...flags)).stdout).toContain('A (abcd');
  const undo = await quire('undo', '--last', ...flags);
  expect(undo).toMatchObject({ code: 0, stderr: '' });
  expect(fake.text('abcd')).toBe('<p>text</p>');
});
