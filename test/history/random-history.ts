/** Random histories of a few notes, on any store, and what must hold when they are undone. */
import { chmod, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Change } from '../../src/history/change.ts';
import type { History } from '../../src/history/history.ts';
import { planUndo } from '../../src/history/undo.ts';
import { patchNote, updateFrontmatter } from '../../src/notes/ops/edit-note.ts';
import { moveNote } from '../../src/notes/ops/move-note.ts';
import { changeTags } from '../../src/notes/ops/tags.ts';
import { trashNote } from '../../src/notes/ops/trash.ts';
import { removeNote, writeNote } from '../../src/notes/ops/write-note.ts';
import type { Notebook, NoteStore } from '../../src/notes/store.ts';
import { isAppError } from '../../src/shared/errors.ts';
import { recorded } from '../../src/stores/wrap/recorded.ts';
import { ORIGIN, path, undoing } from './kit.ts';

const NAMES = ['a.md', 'b.md', 'x/c.md', 'x/y/d.md', 'Ünïcode note.md', 'e.md'];
const LINES = [
  'one',
  'two [[a]]',
  'three [c](x/c.md) #tag',
  '',
  '- [ ] task',
  '---',
  'ü ✓ \u{1F600}',
  '\tx\r',
];

const name = fc.constantFrom(...NAMES);
const text = fc.array(fc.constantFrom(...LINES), { maxLength: 8 }).map((lines) => lines.join('\n'));

export const OPERATION = fc.record({
  kind: fc.constantFrom(
    ...(['write', 'write', 'append', 'prepend', 'patch', 'tags', 'frontmatter', 'replace'] as const),
    ...(['move', 'move', 'overwrite', 'delete', 'trash', 'undo'] as const),
  ),
  on: name,
  to: name,
  text,
  /** Which of several processes does it. */
  by: fc.nat(1),
  pick: fc.nat(30),
});
export type Operation = typeof OPERATION extends fc.Arbitrary<infer T> ? T : never;

export const SEED = fc.dictionary(name, text, { maxKeys: 4 });

/** One process, or one of several, that serves the notes. */
export interface Served {
  readonly store: NoteStore;
  readonly history: History;
}

export interface Space {
  readonly served: readonly [Served, ...Served[]];
  /** Of a folder, where files have modes. */
  readonly folder?: string;
}

/** Every note but those in the trash. */
export type Tree = Readonly<Record<string, string>>;

export async function treeOf({ served: [{ store }], folder }: Space): Promise<Tree> {
  const tree: Record<string, string> = {};
  for (const { path: at } of await store.list()) {
    if (at.startsWith('_trash/') || at.startsWith('.trash/')) continue;
    const { bytes } = await store.read(at);
    const mode = folder === undefined ? '' : ((await stat(join(folder, at))).mode & 0o777).toString(8);
    tree[at] = `${mode}:${Buffer.from(bytes).toString('latin1')}`;
  }
  return tree;
}

export async function sow({ served: [{ store }], folder }: Space, seed: Readonly<Record<string, string>>) {
  for (const [at, content] of Object.entries(seed)) await store.write(path(at), content);
  if (folder === undefined) return;
  for (const [n, at] of Object.keys(seed).entries())
    await chmod(join(folder, at), [0o644, 0o600, 0o640, 0o664][n % 4]!);
}

/** Makes the changes; those that the notes refuse change nothing. */
export async function live(space: Space, operations: readonly Operation[]): Promise<void> {
  for (const operation of operations) {
    const { store, history } = space.served[operation.by % space.served.length]!;
    if (operation.kind === 'undo') {
      const changes = await history.list({}, 100);
      const picked = changes[operation.pick % Math.max(1, changes.length)];
      if (picked) await undoing(history, store, [picked]);
      continue;
    }
    const notes = recorded(store, history.record({ ...ORIGIN, tool: operation.kind }));
    await carryOut(notes, operation).catch((error: unknown) => {
      if (!isAppError(error) || error.code === 'internal') throw error;
    });
  }
}

async function carryOut(notes: NoteStore, { kind, on, to, text: content }: Operation): Promise<unknown> {
  const notebook = { notes, files: notes, rules: [], keepsAll: false } as unknown as Notebook;
  const at = path(on);
  const move = { from: at, to: path(to), updateLinks: true, dryRun: false };
  switch (kind) {
    case 'write':
      return writeNote(notebook, at, { content, mode: 'overwrite' });
    case 'append':
    case 'prepend':
      return writeNote(notebook, at, { content, mode: kind, frontmatter: { k: content.length } });
    case 'patch':
      return patchNote(notebook, at, { oldString: 'one', newString: 'two', replaceAll: true });
    case 'tags':
      return changeTags(notebook, at, { add: [`t${content.length}`] });
    case 'frontmatter':
      return updateFrontmatter(notebook, at, { frontmatter: { status: content }, merge: true });
    case 'replace':
      return updateFrontmatter(notebook, at, { frontmatter: { only: content.length }, merge: false });
    case 'move':
    case 'overwrite':
      return moveNote(notebook, { ...move, overwrite: kind === 'overwrite' });
    case 'delete':
      return removeNote(notebook, at);
    case 'trash':
      return trashNote(notes, at, Date.UTC(2026, 10, 17));
    case 'undo':
      return undefined;
  }
}

async function allChanges({ history }: Served): Promise<Change[]> {
  return history.list({}, 1_000);
}

/** Undoing everything restores the notes; undoing that brings them to where they were. */
export async function undoesAll(space: Space, seed: Tree, operations: readonly Operation[]): Promise<void> {
  await sow(space, seed);
  const before = await treeOf(space);
  await live(space, operations);
  const after = await treeOf(space);
  const [{ store, history }] = space.served;
  const { conflicts, id } = await undoing(history, store, await allChanges(space.served[0]));
  expect(conflicts).toEqual([]);
  expect(await treeOf(space)).toEqual(before);
  const undone = id === undefined ? undefined : await history.change(id);
  if (!undone) return;
  expect((await undoing(history, store, [undone])).conflicts).toEqual([]);
  expect(await treeOf(space)).toEqual(after);
}

/** The same, one change at a time. */
export async function undoesEach(space: Space, seed: Tree, operations: readonly Operation[]): Promise<void> {
  await sow(space, seed);
  const before = await treeOf(space);
  await live(space, operations);
  const [{ store, history }] = space.served;
  for (const change of await allChanges(space.served[0]))
    expect((await undoing(history, store, [change])).conflicts).toEqual([]);
  expect(await treeOf(space)).toEqual(before);
}

export interface OutsideEdit {
  readonly on: string;
  readonly text: string;
  /** How many of the operations were made before it. */
  readonly after: number;
}

export const OUTSIDE = fc.record({ on: name, text, after: fc.nat(12) });

/** Undoing any one change restores exactly its part, or is a conflict that changed nothing. */
export async function undoesOne(
  space: Space,
  seed: Tree,
  operations: readonly Operation[],
  { outside, pick }: { readonly outside: OutsideEdit; readonly pick: number },
): Promise<void> {
  await sow(space, seed);
  await live(space, operations.slice(0, outside.after));
  await editOutside(space, outside);
  await live(space, operations.slice(outside.after));
  const [{ store, history }] = space.served;
  const changes = await allChanges(space.served[0]);
  const change = changes[pick % Math.max(1, changes.length)];
  if (!change) return;
  const before = await treeOf(space);
  const plan = await planUndo([change], store, { history });
  expect(await treeOf(space)).toEqual(before);
  const { conflicts, steps, id } = await undoing(history, store, [change]);
  const after = await treeOf(space);
  expect(conflicts.map(({ reason }) => reason)).toEqual(plan.conflicts.map(({ reason }) => reason));
  if (conflicts.length > 0) {
    expect(steps).toEqual([]);
    expect(after).toEqual(before);
    return;
  }
  expect(steps.map(({ action, path: at }) => [action, at])).toEqual(
    plan.steps.map(({ action, path: at }) => [action, at]),
  );
  const touched = new Set(change.edits.flatMap((edit) => [edit.path, edit.to ?? edit.path]));
  const rest = (tree: Tree) => Object.fromEntries(Object.entries(tree).filter(([at]) => !touched.has(at)));
  expect(rest(after)).toEqual(rest(before));
  await expectOwnPart(space, change, after, steps);
  // And all of it can be taken back.
  const undone = id === undefined ? undefined : await history.change(id);
  if (!undone) return;
  expect((await undoing(history, store, [undone])).conflicts).toEqual([]);
  expect(await treeOf(space)).toEqual(before);
}

/** A note that one edit of the change touched, and that was not merged, is what it was before. */
async function expectOwnPart(
  { served: [{ history }] }: Space,
  { edits }: Change,
  after: Tree,
  steps: readonly { readonly action: string; readonly path: string }[],
): Promise<void> {
  const places = edits.flatMap((edit) => (edit.to === undefined ? [edit.path] : [edit.path, edit.to]));
  for (const { kind, path: at, before } of edits) {
    const isOnce = places.filter((place) => place === at).length === 1;
    const step = steps.find(({ path: place }) => place === at);
    if (!isOnce || kind === 'move' || step?.action === 'merged') continue;
    const old = before === undefined ? undefined : (await history.text(before))?.toString('latin1');
    expect(after[at]?.slice(after[at].indexOf(':') + 1)).toBe(old);
  }
}

async function editOutside({ served: [{ store }], folder }: Space, { on, text: content }: OutsideEdit) {
  const isThere = await store.read(path(on)).catch(() => undefined);
  if (isThere && folder !== undefined) await writeFile(join(folder, on), content);
  else await store.write(path(on), content).catch(() => {});
}
