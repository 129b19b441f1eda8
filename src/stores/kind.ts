/** A kind of place where notes are kept, as one literal: its settings, and how a notebook there is opened and checked. */
import type * as z from 'zod';
import type { NotePath } from '../notes/path.ts';
import type { NoteStore } from '../notes/store.ts';
import type { Yielder } from '../shared/async/time-slices.ts';
import type { CheckResult } from '../shared/checks.ts';
import type { JobThreads } from '../shared/job-threads.ts';
import type { Log } from '../shared/log.ts';
import type { Database } from '../state/postgres/database.ts';
import type { FolderStore } from './folder/store.ts';

/** Every start loads all kinds, so `open` and `doctor` import their code on demand, and large schemas are `z.lazy`. */
export interface StoreKind<Schema extends z.ZodType = z.ZodType, Settings = z.output<Schema>> {
  /** In messages, with its article. */
  readonly label: string;
  /** In the reference of settings. */
  readonly description: string;
  readonly settings: Schema;
  /** Further keys of such a notebook. With any, the functions below get an object of all keys. */
  readonly beside?: Readonly<Record<string, z.ZodType>>;
  /** Tells these notes from all others, also from those of other kinds: names their saved index. Must be JSON. */
  identity(settings: Settings): unknown;
  open(settings: Settings, context: StoreContext): Promise<NoteStore>;
  /** The address that opens a note in the program of its owner; absent where there is none. */
  addressOf?(settings: Settings, path: NotePath): string;
  /** The checks of `quire doctor`. */
  doctor(notebook: string, settings: Settings, patient: ExaminedNotebook): Promise<readonly CheckResult[]>;
}

/** A notebook that `quire doctor` looks at. */
export interface ExaminedNotebook {
  /** Opens the notebook as a server does, lists it and closes it. */
  open(): Promise<void>;
  readonly readOnly: boolean;
  readonly isVisible: (path: string) => boolean;
  /** Whether the path is that of a note. */
  readonly isNote: (path: string) => boolean;
  /** Where the index is saved; undefined where it is not. */
  readonly indexFile?: string;
}

/** The settings of a notebook that concern its store, whatever its kind, and what the process shares among stores. */
export interface StoreContext {
  readonly log: Log;
  readonly isVisible: (path: string) => boolean;
  readonly permanentDelete: boolean;
  readonly readOnly: boolean;
  /** Time slices for background work, which yields to requests. */
  readonly turns?: Yielder;
  /** The database of the state, for notebooks that are in the same one. */
  readonly stateDatabase?: { readonly url: string; readonly database: Database };
  /** Adds start-up shortcuts to the store of a folder. */
  readonly wrapFolderStore?: (store: FolderStore, folder: string) => NoteStore;
  /** Worker threads that convert long texts; without them, texts are converted in this thread. */
  readonly convertThreads?: JobThreads;
}
