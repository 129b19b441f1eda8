import { expect, test } from 'vitest';
import { badlyRefused, type Subject } from '../../kit/bad-input.ts';
import { withSetsInFolder, withSetsInSpace, withSetsInTrilium } from '../../kit/note-sets.ts';
import { fileText, putFile } from '../../kit/temp.ts';
import { snapshot } from '../notebook/support.ts';

const SETS = ['sections', 'history'];
const PLAN =
  '---\ntitle: The Plan\n---\nIntro ^intro\r\n\r\n# Plan\r\n\r\ntext\r\n\r\n## Log\r\n\r\n- one ^one\r\n\r\nGoals\r\n-----\r\n\r\ngoal\r\n\r\n# Log\r\n\r\nend\r\n';
const SEED = { 'projects/plan.md': PLAN, 'a.md': '# A\n', 'b.md': 'no heading\n' };
const open = () => withSetsInFolder(SETS, SEED);

test('an outline has headings with their places and sizes, and block ids', async () => {
  const { call } = await open();
  expect((await call('get_outline', { path: 'The Plan' })).json).toEqual({
    path: 'projects/plan.md',
    lines: 22,
    characters: PLAN.length,
    headings: [
      { heading: 'Plan', level: 1, line: 6, characters: 66 },
      { heading: 'Plan > Log', level: 2, line: 10, characters: 24, blocks: ['^one'] },
      { heading: 'Plan > Goals', level: 2, line: 14, characters: 24 },
      { heading: 'Log', level: 1, line: 19, characters: 14 },
    ],
    blocks: ['^intro'],
  });
  expect((await call('get_outline', { path: 'b' })).json).toMatchObject({ headings: [], lines: 2 });
});

test('a long outline comes in pages', async () => {
  const long = Array.from({ length: 3_000 }, (_, at) => `# Heading number ${at}\n`).join('');
  const { call } = await withSetsInFolder(SETS, { 'long.md': long });
  const first = (await call('get_outline', { path: 'long' })).json;
  const rest = (await call('get_outline', { path: 'long', cursor: first.next_cursor })).json;
  expect(rest.headings[0].line).toBe(first.headings.length + 1);
});

test.each([
  [{ heading: 'Goals' }, 'Goals\r\n-----\r\n\r\ngoal\r\n\r\n'],
  [{ heading: 'Plan > Log' }, '## Log\r\n\r\n- one ^one\r\n\r\n'],
  [{ heading: 'Plan/Log' }, '## Log\r\n\r\n- one ^one\r\n\r\n'],
  [{ heading: 'Log' }, '# Log\r\n\r\nend\r\n'],
  [{ heading: 'Log', line: 19 }, '# Log\r\n\r\nend\r\n'],
  [{ block: '^one' }, '- one ^one\r\n'],
  [{ block: 'intro' }, 'Intro ^intro\r\n'],
])('read_section %j', async (wanted, text) => {
  const { call } = await open();
  expect((await call('read_section', { path: 'plan', ...wanted })).json.text).toBe(text);
});

test('what is ambiguous, missing or both is refused with what is there', async () => {
  const { call } = await withSetsInFolder(SETS, { 'a.md': '# A\n## Log\n# B\n## Log\n' });
  const read = async (wanted: Record<string, unknown>) =>
    (await call('read_section', { path: 'a', ...wanted })).text;
  expect(await read({ heading: 'Log' })).toMatch(
    /can mean 2 sections.*A > Log \(line 2\), B > Log \(line 4\)/s,
  );
  expect(await read({ heading: 'Lgo' })).toContain('The note has: A, A > Log, B, B > Log');
  expect(await read({ block: 'x' })).toContain('No such block');
  expect(await read({})).toContain('Give either heading or block');
  expect(await read({ heading: 'A', block: 'x' })).toContain('Give either heading or block');
});

test('text is added, replaced and inserted in its place, each time as one change', async () => {
  const { call, folder } = await open();
  const edit = async (args: Record<string, unknown>) => {
    const { json } = await call('edit_section', { path: 'plan', ...args });
    return [json, await fileText(folder, 'projects/plan.md')] as const;
  };
  let expected = PLAN.replace('- one ^one\r\n', '- one ^one\r\n- two\r\n');
  expect((await edit({ heading: 'Plan > Log', mode: 'append', content: '- two' }))[1]).toBe(expected);
  expected = expected.replace('- one', '- zero\r\n- one');
  expect((await edit({ block: 'one', mode: 'before', content: '- zero\n' }))[1]).toBe(expected);
  const shown = await edit({ heading: 'Goals', mode: 'replace', content: 'new', dry_run: true });
  expect(shown).toEqual([
    { path: 'projects/plan.md', heading: 'Plan > Goals', removed: 'goal\r', added: 'new\r' },
    expected,
  ]);
  expected = expected.replace('goal', 'new');
  expect((await edit({ heading: 'Goals', mode: 'replace', content: 'new' }))[1]).toBe(expected);
  const [made, after] = await edit({
    heading: 'Plan > Risks',
    mode: 'append',
    content: 'none',
    create: true,
  });
  expect(made).toMatchObject({ heading: 'Plan > Risks', created: true });
  expect(after).toBe(expected.replace('# Log\r\n\r\nend', '## Risks\r\n\r\nnone\r\n\r\n# Log\r\n\r\nend'));
  const { changes } = (await call('list_changes')).json;
  expect(changes).toHaveLength(4);
  await call('undo_changes', { id: changes[0].id });
  expect(await fileText(folder, 'projects/plan.md')).toBe(expected);
  expect(
    (await call('edit_section', { path: 'plan', heading: 'Goals', mode: 'after', content: 'x' })).text,
  ).toContain('mode');
  expect(
    (await call('edit_section', { path: 'plan', block: 'one', mode: 'append', content: 'x' })).text,
  ).toContain('mode');
  expect(
    (await call('edit_section', { path: 'plan', heading: 'None', mode: 'append', content: 'x' })).text,
  ).toContain('No such heading');
});

test('a section is not replaced when the note was changed after it was read', async () => {
  const { call, client, folder } = await open();
  const read = await client.callTool({ name: 'read_section', arguments: { path: 'plan', heading: 'Goals' } });
  await putFile(folder, 'projects/plan.md', PLAN.replace('goal', 'other'));
  const version = read._meta?.['quire/version'];
  const replace = {
    path: 'plan',
    heading: 'Goals',
    mode: 'replace',
    content: 'x',
    expected_version: version,
  };
  expect((await call('edit_section', replace)).text).toContain('Note changed since you read it');
  const append = { path: 'plan', heading: 'Goals', mode: 'append', content: 'x' };
  expect((await call('edit_section', { ...append, expected_version: version })).isError).toBe(true);
  expect((await call('edit_section', append)).isError).toBe(false);
});

const WHICH = { path: 'notePath', heading: 'oneLine', line: 'limit', block: 'id' } as const;
const SUBJECTS: Record<string, Subject> = {
  get_outline: {
    good: { path: 'a.md' },
    parameters: { path: 'notePath', cursor: 'strictCursor' },
    required: ['path'],
  },
  read_section: {
    good: { path: 'a.md', heading: 'A' },
    parameters: { ...WHICH, offset: 'offset' },
    required: ['path'],
  },
  edit_section: {
    good: { path: 'a.md', heading: 'A', mode: 'append', content: 'x' },
    parameters: {
      ...WHICH,
      mode: 'mode',
      content: 'text',
      create: 'boolean',
      level: 'limit',
      dry_run: 'boolean',
    },
    required: ['path', 'mode', 'content'],
  },
};

test.each(Object.keys(SUBJECTS))('%s refuses every bad value by name and writes nothing', async (tool) => {
  const { call, folder } = await open();
  const before = await snapshot(folder);
  const wrong = await badlyRefused(tool, SUBJECTS, call, ({ isError, text }) => {
    if (!isError) return { wrong: 'accepted' };
    return /^Error: (?!Internal)/.test(text) ? { words: text } : { wrong: 'wrong form' };
  });
  // `replace` is a mode here.
  expect(wrong.filter((line) => !line.includes('mode another word'))).toEqual([]);
  for (const bad of [7, true, ['x'], 'x'.repeat(300)])
    expect(
      (await call('edit_section', { ...SUBJECTS.edit_section!.good, expected_version: bad })).isError,
    ).toBe(true);
  if (tool !== 'edit_section') expect(await snapshot(folder)).toEqual(before);
});

test('on a SilverBullet space', async () => {
  const { call, disk } = await withSetsInSpace(SETS, { 'Inbox.md': '# In\n\ntext ^t\n' });
  expect((await call('get_outline', { path: 'Inbox' })).json.headings).toMatchObject([{ blocks: ['^t'] }]);
  await call('edit_section', { path: 'Inbox', heading: 'In', mode: 'prepend', content: 'first' });
  await call('edit_section', { path: 'Inbox', block: 't', mode: 'after', content: 'last' });
  expect(disk.text('Inbox.md')).toBe('# In\n\nfirst\n\ntext ^t\n\nlast\n');
});

test('on a Trilium', async () => {
  const { call, fake } = await withSetsInTrilium(SETS, [
    { id: 'inbox1', title: 'Inbox', content: '<h2>In</h2><p>text</p><h2>Out</h2>' },
  ]);
  const { json } = await call('get_outline', { path: 'Inbox' });
  expect(json.headings).toMatchObject([{ heading: 'In', level: 2 }, { heading: 'Out' }]);
  await call('edit_section', { path: 'Inbox', heading: 'In', mode: 'append', content: 'more' });
  expect(fake.text('inbox1')).toBe('<h2>In</h2><p>text</p><p>more</p><h2>Out</h2>');
  expect((await call('read_section', { path: 'Inbox', heading: 'In' })).json.text).toContain('more');
});
