/** Everything one search works with. */
import type { NotePath } from '../../notes/path.ts';
import type { NoteMeta } from '../../notes/store.ts';
import type { NoteIndex } from '../index/note-index.ts';
import type { WordSequences } from '../index/word-sequences.ts';
import type { Reach } from '../reach.ts';
import type { TextReader } from '../text-reader.ts';
import type { HaystackCache } from './occurrences.ts';
import type { SearchQuery } from './parse.ts';
import type { PackedSlice } from './query-slice.ts';
import type { WordGroup } from './rank.ts';
import type { FilteredNote } from './request-filter.ts';
import type { SequenceFinder } from './sequence-finder.ts';
import type { WordFinder } from './telling-places.ts';
import type { TextCache } from './text-cache.ts';
import type { QueryWords } from './wanted-words.ts';

type NoteStamp = Pick<NoteMeta, 'path' | 'size' | 'lastModified'>;

export interface IndexedLibrary {
  readonly index: NoteIndex;
  /** The index has the words of one query alone: nothing can be learned from it. */
  readonly isSlice?: boolean;
  readonly texts: TextCache;
  readonly haystacks: HaystackCache;
  readonly sequences: WordSequences;
  readonly reach: Reach;
  /** Notes that are there but not in the index yet. */
  readonly pending: () => readonly NoteStamp[];
  /** Pending notes that failed to be read so often that only their names are searched. */
  readonly hopeless: () => readonly NoteStamp[];
  /** Pauses the indexing while `search` reads pending notes: side by side both would only take longer. */
  readonly undisturbed: <T>(search: () => Promise<T>) => Promise<T>;
  /** Looks through the pending notes for what a query asks for; only where they are very many. */
  readonly scan?: ((request: ScanRequest) => Promise<void>) | undefined;
}

export interface ScanRequest {
  readonly words: QueryWords;
  /** Called with the slices as they come, and the notes each is of. */
  readonly take: (slice: PackedSlice, notes: readonly NoteMeta[]) => Promise<void>;
  readonly breathe: () => Promise<unknown> | true;
  /** Called for a note that could not be read. */
  readonly onUnread: (path: NotePath) => void;
}

export interface SearchContext {
  readonly library: IndexedLibrary;
  readonly texts: TextReader;
  /** Notes of which only the names were searched. */
  readonly byName: Set<NotePath>;
  readonly query: SearchQuery;
  /** The words of the index that stand for each word of the query. */
  readonly groups: () => readonly WordGroup[];
  readonly accepts: (note: FilteredNote) => boolean;
  /** False when `accepts` says yes to everything. */
  readonly isFiltered: boolean;
  /** Where the words of the query stand in a text, in whatever form. */
  readonly findWords: () => WordFinder;
  /** Where the words of the query stand among the words of an indexed note. */
  readonly findIn: () => SequenceFinder;
  /** Yields to the event loop when a time slice is used up. */
  readonly breathe: () => Promise<unknown> | true;
}
