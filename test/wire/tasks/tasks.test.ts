import { describe, expect, test } from 'vitest';
import { badlyRefused, type Subject } from '../../kit/bad-input.ts';
import { withSetsInFolder, withSetsInSpace, withSetsInTrilium } from '../../kit/note-sets.ts';
import { fileText } from '../../kit/temp.ts';
import { snapshot } from '../notebook/support.ts';

const SETS = ['tasks', 'history'];
const SEED = {
  '.obsidian/app.json': '{}',
  'Inbox.md':
    '---\naliases: [In]\n---\n# Inbox\n\n- [ ] call the plumber ⏫ 📅 2026-11-20 #home @kim ^call\n  - [ ] find the number\n    at home\n- [x] pay rent\n\n## Later\n\ntext\n',
  'Work/Plan.md':
    '# Plan\n\n- [ ] write [due:: 2026-11-20] (owner:: Ana Maria)\n- [ ] review 🔼\n- [-] dropped\n- [ ] water 🔁 every week 📅 2026-11-30\n- [ ] odd 🔁 every weekday 📅 2026-11-30\n',
  'Space.md': '* [ ] sweep [due: "2026-12-01"] #home/floor\n',
  'Plain.md': '- [ ] mow @due(2026-12-24)\n- [ ] mow again due:2026-12-25\n',
};
const open = (seed: Record<string, string> = SEED) => withSetsInFolder(SETS, seed);

describe('list_tasks', () => {
  const FILTERS: readonly [Record<string, unknown>, string[]][] = [
    [{}, ['call', 'write', 'water', 'odd', 'sweep', 'mow', 'mow again', 'review', 'find']],
    [{ state: 'done' }, ['pay']],
    [{ state: '-' }, ['dropped']],
    [{ due_before: '2026-11-20' }, ['call', 'write']],
    [{ due_after: '2026-12-24' }, ['mow', 'mow again']],
    [{ tag: '#home' }, ['call', 'sweep']],
    [{ owner: '@kim' }, ['call']],
    [{ owner: 'ana' }, ['write']],
    [{ folder: 'Work/' }, ['write', 'water', 'odd', 'review']],
    [{ path: 'In', state: 'all' }, ['call', 'find', 'pay']],
    [{ text: 'MOW' }, ['mow', 'mow again']],
    [{ folder: 'Nowhere' }, []],
  ];

  test('by state, day, tag, owner, folder, note and text', async () => {
    const { call } = await open();
    for (const [args, words] of FILTERS) {
      const { json } = await call('list_tasks', args);
      expect([args, json.total, json.tasks.map(({ text }: { text: string }) => text)]).toEqual([
        args,
        words.length,
        words.map((word) => expect.stringMatching(new RegExp(`^${word}`))),
      ]);
    }
  });

  test('one task with all that is known of it', async () => {
    const { call } = await open();
    expect((await call('list_tasks', { limit: 1 })).json).toMatchObject({
      tasks: [
        {
          path: 'Inbox.md',
          line: 6,
          state: ' ',
          due: '2026-11-20',
          priority: 'high',
          owners: ['kim'],
          tags: ['home'],
        },
      ],
      total: 9,
    });
  });

  test('pages of a list follow each other, also when a task is gone', async () => {
    const { call } = await open();
    const first = (await call('list_tasks', { limit: 4 })).json;
    await call('check_task', { path: 'Work/Plan.md', text: 'odd' });
    const second = (await call('list_tasks', { limit: 4, cursor: first.next_cursor })).json;
    expect(second.tasks.map(({ due }: { due?: string }) => due)).toEqual([
      '2026-12-01',
      '2026-12-24',
      '2026-12-25',
      undefined,
    ]);
    expect((await call('list_tasks', { limit: 4, cursor: second.next_cursor })).json.tasks).toHaveLength(1);
  });
});

describe('check_task', () => {
  test('sets the state alone where no task has a done date', async () => {
    const { call, folder } = await open();
    const { json } = await call('check_task', { path: 'In', text: 'call the plumber' });
    expect(json).toMatchObject({ path: 'Inbox.md', line: 6, state: 'x' });
    expect(await fileText(folder, 'Inbox.md')).toBe(SEED['Inbox.md'].replace('[ ] call', '[x] call'));
    expect((await call('check_task', { path: 'In', text: 'call' })).json.unchanged).toBe(true);
  });

  test('adds the date where others have it, or the plugin says so, and takes it out again', async () => {
    const today = expect.stringMatching(/^a 📅 2026-01-01 ✅ \d{4}-\d\d-\d\d \^id$/);
    const done = { 'b.md': '- [x] b ✅ 2026-01-01\n' };
    const task = '- [ ] a 📅 2026-01-01 ^id\n';
    const byExample = await open({ 'a.md': task, ...done });
    expect((await byExample.call('check_task', { path: 'a', text: 'a' })).json.text).toEqual(today);
    await byExample.call('check_task', { path: 'a', text: 'a', state: ' ' });
    expect(await fileText(byExample.folder, 'a.md')).toBe(task);

    const plugin = '.obsidian/plugins/obsidian-tasks-plugin/data.json';
    const bySetting = await open({ 'a.md': task, [plugin]: '{"globalFilter":""}' });
    expect((await bySetting.call('check_task', { path: 'a', text: 'a' })).json.text).toEqual(today);

    const without = await open({ 'a.md': task, ...done, [plugin]: '{"setDoneDate":false}' });
    expect((await without.call('check_task', { path: 'a', text: 'a' })).json.text).toBe(
      'a 📅 2026-01-01 ^id',
    );
  });

  test('makes the next one of a simple rule, and says when it does not', async () => {
    const { call, folder } = await open();
    const { json } = await call('check_task', { path: 'Plan', text: 'water' });
    expect(json.next).toBe('water 🔁 every week 📅 2026-12-07');
    expect(await fileText(folder, 'Work/Plan.md')).toContain(
      '- [ ] water 🔁 every week 📅 2026-12-07\n- [x] water 🔁 every week 📅 2026-11-30\n',
    );
    const odd = (await call('check_task', { path: 'Plan', text: 'odd' })).json;
    expect(odd.warning).toContain('The next one was not made');
    expect(odd.next).toBeUndefined();
  });
});

describe('change_task', () => {
  test.each([
    ['call', { due: '2027-01-01' }, 'call the plumber ⏫ 📅 2027-01-01 #home @kim ^call'],
    ['call', { due: 'none', priority: 'none' }, 'call the plumber #home @kim ^call'],
    [
      'call',
      { priority: 'low', start: '2026-11-01' },
      'call the plumber 🔽 📅 2026-11-20 #home @kim 🛫 2026-11-01 ^call',
    ],
    ['call', { owner: 'ana' }, 'call the plumber ⏫ 📅 2026-11-20 #home @ana ^call'],
    ['number', { due: '2026-11-19' }, 'find the number 📅 2026-11-19'],
    ['write', { due: '2026-11-21', owner: 'Kim' }, 'write [due:: 2026-11-21] (owner:: Kim)'],
    ['write', { priority: 'high' }, 'write [due:: 2026-11-20] (owner:: Ana Maria) [priority:: high]'],
    ['sweep', { due: '2026-12-02' }, 'sweep [due: "2026-12-02"] #home/floor'],
    ['mow @', { due: '2026-12-26' }, 'mow @due(2026-12-26)'],
    [
      'again',
      { due: '2026-12-26', scheduled: '2026-12-20' },
      'mow again due:2026-12-26 (scheduled: 2026-12-20)',
    ],
  ])('%s %j', async (text, changes, after) => {
    const { call, folder } = await open();
    const [{ path, line }] = (await call('list_tasks', { text })).json.tasks;
    const before = await fileText(folder, path);
    const { json } = await call('change_task', { path, text, ...changes });
    expect(json.text).toBe(after);
    const lines = before.split('\n');
    lines[line - 1] = lines[line - 1]!.replace(/(\[ \] ).*/, `$1${after}`);
    expect(await fileText(folder, path)).toBe(lines.join('\n'));
  });

  test('is refused without a change', async () => {
    const { call } = await open();
    expect((await call('change_task', { path: 'In', text: 'call' })).text).toContain('Nothing to change');
  });
});

describe('add_task', () => {
  const task = { text: 'new', due: '2026-12-01', tags: ['#a', 'b/c'], owner: 'kim', priority: 'high' };

  test.each([
    ['Inbox.md', '- [ ] new #a #b/c @kim ⏫ 📅 2026-12-01'],
    ['Space.md', '* [ ] new @kim [priority: "high"] [due: "2026-12-01"] #a #b/c'],
    ['Plain.md', '- [ ] new #a #b/c @kim (priority: high) (due: 2026-12-01)'],
  ])('to %s in the form of its tasks', async (path, line) => {
    const { call, folder } = await open();
    expect((await call('add_task', { path, ...task })).json).toMatchObject({ path, task: line });
    expect((await fileText(folder, path)).endsWith(`${line}\n`)).toBe(true);
  });

  test.each([
    [{ '.obsidian/app.json': '{}' }, '- [ ] new 📅 2026-12-01'],
    [{}, '- [ ] new [due:: 2026-12-01]'],
    [
      {
        '.obsidian/plugins/obsidian-tasks-plugin/data.json':
          '{"taskFormat":"dataview","globalFilter":"#task"}',
      },
      '- [ ] new #task [due:: 2026-12-01]',
    ],
    [
      {
        '.obsidian/app.json': '{}',
        '.obsidian/community-plugins.json': '[]',
        '.obsidian/plugins/obsidian-tasks-plugin/data.json': '{"taskFormat":"dataview"}',
      },
      '- [ ] new 📅 2026-12-01',
    ],
    [{ '.obsidian/plugins/obsidian-tasks-plugin/data.json': '{broken' }, '- [ ] new [due:: 2026-12-01]'],
  ] as [Record<string, string>, string][])(
    'without an example, by the settings %j',
    async (settings, line) => {
      const { call } = await open({ 'a.md': 'text\n', ...settings });
      expect((await call('add_task', { path: 'a', text: '- [ ] new', due: '2026-12-01' })).json.task).toBe(
        line,
      );
    },
  );

  test('under a heading, behind its tasks or at its end', async () => {
    const { call, folder } = await open();
    await call('add_task', { path: 'In', text: 'first', heading: 'Inbox' });
    await call('add_task', { path: 'In', text: 'second', heading: 'Inbox > Later' });
    expect(await fileText(folder, 'Inbox.md')).toBe(
      SEED['Inbox.md']
        .replace('- [x] pay rent\n', '- [x] pay rent\n- [ ] first\n')
        .replace('text\n', 'text\n\n- [ ] second\n'),
    );
    expect((await call('add_task', { path: 'In', text: 'x', heading: 'Latr' })).text).toContain(
      'Did you mean',
    );
  });
});

describe('move_task', () => {
  const ITEM =
    '- [ ] call the plumber ⏫ 📅 2026-11-20 #home @kim ^call\n  - [ ] find the number\n    at home\n';

  test('with everything below it, as one change that can be undone', async () => {
    const { call, folder } = await open();
    const before = await snapshot(folder);
    const { json } = await call('move_task', { path: 'In', text: 'call', to: 'Plain' });
    expect(json).toMatchObject({ path: 'Inbox.md', to: 'Plain.md', lines: 3 });
    expect(json.warning).toContain('^call');
    expect(await fileText(folder, 'Inbox.md')).toBe(SEED['Inbox.md'].replace(ITEM, ''));
    expect(await fileText(folder, 'Plain.md')).toBe(SEED['Plain.md'] + ITEM);
    const { changes } = (await call('list_changes')).json;
    expect(changes).toHaveLength(1);
    expect((await call('undo_changes', { id: changes[0].id })).json.success).toBe(true);
    expect(await snapshot(folder)).toEqual(before);
  });

  test('to a heading of its own note, and out of a deeper list', async () => {
    const { call, folder } = await open();
    await call('move_task', { path: 'In', text: 'find the number', heading: 'Later' });
    expect(await fileText(folder, 'Inbox.md')).toBe(
      SEED['Inbox.md']
        .replace(/ {2}- \[ \] find the number\n {4}at home\n/, '')
        .replace('text\n', 'text\n\n- [ ] find the number\n  at home\n'),
    );
    expect((await call('move_task', { path: 'In', text: 'find' })).text).toContain('Nowhere to move it');
  });

  test('its links lead where they led', async () => {
    const { call, folder } = await withSetsInFolder(SETS, {
      'in/Tasks.md':
        '- [ ] read [the plan](plan.md) and [[Far]]\n  - ![](../img/a.png) [web](https://x.org/plan.md)\n',
      'in/plan.md': 'plan\n',
      'out/deep/Other.md': '# Other\n',
      'elsewhere/Far.md': 'far\n',
      'img/a.png': 'x',
    });
    const { json } = await call('move_task', { path: 'Tasks', text: 'read', to: 'Other' });
    expect(json.task).toContain('the plan');
    expect(json.warning).toBeUndefined();
    expect(await fileText(folder, 'out/deep/Other.md')).toBe(
      '# Other\n\n- [ ] read [the plan](../../in/plan.md) and [[Far]]\n  - ![](../../img/a.png) [web](https://x.org/plan.md)\n',
    );
    expect(await fileText(folder, 'in/Tasks.md')).toBe('');
  });

  test('nothing is lost when the note it leaves cannot be written', async () => {
    const { call, folder } = await withSetsInFolder(SETS, SEED, { writable: ['Work'] });
    const before = await snapshot(folder);
    const refused = await call('move_task', { path: 'In', text: 'call', to: 'Plan' });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('stands where it was') });
    expect(await snapshot(folder)).toEqual(before);
  });
});

const NOTE = { path: 'notePath', text: 'oneLine', line: 'limit' } as const;
const task = { path: 'Inbox.md', text: 'call' };
const SUBJECTS: Record<string, Subject> = {
  list_tasks: {
    good: {},
    parameters: {
      path: 'notePath',
      folder: 'folderPath',
      state: 'words',
      tag: 'words',
      owner: 'name',
      text: 'words',
      due_after: 'day',
      due_before: 'day',
      limit: 'limit',
      cursor: 'strictCursor',
    },
    required: [],
  },
  check_task: { good: task, parameters: { ...NOTE, state: 'taskState' }, required: ['path', 'text'] },
  change_task: {
    good: { ...task, due: '2026-01-01' },
    parameters: { ...NOTE, due: 'day', scheduled: 'day', start: 'day', priority: 'choice', owner: 'name' },
    required: ['path', 'text'],
  },
  add_task: {
    good: { path: 'Inbox.md', text: 'new' },
    parameters: {
      path: 'notePath',
      text: 'oneLine',
      heading: 'oneLine',
      due: 'day',
      tags: 'tags',
      owner: 'name',
      priority: 'choice',
    },
    required: ['path', 'text'],
  },
  move_task: {
    good: { ...task, to: 'Plain.md' },
    parameters: { ...NOTE, to: 'notePath', heading: 'oneLine' },
    required: ['path', 'text'],
  },
};

test.each(Object.keys(SUBJECTS))('%s refuses every bad value by name and writes nothing', async (tool) => {
  const { call, folder } = await open();
  const before = await snapshot(folder);
  const wrong = await badlyRefused(tool, SUBJECTS, call, ({ isError, text }) => {
    if (!isError) return { wrong: 'accepted' };
    return /^Error: (?!Internal)/.test(text) ? { words: text } : { wrong: 'wrong form' };
  });
  // A title that no note has is no bad path.
  expect(wrong).toEqual([]);
  expect(await snapshot(folder)).toEqual(before);
});

test('on a SilverBullet space', async () => {
  const { call, disk } = await withSetsInSpace(SETS, { 'Inbox.md': 'text\n', 'Home.md': '# Next\n' });
  await call('add_task', { path: 'Inbox', text: 'sweep', due: '2026-12-01', tags: ['home'] });
  expect(disk.text('Inbox.md')).toBe('text\n\n* [ ] sweep [due: "2026-12-01"] #home\n');
  expect((await call('list_tasks', { due_before: '2026-12-01' })).json.total).toBe(1);
  await call('change_task', { path: 'Inbox', text: 'sweep', due: '2026-12-02' });
  await call('move_task', { path: 'Inbox', text: 'sweep', to: 'Home', heading: 'Next' });
  await call('check_task', { path: 'Home', text: 'sweep' });
  expect(disk.text('Home.md')).toBe('# Next\n* [x] sweep [due: "2026-12-02"] #home\n');
  expect(disk.text('Inbox.md')).toBe('text\n\n');
});

test('on a Trilium', async () => {
  const { call } = await withSetsInTrilium(SETS, [
    { id: 'inbox1', title: 'Inbox', content: '<p>text</p>' },
    { id: 'home1', title: 'Home', content: '<h2>Next</h2>' },
  ]);
  const { json } = await call('add_task', { path: 'Inbox', text: 'sweep', due: '2026-12-01', owner: 'kim' });
  expect(json.task).toBe('- [ ] sweep @kim (due: 2026-12-01)');
  expect((await call('list_tasks', { owner: 'kim' })).json.tasks).toMatchObject([
    { path: 'Inbox.md', due: '2026-12-01' },
  ]);
  await call('change_task', { path: 'Inbox', text: 'sweep', due: '2026-12-02' });
  await call('move_task', { path: 'Inbox', text: 'sweep', to: 'Home', heading: 'Next' });
  await call('check_task', { path: 'Home', text: 'sweep' });
  expect((await call('list_tasks', { state: 'all' })).json.tasks).toMatchObject([
    { path: 'Home.md', state: 'x', text: 'sweep @kim (due: 2026-12-02)' },
  ]);
});
