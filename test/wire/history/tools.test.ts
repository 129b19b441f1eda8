/** The history tools, as assistants call them. */
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { NOTE_SETS } from '../../../src/config/tool-sets.ts';
import { pinnedNames, pinnedTools } from '../../kit/pinned-tools.ts';
import { startProgram } from '../../kit/server.ts';
import { putFile } from '../../kit/temp.ts';
import { desk } from './support.ts';

const PLAN = '# Plan\n\nfirst\n\nlast\n';
const BYTES_PER_TOOL = 1_200;
const HISTORY = pinnedNames('history');
const names = async ({ client }: { client: { listTools(): Promise<{ tools: { name: string }[] }> } }) =>
  (await client.listTools()).tools.map(({ name }) => name);

test('their definitions are short', () => {
  for (const tool of pinnedTools('history'))
    expect(Buffer.byteLength(JSON.stringify(tool)), tool.name).toBeLessThanOrEqual(BYTES_PER_TOOL);
});

test('an assistant lists, looks at and undoes its changes', async () => {
  const { assistant, text, notes } = await desk({ 'plan.md': PLAN, 'b.md': '[[plan]]\n' });
  const { call } = await assistant(['--tools', 'notebook,history']);
  await call('patch_note', { path: 'plan.md', oldString: 'first', newString: '1st' });
  await appendFile(join(notes, 'plan.md'), 'by hand\n');
  await call('move_note', { oldPath: 'plan.md', newPath: 'sub/plan2.md' });
  await call('patch_note', { path: 'sub/plan2.md', oldString: '# Plan', newString: '# Plans' });

  const { changes, outside } = (await call('list_changes')).json;
  expect(changes).toMatchObject([
    { tool: 'patch_note', by: 'test 1', canUndo: true, notes: [{ path: 'sub/plan2.md', edit: 'write' }] },
    { tool: 'move_note', notes: [{ path: 'plan.md', to: 'sub/plan2.md', edit: 'move' }, { path: 'b.md' }] },
    { tool: 'patch_note', notes: [{ path: 'plan.md' }] },
  ]);
  expect(outside).toMatchObject([{ path: expect.stringMatching(/plan/) }]);
  expect((await call('list_changes', { path: 'sub', limit: 1 })).json).toMatchObject({
    next: changes[0].id,
  });
  const page = await call('list_changes', { limit: 1, before: changes[0].id });
  expect(page.json.changes).toMatchObject([{ id: changes[1].id }]);

  const shown = await call('show_change', { id: changes[2].id });
  expect(shown.json.notes).toMatchObject([
    { path: 'plan.md', diff: '@@ -1,5 +1,5 @@\n # Plan\n \n-first\n+1st\n \n last' },
  ]);

  const dry = await call('undo_changes', { since: '1h', dryRun: true });
  expect(dry.json).toMatchObject({ success: true, message: 'Would undo 3 changes' });
  expect(await text('sub/plan2.md')).toContain('# Plans');
  const undone = await call('undo_changes', { since: '1h' });
  expect(undone.json.change).toMatch(/^\w{16}$/);
  expect(undone.json.notes.map(({ action }: { action: string }) => action)).toContain('moved back');
  expect(await text('plan.md')).toBe(`${PLAN}by hand\n`);
  expect(await text('b.md')).toBe('[[plan]]\n');

  expect((await call('undo_changes', { id: undone.json.change })).json.success).toBe(true);
  expect(await text('sub/plan2.md')).toBe('# Plans\n\n1st\n\nlast\nby hand\n');
});

test('what it undid it has seen, and may replace', async () => {
  const { assistant, text } = await desk({ 'a.md': 'a\n' });
  const { call } = await assistant(['--tools', 'all']);
  await call('read_note', { path: 'a.md' });
  await call('write_note', { path: 'a.md', content: 'b\n' });
  await call('undo_changes', { since: '1h' });
  expect((await call('write_note', { path: 'a.md', content: 'c\n' })).isError).toBe(false);
  expect(await text('a.md')).toBe('c\n');
});

describe('an assistant is refused', () => {
  test('what is no id, no change, undone already, or in conflict', async () => {
    const { assistant, put, text } = await desk({ 'a.md': 'a\nx\n' });
    const { call } = await assistant(['--tools', 'history']);
    await call('patch_note', { path: 'a.md', oldString: 'a', newString: 'b' });
    const [{ id, group }] = (await call('list_changes')).json.changes;
    const refused = async (tool: string, args: Record<string, unknown>, says: RegExp) => {
      const answer = await call(tool, args);
      expect(answer.isError, JSON.stringify(args)).toBe(true);
      expect(answer.text).toMatch(says);
    };
    await refused('undo_changes', {}, /^Error: Give either id or since/);
    await refused('undo_changes', { id, since: '1h' }, /^Error: Give either id or since/);
    await refused('undo_changes', { id: '../../a' }, /^Error: Not the id of a change/);
    await refused('undo_changes', { id: '0'.repeat(16) }, /^Error: No such change.*\n.*list_changes/);
    await refused('undo_changes', { id: `g${'0'.repeat(16)}` }, /^Error: No such group/);
    await refused('undo_changes', { since: 'soon' }, /^Error: Not a time: soon/);
    await refused('undo_changes', { id, force: true }, /unknown parameter "force"/);
    await refused('show_change', { id: group }, /^Error: Not the id of a change.*\n.*group/);
    await refused('list_changes', { before: 'x' }, /^Error: before is not the id/);
    await refused('list_changes', { limit: 0 }, /^Error: Invalid arguments/);
    await put('a.md', 'c\nx\n');
    await refused(
      'undo_changes',
      { id },
      /^Error: The changes cannot be undone: a\.md\nNothing was changed\./,
    );
    const dry = (await call('undo_changes', { id, dryRun: true })).json;
    expect(dry).toMatchObject({ success: false, undone: [] });
    expect(dry.conflicts).toMatchObject([
      { path: 'a.md', line: 1, before: 'a\nx\n', after: 'b\nx\n', now: 'c\nx\n' },
    ]);
    const copied = (await call('undo_changes', { id, copies: true })).json;
    expect(await text(copied.notes[0].path)).toBe('a\nx\n');
    expect(await text('a.md')).toBe('c\nx\n');
    await refused('undo_changes', { id }, /^Error: This change is already undone/);
  });

  test('what a person did at the terminal', async () => {
    const { assistant, quire, notes } = await desk({ 'a.md': 'a\n' });
    const { call } = await assistant(['--tools', 'history']);
    await call('write_note', { path: 'a.md', content: 'b\n' });
    await quire('undo', '--last', '--folder', notes);
    const [undoing] = (await call('list_changes')).json.changes;
    expect(undoing).toMatchObject({ tool: 'undo', canUndo: false });
    const answer = await call('undo_changes', { id: undoing.id });
    expect(answer.text).toMatch(/^Error: This change was not made by you.*\n.*quire undo .*undoOthers/);
  });

  test('changes of notes that are hidden from it, and removals where nothing may be deleted', async () => {
    const { assistant, quire, notes } = await desk({ 'private/p.md': 'p\n' });
    const all = await assistant(['--tools', 'history']);
    await all.call('write_note', { path: 'private/p.md', content: 'secret\n' });
    await all.call('write_note', { path: 'new.md', content: 'new\n' });
    const [created, hidden] = JSON.parse((await quire('history', notes, '--json')).stdout).changes;
    const { call } = await assistant(['--tools', 'history', '--ignore', 'private/**', '--no-delete']);
    expect((await call('list_changes')).json.changes).toMatchObject([{ id: created.id, canUndo: false }]);
    expect((await call('list_changes', { path: 'private/p.md' })).json.changes).toEqual([]);
    for (const tool of ['show_change', 'undo_changes'])
      expect((await call(tool, { id: hidden.id })).text).toMatch(/^Error: No such change/);
    expect((await call('undo_changes', { id: created.id })).text).toMatch(/deleting is switched off/);
  });
});

describe('which tools there are', () => {
  test('the commands have them when asked, and a notebook of a file and quire serve always', async () => {
    const { folder, assistant, notes, env } = await desk({ 'a.md': 'a\n' });
    await putFile(folder, 'quire.yaml', 'notebooks:\n  mine: { folder: notes }\n');
    await putFile(folder, 'none.yaml', 'notebooks:\n  mine: { folder: notes, toolSets: [] }\n');
    const file = (name: string) => startProgram(['--config', join(folder, name)], { env });
    expect(await names(await assistant())).toEqual(pinnedNames('notebook'));
    expect(await names(await assistant(['--tools', 'all']))).toEqual([
      ...pinnedNames('notebook'),
      // The trash is emptied only where a setting allows it.
      ...NOTE_SETS.flatMap((set) => pinnedNames(set)).filter((name) => name !== 'empty_trash'),
      ...HISTORY,
    ]);
    expect(await names(await assistant(['--read-only', '--tools', 'history']))).toEqual(
      expect.arrayContaining(['list_changes', 'show_change']),
    );
    expect(await names(await file('quire.yaml'))).toEqual([...pinnedNames('notebook'), ...HISTORY]);
    expect(await names(await file('none.yaml'))).toEqual(pinnedNames('notebook'));
    const brain = await startProgram(['brain', notes, '--tools', 'brain,history'], { env });
    expect(await names(brain)).toEqual(expect.arrayContaining([...HISTORY, 'sb_ask']));
  });

  test('without a history, they are not listed, and a call says why', async () => {
    const { assistant } = await desk({ 'a.md': 'a\n' });
    const connected = await assistant(['--tools', 'history', '--state-dir', 'memory']);
    expect(await names(connected)).toEqual(pinnedNames('notebook'));
    const answer = await connected.call('list_changes');
    expect(answer).toMatchObject({
      isError: true,
      text: expect.stringMatching(/not offered\n?.*No history is kept/s),
    });
  });

  test('an unknown set is refused, and the known ones are named', async () => {
    const { notes, quire } = await desk();
    const says = async (...args: string[]) => {
      const { code, stderr } = await quire(...args);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await says(notes, '--tools', 'notebook,hystory')).toBe(
      'quire: Invalid setting: --tools: unknown tool set "hystory"; known: notebook, history, links, tags, tasks, properties, sections, daily, files, trash, vault-info, chatgpt, or all\n',
    );
    const vault = ['vault', '--vault-path', notes, '--transport', 'stdio'];
    expect(await says(...vault, '--tools', 'notebook')).toContain('known: vault, history, links,');
    const space = [
      'silverbullet',
      '--transport',
      'stdio',
      '--sb-url',
      'http://127.0.0.1:9',
      '--sb-token',
      't',
    ];
    expect(await says(...space, '--tools', 'some')).toContain('known: pages, history, links,');
    expect(await says('brain', notes, '--tools', 'x')).toContain('known: brain, history, or all');
  });
});
