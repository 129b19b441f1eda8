/** Records the edits of one call before they are made, so that each can be undone. The history does so. */

export type EditKind = 'create' | 'write' | 'delete' | 'move';

/** An edit that is about to be made. */
export interface NewEdit {
  readonly kind: EditKind;
  /** The path of the note, or in a Trilium its id. */
  readonly path: string;
  /** For a move: the new path. */
  readonly to?: string;
  /** Permission bits of the file before. */
  readonly mode?: number;
  /** Set where the texts are not notes but states of another form, which only the store can restore. */
  readonly form?: string;
  /** The part of the note that is edited, in a form that has parts. */
  readonly part?: string;
  /** For people, where the path says little. */
  readonly title?: string;
}

/** Texts of an edit, before they have hashes. */
export interface EditTexts {
  /** Absent where there was no note. */
  readonly before?: Uint8Array;
  /** Absent where there is none any more. For a move, the text that was moved is both. */
  readonly after?: Uint8Array;
  /** For a move: the text of the note that was replaced. */
  readonly replaced?: Uint8Array;
}

export interface EditResult {
  /** Where the store put the deleted or replaced note. */
  readonly trashedTo?: string;
  /** The topmost folder that the store made for the note. */
  readonly madeFolder?: string;
  /** What the store answered, where undoing needs it: the id that it gave, the version that it left. */
  readonly outcome?: string;
}

/** An edit whose beginning is on the disk. */
export interface OpenEdit {
  done(result?: EditResult): Promise<void>;
  /** The store refused it; nothing was changed. */
  failed(): Promise<void>;
  /** What became of it cannot be found out now: the next start does. */
  unsettled(): Promise<void>;
}

/** Runs statements of a transaction. */
export interface Statements {
  query<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** Records an edit in the transaction that makes it, for notes and history in one database. */
export interface TransactionRecorder {
  /** Where the history is. */
  readonly database: unknown;
  /** The record is made with the edit, or not at all. */
  record(transaction: Statements, edit: NewEdit, texts: EditTexts, result?: EditResult): Promise<void>;
}

/** Records a change in the transaction that makes it; told what the store answers. */
export type RecordWithin = (transaction: Statements, made: readonly EditResult[]) => Promise<void>;

export interface EditRecorder {
  /** Resolves when texts and edit are on the disk; only then may the note be changed. */
  begin(edit: NewEdit, texts: EditTexts): Promise<OpenEdit>;
  readonly within?: TransactionRecorder;
}
