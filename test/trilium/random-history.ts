/** Random histories over the Trilium tools, and what undoing them must do. */
import { expect } from 'vitest';
import { randomFrom } from '../kit/random.ts';
import type { SeedNote } from '../kit/trilium/seed.ts';
import { reasonsOf, treeOf, type WithHistory, withHistory } from './history-kit.ts';

const NOTES: readonly SeedNote[] = [
  { id: 'plan', title: 'Plan', content: '<p>one</p><p>two</p><p>three</p>', labels: { status: 'open' } },
  {
    id: 'area',
    title: 'Area',
    content: '<p>area</p>',
    children: [
      { id: 'task', title: 'Task', content: '<p>task</p>', relations: { of: 'plan' } },
      { id: 'step', title: 'Step', children: [{ id: 'leaf', title: 'Leaf', content: '<p>leaf</p>' }] },
    ],
  },
  { id: 'code', title: 'Code', type: 'code', mime: 'text/plain', content: 'a\nb\nc\n' },
];

type Random = () => number;

function pick<T>(random: Random, list: readonly T[]): T | undefined {
  return list[Math.floor(random() * list.length)];
}

/** One call of a tool, which may be refused. */
function step({ fake, call }: WithHistory, random: Random, n: number): Promise<unknown> {
  const { db } = fake;
  const alive = [...db.notes.values()].filter(
    ({ noteId, deleteId }) => deleteId === undefined && noteId !== 'root' && !noteId.startsWith('_'),
  );
  const noteId = pick(random, alive)?.noteId ?? 'root';
  const other = pick(random, alive)?.noteId ?? 'root';
  const attachmentId = pick(
    random,
    [...db.attachments.values()].filter((one) => one.deleteId === undefined),
  )?.attachmentId;
  const attributeId = pick(
    random,
    [...db.attributes.values()].filter((one) => one.deleteId === undefined),
  )?.attributeId;
  const branches = db.childBranches(noteId).map(({ branchId }) => branchId);
  const content = `<p>text ${n}</p>`;
  const calls: readonly (readonly [string, Record<string, unknown>])[] = [
    ['create_note', { parentNoteId: noteId, title: `Note ${n}`, type: 'text', content, prefix: 'p' }],
    ['write_note', { noteId, mode: 'replace', content }],
    ['write_note', { noteId, mode: 'append', content }],
    ['write_note', { noteId, mode: 'edit', changes: [{ old_string: '<p>t', new_string: '<p>T' }] }],
    ['write_note', { noteId, mode: 'metadata', title: `Title ${n}` }],
    [
      'write_note',
      {
        noteId,
        mode: 'append',
        content,
        images: [{ data: 'AAAA', mime: 'image/png', filename: `i${n}.png` }],
      },
    ],
    ['set_attribute', { noteId, type: 'label', name: 'status', value: `v${n}` }],
    ['set_attribute', { noteId, type: 'relation', name: 'of', value: other }],
    ['set_attribute', { noteId, type: 'label', name: `l${n}`, value: '', mode: 'add', isInheritable: true }],
    ['delete_attribute', { attributeId }],
    [
      'create_attachment',
      { ownerId: noteId, role: 'data', mime: 'text/csv', title: `f${n}`, content: 'a,b' },
    ],
    ['write_attachment', { attachmentId, mode: 'replace', content: 'AAEC' }],
    ['write_attachment', { attachmentId, mode: 'metadata', title: `t${n}` }],
    ['delete_attachment', { attachmentId }],
    ['organize_note', { action: 'move', noteId, newParentNoteId: other }],
    ['organize_note', { action: 'clone', noteId, parentNoteId: other, prefix: `p${n}` }],
    ['organize_note', { action: 'unlink', branchId: `${other}_${noteId}` }],
    [
      'organize_note',
      {
        action: 'reorder',
        parentNoteId: noteId,
        notePositions: branches.map((branchId, at) => ({
          branchId,
          notePosition: (branches.length - at) * 7,
        })),
      },
    ],
    ['delete_note', { noteId, action: 'delete' }],
    ['get_special_note', { kind: 'day', date: `2026-02-1${n % 10}` }],
  ];
  const [tool, args] = pick(random, calls)!;
  return call(tool, args);
}

/** Another program changes the Trilium. */
function outside({ fake: { db } }: WithHistory, random: Random, n: number): void {
  const alive = [...db.notes.values()].filter(
    ({ noteId, deleteId }) => deleteId === undefined && /^[a-z]{4}$/.test(noteId),
  );
  const note = pick(random, alive);
  if (!note) return;
  const chance = random();
  if (chance < 0.5) note.blobId = db.store(`${db.content(note)}<p>by hand ${n}</p>`);
  else if (chance < 0.75) note.title = `By hand ${n}`;
  else db.addLabel(note.noteId, 'status', `by hand ${n}`);
}

async function played(seed: number, steps: number, isDisturbed: boolean) {
  const quire = await withHistory(NOTES, { afterContentMs: 0, overwrite: 'free' });
  const random = randomFrom(seed);
  const before = treeOf(quire.fake);
  for (let n = 0; n < steps; n++) {
    await step(quire, random, n);
    await quire.fake.settled();
    if (isDisturbed && random() < 0.4) outside(quire, random, n);
  }
  return { ...quire, random, before };
}

/** Undone in one go, a history leaves nothing. */
export async function undoneWhole(seed: number, steps: number): Promise<void> {
  const { fake, changes, undo, before } = await played(seed, steps, false);
  const all = await changes();
  expect(all.length).toBeGreaterThan(steps / 4);
  expect(reasonsOf(await undo(all))).toEqual([]);
  await fake.settled();
  expect(treeOf(fake)).toEqual(before);
}

/** Undone change by change, it leaves nothing either. */
export async function undoneOneByOne(seed: number, steps: number): Promise<void> {
  const { fake, changes, undo, before } = await played(seed, steps, false);
  for (const change of await changes()) {
    expect(reasonsOf(await undo([change]))).toEqual([]);
    await fake.settled();
  }
  expect(treeOf(fake)).toEqual(before);
}

/** While others change notes, any change is undone, and done again, or nothing happens. */
export async function undoneAmongOthers(seed: number, steps: number): Promise<void> {
  const { fake, changes, undo, random } = await played(seed, steps, true);
  const all = await changes();
  for (let n = 0; n < 8; n++) {
    const before = treeOf(fake);
    const result = await undo([pick(random, all)!]);
    await fake.settled();
    if (result.conflicts.length === 0 && result.steps.some(({ action }) => action !== 'nothing to do')) {
      expect(reasonsOf(await undo())).toEqual([]);
      await fake.settled();
    }
    expect(treeOf(fake)).toEqual(before);
  }
}
