/** Dependencies of everything that is served, besides its configuration. */
import type { Server } from '@modelcontextprotocol/server';
import type { HistoryEngine } from '../history/engine.ts';
import type { PathFilterOptions } from '../notes/path-filter.ts';
import type { NoteStore } from '../notes/store.ts';
import type { PrefetchedSnapshot } from '../search/index/snapshot.ts';
import type { IndexWorker } from '../search/sync/index-worker.ts';
import type { LearnTerms } from '../search/sync/meaning-builder.ts';
import { createJobThreads, type JobThreads } from '../shared/job-threads.ts';
import type { Log } from '../shared/log.ts';
import type { Database } from '../state/postgres/database.ts';
import type { FolderStore } from '../stores/folder/store.ts';
import type { ViewKeys } from './view-keys.ts';

export interface Services {
  readonly log: Log;
  /** What several servers share; without it, everything is kept by this one. */
  readonly database?: Database;
  /** Its address: notebooks that have the same are in it. */
  readonly databaseUrl?: string;
  /** The log of one notebook, where they are kept apart. */
  readonly logOf?: (notebook: string) => Log;
  /** Folder of saved indexes; without it, they are made anew at every start. */
  readonly cacheFolder?: string;
  /** Worker threads that convert long texts of notes; without them, texts are converted in this thread. */
  readonly convertThreads?: JobThreads;
  readonly startup?: StartupHook;
  /** Without it, changes are not recorded. */
  readonly history?: HistoryPlace;
  /** For decisions in the view of an MCP App; without it there is none. */
  readonly viewKeys?: ViewKeys;
  /** Address of the page where people decide on proposals, once it is known. */
  readonly reviewPage?: () => string | undefined;
}

/** Where histories are kept, and within which limits. */
export interface HistoryPlace {
  readonly folder: string;
  readonly days: number;
  readonly maxBytes: number;
  /** Whether a change that cannot be recorded is refused. */
  readonly required: boolean;
  /** For `history: git`: where the program git is looked for, as in the variable PATH. */
  readonly gitPath?: string;
  /** Whether an assistant may undo what came through another principal. */
  readonly undoOthers?: boolean;
  /** Instead of the folder. */
  readonly engine?: HistoryEngine;
}

/** Threads with this program file, shared by all notebooks of a process. */
export function createConvertThreads(file: string): JobThreads {
  return createJobThreads({
    file,
    threads: 2,
    timeoutMs: 30_000,
    maxWaiting: 32,
    // A new thread takes twice as long for its first text.
    idleMs: 10 * 60_000,
    // Twice what ten million characters need.
    memory: { oldMb: 1024, youngMb: 48 },
  });
}

/**
 * Everything in `src/startup`: it makes a start and the first calls faster and changes nothing else. A server without
 * the hook does the same work when it is needed, in its own thread.
 */
export interface StartupHook {
  /** The saved index that was read while the program was being loaded, if it is the one of these notes. */
  prefetchedIndex?(notes: IndexedFolder): Promise<PrefetchedSnapshot | undefined>;
  /** A worker that shares the indexing of a folder with very many notes. */
  startIndexWorker(folder: string, log: Log): Promise<IndexWorker | undefined>;
  /** Learns the meaning of terms in a thread of its own. */
  readonly learnTerms: LearnTerms;
  /** Shares the first comparison of the store's files with the prefetch, and the watch of very many files with a worker. */
  wrapFolderStore(store: FolderStore, watched: WatchedFolder): NoteStore;
  /** Searches in the background while there are no requests, so that V8 has compiled the code when one comes. */
  warmUp?(createServer: () => Server, search: WarmUpSearch, target: WarmUpTarget): Promise<void>;
  /** Gives memory back while there are no requests, until the client leaves. */
  tidyMemory?(target: WarmUpTarget): Promise<void>;
}

/** The notes of a folder, and where their index is kept. */
export interface IndexedFolder {
  readonly folder: string;
  readonly indexFile: string;
}

export interface WatchedFolder {
  readonly folder: string;
  readonly filter: PathFilterOptions;
  /** Whether temporary files of dead processes may be removed. */
  readonly sweeps: boolean;
}

/** The search tool of a notebook, and titles of its notes to search for. */
export interface WarmUpSearch {
  readonly tool: string;
  titles(count: number): Promise<readonly string[]>;
}

export interface WarmUpTarget {
  /** Milliseconds since the last request or response. */
  readonly quietFor: () => number;
  readonly signal: AbortSignal;
}
