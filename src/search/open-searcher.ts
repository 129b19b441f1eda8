/** Opens the searcher of a store: its index, kept equal to the store, and the searches over it. */
import type {
  DocumentFrequencies,
  FileEntry,
  NoteSearcher,
  SearchAnswer,
  SearchOptions,
  SearchRequest,
} from '../notes/searcher.ts';
import type { NoteStore } from '../notes/store.ts';
import type { Task } from '../notes/task.ts';
import { scanTasks } from '../notes/tasks.ts';
import { fold, SEARCH_FOLDING } from '../notes/text/fold.ts';
import { AppError } from '../shared/errors.ts';
import { memoizeWhile } from '../shared/memoize.ts';
import { type PrefetchedSnapshot, snapshotAt } from './index/snapshot.ts';
import { FEWEST_NOTES } from './meaning/term-matrix.ts';
import { findNotes } from './query/find.ts';
import { parseQuery, queryOf } from './query/parse.ts';
import { holdersOf } from './query/rank.ts';
import { respelled } from './query/respelled.ts';
import { scannedLibrary } from './query/scanned-library.ts';
import { Freshness } from './sync/freshness.ts';
import { IndexSync, type IndexSyncOptions } from './sync/index-sync.ts';
import type { IndexProgress } from './sync/indexer.ts';
import { LinkIndex } from './sync/link-index.ts';
import { NoteFacts } from './sync/note-facts.ts';

export interface SearcherOptions extends Omit<IndexSyncOptions, 'snapshot'> {
  /** The file the index is saved to; without it, all notes are indexed at each start. */
  readonly snapshotFile?: string;
  /** The prefetch of that file. */
  readonly headStart?: () => Promise<PrefetchedSnapshot | undefined>;
}

/** How much of the notes the index covers, and whether their server answers. */
export interface IndexStatus extends IndexProgress {
  readonly isReachable: boolean;
}

/** How old the index is, and what keeps it so new. */
export interface IndexFacts {
  /** Since when the server of the notes does not answer; undefined while it does. */
  readonly outage?: { readonly since: number; readonly error: AppError };
  /** When the notes were last listed, and the index compared with them. */
  readonly comparedAt?: number;
  /** Whether changes by other programs are known at once. */
  readonly isWatching: boolean;
}

export interface IndexedSearcher extends NoteSearcher {
  /** The store, reporting every change to the index at once, with one watch for all callers. */
  readonly store: NoteStore;
  /** A wider store that this one is a part of, reporting its changes likewise. */
  reporting(store: NoteStore): NoteStore;
  /** Begins to list, index and watch; no note is read before. */
  start(): void;
  /** Resolves when every note has been indexed, but for those that cannot be read. */
  settled(): Promise<void>;
  /** Resolves when the meaning of all notes is known, if there are enough of them. */
  meaningKnown(): Promise<void>;
  /** The titles of some notes from all over the index, once that is complete. */
  someTitles(most: number): Promise<string[]>;
  status(): IndexStatus;
  facts(): IndexFacts;
  /** Forgets the index, saved or not, and reads every note anew. Searches are answered meanwhile. */
  rebuild(): Promise<void>;
}

export function openSearcher(store: NoteStore, options: SearcherOptions): IndexedSearcher {
  const { snapshotFile, headStart, ...rest } = options;
  const sync = new IndexSync(store, {
    ...rest,
    snapshot: snapshotFile !== undefined ? snapshotAt(snapshotFile, options.log, headStart) : undefined,
  });
  const freshness = new Freshness(sync);
  const library = () => sync.indexer.library;
  const links = new LinkIndex(library, {
    paths: () => sync.files().map(({ path }) => path),
    revision: () => sync.filesRevision,
  });
  const tasks = new NoteFacts(library, tasksIn, ({ mayHoldTasks }) => mayHoldTasks === true);
  const notes = memoizeWhile(
    () => `${sync.filesRevision} ${library().index.revision}`,
    () => sync.files().flatMap(({ path }) => library().index.get(path) ?? []),
  );
  const maybeCalled = (name: string) => {
    const { index } = library();
    return Array.from(index.maybeAt(name), (number) => index.pathOf(number) ?? []).flat();
  };
  const reporting = (one: NoteStore) =>
    one.hasFeed ? { ...reportingTo(sync, one), maybeCalled } : reportingTo(sync, one);
  return {
    store: reporting(store),
    reporting,
    start: () => sync.start(),
    settled: () => sync.settled(),
    meaningKnown: () => sync.meaningKnown(),
    someTitles: async (most) => {
      await sync.settled();
      const { index } = sync.indexer.library;
      const numbers = Array.from({ length: most }, (_, at) => Math.floor((at * index.span) / most));
      return [...new Set(numbers)].flatMap((number) => index.note(number)?.title ?? []);
    },
    search: (request: SearchRequest, asking: SearchOptions = {}): Promise<SearchAnswer> =>
      sync.answering(async () => {
        const begun = performance.now();
        const query = queryOf(request);
        const hasWords = query.indexed.words.length > 0;
        const stale = await freshness.forSearch(asking, hasWords && request.mode !== 'meaning');
        const { signal } = asking;
        // What a note is about is known when it is indexed.
        if (request.mode === 'meaning') await sync.indexer.settled({ signal }, LONGEST_WAIT_MS);
        const find = () => findNotes(sync.indexer.library, request, { signal, begun, query });
        // What takes a moment with a warm processor takes many without: nothing else is done meanwhile.
        const found = await (sync.indexer.isWorthScanning ? sync.indexer.undisturbed(find) : find());
        // Similar words are known from the index alone.
        const isInVain = found.isScanned && found.total === 0;
        if (isInVain) await freshness.soon(asking);
        const { unread, isWithoutPhrases, isWithoutMeaning, isScanned, ...answer } = isInVain
          ? await find()
          : found;
        const shown = new Set(answer.hits.map(({ path }) => path));
        const left = [...unread].filter((path) => !shown.has(path)).length;
        const coverage = coverageOf(sync, stale, left);
        const isCertain = !sync.reach.isFar || (!coverage.problem && left === 0);
        if (answer.total === 0 && !isCertain) throw nothingCertain(coverage);
        warn(asking, coverage);
        if (isWithoutPhrases && answer.total > 0)
          asking.onWarning?.('No note has the quoted words as they are quoted; these have some of them.');
        if (isWithoutMeaning) asking.onWarning?.(`${whyWithoutMeaning(sync)}: found by words alone.`);
        if (isScanned) {
          freshness.scanned();
          asking.onWarning?.(STILL_INDEXING);
        }
        return answer;
      }),
    files: async (asking: SearchOptions = {}): Promise<FileEntry[]> => {
      const stale = await freshness.forAllNotes(asking);
      warn(asking, coverageOf(sync, stale, sync.indexer.progress.pending));
      const { index } = sync.indexer.library;
      return sync.files().map(({ path, size, lastModified }) => {
        const note = index.get(path);
        const frontmatterTags = note?.frontmatterTags ?? [];
        return {
          path,
          size,
          lastModified,
          frontmatterTags,
          tags: [...frontmatterTags, ...(note?.inlineTags ?? [])],
        };
      });
    },
    notes: async (asking: SearchOptions = {}) => {
      const stale = await freshness.forAllNotes(asking);
      warn(asking, coverageOf(sync, stale, sync.indexer.progress.pending));
      return notes();
    },
    maybeCalled: async (name: string, asking: SearchOptions = {}) => {
      await freshness.forAllNotes(asking);
      return maybeCalled(name);
    },
    named: async (name: string, asking: SearchOptions = {}) => {
      await freshness.forAllNotes(asking);
      const { index } = library();
      const wanted = fold(name.trim(), SEARCH_FOLDING).text;
      return index
        .named(wanted)
        .flatMap((number) => index.pathOf(number) ?? [])
        .sort();
    },
    tasks: async (asking: SearchOptions = {}) => {
      const stale = await freshness.forAllNotes(asking);
      const { facts, unread } = await tasks.current(asking);
      warn(asking, coverageOf(sync, stale, sync.indexer.progress.pending + unread));
      return facts;
    },
    wordUse: async (words: readonly string[], asking: SearchOptions = {}): Promise<DocumentFrequencies> => {
      await freshness.forSearch(asking, words.length > 0);
      const { index } = await scannedLibrary(sync.indexer.library, {
        words: { words, literal: '' },
        breathe: async () => {},
        onUnread: () => {},
      });
      const holders = words.map((word) => holdersOf(index, word));
      const respellings = words.map((word, at) => (holders[at] === 0 ? respelled(index, word) : undefined));
      return { notes: index.size, holders, respelled: respellings };
    },
    nearness: async (query: string, texts: readonly string[]) => {
      const { meaning } = sync.indexer.library.index;
      const own = meaning?.vectorOf(parseQuery(query, false).indexed.words);
      return meaning && own && texts.map((text) => meaning.cosine(own, text));
    },
    links: async (asking: SearchOptions = {}) => {
      const stale = await freshness.forAllNotes(asking);
      const { graph, unread } = await links.graph(asking);
      warn(asking, coverageOf(sync, stale, sync.indexer.progress.pending + unread));
      return graph;
    },
    status: () => ({ ...sync.indexer.progress, isReachable: sync.reach.problem === undefined }),
    facts: () => ({ outage: sync.reach.problem, comparedAt: sync.listedAt, isWatching: sync.isWatching }),
    rebuild: () => sync.rebuild(),
    close: () => sync.close(),
  };
}

function tasksIn(text: string): readonly Task[] | undefined {
  const tasks = scanTasks(text);
  return tasks.length === 0 ? undefined : tasks;
}

const LONGEST_WAIT_MS = 1_000;

function whyWithoutMeaning({ indexer }: IndexSync): string {
  const { index } = indexer.library;
  if (index.meaning) return 'None of these words stands in several notes';
  return index.size < FEWEST_NOTES
    ? `${FEWEST_NOTES} notes or more are needed to learn what words mean`
    : 'The meaning of the notes is still being learned';
}

const STILL_INDEXING =
  'The notes are still being indexed: all were searched for these words, but not for similar ones.';

/** How complete an answer is. */
interface Coverage {
  /** Why the server could not be asked; undefined when it could. */
  readonly problem?: AppError | undefined;
  /** When the server last confirmed the index, in milliseconds since 1970. */
  readonly asOf?: number | undefined;
  /** Notes that exist and were not searched. */
  readonly unread: number;
}

/** `left` notes were not looked into, beside those that never could be read. */
function coverageOf(
  { reach, asOf, indexer }: IndexSync,
  stale: AppError | undefined,
  left: number,
): Coverage {
  const problem = stale ?? (reach.isDown ? reach.problem?.error : undefined);
  return { problem, asOf, unread: Math.max(left, indexer.progress.unreadable) };
}

function warn({ onWarning }: SearchOptions, coverage: Coverage): void {
  const warning = warningOf(coverage);
  if (warning !== undefined) onWarning?.(warning);
}

/** Undefined for a complete answer. */
function warningOf({ problem, asOf, unread }: Coverage): string | undefined {
  const left =
    unread === 0
      ? ''
      : `${amountOf(unread, 'note')} could not be read yet and ${unread === 1 ? 'is' : 'are'} left out`;
  if (!problem) return unread === 0 ? undefined : `${left}; they are tried again.`;
  if (isBehind(problem))
    return `${problem.title}: changes of the last moments may be missing. ${left === '' ? 'Try' : `${left}; try`} again for a complete answer.`;
  return `The server of the notes cannot be reached (${problem.title}): this answer is from the index${ageOf(asOf)}. ${
    left === '' ? 'Texts and excerpts may be missing' : left
  }; try again later for a complete one.`;
}

/** The error instead of an empty answer that may be wrong. */
function nothingCertain(coverage: Coverage): AppError {
  const { problem, asOf, unread } = coverage;
  if (!problem)
    return new AppError('upstream_failed', 'Not all notes could be searched', {
      hint: `Nothing was found, but ${amountOf(unread, 'note')} could not be read just now. They are tried again; ask once more in a moment.`,
      cause: problem,
    });
  if (isBehind(problem))
    return new AppError('upstream_failed', problem.title, {
      hint: 'Nothing was found, but changes of the last moments were not searched. Ask once more in a moment.',
      cause: problem,
    });
  return new AppError('upstream_failed', 'The server of the notes cannot be reached', {
    hint: `${problem.title}. Nothing in the index${ageOf(asOf)} fits, but what is on the server now is not known. Try again later.`,
    cause: problem,
  });
}

/** The server answers, with more changes than could be taken over in time. */
function isBehind({ reason }: AppError): boolean {
  return reason === 'busy';
}

function amountOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const MINUTE_S = 60;
const HOUR_S = 3_600;

function ageOf(asOf: number | undefined): string {
  if (asOf === undefined) return '';
  const seconds = Math.max(0, Math.round((Date.now() - asOf) / 1000));
  const age =
    seconds < MINUTE_S
      ? amountOf(seconds, 'second')
      : seconds < 2 * HOUR_S
        ? amountOf(Math.round(seconds / MINUTE_S), 'minute')
        : amountOf(Math.round(seconds / HOUR_S), 'hour');
  return ` as of ${new Date(asOf).toISOString().slice(0, 19)}Z, ${age} ago`;
}

function reportingTo(sync: IndexSync, store: NoteStore): NoteStore {
  const { move, changeAll, restore, recording, watch, journalNote, deleted } = store;
  return {
    ...store,
    read: (path) => sync.indexer.undisturbed(() => store.read(path)),
    write: async (path, content, conditions) => {
      const written = await sync.indexer.undisturbed(() => store.write(path, content, conditions));
      sync.wrote(written);
      return written;
    },
    remove: async (path, conditions) => {
      const removed = await sync.indexer.undisturbed(() => store.remove(path, conditions));
      sync.removed(path);
      return removed;
    },
    ...(watch && {
      watch: async (onChange) => sync.listen(onChange),
      revision: () => sync.storeRevision(),
    }),
    ...(recording && { recording: (recorder) => reportingTo(sync, recording(recorder)) }),
    ...(journalNote && {
      journalNote: async (period, day, options) => {
        const path = await journalNote(period, day, options);
        if (path !== undefined && options.create) sync.touch(await (store.stat ?? store.read)(path));
        return path;
      },
    }),
    ...(deleted && {
      deleted: {
        ...deleted,
        restore: async (id) => {
          const path = await deleted.restore(id);
          sync.touch(await (store.stat ?? store.read)(path));
          return path;
        },
      },
    }),
    ...(restore && {
      restore: async (trashed, to, content) => {
        await sync.indexer.undisturbed(() => restore(trashed, to, content));
        sync.wrote(await (store.stat ?? store.read)(to));
      },
    }),
    ...(move && {
      move: async (from, to, options) => {
        const meta = await sync.indexer.undisturbed(() => move(from, to, options));
        sync.removed(from);
        sync.wrote(meta);
        return meta;
      },
    }),
    ...(changeAll && {
      changeAll: async (changes, options) => {
        const made = await sync.indexer.undisturbed(() => changeAll(changes, options));
        for (const [at, change] of changes.entries()) {
          if (change.kind === 'move') sync.removed(change.from);
          if (change.kind === 'remove') sync.removed(change.path);
          else sync.wrote(made[at]!);
        }
        return made;
      },
    }),
  };
}
