/**
 * Undoes changes. A note that still is what the change left becomes again what it was before, byte for byte; one that
 * has moved on gets a three-way merge, or the undoing is a conflict and nothing is changed.
 */
import { isRespelled, relocate } from '../notes/ops/links.ts';
import { readIfThere } from '../notes/ops/update-note.ts';
import { extensionOf, type NotePath } from '../notes/path.ts';
import type { Note, NoteStore } from '../notes/store.ts';
import { AppError, isAppError } from '../shared/errors.ts';
import type { Caller } from '../shared/principal.ts';
import { carryOut } from './carry-out.ts';
import type { Change, RecordedEdit } from './change.ts';
import type { History } from './history.ts';
import { mergeTexts } from './merge.ts';
import { type EditableNotes, overlay } from './overlay.ts';
import { hashOf, type TextHash } from './text-pack.ts';

export type UndoAction =
  | 'restored'
  | 'merged'
  | 'removed'
  | 'brought back'
  | 'moved back'
  | 'nothing to do'
  | 'copied';

/** What undoing does, or would do, to one note. */
export interface UndoStep {
  readonly change: string;
  readonly path: string;
  /** For a note that is moved back: its present path. */
  readonly from?: string;
  readonly action: UndoAction;
  /** For people, where the path says little. */
  readonly title?: string;
  /** What people should know about it. */
  readonly remark?: string;
  /** The note before and after undoing, where its text changes. */
  readonly texts?: { readonly before?: Uint8Array; readonly after?: Uint8Array };
}

export interface UndoConflict {
  readonly change: string;
  readonly path: string;
  readonly reason: string;
  /** For people, where the path says little. */
  readonly title?: string;
  /** Before the change, after it, and now. */
  readonly texts: {
    readonly before?: Uint8Array;
    readonly after?: Uint8Array;
    readonly current?: Uint8Array;
  };
}

export interface UndoResult {
  readonly steps: readonly UndoStep[];
  readonly conflicts: readonly UndoConflict[];
}

/** Restores states that are not texts of notes, such as Trilium's notes with all their attributes. */
export interface StateRestorer {
  undo(change: string, edit: RecordedEdit): Promise<UndoStep | UndoConflict>;
}

/** Made anew for each run: a dry run sees what it would have changed before. */
export type OpenRestorer = (options: UndoOptions & { readonly dryRun: boolean }) => StateRestorer;

export interface UndoParts {
  readonly history: Pick<History, 'text'>;
  /** By the form of the edits. */
  readonly restorers?: Readonly<Record<string, OpenRestorer>>;
}

export interface UndoOptions {
  /** Puts the old text of a note that cannot be undone into a new note beside it, instead of a conflict. */
  readonly copies?: boolean;
}

export interface UndoRequest {
  /** Show what would be done, and do nothing. */
  readonly dryRun: boolean;
  readonly copies: boolean;
}

/** What undoing did, or would do. */
export interface RecordedUndo extends UndoResult {
  /** The change by which it is recorded, if anything was changed. */
  readonly id?: string;
}

/** Undoes changes in the name of a caller. */
export type UndoChanges = (
  changes: readonly Change[],
  caller: Caller,
  request: UndoRequest,
) => Promise<RecordedUndo>;

/** What undoing the changes would do. Nothing is changed. */
export function planUndo(
  changes: readonly Change[],
  notes: EditableNotes,
  parts: UndoParts,
  options: UndoOptions = {},
): Promise<UndoResult> {
  return run(changes, overlay(notes), parts, { ...options, dryRun: true });
}

/**
 * Undoes all the changes, the newest first, or none of them: conflicts are found before anything is changed, and a
 * store that can makes all of it one change. `notes` records what is done to them. A conflict beside steps means that a
 * note was changed meanwhile: the caller takes the steps back.
 */
export async function undoChanges(
  changes: readonly Change[],
  notes: EditableNotes,
  parts: UndoParts,
  options: UndoOptions = {},
): Promise<UndoResult> {
  const { result, isBegun } = await carryOut(notes, (on, isPlan) =>
    run(changes, on, parts, { ...options, dryRun: isPlan }),
  );
  return isBegun ? result : { steps: [], conflicts: result.conflicts };
}

async function run(
  changes: readonly Change[],
  notes: EditableNotes,
  parts: UndoParts,
  options: UndoOptions & { readonly dryRun: boolean },
): Promise<UndoResult> {
  const steps: UndoStep[] = [];
  const conflicts: UndoConflict[] = [];
  const restorers = new Map<string, StateRestorer>();
  const restorerOf = (form: string): StateRestorer | undefined => {
    const restorer = restorers.get(form) ?? parts.restorers?.[form]?.(options);
    if (restorer) restorers.set(form, restorer);
    return restorer;
  };
  for (const { id, edit } of newestFirst(changes)) {
    const restorer = edit.form === undefined ? undefined : restorerOf(edit.form);
    const outcome = await undoEdit(id, edit, notes, { ...parts, restorer }, options);
    if ('reason' in outcome) conflicts.push(outcome);
    else steps.push(outcome);
    // Found while undoing: a note was changed since the dry run. Going on would leave more to take back.
    if (conflicts.length > 0 && !options.dryRun) break;
  }
  return { steps, conflicts };
}

/** By edits, not by changes: those of two changes may alternate. */
function newestFirst(changes: readonly Change[]): { readonly id: string; readonly edit: RecordedEdit }[] {
  const oldestFirst = changes.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return oldestFirst
    .flatMap(({ id, edits }) => edits.map((edit) => ({ id, edit })))
    .sort((a, b) => a.edit.at - b.edit.at || isNext(b.edit, a.edit) - isNext(a.edit, b.edit))
    .reverse();
}

/** 1 when `later` found what `earlier` left, for edits of two processes within a millisecond. */
function isNext(earlier: RecordedEdit, later: RecordedEdit): number {
  const isSamePath = earlier.path === later.path;
  return isSamePath && earlier.after !== undefined && earlier.after === later.before ? 1 : 0;
}

async function undoEdit(
  change: string,
  edit: RecordedEdit,
  notes: EditableNotes,
  parts: Pick<UndoParts, 'history'> & { readonly restorer?: StateRestorer },
  options: UndoOptions,
): Promise<UndoStep | UndoConflict> {
  if (edit.form !== undefined) {
    if (!parts.restorer)
      throw new AppError('unsupported', 'This change cannot be undone here', { subject: change });
    return parts.restorer.undo(change, edit);
  }
  const undoing = new EditUndo(change, edit, notes, parts.history);
  const outcome = await undoing.run();
  if (!('reason' in outcome) || options.copies !== true || outcome.texts.before === undefined) return outcome;
  return undoing.copy(outcome.texts.before);
}

class EditUndo {
  readonly #change: string;
  readonly #edit: RecordedEdit;
  readonly #notes: EditableNotes;
  readonly #history: Pick<History, 'text'>;
  readonly #path: NotePath;

  constructor(change: string, edit: RecordedEdit, notes: EditableNotes, history: Pick<History, 'text'>) {
    this.#change = change;
    this.#edit = edit;
    this.#notes = notes;
    this.#history = history;
    this.#path = edit.path as NotePath;
  }

  run(): Promise<UndoStep | UndoConflict> {
    switch (this.#edit.kind) {
      case 'create':
        return this.#create();
      case 'write':
        return this.#write();
      case 'delete':
        return this.#delete();
      case 'move':
        return this.#move();
    }
  }

  /** A note beside the present one, under a name that says what it is. */
  async copy(before: Uint8Array): Promise<UndoStep> {
    const extension = extensionOf(this.#path);
    const stem = this.#path.slice(0, this.#path.length - extension.length);
    const copy = `${stem} (before ${this.#change})${extension}` as NotePath;
    if (!(await this.#read(copy))) await this.#notes.write(copy, before, { ifVersion: null });
    return { ...this.#step('copied', { after: before }), path: copy };
  }

  async #create(): Promise<UndoStep | UndoConflict> {
    const current = await this.#read(this.#path);
    if (!current) return this.#step('nothing to do');
    if (hashOf(current.bytes) !== this.#edit.after)
      return this.#conflict('It was changed after it was created.', current);
    await this.#notes.remove(this.#path, { ifVersion: current.version });
    await this.#pruneFolders(this.#path);
    return this.#step('removed', { before: current.bytes });
  }

  async #write(): Promise<UndoStep | UndoConflict> {
    const { before, after } = this.#edit;
    const current = await this.#read(this.#path);
    if (!current) return this.#conflict('It was deleted or moved since.', undefined);
    const hash = hashOf(current.bytes);
    if (hash === before) return this.#step('nothing to do');
    const [old, left] = [await this.#text(before), await this.#text(after)];
    if (!old) return this.#conflict('Its text before the change is no longer kept.', current);
    if (hash === after) return this.#rewrite(current, old, 'restored');
    const merged = left && mergeTexts(left, current.bytes, old);
    if (merged === undefined) return this.#conflict('It was changed since, in the same lines.', current);
    return this.#rewrite(current, Buffer.from(merged), 'merged');
  }

  async #delete(): Promise<UndoStep | UndoConflict> {
    const current = await this.#read(this.#path);
    if (current && hashOf(current.bytes) === this.#edit.before) return this.#step('nothing to do');
    if (current) return this.#conflict('Another note has this name now.', current);
    return this.#bringBack(this.#path, this.#edit.before);
  }

  async #move(): Promise<UndoStep | UndoConflict> {
    const { replaced, trashedTo, state } = this.#edit;
    const to = this.#edit.to as NotePath;
    const [there, here] = [await this.#read(to), await this.#read(this.#path)];
    const isSameText = here && there && hashOf(here.bytes) === hashOf(there.bytes);
    if (!there && !here) return this.#conflict(`It is no longer at ${to}.`, undefined);
    if (there && (!here || isRespelled([this.#path, here], [to, there])))
      await relocate(this.#notes as NoteStore, to, this.#path);
    // Cut off when the note had both names.
    else if (there && isSameText && state !== 'done')
      await this.#notes.remove(to, { ifVersion: there.version });
    else if (there) return this.#conflict('Another note has its old name now.', here);
    if (there) await this.#pruneFolders(to);
    const moved = there ? { ...this.#step('moved back'), from: to } : this.#step('nothing to do');
    if (replaced === undefined && trashedTo === undefined) return moved;
    const back = await this.#bringBack(to, replaced);
    return there && !('reason' in back) ? moved : back;
  }

  /** From the trash, where the file has kept its time and owner, or else from the history. */
  async #bringBack(path: NotePath, hash: TextHash | undefined): Promise<UndoStep | UndoConflict> {
    const { trashedTo, mode } = this.#edit;
    const text = await this.#text(hash);
    if (!text) {
      const isOnlyTrashed = hash === undefined && trashedTo !== undefined;
      const reason = isOnlyTrashed
        ? `It was too large for the history; it went to ${trashedTo}.`
        : 'Its text is no longer kept.';
      return this.#conflict(reason, undefined);
    }
    const isRestored = trashedTo !== undefined && (await this.#restore(trashedTo as NotePath, path, text));
    if (!isRestored) await this.#notes.write(path, text, { ifVersion: null, mode });
    return { ...this.#step('brought back', { after: text }), path };
  }

  /** False when it is not in the trash any more as it went there. */
  async #restore(trashed: NotePath, to: NotePath, text: Uint8Array): Promise<boolean> {
    try {
      if (this.#notes.restore) {
        await this.#notes.restore(trashed, to, text);
        return true;
      }
      // A trash that is a folder of notes like any other.
      const { bytes } = await this.#notes.read(trashed);
      if (Buffer.compare(bytes, text) !== 0) return false;
      await relocate(this.#notes as NoteStore, trashed, to);
      return true;
    } catch (error) {
      if (isAppError(error, 'not_found')) return false;
      throw error;
    }
  }

  async #rewrite(current: Note, bytes: Uint8Array, action: UndoAction): Promise<UndoStep> {
    await this.#notes.write(this.#path, bytes, { ifVersion: current.version });
    return this.#step(action, { before: current.bytes, after: bytes });
  }

  /** Takes the folders away that the edit made for the note, which is gone from there. */
  async #pruneFolders(path: NotePath): Promise<void> {
    const { madeFolder } = this.#edit;
    if (madeFolder !== undefined) await this.#notes.pruneFolders?.(path, madeFolder as NotePath);
  }

  #read(path: NotePath): Promise<Note | undefined> {
    return readIfThere(this.#notes as NoteStore, path);
  }

  async #text(hash: TextHash | undefined): Promise<Uint8Array | undefined> {
    return hash === undefined ? undefined : this.#history.text(hash);
  }

  #step(action: UndoAction, texts?: UndoStep['texts']): UndoStep {
    return { change: this.#change, path: this.#path, action, texts };
  }

  async #conflict(reason: string, current: Note | undefined): Promise<UndoConflict> {
    const [before, after] = [await this.#text(this.#edit.before), await this.#text(this.#edit.after)];
    return {
      change: this.#change,
      path: this.#path,
      reason,
      texts: { before, after, current: current?.bytes },
    };
  }
}
