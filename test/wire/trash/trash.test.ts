import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withSets, withSetsInFolder, withSetsInSpace, withSetsInTrilium } from '../../kit/note-sets.ts';
import { fileText, putFile } from '../../kit/temp.ts';
import { startTrilium, TOKEN as TRILIUM_TOKEN } from '../../kit/trilium/server.ts';
import { snapshot } from '../notebook/support.ts';

const TODAY = new Date().toISOString().slice(0, 10);
const SETS = ['trash'];
const remove = (path: string) => ({ path, confirmPath: path });

test('a deleted note is listed with its place, size and day, and comes back as it was', async () => {
  const { call, folder } = await withSetsInFolder(SETS, { 'projects/Plan.md': 'plan ü\r\n', 'keep.md': 'k' });
  await call('delete_note', remove('projects/Plan.md'));
  const listed = await call('list_trash');
  expect(listed.json).toEqual({
    total: 1,
    notes: [{ path: '.trash/projects/Plan.md', original: 'projects/Plan.md', size: 9, deleted: TODAY }],
  });
  const restored = await call('restore_note', { path: 'plan' });
  expect(restored.json).toEqual({ path: 'projects/Plan.md', from: '.trash/projects/Plan.md', size: 9 });
  expect(await fileText(folder, 'projects/Plan.md')).toBe('plan ü\r\n');
  expect((await call('list_trash')).json).toEqual({ total: 0, notes: [] });
  expect((await call('search_notes', { query: 'plan' })).text).toContain('projects/Plan.md');
  const { changes } = (await call('list_changes')).json;
  expect(changes[0]).toMatchObject({ tool: 'restore_note', canUndo: true });
  expect((await call('undo_changes', { id: changes[0].id })).json.success).toBe(true);
  expect((await call('list_trash')).json.total).toBe(1);
});

test('nothing is overwritten, and another place can be given', async () => {
  const { call, folder } = await withSetsInFolder(SETS, { 'a.md': 'old' });
  await call('delete_note', remove('a.md'));
  await call('write_note', { path: 'a.md', content: 'new' });
  const refused = await call('restore_note', { path: 'a.md' });
  expect(refused.isError).toBe(true);
  expect(refused.text).toMatch(/There is a note at this path: a\.md/);
  expect((await call('restore_note', { path: 'a.md', to: 'b.txt' })).text).toMatch(/Keep \.md/);
  expect((await call('restore_note', { path: 'a.md', to: 'old/b' })).json.path).toBe('old/b.md');
  expect(await fileText(folder, 'old/b.md')).toBe('old');
  expect(await fileText(folder, 'a.md')).toBe('new');
});

test('of several that stood at one path the latest comes back; a name that can mean two is refused', async () => {
  const { call, folder } = await withSetsInFolder(SETS, {
    'a.md': '1',
    'x/n.md': 'x',
    'y/n.md': 'y',
    'Week 1.md': 'w',
  });
  await call('delete_note', remove('a.md'));
  await new Promise((resolve) => setTimeout(resolve, 20));
  await call('write_note', { path: 'a.md', content: '2' });
  await call('delete_note', remove('a.md'));
  for (const path of ['x/n.md', 'y/n.md', 'Week 1.md']) await call('delete_note', remove(path));
  const { notes } = (await call('list_trash')).json;
  expect(notes.map(({ path, original }: Record<string, string>) => [path, original])).toEqual(
    expect.arrayContaining([
      ['.trash/a 1.md', 'a.md'],
      ['.trash/a.md', 'a.md'],
      ['.trash/Week 1.md', 'Week 1.md'],
    ]),
  );
  await call('restore_note', { path: 'a.md' });
  expect(await fileText(folder, 'a.md')).toBe('2');
  await call('restore_note', { path: '.trash/a.md', to: 'first.md' });
  expect(await fileText(folder, 'first.md')).toBe('1');
  expect((await call('restore_note', { path: 'n' })).text).toMatch(/can mean 2 deleted notes: .*x\/n\.md/);
  expect((await call('restore_note', { path: 'nowhere' })).text).toMatch(/Not in the trash: nowhere/);
});

test('long lists come in pages, and can be of one folder', async () => {
  const seed = Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`.trash/f/${at}.md`, 'x']));
  const { call } = await withSetsInFolder(SETS, { ...seed, '.trash/other.md': 'o', '.trash/.hidden': 'h' });
  const first = (await call('list_trash', { folder: 'f', limit: 3 })).json;
  expect(first).toMatchObject({ total: 5, next_cursor: expect.any(String) });
  const second = (await call('list_trash', { folder: 'f', limit: 3, cursor: first.next_cursor })).json;
  expect(second.notes).toHaveLength(2);
  expect((await call('list_trash')).json.total).toBe(6);
});

test('a trash that leads out of the notebook is not followed', async () => {
  const { call, folder } = await withSetsInFolder(SETS, { 'a.md': 'a' });
  const { symlink } = await import('node:fs/promises');
  await symlink('/', join(folder, '.trash'));
  const { isError, text } = await call('list_trash');
  expect(isError).toBe(true);
  expect(text).not.toContain('etc');
  expect((await call('restore_note', { path: '../../etc/passwd' })).isError).toBe(true);
});

test('empty_trash is withheld unless the setting allows it', async () => {
  const { call, client, folder } = await withSetsInFolder(SETS, { 'a.md': 'a' });
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('empty_trash');
  await call('delete_note', remove('a.md'));
  const answer = await call('empty_trash');
  expect(answer.isError).toBe(true);
  expect(answer.text).toContain('emptyTrash: true');
  expect(Object.keys(await snapshot(folder))).toContain('.trash/a.md');
  const kept = await withSetsInFolder(SETS, {}, { emptyTrash: true, noDelete: true });
  expect((await kept.call('empty_trash')).text).toContain('--no-delete');
  const reading = await withSetsInFolder(SETS, { '.trash/a.md': 'a' }, { emptyTrash: true, readOnly: true });
  expect((await reading.call('list_trash')).json.total).toBe(1);
  expect((await reading.call('restore_note', { path: 'a.md' })).isError).toBe(true);
});

test('empty_trash deletes for good, by age if wanted, and says before what it would delete', async () => {
  const { call, folder } = await withSetsInFolder(
    SETS,
    { '.trash/deep/a.md': 'aa', '_trash/2020-01/page.md': 'ppp', 'k.md': 'k' },
    { emptyTrash: true },
  );
  await utimes(join(folder, '.trash/deep/a.md'), 1, 1);
  const before = await snapshot(folder);
  const dry = await call('empty_trash', { dry_run: true });
  expect(dry.json).toMatchObject({ deleted: 2, bytes: 5, kept: 0, dry_run: true });
  expect(await snapshot(folder)).toEqual(before);
  const old = await call('empty_trash', { older_than_days: 30 });
  expect(old.json).toEqual({ deleted: 1, bytes: 3, kept: 1, paths: ['_trash/2020-01/page.md'] });
  expect((await call('empty_trash')).json).toMatchObject({ deleted: 1, paths: ['.trash/deep/a.md'] });
  const left = Object.entries(await snapshot(folder)).filter(([, text]) => text !== '(not a file)');
  expect(left).toEqual([['k.md', 'k']]);
});

test('where changes are reviewed, a note is proposed to come back, and nothing is deleted for good', async () => {
  const { call, folder } = await withSetsInFolder(SETS, {}, { review: 'all', emptyTrash: true });
  await putFile(folder, '.trash/a.md', 'a');
  const before = await snapshot(folder);
  const restored = await call('restore_note', { path: 'a.md' });
  expect(restored.json).toMatchObject({ path: 'a.md', note: 'The copy in the trash stays.' });
  expect(restored.text).toMatch(/propos/i);
  expect((await call('empty_trash')).json).toMatchObject({ deleted: 0, failed: [{ path: '.trash/a.md' }] });
  expect(await snapshot(folder)).toEqual(before);
});

test('a page of a SilverBullet comes back from _trash', async () => {
  const { call, disk } = await withSetsInSpace(SETS, { 'Inbox.md': 'alpha' }, { emptyTrash: true });
  await call('delete_note', remove('Inbox.md'));
  const { notes } = (await call('list_trash')).json;
  expect(notes).toEqual([
    {
      path: expect.stringMatching(/^_trash\/\d{4}-\d\d\/Inbox\.md$/),
      original: 'Inbox.md',
      size: 5,
      deleted: TODAY,
    },
  ]);
  expect((await call('restore_note', { path: 'Inbox' })).json.path).toBe('Inbox.md');
  expect(disk.text('Inbox.md')).toBe('alpha');
  expect((await call('list_trash')).json.total).toBe(0);
  await call('delete_note', remove('Inbox.md'));
  expect((await call('empty_trash', { older_than_days: 1 })).json).toMatchObject({ deleted: 0, kept: 1 });
  expect((await call('empty_trash')).json).toMatchObject({ deleted: 1, kept: 0 });
  expect((await call('list_trash')).json.total).toBe(0);
});

test('a note of a Trilium comes back to its place; what a Trilium cannot do is said', async () => {
  const { call, fake } = await withSetsInTrilium(SETS, [{ id: 'abcd', title: 'A', content: '<p>a</p>' }], {
    emptyTrash: true,
  });
  expect((await call('list_trash')).json).toEqual({ total: 0, notes: [] });
  await call('delete_note', remove('A.md'));
  const { notes } = (await call('list_trash')).json;
  expect(notes).toEqual([{ path: 'abcd', original: 'A', deleted: TODAY }]);
  expect((await call('list_trash', { folder: 'x' })).text).toContain('does not say where');
  expect((await call('restore_note', { path: 'A', to: 'B.md' })).text).toContain('the place it had');
  expect((await call('empty_trash')).text).toMatch(/trash of a Trilium cannot be emptied/);
  expect((await call('restore_note', { path: 'a' })).json).toEqual({ path: 'A.md', from: 'abcd' });
  expect(fake.text('abcd')).toBe('<p>a</p>');
  expect((await call('list_trash')).json.total).toBe(0);
  expect((await call('read_note', { path: 'A.md' })).text).toContain('a');
  const [change] = (await call('list_changes')).json.changes;
  expect(change.tool).toBe('restore_note');
  await call('undo_changes', { id: change.id });
  expect((await call('list_trash')).json.total).toBe(1);
});

test('an older Trilium cannot list what was deleted, and says so', async () => {
  const fake = await startTrilium({ version: '0.101.0', notes: [{ id: 'abcd', title: 'A' }] });
  const { call } = await withSets(SETS, { trilium: { url: fake.url, token: TRILIUM_TOKEN } });
  expect((await call('list_trash')).text).toMatch(/0\.102/);
});
