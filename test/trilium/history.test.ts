/** Every change through the Trilium tools is recorded, and can be undone. */
import { describe, expect, it } from 'vitest';
import type { SeedNote } from '../kit/trilium/seed.ts';
import { reasonsOf, treeOf, type WithHistory, withHistory } from './history-kit.ts';

const NOTES: readonly SeedNote[] = [
  { id: 'plan', title: 'Plan', content: '<p>one</p>\n<p>two</p>\n<p>three</p>', labels: { status: 'open' } },
  {
    id: 'area',
    title: 'Area',
    content: '<p>area</p>',
    children: [
      { id: 'task', title: 'Task', content: '<p>task</p>', relations: { of: 'plan' } },
      { id: 'step', title: 'Step', content: '' },
    ],
  },
  { id: 'code', title: 'Code', type: 'code', mime: 'text/x-python', content: 'print(1)\n' },
  {
    id: 'blob',
    title: 'Blob',
    type: 'file',
    mime: 'application/pdf',
    content: Buffer.from([0, 255, 13, 10]),
  },
];

const attributeOf = ({ fake }: WithHistory, noteId: string, name: string) =>
  fake.db.ownAttributes(noteId).find((one) => one.name === name)?.attributeId ?? '';

type Work = (quire: WithHistory) => Promise<unknown>;

const KINDS: Readonly<Record<string, Work>> = {
  'a created note': ({ ok }) =>
    ok('create_note', { parentNoteId: 'area', title: 'New', type: 'text', content: '<p>new</p>' }),
  'a created note with a file': ({ ok }) =>
    ok('create_note', {
      parentNoteId: 'area',
      title: 'New',
      type: 'text',
      content: '<p><a href="file:0">f</a></p>',
      files: [{ data: Buffer.from('x').toString('base64'), mime: 'text/plain', filename: 'f.txt' }],
    }),
  'a created file': ({ ok }) =>
    ok('create_note', {
      parentNoteId: 'root',
      title: 'New',
      type: 'file',
      mime: 'application/pdf',
      content: Buffer.from([1, 2, 255]).toString('base64'),
    }),
  'a replaced text': ({ ok }) =>
    ok('write_note', { noteId: 'plan', mode: 'replace', content: '<p>other</p>' }),
  'a replaced file of another type': ({ ok }) =>
    ok('write_note', { noteId: 'blob', mode: 'replace', content: 'data:text/plain;base64,aGVsbG8=' }),
  'an addition': ({ ok }) => ok('write_note', { noteId: 'plan', mode: 'append', content: '<p>four</p>' }),
  'an addition with an image': ({ ok }) =>
    ok('write_note', {
      noteId: 'plan',
      mode: 'append',
      content: '<p>four</p>',
      images: [{ data: 'AAAA', mime: 'image/png', filename: 'i.png' }],
    }),
  'an edit': ({ ok }) =>
    ok('write_note', { noteId: 'code', mode: 'edit', changes: [{ old_string: '1', new_string: '2' }] }),
  'other metadata': ({ ok }) =>
    ok('write_note', { noteId: 'code', mode: 'metadata', title: 'Other', mime: 'text/javascript' }),
  'a deleted note': ({ ok }) => ok('delete_note', { noteId: 'plan', action: 'delete' }),
  'a deleted subtree': ({ ok }) => ok('delete_note', { noteId: 'area', action: 'delete' }),
  'a new label': ({ ok }) => ok('set_attribute', { noteId: 'plan', type: 'label', name: 'a b', value: 'x' }),
  'another value of a label': ({ ok }) =>
    ok('set_attribute', { noteId: 'plan', type: 'label', name: 'status', value: 'done' }),
  'another target of a relation': ({ ok }) =>
    ok('set_attribute', { noteId: 'task', type: 'relation', name: 'of', value: 'code' }),
  'a deleted label': (quire) =>
    quire.ok('delete_attribute', { attributeId: attributeOf(quire, 'plan', 'status') }),
  'a new attachment': ({ ok }) =>
    ok('create_attachment', {
      ownerId: 'plan',
      role: 'data',
      mime: 'text/csv',
      title: 'd.csv',
      content: 'a,b',
    }),
  'a new binary attachment': ({ ok }) =>
    ok('create_attachment', {
      ownerId: 'plan',
      role: 'data',
      mime: 'application/zip',
      title: 'd.zip',
      content: 'AAAA',
    }),
  'a move': ({ ok }) => ok('organize_note', { action: 'move', noteId: 'task', newParentNoteId: 'plan' }),
  'a clone': ({ ok }) =>
    ok('organize_note', { action: 'clone', noteId: 'task', parentNoteId: 'plan', prefix: 'see' }),
  'another order': ({ ok }) =>
    ok('organize_note', {
      action: 'reorder',
      parentNoteId: 'area',
      notePositions: [
        { branchId: 'area_step', notePosition: 5 },
        { branchId: 'area_task', notePosition: 15 },
      ],
    }),
  'a journal note': ({ ok }) => ok('get_special_note', { kind: 'day', date: '2026-02-27' }),
};

describe('undoing', () => {
  it.each(Object.entries(KINDS))(
    '%s restores all, says so before, and can be undone itself',
    async (_, work) => {
      const quire = await withHistory(NOTES);
      const { fake } = quire;
      const before = treeOf(fake);
      await work(quire);
      await fake.settled();
      const after = treeOf(fake);
      expect(after).not.toEqual(before);
      const [change] = await quire.changes();
      expect(change).toMatchObject({ notebook: 'wiki', by: { session: 'first' } });
      expect(change!.edits.every(({ state, form }) => state === 'done' && form === 'trilium')).toBe(true);

      const plan = await quire.plan();
      expect(reasonsOf(plan)).toEqual([]);
      expect(treeOf(fake)).toEqual(after);
      const done = await quire.undo();
      await fake.settled();
      expect(reasonsOf(done)).toEqual([]);
      expect(done.steps.map(({ action }) => action)).toEqual(plan.steps.map(({ action }) => action));
      expect(treeOf(fake)).toEqual(before);

      expect(reasonsOf(await quire.undo())).toEqual([]);
      await fake.settled();
      expect(treeOf(fake)).toEqual(after);
    },
  );
});
