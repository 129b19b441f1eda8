import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { badlyRefused, type Subject } from '../../kit/bad-input.ts';
import { withSetsInFolder, withSetsInSpace, withSetsInTrilium } from '../../kit/note-sets.ts';
import { fileText, temporaryFolder } from '../../kit/temp.ts';
import { snapshot } from '../notebook/support.ts';

const SETS = ['daily', 'history'];
const SEED = {
  '.obsidian/daily-notes.json':
    '{"folder":"Journal","format":"YYYY/MM/YYYY-MM-DD","template":"Templates/Day"}',
  'Templates/Day.md':
    '---\ntags: [daily]\n---\n# {{title}}\n\n{{date:dddd}}\n\n## Log\n\n<% tp.file.cursor() %>\n',
  'Journal/2026/11/2026-11-18.md': '# 2026-11-18\n\n## Log\n\n- one\n\n## Later\n',
};
const open = (seed: Record<string, string> = SEED) => withSetsInFolder(SETS, seed);

test("a day's note is found where the vault keeps it, there or not", async () => {
  const { call, folder } = await open();
  const before = await snapshot(folder);
  expect((await call('get_periodic_note', { date: '2026-11-18' })).json).toEqual({
    path: 'Journal/2026/11/2026-11-18.md',
    date: '2026-11-18',
    exists: true,
    text: SEED['Journal/2026/11/2026-11-18.md'],
  });
  expect((await call('get_periodic_note', { date: '2026-11-19' })).json).toEqual({
    path: 'Journal/2026/11/2026-11-19.md',
    date: '2026-11-19',
    exists: false,
  });
  expect((await call('get_periodic_note', { period: 'week', date: '2026-11-19' })).json.path).toBe(
    '2026-W47.md',
  );
  expect(await snapshot(folder)).toEqual(before);
});

test('today is the day of the clock here', async () => {
  const { call } = await open({});
  const now = new Date();
  const [{ date }, yesterday, last] = [
    (await call('get_periodic_note')).json,
    (await call('get_periodic_note', { date: 'yesterday' })).json,
    (await call('get_periodic_note', { date: '-1' })).json,
  ];
  const days = [now, new Date()].map((day) =>
    new Date(day.getTime() - day.getTimezoneOffset() * 60_000).toJSON().slice(0, 10),
  );
  expect(days).toContain(date);
  expect(yesterday.path).toBe(last.path);
});

test('a note is made from its template, once, and Templater is named', async () => {
  const { call, folder } = await open();
  const { json } = await call('create_periodic_note', { date: '2026-11-19' });
  expect(json).toMatchObject({ path: 'Journal/2026/11/2026-11-19.md', created: true });
  expect(json.warning).toContain('Templater is not run');
  const text = '---\ntags: [daily]\n---\n# 2026-11-19\n\nThursday\n\n## Log\n\n<% tp.file.cursor() %>\n';
  expect(await fileText(folder, json.path)).toBe(text);
  expect((await call('create_periodic_note', { date: '2026-11-19' })).json.created).toBe(false);
  const { changes } = (await call('list_changes')).json;
  expect(changes).toHaveLength(1);
  await call('undo_changes', { id: changes[0].id });
  expect((await call('get_periodic_note', { date: '2026-11-19' })).json.exists).toBe(false);
});

test('text is added at the end or under a heading; the note and the heading are made', async () => {
  const { call, folder } = await open();
  const path = 'Journal/2026/11/2026-11-18.md';
  const add = (args: Record<string, unknown>) =>
    call('append_to_periodic_note', { date: '2026-11-18', ...args });
  await add({ content: '- two', heading: 'Log' });
  await add({ content: 'end' });
  await add({ content: 'x', heading: 'New' });
  expect(await fileText(folder, path)).toBe(
    '# 2026-11-18\n\n## Log\n\n- one\n- two\n\n## Later\n\nend\n\n## New\n\nx\n',
  );
  const { json } = await call('append_to_periodic_note', {
    date: '2026-11-20',
    content: 'first',
    heading: 'Log',
  });
  expect(json.created).toBe(true);
  expect(await fileText(folder, json.path)).toContain(
    'Friday\n\n## Log\n\n<% tp.file.cursor() %>\n\nfirst\n',
  );
  expect((await call('list_changes')).json.changes).toHaveLength(4);
  const week = await call('append_to_periodic_note', { period: 'week', date: '2026-11-18', content: '- a' });
  await call('append_to_periodic_note', { period: 'week', date: '2026-11-18', content: '- b\n' });
  expect(await fileText(folder, week.json.path)).toBe('- a\n- b\n');
});

test('a template that is missing is named, and the note begins empty', async () => {
  const { call } = await open({ '.obsidian/daily-notes.json': '{"template":"Nowhere/Day"}' });
  const { json } = await call('create_periodic_note', { date: '2026-11-19' });
  expect(json).toMatchObject({ path: '2026-11-19.md', created: true });
  expect(json.warning).toContain('"Nowhere/Day" could not be read');
});

test('settings outside the folder, too large or broken are not followed', async () => {
  const outside = await temporaryFolder({ 'daily-notes.json': '{"folder":"Stolen"}' });
  const linked = await open({ '.obsidian/app.json': '{}' });
  await symlink(join(outside, 'daily-notes.json'), join(linked.folder, '.obsidian/daily-notes.json'));
  const { json } = await linked.call('get_periodic_note', { date: '2026-11-19' });
  expect(json.path).toBe('2026-11-19.md');
  expect(json.warning).toContain('.obsidian/daily-notes.json could not be read');
  const large = await open({});
  const other = await open({ '.obsidian/daily-notes.json': `{"folder":"${'x'.repeat(300_000)}"}` });
  expect((await other.call('get_periodic_note', { date: '2026-11-19' })).json.warning).toContain('Too large');
  await writeFile(join(large.folder, '.obsidian'), 'a file');
  expect((await large.call('get_periodic_note', { date: '2026-11-19' })).json.path).toBe('2026-11-19.md');
});

test('in a Logseq graph text becomes blocks', async () => {
  const edn = '{:default-templates {:journals "Daily"}}';
  const { call, folder } = await open({ 'logseq/config.edn': edn });
  const { json } = await call('append_to_periodic_note', { date: '2026-11-18', content: 'one\nmore\n\ntwo' });
  expect(json).toMatchObject({ path: 'journals/2026_11_18.md', created: true });
  expect(json.warning).toContain('templates of Logseq');
  await call('append_to_periodic_note', { date: '2026-11-18', content: 'three' });
  expect(await fileText(folder, json.path)).toBe('- one\n  more\n- two\n- three\n');
  expect((await call('get_periodic_note', { period: 'week' })).text).toContain('Logseq keeps notes of days');
});

const WHICH = { period: 'choice', date: 'day' } as const;
const SUBJECTS: Record<string, Subject> = {
  get_periodic_note: { good: {}, parameters: WHICH, required: [] },
  create_periodic_note: { good: {}, parameters: WHICH, required: [] },
  append_to_periodic_note: {
    good: { content: 'x' },
    parameters: { ...WHICH, content: 'query', heading: 'oneLine' },
    required: ['content'],
  },
};

test.each(Object.keys(SUBJECTS))('%s refuses every bad value by name and writes nothing', async (tool) => {
  const { call, folder } = await open();
  const before = await snapshot(folder);
  const wrong = await badlyRefused(tool, SUBJECTS, call, ({ isError, text }) => {
    if (!isError) return { wrong: 'accepted' };
    return /^Error: (?!Internal)/.test(text) ? { words: text } : { wrong: 'wrong form' };
  });
  // Two values that are bad elsewhere mean something here: tomorrow is a day, and text may be long.
  const fine = /date a word|content a megabyte/;
  expect(wrong.filter((line) => !fine.test(line))).toEqual([]);
  if (tool === 'get_periodic_note') expect(await snapshot(folder)).toEqual(before);
});

test('on a SilverBullet space', async () => {
  const { call, disk } = await withSetsInSpace(SETS, {
    'Library/Journal.md':
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of SilverBullet
      '---\ntags: meta/template/page\nsuggestedName: "Diary/${date.today()}"\n---\n# ${date.today()}\n\n* |^|\n',
  });
  const { json } = await call('append_to_periodic_note', { date: '2026-11-18', content: 'x' });
  expect(json).toMatchObject({ path: 'Diary/2026-11-18.md', created: true });
  expect(disk.text('Diary/2026-11-18.md')).toBe('# 2026-11-18\n\n* \n\nx\n');
  expect((await call('get_periodic_note', { period: 'year' })).text).toContain(
    'SilverBullet keeps notes of days',
  );
  const set = await withSetsInSpace(SETS, {
    'CONFIG.md': '```space-lua\nconfig.set("journal.prefix", "Log/")\n```\n',
    'Library/Std/Journal/Template.md':
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of SilverBullet
      '---\ntags: meta/template\nfrontmatter: |\n  tags: ${config.get("journal.tag")}\n  date: ${date.today()}\n---\n* |^|',
  });
  await set.call('append_to_periodic_note', { date: '2026-11-18', content: '* x' });
  expect(set.disk.text('Log/2026-11-18.md')).toBe('---\ntags: journal\ndate: 2026-11-18\n---\n*\n* x\n');
});

test('on a Trilium, in its own calendar', async () => {
  const { call, fake } = await withSetsInTrilium(SETS, [{ id: 'abcd', title: 'A', content: '<p>text</p>' }]);
  const day = { date: '2026-11-18' };
  const count = fake.db.notes.size;
  expect((await call('get_periodic_note', day)).json).toEqual({ date: '2026-11-18', exists: false });
  expect(fake.db.notes.size).toBe(count);
  const { json } = await call('append_to_periodic_note', { ...day, content: 'entry' });
  expect(json).toMatchObject({ path: 'Calendar/2026/11 - November/18 - Wednesday.md', created: true });
  expect((await call('get_periodic_note', day)).json).toMatchObject({
    exists: true,
    text: expect.stringContaining('entry'),
  });
  expect((await call('create_periodic_note', { ...day, period: 'month' })).json).toMatchObject({
    created: false,
  });
  expect((await call('get_periodic_note', { period: 'quarter' })).text).toContain('no notes of quarters');
  const { changes } = (await call('list_changes')).json;
  expect(changes).toHaveLength(1);
  await call('undo_changes', { id: changes[0].id });
  expect((await call('get_periodic_note', day)).json.exists).toBe(false);
});
