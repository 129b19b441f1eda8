/** Search over a store: the index, its upkeep and its questions, behind one small interface. */
import type {
  DocumentFrequencies,
  FileEntry,
  NoteSearcher,
  SearchAnswer,
  SearchOptions,
  SearchRequest,
} from '../notes/searcher.ts';
import type { NoteStore } from '../notes/store.ts';
import type { AppError } from '../shared/errors.ts';
import { type Coverage, nothingCertain, warningOf } from './coverage.ts';
import { type PrefetchedSnapshot, snapshotAt } from './index/snapshot.ts';
import { findNotes } from './query/find.ts';
import { holdersOf } from './query/rank.ts';
import { IndexSync, type IndexSyncOptions } from './sync/index-sync.ts';
import type { IndexProgress } from './sync/indexer.ts';
import { LinkIndex } from './sync/link-index.ts';

export interface SearcherOptions extends Omit<IndexSyncOptions, 'snapshot'> {
  /** Where the index is kept between runs; without it, it is made anew each time. */
  readonly snapshotFile?: string;
  /** The content of that file, where it was read before. */
  readonly headStart?: () => Promise<PrefetchedSnapshot | undefined>;
}

/** How much of the notes the index covers, and whether their server answers. */
export interface IndexStatus extends IndexProgress {
  readonly isReachable: boolean;
}

export interface IndexedSearcher extends NoteSearcher {
  /** The same store, with every change going into the index at once, and one watch for all who ask. */
  readonly store: NoteStore;
  /** The same for a wider store that this one is a part of. */
  reporting(store: NoteStore): NoteStore;
  /** Begins to list, index and watch; nothing is read before. */
  start(): void;
  /** Resolves when everything there is has been indexed, but for what cannot be read. */
  settled(): Promise<void>;
  /** What some of the notes are called, from all over the index, once that is complete. */
  someTitles(most: number): Promise<string[]>;
  status(): IndexStatus;
}

export function openSearcher(store: NoteStore, options: SearcherOptions): IndexedSearcher {
  const { snapshotFile, headStart, ...rest } = options;
  const keeper = new IndexSync(store, {
    ...rest,
    snapshot: snapshotFile !== undefined ? snapshotAt(snapshotFile, options.log, headStart) : undefined,
  });
  const links = new LinkIndex(
    () => keeper.library,
    () => keeper.files().map(({ path }) => path),
  );
  return {
    store: reportingTo(keeper, store),
    reporting: (wider) => reportingTo(keeper, wider),
    start: () => keeper.start(),
    settled: () => keeper.settled(),
    someTitles: async (most) => {
      await keeper.settled();
      const { index } = keeper.library;
      const numbers = Array.from({ length: most }, (_, at) => Math.floor((at * index.span) / most));
      return [...new Set(numbers)].flatMap((number) => index.note(number)?.title ?? []);
    },
    search: (request: SearchRequest, asking: SearchOptions = {}): Promise<SearchAnswer> =>
      keeper.answering(async () => {
        const begun = performance.now();
        const stale = await keeper.ready(asking);
        const { signal } = asking;
        const { unread, ...answer } = await findNotes(keeper.library, request, { signal, begun });
        const shown = new Set(answer.hits.map(({ path }) => path));
        const left = [...unread].filter((path) => !shown.has(path)).length;
        const coverage = coverageOf(keeper, stale, left);
        const isCertain = !keeper.reach.isFar || (!coverage.problem && left === 0);
        if (answer.total === 0 && !isCertain) throw nothingCertain(coverage);
        warn(asking, coverage);
        return answer;
      }),
    files: async (asking: SearchOptions = {}): Promise<FileEntry[]> => {
      const stale = await keeper.covered(asking);
      warn(asking, coverageOf(keeper, stale, keeper.progress.pending));
      const { index } = keeper.library;
      return keeper.files().map(({ path, size, lastModified }) => {
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
    wordUse: async (words: readonly string[], asking: SearchOptions = {}): Promise<DocumentFrequencies> => {
      await keeper.ready(asking);
      const { index } = keeper.library;
      return { notes: index.size, holders: words.map((word) => holdersOf(index, word)) };
    },
    links: async (asking: SearchOptions = {}) => {
      const stale = await keeper.covered(asking);
      const { graph, unread } = await links.graph(asking.signal);
      warn(asking, coverageOf(keeper, stale, keeper.progress.pending + unread));
      return graph;
    },
    status: () => ({ ...keeper.progress, isReachable: keeper.reach.problem === undefined }),
    close: () => keeper.close(),
  };
}

/** `left` notes were not looked into, beside those that never could be read. */
function coverageOf(
  { reach, asOf, progress }: IndexSync,
  stale: AppError | undefined,
  left: number,
): Coverage {
  const problem = stale ?? (reach.isDown ? reach.problem?.error : undefined);
  return { problem, asOf, unread: Math.max(left, progress.unreadable) };
}

function warn({ onWarning }: SearchOptions, coverage: Coverage): void {
  const warning = warningOf(coverage);
  if (warning !== undefined) onWarning?.(warning);
}

function reportingTo(keeper: IndexSync, store: NoteStore): NoteStore {
  const { move, watch } = store;
  return {
    ...store,
    read: (path) => keeper.undisturbed(() => store.read(path)),
    write: async (path, content, conditions) => {
      const written = await keeper.undisturbed(() => store.write(path, content, conditions));
      keeper.touch(written);
      return written;
    },
    remove: async (path, conditions) => {
      const removed = await keeper.undisturbed(() => store.remove(path, conditions));
      keeper.drop(path);
      return removed;
    },
    ...(watch && { watch: async (onChange) => keeper.listen(onChange) }),
    ...(move && {
      move: async (from, to, options) => {
        const meta = await keeper.undisturbed(() => move(from, to, options));
        keeper.drop(from);
        keeper.touch(meta);
        return meta;
      },
    }),
  };
}
