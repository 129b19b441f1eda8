/** Undoing in a Trilium that has moved on, that lost an answer, that is old, or of which only a part can be reached. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { triliumInspectorOf } from '../../src/app/trilium-changes.ts';
import type { ToolCallRecord } from '../../src/mcp/tool.ts';
import { temporaryFolder } from '../kit/temp.ts';
import type { SeedNote } from '../kit/trilium/seed.ts';
import type { Fate } from '../kit/trilium/trilium.ts';
import { errorOf, stateOf } from '../wire/trilium/support.ts';
import { reasonsOf, treeOf, withHistory } from './history-kit.ts';
import { clientFor } from './kit.ts';

const NOTES: readonly SeedNote[] = [
  { id: 'plan', title: 'Plan', content: '<p>one</p><p>two</p><p>three</p>', labels: { status: 'open' } },
  {
    id: 'area',
    title: 'Area',
    content: '<p>area</p>',
    labels: { kind: 'area' },
    children: [{ id: 'task', title: 'Task', content: '<p>task</p>', relations: { of: 'plan' } }],
  },
];

describe('a note that has moved on', () => {
  it('keeps what others wrote elsewhere in its text', async () => {
    const { ok, fake, undo } = await withHistory(NOTES);
    await ok('write_note', {
      noteId: 'plan',
      mode: 'edit',
      changes: [{ old_string: 'one', new_string: '1' }],
    });
    fake.edit('plan', `${fake.text('plan')}<p>four, by hand</p>`);
    const { steps } = await undo();
    expect(steps.map(({ action }) => action)).toEqual(['merged']);
    expect(fake.text('plan')).toBe('<p>one</p><p>two</p><p>three</p><p>four, by hand</p>');
  });

  it.each([
    [
      'the same text',
      (id: string) => ({ noteId: id, mode: 'replace', content: '<p>mine</p>' }),
      '<p>theirs</p>',
    ],
  ])('is a conflict for %s, with all three, and nothing happens', async (_, write, text) => {
    const { ok, fake, undo, plan } = await withHistory(NOTES);
    await ok('write_note', write('plan'));
    fake.edit('plan', text);
    const before = stateOf(fake);
    for (const result of [await plan(), await undo()]) {
      expect(result.steps).toEqual([]);
      const [conflict] = result.conflicts;
      expect(conflict?.reason).toBe('It was changed since, in the same place.');
      const { texts } = conflict!;
      expect([texts.before, texts.after, texts.current].map(String)).toEqual([
        '<p>one</p><p>two</p><p>three</p>',
        '<p>mine</p>',
        text,
      ]);
    }
    expect(stateOf(fake)).toBe(before);
  });

  it('the former text becomes a note beside it, if that is wanted', async () => {
    const { ok, fake, undo } = await withHistory(NOTES);
    await ok('write_note', { noteId: 'task', mode: 'replace', content: '<p>mine</p>' });
    fake.edit('task', '<p>theirs</p>');
    const { steps, conflicts } = await undo(undefined, { copies: true });
    expect(conflicts).toEqual([]);
    expect(steps).toMatchObject([
      { action: 'copied', title: expect.stringMatching(/^Task \(before \w+\)$/) },
    ]);
    expect(fake.text(steps[0]!.path)).toBe('<p>task</p>');
    expect(fake.db.branch(`area_${steps[0]!.path}`)).toBeDefined();
    expect(fake.text('task')).toBe('<p>theirs</p>');
  });

  it('is a conflict for metadata, labels and places', async () => {
    const { ok, fake, undo, changes } = await withHistory(NOTES);
    await ok('write_note', { noteId: 'plan', mode: 'metadata', title: 'Mine' });
    await ok('set_attribute', { noteId: 'plan', type: 'label', name: 'status', value: 'mine' });
    await ok('organize_note', { action: 'move', noteId: 'task', newParentNoteId: 'plan' });
    fake.db.note('plan')!.title = 'Theirs';
    fake.db.ownAttributes('plan')[0]!.value = 'theirs';
    fake.db.branch('plan_task')!.prefix = 'theirs';
    const before = treeOf(fake);
    for (const change of await changes()) expect(reasonsOf(await undo([change]))).not.toEqual([]);
    expect(reasonsOf(await undo(await changes()))).toHaveLength(3);
    expect(treeOf(fake)).toEqual(before);
  });

  it('a created note stays when somebody put notes below it, wrote in it or placed it elsewhere', async () => {
    const { ok, fake, undo, changes } = await withHistory(NOTES);
    const made = async () =>
      (await ok('create_note', { parentNoteId: 'root', title: 'New', type: 'text', content: '<p>x</p>' }))
        .json.note.noteId;
    const [first, second, third] = [await made(), await made(), await made()];
    fake.db.addBranch(fake.db.addNote({ title: 'Child', type: 'text', mime: '' }, '').noteId, first);
    fake.edit(second, '<p>theirs</p>');
    fake.db.addBranch(third, 'plan');
    for (const change of await changes()) expect(reasonsOf(await undo([change]))).toHaveLength(1);
    for (const id of [first, second, third]) expect(fake.db.note(id)).toBeDefined();
  });

  it('a place cannot come back below its own note, nor below a parent that is gone', async () => {
    const { ok, fake, undo, changes } = await withHistory(NOTES);
    await ok('organize_note', { action: 'move', noteId: 'task', newParentNoteId: 'plan' });
    fake.db.addBranch('area', 'task');
    expect(reasonsOf(await undo()).join()).toContain('cannot be put below itself');
    fake.db.branches.delete('task_area');
    fake.db.note('area')!.deleteId = 'gone';
    expect(reasonsOf(await undo(await changes())).join()).toContain("Note 'area' not found");
    expect(fake.db.branch('plan_task')).toBeDefined();
  });

  it('nothing is undone of a call if one part of it cannot be', async () => {
    const { ok, fake, undo, changes } = await withHistory(NOTES);
    await ok('set_attribute', { noteId: 'task', type: 'relation', name: 'of', value: 'area' });
    await ok('write_note', { noteId: 'task', mode: 'append', content: '<p>x</p>' });
    fake.db.note('plan')!.deleteId = 'gone';
    const before = stateOf(fake);
    expect(reasonsOf(await undo(await changes())).join()).toContain("Note 'plan' not found");
    expect(stateOf(fake)).toBe(before);
  });

  it('what others have undone needs nothing', async () => {
    const { ok, fake, undo, changes } = await withHistory(NOTES);
    const before = treeOf(fake);
    await ok('write_note', { noteId: 'plan', mode: 'append', content: '<p>four</p>' });
    await ok('delete_note', { noteId: 'area', action: 'delete' });
    const all = await changes();
    fake.edit('plan', '<p>one</p><p>two</p><p>three</p>');
    await ok('delete_note', { noteId: 'area', action: 'undelete' });
    const { steps } = await undo(all);
    expect(steps.map(({ action }) => action)).toEqual(['nothing to do', 'nothing to do']);
    expect(treeOf(fake)).toEqual(before);
  });
});

const lost = (method: string, path: RegExp, applies: boolean) => {
  let left = 1;
  return (request: { method: string; path: string }): Fate | undefined =>
    request.method === method && path.test(request.path) && left-- > 0
      ? { kind: 'reset', applies }
      : undefined;
};

describe('an answer that was lost', () => {
  it.each([
    ['PUT', /content$/, { noteId: 'plan', mode: 'replace', content: '<p>x</p>' }, 'write_note'],
    ['PATCH', /notes/, { noteId: 'plan', mode: 'metadata', title: 'X' }, 'write_note'],
    ['DELETE', /notes/, { noteId: 'plan', action: 'delete' }, 'delete_note'],
    ['POST', /create-note/, { parentNoteId: 'area', title: 'X', type: 'text', content: 'x' }, 'create_note'],
    ['POST', /attributes/, { noteId: 'area', type: 'label', name: 'l', value: 'x' }, 'set_attribute'],
    ['POST', /branches/, { action: 'clone', noteId: 'task', parentNoteId: 'plan' }, 'organize_note'],
  ] as const)('of %s %s is looked for, and the change can be undone', async (method, path, args, tool) => {
    for (const applies of [true, false]) {
      const { call, fake, undo, changes } = await withHistory(NOTES);
      const before = treeOf(fake);
      fake.faults.fate = lost(method, path, applies);
      expect((await call(tool, args)).isError).toBe(true);
      const all = await changes();
      expect(all.flatMap(({ edits }) => edits.map(({ state }) => state))).toEqual(applies ? ['done'] : []);
      if (applies) expect(reasonsOf(await undo(all))).toEqual([]);
      expect(treeOf(fake)).toEqual(before);
    }
  });

  it('of a new attachment is undone by what it is', async () => {
    const { call, fake, undo, changes } = await withHistory(NOTES);
    const before = treeOf(fake);
    fake.faults.fate = lost('POST', /attachments$/, true);
    const args = { ownerId: 'plan', role: 'data', mime: 'text/csv', title: 'd.csv', content: 'a,b' };
    expect((await call('create_attachment', args)).isError).toBe(true);
    expect((await changes())[0]?.edits[0]?.state).toBe('open');
    expect(reasonsOf(await undo())).toEqual([]);
    expect(treeOf(fake)).toEqual(before);
  });
});

it('after a crash the next start finds out what became of each edit', async () => {
  const { ok, fake, history, changes } = await withHistory(NOTES);
  await ok('write_note', { noteId: 'plan', mode: 'append', content: '<p>four</p>' });
  await ok('set_attribute', { noteId: 'plan', type: 'label', name: 'status', value: 'done' });
  await ok('delete_note', { noteId: 'area', action: 'delete' });
  const edits = (await changes()).flatMap((change) => change.edits);
  const trilium = { client: async () => clientFor(fake.url), close: async () => {} };
  const inspect = triliumInspectorOf(trilium, history);
  expect(await Promise.all(edits.map(inspect))).toEqual(['done', 'done', 'done']);
  fake.edit('plan', '<p>one</p><p>two</p><p>three</p>');
  fake.db.ownAttributes('plan')[0]!.value = 'another';
  await ok('delete_note', { noteId: 'area', action: 'undelete' });
  expect(await Promise.all(edits.map(inspect))).toEqual(['failed', 'unknown', 'failed']);
});

describe('a Trilium without undelete', () => {
  it('gets a deleted subtree back from the history', async () => {
    const { ok, fake, undo, plan } = await withHistory(NOTES, { version: '0.101.0' });
    const image = { data: 'AAEC', mime: 'image/png', filename: 'i.png' };
    await ok('write_note', { noteId: 'task', mode: 'append', content: '<p>i</p>', images: [image] });
    await fake.settled();
    fake.db.addBranch('task', 'plan', { prefix: 'see', notePosition: 35, isExpanded: true });
    const before = treeOf(fake);
    await ok('delete_note', { noteId: 'area', action: 'delete' });
    expect(reasonsOf(await plan())).toEqual([]);
    expect(reasonsOf(await undo())).toEqual([]);
    await fake.settled();
    expect(treeOf(fake)).toEqual(before);
  });

  it('says how many notes below were too many to be kept', async () => {
    const children = Array.from({ length: 120 }, (_, n) => ({ id: `child${n}`, title: `Child ${n}` }));
    const { ok, fake, undo } = await withHistory([{ id: 'many', title: 'Many', children }], {
      version: '0.101.0',
    });
    await ok('delete_note', { noteId: 'many', action: 'delete' });
    const { steps, conflicts } = await undo();
    expect(conflicts).toEqual([]);
    expect(steps[0]?.remark).toBe('21 of the notes below it could not be brought back.');
    expect(fake.db.childBranches('many')).toHaveLength(99);
  });
});

it('what Trilium has erased comes back from the history', async () => {
  const { ok, fake, undo } = await withHistory(NOTES);
  const image = { data: 'AAEC', mime: 'image/png', filename: 'i.png' };
  await ok('write_note', { noteId: 'plan', mode: 'append', content: '<p>i</p>', images: [image] });
  await fake.settled();
  const before = treeOf(fake);
  await ok('delete_note', { noteId: 'plan', action: 'delete' });
  for (const table of [fake.db.notes, fake.db.branches, fake.db.attributes, fake.db.attachments])
    for (const [id, row] of table) if (row.deleteId !== undefined) table.delete(id);
  expect(reasonsOf(await undo())).toEqual([]);
  await fake.settled();
  const relations = fake.db.ownAttributes('task');
  // Relations of other notes to it are Trilium's own to bring back.
  expect(relations).toEqual([]);
  fake.db.addAttribute({ noteId: 'task', type: 'relation', name: 'of', value: 'plan' });
  expect(JSON.stringify(treeOf(fake)).length).toBe(JSON.stringify(before).length);
});

describe('a server that is limited to a subtree', () => {
  it('undoes inside, and has no changes from elsewhere', async () => {
    const { ok, fake, undo, changes } = await withHistory(NOTES, { subtree: 'area' });
    const before = treeOf(fake);
    await ok('write_note', { noteId: 'task', mode: 'replace', content: '<p>x</p>' });
    await ok('create_note', { parentNoteId: 'area', title: 'New', type: 'text', content: '' });
    await ok('delete_note', { noteId: 'task', action: 'delete' });
    expect(reasonsOf(await undo(await changes()))).toEqual([]);
    await fake.settled();
    expect(treeOf(fake)).toEqual(before);
  });

  it('records nothing that it refuses, and undoes nothing in a note that was moved out', async () => {
    const { call, ok, fake, undo, changes } = await withHistory(NOTES, { subtree: 'area' });
    errorOf(await call('write_note', { noteId: 'plan', mode: 'replace', content: 'x' }));
    errorOf(await call('set_attribute', { noteId: 'plan', type: 'label', name: 'l', value: 'x' }));
    errorOf(await call('delete_note', { noteId: 'area', action: 'delete' }));
    expect(await changes()).toEqual([]);
    await ok('write_note', { noteId: 'task', mode: 'replace', content: '<p>x</p>' });
    fake.db.addBranch('task', 'plan');
    fake.db.branches.delete('area_task');
    const before = stateOf(fake);
    expect(reasonsOf(await undo())).toHaveLength(1);
    expect(stateOf(fake)).toBe(before);
  });
});

it('a change that cannot be recorded is not made', async () => {
  const folder = await temporaryFolder({ taken: '' });
  const { call, ok, fake } = await withHistory(NOTES, { folder: join(folder, 'taken') });
  for (const [tool, args] of [
    ['write_note', { noteId: 'plan', mode: 'append', content: 'x' }],
    ['delete_note', { noteId: 'plan', action: 'delete' }],
    ['create_note', { parentNoteId: 'root', title: 'X', type: 'text', content: '' }],
    ['organize_note', { action: 'move', noteId: 'task', newParentNoteId: 'plan' }],
  ] as const) {
    const before = treeOf(fake);
    expect(errorOf(await call(tool, args)).suggestion).toContain('Nothing was changed');
    expect(treeOf(fake)).toEqual(before);
  }
  await ok('get_note', { noteId: 'plan' });
});

it('the log line of a change names it', async () => {
  const called: ToolCallRecord[] = [];
  const { ok, changes } = await withHistory(NOTES, { onCalled: (one) => called.push(one) });
  await ok('get_note', { noteId: 'plan' });
  await ok('write_note', { noteId: 'plan', mode: 'append', content: '<p>four</p>' });
  const [change] = await changes();
  expect(called.map(({ line }) => line?.fields.change)).toEqual([undefined, change!.id]);
});
