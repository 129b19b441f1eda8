/** `quire history` and `quire undo`, beside a server that runs and without one. */
import { appendFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { putFile } from '../../kit/temp.ts';
import { desk } from './support.ts';

const PLAN = '---\ntitle: Plan\n---\n# Plan\n\nfirst\nsecond\nthird\n';

test("with overwrite: free, one undo brings back every byte of a person's text", async () => {
  const { folder, assistant, notes, quire, text, put } = await desk({ 'plan.md': PLAN });
  await putFile(folder, 'quire.yaml', 'notebooks:\n  mine: { folder: notes, overwrite: free }\n');
  const { call, client } = await assistant(['--config', join(folder, 'quire.yaml')]);
  await call('read_note', { path: 'plan.md' });
  await appendFile(join(notes, 'plan.md'), 'by hand\n');
  const before = await text('plan.md');
  expect((await call('write_note', { path: 'plan.md', content: 'gone\n' })).json.success).toBe(true);
  await put('keep.md', 'untouched\n');

  const dry = await quire('undo', '--last', '--dry-run');
  expect(dry).toMatchObject({ code: 0, stderr: '' });
  expect(dry.stdout).toBe('Would undo 1 change in mine:\n  restored: plan.md (+9 -1)\n');
  expect(await text('plan.md')).toBe('gone\n');

  // Beside the running server.
  const { stdout, code } = await quire('undo', '--last');
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^Undone: 1 change in mine\n {2}restored: plan\.md \(\+9 -1\)\nRecorded as [0-9a-z]{16};/,
  );
  expect(await text('plan.md')).toBe(before);
  expect(await text('keep.md')).toBe('untouched\n');
  await client.close();

  // And without one: the undoing is a change like any other.
  const id = /Recorded as (\w+)/.exec(stdout)?.[1] ?? '';
  expect((await quire('undo', id)).code).toBe(0);
  expect(await text('plan.md')).toBe('gone\n');
});

test('the timeline says who changed what, what is undone, and what was changed outside Quire', async () => {
  const { assistant, notes, quire, json } = await desk({ 'plan.md': PLAN, 'b.md': 'see [[plan]]\n' });
  const { call } = await assistant();
  await call('patch_note', { path: 'plan.md', oldString: 'second', newString: '2nd' });
  await appendFile(join(notes, 'plan.md'), 'by hand\n');
  await call('patch_note', { path: 'plan.md', oldString: 'third', newString: '3rd' });
  await call('move_note', { oldPath: 'plan.md', newPath: 'sub/strategy.md' });

  const { changes, outside } = await json('history', notes);
  expect(changes.map(({ tool }: { tool: string }) => tool)).toEqual([
    'move_note',
    'patch_note',
    'patch_note',
  ]);
  expect(changes[0]).toMatchObject({ by: { client: 'test 1', session: 'stdio' }, notebook: 'notebook' });
  expect(changes[0].edits.map(({ kind, path }: Record<string, string>) => [kind, path]).sort()).toEqual([
    ['move', 'plan.md'],
    ['write', 'b.md'],
  ]);
  expect(changes[1]).toMatchObject({ lines: { added: 1, removed: 1 }, group: changes[2].group });
  expect(outside).toMatchObject([{ path: 'plan.md', foundBy: changes[1].id, notebook: 'notebook' }]);
  expect(new Date(outside[0].until).toISOString()).toBe(changes[1].at);

  expect((await quire('undo', changes[0].id, '--folder', notes)).code).toBe(0);
  const { stdout } = await quire('history', notes);
  // In a pipe nothing is cut.
  expect(stdout).not.toContain('…');
  expect(stdout).toMatch(new RegExp(`^-- ${changes[0].group}: 3 changes by test 1$`, 'm'));
  expect(stdout).toMatch(
    new RegExp(`^2\\d{3}-\\d\\d-\\d\\d \\d\\d:\\d\\d {2}${changes[1].id} .*patch_note .*plan\\.md$`, 'm'),
  );
  expect(stdout).toContain(`undoes ${changes[0].id}`);
  expect(stdout).toMatch(/^ {4}undone by \w{16}$/m);
  expect(stdout).toMatch(/^ {4}changed outside Quire between .* and .*: plan\.md$/m);
  expect(stdout).toMatch(/by quire [\d.]+ \(terminal:/);
});

test('filters: a note, a folder, a time, an author, a number', async () => {
  const { assistant, notes, json, quire } = await desk({ 'a/x.md': 'x\n', 'b.md': 'b\n' });
  const { call } = await assistant();
  await call('write_note', { path: 'a/x.md', content: 'more\n', mode: 'append' });
  await call('write_note', { path: 'b.md', content: 'more\n', mode: 'append' });
  const pathsOf = async (...args: string[]) =>
    (await json('history', ...args, '--folder', notes)).changes.map(
      ({ edits }: { edits: { path: string }[] }) => edits[0]?.path,
    );
  expect(await pathsOf()).toEqual(['b.md', 'a/x.md']);
  expect(await pathsOf('a/x.md')).toEqual(['a/x.md']);
  expect(await pathsOf('a')).toEqual(['a/x.md']);
  expect(await pathsOf(join(notes, 'b.md'))).toEqual(['b.md']);
  expect(await pathsOf('--by', 'TEST')).toHaveLength(2);
  expect(await pathsOf('--by', 'somebody')).toEqual([]);
  expect(await pathsOf('--since', '2h', '--limit', '1')).toEqual(['b.md']);
  expect((await quire('history', '--folder', notes, '--by', 'somebody')).stdout).toBe('No change fits.\n');
});

test('a change is shown with its lines, without escape sequences of the notes', async () => {
  const { assistant, notes, quire, json } = await desk({ 'plan.md': PLAN });
  const { call } = await assistant();
  await call('patch_note', {
    path: 'plan.md',
    oldString: 'second',
    newString: '\u001b[31mred\u001b]0;title\u0007',
  });
  const [{ id, group }] = (await json('history', notes)).changes;
  const { code, stdout } = await quire('history', 'show', id, '--folder', notes);
  expect(code).toBe(0);
  expect(stdout).toContain(`Change ${id}\nTime `);
  expect(stdout).toMatch(/^Tool {6}patch_note$/m);
  expect(stdout).toContain('Changed plan.md\n@@ -4,5 +4,5 @@\n # Plan\n \n first\n-second\n+red\n third\n');
  expect(stdout).not.toContain('\u001b');
  expect((await quire('history', 'show', group, '--folder', notes)).stdout).toBe(stdout);
  const shown = await json('history', 'show', id, '--folder', notes);
  expect(shown).toMatchObject({
    id,
    edits: [{ path: 'plan.md', kind: 'write', diff: expect.stringContaining('-second') }],
  });
});

test('a group, a session or all since a time is undone at once, the newest first', async () => {
  const { assistant, notes, quire, json, text, put } = await desk({ 'a.md': 'a\n', 'link.md': '[[a]]\n' });
  const { call } = await assistant();
  const work = async () => {
    await call('write_note', { path: 'a.md', content: 'b\n', mode: 'append' });
    await call('move_note', { oldPath: 'a.md', newPath: 'deep/b.md' });
    await call('write_note', { path: 'new.md', content: 'new\n' });
    await call('read_note', { path: 'new.md' });
    await call('delete_note', { path: 'new.md', confirmPath: 'new.md' });
  };
  await work();
  const [{ group }] = (await json('history', notes)).changes;
  for (const selection of [
    [group],
    ['--since', '1h'],
    ['--session', 'stdio'],
    ['--session', 'stdio', '--since', '1h'],
  ]) {
    const { stdout, code, stderr } = await quire('undo', ...selection, '--folder', notes);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Undone: 4 changes in notebook\n/);
    expect(await text('a.md')).toBe('a\n');
    expect(await text('link.md')).toBe('[[a]]\n');
    expect((await readdir(notes)).filter((name) => name.startsWith('new'))).toEqual([]);
    await put('keep.md', 'keep\n');
    await work();
  }
});

test('where the note moved on, other lines are merged, and the same lines are a conflict that changes nothing', async () => {
  const { assistant, notes, quire, json, text, put } = await desk({ 'plan.md': PLAN });
  const { call } = await assistant();
  await call('patch_note', { path: 'plan.md', oldString: 'second', newString: '2nd' });
  await put('plan.md', PLAN.replace('second', '2nd').replace('# Plan', '# My plan'));
  expect((await quire('undo', '--last', '--folder', notes)).stdout).toContain('merged: plan.md (+1 -1)');
  expect(await text('plan.md')).toBe(PLAN.replace('# Plan', '# My plan'));

  await call('patch_note', { path: 'plan.md', oldString: 'third', newString: '3rd' });
  const now = (await text('plan.md')).replace('3rd', 'last');
  await put('plan.md', now);
  const { code, stdout, stderr } = await quire('undo', '--last', '--folder', notes);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^quire: 1 note changed since and cannot be restored\nNothing was changed\. With --copy/,
  );
  expect(stdout).toContain('cannot be undone: plan.md. It was changed since, in the same lines.');
  expect(stdout).toContain('before the change, from line 8:\n      | third\n');
  expect(stdout).toContain('the change left, from line 8:\n      | 3rd\n');
  expect(stdout).toContain('now, from line 8:\n      | last\n');
  expect(await text('plan.md')).toBe(now);
  const told = await json('undo', '--last', '--dry-run', '--folder', notes);
  expect(told.notebooks[0].conflicts).toMatchObject([{ path: 'plan.md', current: now }]);

  const copied = await json('undo', '--last', '--copy', '--folder', notes);
  const [{ action, path }] = copied.notebooks[0].steps;
  expect(action).toBe('copied');
  expect(await text('plan.md')).toBe(now);
  expect(await text(path)).toBe(now.replace('last', 'third'));
});

test('several notebooks: all are listed, ids are found in theirs, and a wrong one is named', async () => {
  const { folder, notes, quire, json, env } = await desk({ 'a.md': 'a\n' });
  await putFile(folder, 'work/w.md', 'w\n');
  const yaml = 'notebooks:\n  mine: { folder: notes }\n  work: { folder: work }\n';
  await putFile(folder, 'quire.yaml', yaml);
  const { startBinary } = await import('../../kit/server.ts');
  for (const [at, path] of [
    [notes, 'a.md'],
    [join(folder, 'work'), 'w.md'],
  ] as const)
    await (await startBinary(at, [], { env })).call('write_note', {
      path,
      content: 'more\n',
      mode: 'append',
    });
  const { changes } = await json('history');
  expect(changes.map(({ notebook }: { notebook: string }) => notebook)).toEqual(['mine', 'work']);
  const { stdout } = await quire('history');
  expect(stdout).toMatch(/^Notebook mine\n[\s\S]*\nNotebook work\n/);
  expect((await json('history', 'work')).changes).toMatchObject([{ notebook: 'work' }]);
  expect((await json('history', 'notes/a.md')).changes).toMatchObject([{ notebook: 'mine' }]);
  const [mine] = changes;
  expect(await quire('undo', mine.id, '--notebook', 'work')).toEqual({
    code: 2,
    stdout: '',
    stderr: `quire: This change belongs to another notebook: ${mine.id} is of mine\nGive --notebook mine.\n`,
  });
  expect(await quire('undo', mine.id)).toMatchObject({ code: 0, stderr: '' });
  // The newest that is left.
  expect((await quire('undo', '--last')).stdout).toContain('w.md');
});

const REFUSALS: readonly (readonly [args: readonly string[], says: RegExp])[] = [
  [
    ['undo', '01m7mhmx92qtjcfg'],
    /^quire: No such change: 01m7mhmx92qtjcfg\n.*other notes.*quire history lists/,
  ],
  [['undo', 'g01m7mhmx92qtjcfg'], /^quire: No such group of changes/],
  [['undo', '../../etc/passwd'], /^quire: Not the id of a change/],
  [['history', 'show', 'x'], /^quire: Not the id of a change: x\n/],
  [['undo'], /^quire: Nothing to undo is named\nGive ids/],
  [['undo', '01m7mhmx92qtjcfg', '--last'], /^quire: Name what to undo in one way/],
  [['undo', '--since', 'soon'], /^quire: Not a time: soon\nUse 30m, 2h/],
  [['history', '--limit', 'many'], /^quire: --limit must be a whole number/],
  [['history', '--bogus'], /unknown option '--bogus'/],
  [['history', 'none.md'], /^quire: No change of this note or folder is recorded: none\.md\n/],
];

test('wrong input is refused in words, and nothing is changed', async () => {
  const { assistant, notes, quire, text } = await desk({ 'a.md': 'a\n' });
  const { call, client } = await assistant();
  await call('write_note', { path: 'a.md', content: 'b\n' });
  await client.close();
  const refused = async ([args, says]: (typeof REFUSALS)[number]) => {
    const result = await quire(...args, '--folder', notes);
    expect(result, args.join(' ')).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(says);
  };
  await Promise.all(REFUSALS.map(refused));
  expect(await text('a.md')).toBe('b\n');
});

test('without notes, without a record, and with history switched off it says so', async () => {
  const { folder, notes, quire } = await desk({ 'a.md': 'a\n' });
  const refused = async (args: readonly string[], says: RegExp) => {
    const { code, stderr } = await quire(...args);
    expect({ args, code }).toEqual({ args, code: 2 });
    expect(stderr).toMatch(says);
  };
  const undo = ['undo', '--last', '--folder', notes];
  await Promise.all([
    refused(['history'], /^quire: No folder given\nUsage: quire history/),
    refused(['history', 'nowhere'], /^quire: No such folder: nowhere/),
    refused(['history', join(notes, 'a.md')], /a\.md is a file, .*\n.* quire history a\.md --folder /),
    refused(undo, /^quire: No change of these notes is left to undo/),
    refused(
      [...undo, '--state-dir', 'memory'],
      /^quire: No history is kept .*\nThe state folder is "memory"/,
    ),
  ]);
  expect(await quire('history', notes)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^No change of these notes is recorded yet\.\n/),
  });
  const listed = await quire('history', notes, '--json');
  expect({ code: listed.code, found: JSON.parse(listed.stdout) }).toEqual({
    code: 0,
    found: { changes: [], outside: [] },
  });
  await putFile(folder, 'quire.yaml', 'history: off\nnotebooks:\n  mine: { folder: notes }\n');
  await Promise.all([
    refused(['history'], /^quire: No history is kept of these notes\nThe configuration has history: off/),
    refused(['history', '--notebook', 'other'], /^quire: No such notebook: other\nNotebooks: mine\./),
  ]);
});

test('what is undone already is not undone again, and a read-only notebook is not changed', async () => {
  const { folder, assistant, notes, quire, json, text } = await desk({ 'a.md': 'a\n' });
  const { call } = await assistant();
  await call('write_note', { path: 'a.md', content: 'b\n' });
  const [{ id }] = (await json('history', notes)).changes;
  await putFile(folder, 'quire.yaml', 'notebooks:\n  mine: { folder: notes, readOnly: true }\n');
  expect(await quire('undo', id)).toMatchObject({ code: 2, stderr: expect.stringMatching(/read-only/) });
  expect(await text('a.md')).toBe('b\n');
  await quire('undo', id, '--folder', notes);
  expect(await quire('undo', id, '--folder', notes)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^quire: This change is already undone: \w+\nIt was undone by \w{16}\./),
  });
  expect(await text('a.md')).toBe('a\n');
});
