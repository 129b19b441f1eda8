/** Changes of notes as the console shows them. Whoever fills this interface gives a viewer only what they may see. */
import type { Change, RecordedEdit } from '../history/change.ts';
import type { OutsideChange } from '../history/outside.ts';
import type { RecordedUndo } from '../history/undo.ts';
import type { Viewer } from './page.ts';

export interface ActivityQuery {
  readonly notebook?: string;
  /** Part of the name of an app. */
  readonly app?: string;
  readonly tool?: string;
  /** Of a note or a folder. */
  readonly path?: string;
  /** Milliseconds since 1970, both included. */
  readonly since?: number;
  readonly until?: number;
  /** Only changes before this one, or only those after it that are nearest to it. */
  readonly before?: string;
  readonly after?: string;
}

/** A change, with the edits of notes that are visible. */
export interface ShownChange {
  /** The name under which the notes are served. */
  readonly notebook: string;
  readonly change: Change;
  /** Why the viewer may not undo it. */
  readonly refusal?: string;
}

export interface ActivityPage {
  /** The newest first. */
  readonly changes: readonly ShownChange[];
  /** What changed outside Quire, found by the changes of this page. */
  readonly outside: readonly OutsideChange[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
}

/** The texts of an edit; undefined where there is no note. */
export interface EditTextPair {
  readonly before?: string;
  readonly after?: string;
}

/** Changes that are undone together. */
export interface UndoSelection {
  readonly notebook: string;
  /** Of a change or a group. */
  readonly id: string;
  /** Puts texts that cannot be restored into new notes. */
  readonly copies: boolean;
}

export interface UndoPlan extends RecordedUndo {
  readonly changes: readonly Change[];
}

export interface ActivitySource {
  readonly notebooks: readonly string[];
  /** Tools that change notes. */
  readonly tools: readonly string[];
  /** Whether changes are recorded. */
  readonly isKept: boolean;
  list(viewer: Viewer, query: ActivityQuery): Promise<ActivityPage>;
  /** Throws `not_found` for a change that the viewer may not see. */
  change(viewer: Viewer, notebook: string, id: string): Promise<ShownChange>;
  /** The texts before and after an edit, and for a move that replaced a note the text of that one. */
  texts(notebook: string, edit: RecordedEdit): Promise<EditTextPair | 'not text' | 'not kept'>;
  replacedText(
    notebook: string,
    edit: RecordedEdit,
  ): Promise<EditTextPair | 'not text' | 'not kept' | undefined>;
  /** What undoing would do. */
  plan(viewer: Viewer, selection: UndoSelection): Promise<UndoPlan>;
  undo(viewer: Viewer, selection: UndoSelection): Promise<UndoPlan>;
  /** Another text whenever there is something new for the viewer, whichever process recorded it. */
  mark(viewer: Viewer): Promise<string>;
}

export const ACTIVITY_PATH = '/console/activity';
export const CHANGE_PATH = '/console/change';
export const UNDO_PATH = '/console/undo';
export const EVENTS_PATH = '/console/events';
