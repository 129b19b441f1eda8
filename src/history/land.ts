/**
 * Carries out proposed edits. A note that still is what the proposal was made on becomes what was proposed; one that has
 * moved on gets a three-way merge, or it is a conflict and nothing is changed.
 */
import { isRespelled, relocate } from '../notes/ops/links.ts';
import { readIfThere } from '../notes/ops/update-note.ts';
import type { NotePath } from '../notes/path.ts';
import type { Note, NoteStore } from '../notes/store.ts';
import { carryOut } from './carry-out.ts';
import type { Edit } from './change.ts';
import { mergeTexts } from './merge.ts';
import { type EditableNotes, overlay } from './overlay.ts';
import { hashOf } from './text-pack.ts';

/** An edit with its texts. */
export interface LandableEdit extends Pick<Edit, 'kind' | 'path' | 'to' | 'mode'> {
  readonly before?: Uint8Array;
  readonly after?: Uint8Array;
  readonly replaced?: Uint8Array;
}

export interface LandConflict {
  readonly path: string;
  readonly reason: string;
  /** What the note is now. */
  readonly current?: Uint8Array;
}

/** What became of each edit that was carried out. */
export type Landed = 'as proposed' | 'merged' | 'nothing to do';

export interface LandResult {
  readonly landed: readonly Landed[];
  readonly conflicts: readonly LandConflict[];
}

/** Finds conflicts without changing anything. */
export async function planLanding(edits: readonly LandableEdit[], notes: EditableNotes): Promise<LandResult> {
  return run(edits, overlay(notes));
}

/**
 * All of the edits or none: conflicts are found before anything is changed, and a store that can makes all of it one
 * change. `notes` records what is done to them.
 */
export async function land(edits: readonly LandableEdit[], notes: EditableNotes): Promise<LandResult> {
  const { result, isBegun } = await carryOut(notes, (on) => run(edits, on));
  return isBegun ? result : { landed: [], conflicts: result.conflicts };
}

async function run(edits: readonly LandableEdit[], notes: EditableNotes): Promise<LandResult> {
  if (await isThereAlready(edits, notes)) return { landed: edits.map(() => 'nothing to do'), conflicts: [] };
  const landed: Landed[] = [];
  const conflicts: LandConflict[] = [];
  for (const edit of edits) {
    const outcome = await landEdit(edit, notes);
    if (typeof outcome === 'string') landed.push(outcome);
    else conflicts.push(outcome);
  }
  return { landed, conflicts };
}

/** Whether the notes are as all of the edits leave them: they were carried out, and their record was cut off. */
async function isThereAlready(edits: readonly LandableEdit[], notes: EditableNotes): Promise<boolean> {
  const left = new Map<string, Uint8Array | 'gone' | undefined>();
  for (const { kind, path, to = '', before, after } of edits) {
    if (kind === 'move') left.set(path, 'gone').set(to, before);
    else left.set(path, kind === 'delete' ? 'gone' : after);
  }
  for (const [path, text] of left) {
    const note = await readAt(notes, path);
    if (text === 'gone' ? note : !note || !isSame(note.bytes, text)) return false;
  }
  return true;
}

function landEdit(edit: LandableEdit, notes: EditableNotes): Promise<Landed | LandConflict> {
  switch (edit.kind) {
    case 'create':
      return create(edit, notes);
    case 'write':
      return write(edit, notes);
    case 'delete':
      return remove(edit, notes);
    case 'move':
      return move(edit, notes);
  }
}

async function create({ path, after, mode }: LandableEdit, notes: EditableNotes) {
  const current = await readAt(notes, path);
  if (!current) {
    await notes.write(path as NotePath, after ?? Buffer.alloc(0), { ifVersion: null, mode });
    return 'as proposed';
  }
  if (isSame(current.bytes, after)) return 'nothing to do';
  return conflict(path, 'A note with this name has been created since.', current);
}

async function write({ path, before, after }: LandableEdit, notes: EditableNotes) {
  const current = await readAt(notes, path);
  if (!current) return conflict(path, 'It was deleted or moved since.', undefined);
  if (isSame(current.bytes, after)) return 'nothing to do';
  if (!before || !after) return conflict(path, 'The proposed text is no longer kept.', current);
  const merged = isSame(current.bytes, before) ? after : mergeTexts(before, current.bytes, after);
  if (merged === undefined) return conflict(path, 'It was changed since, in the same lines.', current);
  await notes.write(path as NotePath, merged, { ifVersion: current.version });
  return merged === after ? 'as proposed' : 'merged';
}

async function remove({ path, before }: LandableEdit, notes: EditableNotes) {
  const current = await readAt(notes, path);
  if (!current) return 'nothing to do';
  // Without a text it was too large to be read as a note.
  if (before && !isSame(current.bytes, before)) return conflict(path, 'It was changed since.', current);
  await notes.remove(path as NotePath, { ifVersion: current.version });
  return 'as proposed';
}

async function move({ path, to = '', before, replaced }: LandableEdit, notes: EditableNotes) {
  const [here, there] = [await readAt(notes, path), await readAt(notes, to)];
  if (!here)
    return there && isSame(there.bytes, before)
      ? 'nothing to do'
      : conflict(path, 'It was deleted or moved since.', there);
  if (before && !isSame(here.bytes, before) && !sharesLine(before, here.bytes))
    return conflict(path, 'It was rewritten since, or another note has its name now.', here);
  const inTheWay = isRespelled([path, here], [to, there]) ? undefined : there;
  if (inTheWay && !isSame(inTheWay.bytes, replaced))
    return conflict(to, 'Another note has the new name now.', there);
  if (inTheWay) await notes.remove(to as NotePath, { ifVersion: inTheWay.version });
  await relocate(notes as NoteStore, path as NotePath, to as NotePath);
  return 'as proposed';
}

/** Whether a note that changed since is still the same one: a line of it is left, or it was empty. */
function sharesLine(before: Uint8Array, now: Uint8Array): boolean {
  const left = new Set(linesOf(now));
  const lines = linesOf(before);
  return lines.length === 0 || lines.some((line) => left.has(line));
}

function linesOf(bytes: Uint8Array): string[] {
  const lines = Buffer.from(bytes).toString('utf8').split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}

function readAt(notes: EditableNotes, path: string): Promise<Note | undefined> {
  return readIfThere(notes as NoteStore, path as NotePath);
}

function isSame(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return b !== undefined && hashOf(a) === hashOf(b);
}

function conflict(path: string, reason: string, current: Note | undefined): LandConflict {
  return { path, reason, current: current?.bytes };
}
