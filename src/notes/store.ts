/**
 * The seam between notes and where they live. Five methods every backend has, a few optional powers.
 *
 * Promises every store keeps (test/contracts/store.ts holds them to it):
 * - a write replaces the whole note or nothing;
 * - `ifVersion` makes a write or removal conditional: when the note has moved on, the store throws
 *   `conflict` and changes nothing; `ifVersion: null` means "must not exist yet" (`already_exists`);
 * - a missing note is `not_found`, never an empty answer.
 */
import type { Log } from '../shared/log.ts';
import type { CompiledRule } from './frontmatter/rules.ts';
import type { NotePath } from './path.ts';
import type { NoteSearcher } from './searcher.ts';

export interface NoteMeta {
  readonly path: NotePath;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly lastModified: number;
  readonly contentType: string;
}

export interface Note extends NoteMeta {
  /** Opaque; changes whenever the content does. Only a read or a write gives one: a listing does not vouch for content. */
  readonly version: string;
  readonly bytes: Uint8Array;
}

export type WrittenNote = Omit<Note, 'bytes'>;

/** The direct entries of one folder by name, sorted. */
export interface FolderEntries {
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

/**
 * An earlier listing, for a comparison with the present. Columns instead of objects, because most of very many files
 * are only compared.
 */
export interface Listing {
  /** In no order. */
  readonly paths: readonly NotePath[];
  readonly sizes: ArrayLike<number>;
  readonly times: ArrayLike<number>;
  /** The one that came with the listing. */
  readonly token?: ListingToken;
}

/** Speeds up the next listing. Understood by the store that made it alone; arrays, so that it can be saved. */
export type ListingToken = Readonly<Record<string, Uint8Array | Float64Array>>;

/** Differences to an earlier listing. */
export interface ListingChanges {
  readonly changed: readonly NoteMeta[];
  readonly removed: readonly NotePath[];
  readonly token?: ListingToken;
}

export interface NoteChange {
  readonly kind: 'added' | 'changed' | 'removed';
  readonly path: NotePath;
}

export interface WatchOptions {
  /** The files known already. Called again when the watch has to begin again. */
  readonly since?: () => Listing;
  readonly log?: Log;
}

export interface NoteStore {
  /** For logs and messages; never a path of the host. */
  readonly name: string;
  /** Every note below `under`, in path order. */
  list(options?: { under?: NotePath; signal?: AbortSignal }): Promise<NoteMeta[]>;
  read(path: NotePath): Promise<Note>;
  write(
    path: NotePath,
    content: string | Uint8Array,
    options?: { ifVersion?: string | null },
  ): Promise<WrittenNote>;
  /** Where the note went, or how else it can be brought back; neither when it is gone for good. */
  remove(
    path: NotePath,
    options?: { ifVersion?: string },
  ): Promise<{ trashedTo?: NotePath; recovery?: string }>;
  close(): Promise<void>;

  /** How many reads under way at a time are worth it, where notes are far away. */
  readonly readsAtOnce?: number;
  /**
   * Somebody is about to rely on the watch: what it has not noticed yet is looked for, unless it looked just now.
   * Whether the server had to be asked.
   */
  catchUp?(): Promise<boolean>;
  /** What a listing would show that an earlier one did not: quicker where little has changed. */
  relist?(before: Listing): Promise<ListingChanges>;
  /** Stores without folders leave this out. */
  listFolder?(path: NotePath): Promise<FolderEntries>;
  /** Metadata of one note, without its content. */
  stat?(path: NotePath): Promise<NoteMeta>;
  move?(from: NotePath, to: NotePath, options?: { overwrite?: boolean }): Promise<NoteMeta>;
  /** Tells of changes until the returned function is called; with `since`, only of what differs from that listing. */
  watch?(
    onChange: (changes: readonly NoteChange[]) => void,
    options?: WatchOptions,
  ): Promise<() => Promise<void>>;
}

/** What the operations on one notebook stand on. */

export interface Notebook {
  /** The notes its users may touch. */
  readonly notes: NoteStore;
  /** Everything that is not hidden, of any kind: what links can lead to, and canvases that hold links. */
  readonly files: NoteStore;
  readonly searcher: NoteSearcher;
  /** The notebook's own rules for frontmatter. */
  readonly rules: readonly CompiledRule[];
  /** No note may leave the notebook, so none may be replaced by a move either. */
  readonly keepsAll: boolean;
}
