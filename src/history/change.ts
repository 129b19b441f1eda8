/** A change of notes as the history records it. One call of a tool is one change, however many notes it edits. */
import type { EditResult, NewEdit } from '../notes/edit-recorder.ts';
import type { TextHash } from './text-pack.ts';

/** Who made a change, as far as it is known. */
export interface ChangeAuthor {
  readonly principal?: string;
  /** Name and version of the program, as it introduced itself. */
  readonly client?: string;
  readonly session?: string;
}

export interface ChangeHead {
  readonly id: string;
  /** Changes of one session that followed each other without a long pause have one group. */
  readonly group: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly notebook: string;
  readonly tool: string;
  readonly by: ChangeAuthor;
  /** The changes that this one undoes. */
  readonly undoes?: readonly string[];
  /** For a change that was proposed: the person who accepted it. */
  readonly acceptedBy?: string;
}

/** The edit of one note. Texts are named by their hashes. */
export interface Edit extends NewEdit {
  readonly before?: TextHash;
  readonly after?: TextHash;
  readonly replaced?: TextHash;
}

export type EditState =
  | 'done'
  /** Refused by the store; nothing was changed. */
  | 'failed'
  /** Begun; its process is at it, or was cut off. */
  | 'open'
  /** Cut off, and the note is neither what it was before nor what the edit would have made of it. */
  | 'unknown';

export interface RecordedEdit extends Edit, EditResult {
  readonly state: EditState;
  /** When it began, in milliseconds since 1970: edits of two changes may alternate. */
  readonly at: number;
}

export interface Change extends ChangeHead {
  /** In the order they were made. */
  readonly edits: readonly RecordedEdit[];
  /** The change that undid this one, unless it was undone itself. */
  readonly undoneBy?: string;
}
