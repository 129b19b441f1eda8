/** A change of notes as the history records it. One call of a tool is one change, however many notes it edits. */
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
}

export type EditKind = 'create' | 'write' | 'delete' | 'move';

/** The edit of one note. Texts are named by their hashes. */
export interface Edit {
  readonly kind: EditKind;
  /** The path of the note, or in a Trilium its id. */
  readonly path: string;
  /** For a move: the new path. */
  readonly to?: string;
  /** Absent where there was no note. */
  readonly before?: TextHash;
  /** Absent where there is none any more. For a move, the text that was moved is both. */
  readonly after?: TextHash;
  /** For a move: the text of the note that was replaced. */
  readonly replaced?: TextHash;
  /** Permission bits of the file before. */
  readonly mode?: number;
  /** Set where the texts are not notes but states of another form, which only the store can restore. */
  readonly form?: string;
  /** For people, where the path says little. */
  readonly title?: string;
}

/** Texts of an edit, before they have hashes. */
export interface EditTexts {
  readonly before?: Uint8Array;
  readonly after?: Uint8Array;
  readonly replaced?: Uint8Array;
}

export type EditState =
  | 'done'
  /** Refused by the store; nothing was changed. */
  | 'failed'
  /** Begun; its process is at it, or was cut off. */
  | 'open'
  /** Cut off, and the note is neither what it was before nor what the edit would have made of it. */
  | 'unknown';

export interface RecordedEdit extends Edit {
  readonly state: EditState;
  /** When it began, in milliseconds since 1970: edits of two changes may alternate. */
  readonly at: number;
  /** Where the store put the deleted or replaced note. */
  readonly trashedTo?: string;
}

export interface Change extends ChangeHead {
  /** In the order they were made. */
  readonly edits: readonly RecordedEdit[];
  /** The change that undid this one, unless it was undone itself. */
  readonly undoneBy?: string;
}
