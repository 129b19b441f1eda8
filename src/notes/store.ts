/**
 * The interface between notes and their storage backends: five methods that every backend has, and optional ones.
 *
 * Every store guarantees, and test/contracts/store.ts checks:
 * - a write replaces the whole note or nothing;
 * - `ifVersion` makes a write or removal conditional: when the note has another version, the store throws
 *   `conflict` and changes nothing; `ifVersion: null` means "must not exist yet" (`already_exists`);
 * - a missing note is `not_found`, never an empty result.
 */
import type { Log } from '../shared/log.ts';
import type { EditRecorder, RecordWithin } from './edit-recorder.ts';
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
  /** Opaque; changes with the content. Only a read or a write returns one; a listing does not know the content. */
  readonly version: string;
  readonly bytes: Uint8Array;
  /** Permission bits, of a store that has them. */
  readonly mode?: number;
}

export interface WrittenNote extends Omit<Note, 'bytes' | 'mode'>, MadeFolder {}

/** What a store made for a note whose folder was missing. */
export interface MadeFolder {
  /** The topmost folder that was made, as the caller spelt it; all between it and the note were made, too. */
  readonly madeFolder?: NotePath;
}

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
  /** The token that the store returned with the listing. */
  readonly token?: ListingToken;
}

/** Speeds up the next listing. Opaque to all but the store that made it; arrays, so that it can be saved. */
export type ListingToken = Readonly<Record<string, Uint8Array | Float64Array>>;

/** Differences to an earlier listing. */
export interface ListingChanges {
  readonly changed: readonly NoteMeta[];
  readonly removed: readonly NotePath[];
  readonly token?: ListingToken;
}

/** Notes that a server keeps for a while after they were removed. It does not say where they stood. */
export interface DeletedNotes {
  list(): Promise<readonly { readonly id: string; readonly title: string; readonly deletedAt: number }[]>;
  /** Brings one back to the place it had. */
  restore(id: string): Promise<NotePath>;
}

/** A removed file. */
export interface TrashedFile extends NoteMeta {
  /** Where it stood. */
  readonly original: NotePath;
  /** Milliseconds since 1970, where it is known. */
  readonly deletedAt?: number;
}

export interface TrashBin {
  /** In no order. */
  list(signal?: AbortSignal): Promise<TrashedFile[]>;
  read(path: NotePath): Promise<Note>;
  /** Deletes a file for good, if it is still as it was listed. */
  purge(path: NotePath, listed: TrashedFile): Promise<void>;
}

export interface NoteChange {
  readonly kind: 'added' | 'changed' | 'removed';
  readonly path: NotePath;
  /** The note as it is now, where the store tells it along; never for one that was removed. */
  readonly meta?: NoteMeta;
}

/** A change that is made together with others. */
export type JointChange =
  | {
      readonly kind: 'write';
      readonly path: NotePath;
      readonly content: Uint8Array;
      /** As in `NoteStore.write`. Left out for a text that an earlier one of the changes leaves. */
      readonly ifVersion?: string | null;
      /** Of a copy: when the text was changed. Now, when left out. */
      readonly lastModified?: number;
    }
  | {
      readonly kind: 'move';
      readonly from: NotePath;
      readonly to: NotePath;
      readonly overwrite?: boolean;
      /** The version of the note that is overwritten; any, when left out. */
      readonly replaces?: string;
      readonly ifVersion?: string;
    }
  | { readonly kind: 'remove'; readonly path: NotePath; readonly ifVersion?: string };

export interface WatchOptions {
  /** The files known already. Called again when the watch has to begin again. */
  readonly since?: () => Listing;
  /**
   * Called once the watch is set up, and whenever any file may have changed, even one that `onChange` is not told of.
   * `seesAll` is false while changes of some files can go unnoticed.
   */
  readonly onAnyChange?: (seesAll: boolean) => void;
  /** Called with the token of the listing of `since` together with all changes told so far. */
  readonly onToken?: (token: ListingToken) => void;
  readonly log?: Log;
}

export interface NoteStore {
  /** The store behind a view that is made for one call: edits of one note wait for each other there. */
  readonly base?: NoteStore;
  /** For logs and messages; never a path of the host. */
  readonly name: string;
  /** Every note below `under`, in path order. */
  list(options?: { under?: NotePath; signal?: AbortSignal }): Promise<NoteMeta[]>;
  read(path: NotePath): Promise<Note>;
  write(
    path: NotePath,
    content: string | Uint8Array,
    options?: {
      ifVersion?: string | null;
      /** Permission bits of a new file, in a store that has them. */
      mode?: number;
      /** For stores with `preparesWrites`: nothing is replaced before it resolves, or when it rejects. */
      ready?: Promise<unknown>;
      /** For stores with `recordsIn`. */
      record?: RecordWithin;
    },
  ): Promise<WrittenNote>;
  /** Returns the new path in the trash or another way to recover the note; neither when it is deleted for good. */
  remove(
    path: NotePath,
    options?: { ifVersion?: string; record?: RecordWithin },
  ): Promise<{ trashedTo?: NotePath; recovery?: string }>;
  close(): Promise<void>;

  /** Throws when the notes cannot be reached. Left out where listing the root folder tells it as quickly. */
  check?(): Promise<void>;
  /** The database of a store that runs `record` of an option in the transaction of the change: both are made, or none. */
  readonly recordsIn?: unknown;
  /** A write is prepared beside the note while `ready` is pending. */
  readonly preparesWrites?: true;
  /** The form in which a path is kept, where that may be another than the one given. */
  spelling?(path: NotePath): NotePath;
  /** Useful number of concurrent reads; set by stores over a network. */
  readonly readsAtOnce?: number;
  /**
   * The bytes of a note, if it can be read in a moment and is as it was listed; otherwise `read` tells what it is now.
   * Many times faster for very many notes. The bytes are those of the note until the next one is read.
   */
  readListed?(note: Pick<NoteMeta, 'path' | 'size'>): Uint8Array | undefined;
  /**
   * The watch tells all changes, those of this process too, in the order in which they were made, and `catchUp` resolves
   * when all were told that were made before it was called, whoever made them.
   */
  readonly hasFeed?: true;
  /** Makes the watch poll now, unless it did so just before. Resolves to whether it sent a request. */
  catchUp?(): Promise<boolean>;
  /**
   * Differences to an earlier listing; faster than a full one where little has changed. Of very many changed notes some
   * may be told to `onChanged` as they are found; the result is without those.
   */
  relist?(before: Listing, onChanged?: (changed: readonly NoteMeta[]) => void): Promise<ListingChanges>;
  /** Another one after any change of any file that is known so far; undefined while changes can go unnoticed. */
  revision?(): Promise<number | undefined>;
  /** Paths of files that may be called so, from memory: some may be missing. Of a store whose listing takes long. */
  maybeCalled?(name: string): readonly NotePath[];
  /** Stores without folders leave this out. */
  listFolder?(path: NotePath): Promise<FolderEntries>;
  /** Metadata of one note, without its content. */
  stat?(path: NotePath): Promise<NoteMeta>;
  /** With `overwrite`, a note that stands at the new path goes where removed ones go. */
  move?(
    from: NotePath,
    to: NotePath,
    options?: { overwrite?: boolean; record?: RecordWithin },
  ): Promise<NoteMeta & MadeFolder & { trashedTo?: NotePath }>;
  /** Makes all changes, one after the other, or none of them. Answers in their order. */
  changeAll?(
    changes: readonly JointChange[],
    options?: { record?: RecordWithin },
  ): Promise<readonly (NoteMeta & Pick<Note, 'version'> & { trashedTo?: NotePath })[]>;
  /** Moves a removed note back from the trash. Throws `not_found` when it is not there any more with this content. */
  restore?(trashed: NotePath, to: NotePath, content: Uint8Array): Promise<void>;
  /** Of a store that keeps removed notes where its listing does not show them. */
  readonly trash?: TrashBin;
  /** Of a server that keeps removed notes itself, by ids of its own. */
  readonly deleted?: DeletedNotes;
  /** Removes the folder of a note that is gone, and those above it up to `top`, as far as they are empty. */
  pruneFolders?(path: NotePath, top: NotePath): Promise<void>;
  /**
   * The note of a period in the calendar that the server keeps, by a day of it; undefined when it is missing and not to
   * be made.
   */
  journalNote?(
    period: 'day' | 'week' | 'month' | 'year',
    day: string,
    options: { readonly create: boolean },
  ): Promise<NotePath | undefined>;
  /** A view for one call that records its changes in a form of the store's own; others are recorded as texts of notes. */
  recording?(recorder: EditRecorder): NoteStore;
  /** Reports changes until the returned function is called; with `since`, first the differences to that listing. */
  watch?(
    onChange: (changes: readonly NoteChange[]) => void,
    options?: WatchOptions,
  ): Promise<() => Promise<void>>;
}

/** The guard of one call, for the operations on notes. */
/** Nothing but `seen` and `assertSeen` ever rejects; the others resolve when all servers know, which a read need not wait for. */
export interface OverwriteGuard {
  /** The version that the note must have to be replaced, as far as the session was shown one. */
  seen(path: NotePath): Promise<string | undefined>;
  /** The session was shown this note, or wrote all of it. */
  shown(note: ShownNote): Promise<void>;
  /** The session was shown a part of it: what it knows of the rest may be older. */
  shownPart(note: ShownNote): Promise<void>;
  /** The session edited a note: it knows the result if it knew the text before. */
  edited(path: NotePath, before: string | undefined, after: string): Promise<void>;
  /** The session removed the note or moved it away. */
  gone(path: NotePath, to?: NotePath): Promise<void>;
  /**
   * Throws `conflict` when the note is not what the session was shown. `expected` is a version that the caller gave
   * itself.
   */
  assertSeen(path: NotePath, current: Note | undefined, expected?: string): Promise<void>;
}

export interface ShownNote extends Pick<Note, 'path' | 'version'> {
  readonly bytes?: Uint8Array;
}

/** The dependencies of operations on one notebook. */
export interface Notebook {
  /** The notes that callers may read and change. */
  readonly notes: NoteStore;
  /** All files that are not hidden: targets of links, and canvases that contain links. */
  readonly files: NoteStore;
  readonly searcher: NoteSearcher;
  /** The notebook's own rules for frontmatter. */
  readonly rules: readonly CompiledRule[];
  /** No note may be deleted, so none may be replaced by a move either. */
  readonly keepsAll: boolean;
  /** Absent where every note may be replaced. */
  readonly guard?: OverwriteGuard;
  /** The address that opens a note in the program of its owner; absent where answers have no such links. */
  readonly addressOf?: (path: NotePath) => string | undefined;
}
