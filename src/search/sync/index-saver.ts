/**
 * Packs the index when nothing is left to index, which makes it small and quick, and saves it: some time after a
 * change, after many notes were indexed, and when the process ends.
 */
import type { NotePath } from '../../notes/path.ts';
import type { NoteMeta } from '../../notes/store.ts';
import { runAtOnce, runInSlices, type Yielder } from '../../shared/async/time-slices.ts';
import { NoteIndex, type PackedIndex } from '../index/note-index.ts';
import type { PackedSnapshot, Snapshot, SnapshotFile } from '../index/snapshot.ts';
import type { KnownFiles } from './known-files.ts';

/** An index, and the notes that are not in it. */
export type IndexState = Pick<Snapshot, 'index' | 'unindexed'>;

export interface IndexSaverOptions {
  /** Without it, the index is packed and not saved. */
  readonly snapshot?: SnapshotFile;
  /** An index of fewer notes is not saved. */
  readonly worthSaving?: number;
  readonly index: () => NoteIndex;
  readonly files: KnownFiles;
  /** The time slices of packing. */
  readonly turns: Yielder;
  /** Called when the index is due to be packed and saved. */
  readonly onDue: () => void;
}

interface Indexing {
  /** False while notes are pending, and after the end. */
  readonly isIdle: () => boolean;
  /** Indexes the notes that are pending. */
  readonly indexPending: () => Promise<void>;
}

const SAVE_AFTER_MS = 20_000;
/** The index of very many notes takes long to pack, for a change that the next start would find as well. */
const SAVE_AFTER_MS_A_NOTE = 0.2;
/** The index is packed and saved again at the earliest after so many times what that took: with very many notes it takes long. */
const PAUSES = 30;
/** Fewer notes are indexed as fast as a file is found and read. */
const WORTH_SAVING = 200;
/** Of very many notes, a few more are no reason to pack at once. */
const MANY_MORE = 0.01;
/** Entries of removed notes beyond this and the number of notes are reason to pack. */
const SPARE_ENTRIES = 5_000;
const SPARE_WORDS = 20_000;

export class IndexSaver {
  readonly #options: IndexSaverOptions;
  readonly #worthSaving: number;
  #isDue = false;
  #isSaved = true;
  #timer: NodeJS.Timeout | undefined;
  #saveAfterMs = SAVE_AFTER_MS;
  #saving: Promise<void> | undefined;
  /** Paths whose entries were removed while the index is being packed. */
  #removedMeanwhile: Set<NotePath> | undefined;

  constructor(options: IndexSaverOptions) {
    this.#options = options;
    this.#worthSaving = options.worthSaving ?? WORTH_SAVING;
  }

  get isDue(): boolean {
    return this.#isDue;
  }

  /** The index, or its listing, is not what was saved. */
  changed(): void {
    this.#isSaved = false;
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        this.#isDue ||= this.#isWorthSaving();
        this.#options.onDue();
      },
      Math.max(this.#saveAfterMs, this.#options.index().size * SAVE_AFTER_MS_A_NOTE),
    ).unref();
  }

  removed(path: NotePath): void {
    this.#removedMeanwhile?.add(path);
    this.changed();
  }

  /** `count` notes were indexed in one go. */
  indexed(count: number): void {
    const { span, size } = this.#options.index();
    if (span > 2 * size + SPARE_ENTRIES || count >= Math.max(this.#worthSaving, size * MANY_MORE))
      this.#isDue = true;
  }

  /**
   * Notes that come meanwhile do not wait for the end, which may take long: `indexPending` is called between two steps,
   * and what it has indexed is indexed again afterwards. `replace` is called in the same tick in which removals stop being
   * recorded, so that none is lost.
   */
  async packIfDue({ isIdle, indexPending }: Indexing, replace: (packed: IndexState) => void): Promise<void> {
    if (!this.#isDue || !isIdle()) return;
    const begun = performance.now();
    const before = this.#options.index();
    const { span } = before;
    const removed = new Set<NotePath>();
    this.#removedMeanwhile = removed;
    const packed = await runInSlices(this.#packing(), async () => {
      await this.#options.turns();
      if (!isIdle()) await indexPending();
      return isIdle() && this.#options.index() === before;
    });
    this.#removedMeanwhile = undefined;
    // After a rebuild, what was packed is of the index before it.
    if (!packed || this.#options.index() !== before) return this.changed();
    const newer = this.#indexedSince(span);
    this.#isDue = false;
    this.#isSaved = removed.size === 0 && newer.length === 0;
    if (isMostlyUnused(packed.index))
      return replace({ index: new NoteIndex(), unindexed: [...this.#options.files.values()] });
    const smaller = new NoteIndex(packed.index);
    smaller.vocabulary.takeListsOf(before.vocabulary);
    for (const path of removed) smaller.remove(path);
    replace({ index: smaller, unindexed: newer });
    if (!this.#isSaved) this.changed();
    if (!this.#isWorthSaving()) return;
    // The file is written in the background, by one writer at a time.
    await this.#saving;
    const saving = this.#options.snapshot?.save(packed);
    this.#saving = saving?.then(() => {
      this.#saveAfterMs = Math.max(SAVE_AFTER_MS, PAUSES * (performance.now() - begun));
    });
  }

  /** The notes that got a number from `first` on. */
  #indexedSince(first: number): NoteMeta[] {
    const index = this.#options.index();
    const notes: NoteMeta[] = [];
    for (let number = first; number < index.span; number++) {
      const path = index.pathOf(number);
      const meta = path !== undefined ? this.#options.files.get(path) : undefined;
      if (meta) notes.push(meta);
    }
    return notes;
  }

  /** Saves an index with notes still pending too: they are missing in it, and will be found missing at the next start. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#saving;
    if (!this.#isSaved && this.#isWorthSaving()) this.#options.snapshot?.saveNow(runAtOnce(this.#packing()));
  }

  *#packing(): Generator<undefined, PackedSnapshot> {
    const { token } = this.#options.files;
    const files = [...this.#options.files.values()];
    return { index: yield* this.#options.index().pack(files), files, token };
  }

  #isWorthSaving(): boolean {
    return this.#options.index().size >= this.#worthSaving;
  }
}

/** Unused words are never removed from a vocabulary; when most are, a new index is cheaper. */
function isMostlyUnused({ postings: { starts } }: PackedIndex): boolean {
  let unused = 0;
  for (let word = 1; word < starts.length; word++) if (starts[word] === starts[word - 1]) unused++;
  return unused > SPARE_WORDS && unused > starts.length / 2;
}
