/**
 * Turns notes into index entries in the background. A note that is new or changed is pending until its turn
 * comes, and a search looks at pending notes directly. When there is nothing to do, the index is packed: made
 * small, quick and ready to be saved.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { NotePath } from '../../notes/path.ts';
import type { SearchOptions } from '../../notes/searcher.ts';
import type { NoteMeta, NoteStore } from '../../notes/store.ts';
import { runAtOnce, runInSlices, type Yielder } from '../../shared/async/time-slices.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { type Backoff, FailedReads } from '../failed-reads.ts';
import { documentOf } from '../index/document.ts';
import { NoteIndex, type PackedIndex } from '../index/note-index.ts';
import type { PackedSnapshot, Snapshot, SnapshotFile } from '../index/snapshot.ts';
import type { IndexedLibrary } from '../query/context.ts';
import { HaystackCache } from '../query/occurrences.ts';
import { TextCache } from '../query/text-cache.ts';
import { type Reach, Rest } from '../reach.ts';
import { type IndexWorker, shareWork } from './index-worker.ts';
import type { KnownFiles } from './known-files.ts';
import { YieldTimer } from './scheduler.ts';

interface IndexerOptions {
  readonly log: Log;
  readonly snapshot?: SnapshotFile;
  /** Fewer notes are not kept between runs. */
  readonly worthSaving?: number;
  readonly files: KnownFiles;
  /** When packing has its turns. */
  readonly turns: Yielder;
  readonly reach: Reach;
  /** Between two tries to read a note. */
  readonly backoff: Backoff;
  /** Told of a note that is not there any more. */
  readonly onGone: (meta: NoteMeta) => void;
  /** Somebody to help with very many notes; undefined where there is nobody. */
  readonly assistant?: () => Promise<IndexWorker | undefined>;
}

/** A file of unknown kind that is larger is hardly a note. */
const LARGEST_UNKNOWN = 1024 * 1024;
/** How often the log is told, and about how many notes at least. */
const TELL_MS = 1_000;
const TOLD_ABOUT = 1_000;
/** How often whoever waits is told how far the indexing is. */
const PROGRESS_MS = 250;
/** Fewer notes are indexed before an assistant has come. */
const WORTH_AN_ASSISTANT = 2_000;
/** Longer ones are read here, with care. */
const LARGEST_LENT = 256 * 1024;
const SAVE_AFTER_MS = 20_000;
/** How often the log is told of notes that cannot be read. */
const TELL_UNREAD_MS = 30_000;
/** What a close waits for a read that a server does not answer. */
const LONGEST_FAREWELL_MS = 1_000;
/** Fewer notes are indexed as fast as a file is found and read. */
const WORTH_SAVING = 200;
/** Of notes that are gone; beyond that and the living ones, they are left out by packing. */
const SPARE_ENTRIES = 5_000;
const SPARE_WORDS = 20_000;

/** How far the index is from covering all notes. */
export interface IndexProgress {
  readonly indexed: number;
  /** Waiting for their turn. */
  readonly pending: number;
  /** Could not be read, and are tried again. */
  readonly unreadable: number;
  /** Why not, and how many for that reason. */
  readonly reasons: Readonly<Partial<Record<ErrorCode, number>>>;
}

export class Indexer {
  readonly #options: IndexerOptions;
  readonly #worthSaving: number;
  readonly #texts: TextCache;
  readonly #haystacks = new HaystackCache();
  #index = new NoteIndex();
  readonly #pending = new Map<NotePath, NoteMeta>();
  readonly #failed: FailedReads;
  #toldUnreadAt = Number.NEGATIVE_INFINITY;
  #indexing: Promise<void> = Promise.resolve();
  #isIndexing = false;
  readonly #rest = new Rest();
  /** The indexing, and the packing after it. */
  #working: Promise<void> = Promise.resolve();
  #isWorking = false;
  #packIsDue = false;
  /** Paths whose entries were taken out while the index is being packed. */
  #goneWhilePacking: Set<NotePath> | undefined;
  #saving: Promise<void> | undefined;
  #isSaved = true;
  #saveTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(store: NoteStore, options: IndexerOptions) {
    this.#options = options;
    this.#worthSaving = options.worthSaving ?? WORTH_SAVING;
    this.#texts = new TextCache(store, options.reach);
    this.#failed = new FailedReads(options.backoff, (due) => {
      for (const meta of due) this.#pending.set(meta.path, meta);
      if (!this.#closed) this.#work();
    });
    options.reach.onRecovered(() => this.#failed.retryNow());
  }

  get progress(): IndexProgress {
    const reasons: Partial<Record<ErrorCode, number>> = {};
    for (const { code } of this.#failed.values()) reasons[code] = (reasons[code] ?? 0) + 1;
    return {
      indexed: this.#index.size,
      pending: this.#pending.size,
      unreadable: this.#failed.size,
      reasons,
    };
  }

  /** What a search goes by from its beginning to its end. */
  get library(): IndexedLibrary {
    return {
      index: this.#index,
      texts: this.#texts,
      haystacks: this.#haystacks,
      reach: this.#options.reach,
      pending: () => [...this.#pending.values(), ...this.#failed.worthALook()],
      hopeless: () => this.#failed.hopeless(),
      undisturbed: (looking) => this.undisturbed(looking),
    };
  }

  get pendingBytes(): number {
    let bytes = 0;
    for (const { size } of this.#pending.values()) bytes += size;
    return bytes;
  }

  /** Goes on from what was saved. */
  begin({ index, unindexed }: Snapshot): void {
    this.#index = index;
    for (const meta of unindexed) this.#pending.set(meta.path, meta);
    if (unindexed.length > 0) this.changed();
    this.#work();
  }

  /** The note is new or has changed: its old entry goes at once, the new one comes soon. */
  add(meta: NoteMeta): void {
    this.remove(meta.path);
    this.#pending.set(meta.path, meta);
    this.#work();
  }

  remove(path: NotePath): void {
    this.#index.remove(path);
    this.#goneWhilePacking?.add(path);
    this.#texts.forget(path);
    this.#pending.delete(path);
    this.#failed.forget(path);
    this.changed();
  }

  /** There is something to save that was not saved yet. */
  changed(): void {
    this.#isSaved = false;
    this.#saveTimer ??= setTimeout(() => {
      this.#saveTimer = undefined;
      this.#packIsDue = this.#isWorthSaving();
      if (!this.#closed) this.#work();
    }, SAVE_AFTER_MS).unref();
  }

  /** Resolves when nothing is pending, or patience is over. */
  async settled({ signal, onProgress }: SearchOptions, patience = Number.POSITIVE_INFINITY): Promise<void> {
    const begun = performance.now();
    while (this.#pending.size > 0 && !this.#closed && performance.now() - begun < patience) {
      const left = Math.min(PROGRESS_MS, patience - (performance.now() - begun));
      const giveUp = new AbortController();
      const pause = sleep(left, undefined, { signal: giveUp.signal, ref: false }).catch(() => {});
      // Packing gives way to indexing, and is waited for until it has.
      await Promise.race([this.#isIndexing ? this.#indexing : this.#working, pause]);
      giveUp.abort();
      signal?.throwIfAborted();
      onProgress?.(this.#index.size, this.#index.size + this.#pending.size);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#failed.close();
    clearTimeout(this.#saveTimer);
    const farewell = sleep(LONGEST_FAREWELL_MS, undefined, { ref: false });
    await (this.#options.reach.isFar ? Promise.race([this.#working, farewell]) : this.#working);
    await this.#saving;
    // Also when some are still pending: they are not in it, and will be found missing next time.
    if (!this.#isSaved && this.#isWorthSaving()) this.#options.snapshot?.saveNow(runAtOnce(this.#packing()));
  }

  #work(): void {
    if (this.#isWorking || (this.#pending.size === 0 && !this.#packIsDue)) return;
    const failed = (error: unknown) =>
      this.#options.log('error', 'indexing failed', { error: String(error) });
    this.#isWorking = true;
    this.#isIndexing = true;
    this.#indexing = this.#indexPending()
      .catch(failed)
      .finally(() => {
        this.#isIndexing = false;
      });
    this.#working = this.#indexing
      .then(() => this.#packIfDue())
      .catch(failed)
      .finally(() => {
        this.#isWorking = false;
        if (!this.#closed) this.#work();
      });
  }

  async #indexPending(): Promise<void> {
    const pace = new YieldTimer();
    const begun = performance.now();
    let told = begun;
    let done = 0;
    // Answers in flight come first.
    await new Promise<void>((resolve) => setImmediate(resolve));
    // What is added meanwhile comes at the end, and has its turn too.
    const metas = this.#pending.values();
    const lent = new Set<NoteMeta>();
    const unhelped = (error: unknown) => {
      this.#options.log('warn', 'indexing goes on without help', { error: String(error) });
      return 0;
    };
    let assisted: Promise<number> | undefined;
    const work = async () => {
      for (const meta of metas) {
        if (lent.has(meta)) continue;
        await this.#rest.over(() => this.#closed);
        await this.#inReach();
        if (this.#closed) return;
        if (this.#pending.size > WORTH_AN_ASSISTANT) assisted ??= this.#lend(lent, pace).catch(unhelped);
        await this.#indexOne(meta, pace);
        done++;
        if (performance.now() - told < TELL_MS) continue;
        told = performance.now();
        this.#options.log('info', 'indexing', { done, left: this.#pending.size });
      }
    };
    await Promise.all(Array.from({ length: this.#texts.readsAtOnce }, work));
    done += (await assisted) ?? 0;
    if (this.#closed) return;
    this.#rest.reset();
    const milliseconds = Math.round(performance.now() - begun);
    if (done >= TOLD_ABOUT) this.#options.log('info', 'indexed', { notes: done, milliseconds });
    const isWorn = this.#index.span > 2 * this.#index.size + SPARE_ENTRIES;
    if (isWorn || done >= this.#worthSaving) this.#packIsDue = true;
  }

  /** Resolves when the server may be asked again. */
  async #inReach(): Promise<void> {
    const { reach } = this.#options;
    while (reach.pauseMs > 0 && !this.#closed)
      await sleep(Math.min(reach.pauseMs, PROGRESS_MS), undefined, { ref: false });
  }

  /** Has an assistant index what it can of what is pending; returns of how many notes it did. */
  async #lend(lent: Set<NoteMeta>, pace: YieldTimer): Promise<number> {
    const assistant = await this.#options.assistant?.();
    if (!assistant) return 0;
    const isWaiting = (meta: NoteMeta) => this.#pending.get(meta.path) === meta && !this.#closed;
    let done = 0;
    const takeOver = async (made: PackedIndex, notes: readonly NoteMeta[]) => {
      const before = done;
      const accepts = (row: number) => {
        const meta = notes[row]!;
        if (!isWaiting(meta)) return false;
        this.#pending.delete(meta.path);
        done++;
        return true;
      };
      await runInSlices(this.#index.absorb(made, accepts), async () => {
        await this.#rest.over(() => this.#closed);
        return pace.breathe();
      });
      return done - before;
    };
    const waiting = () =>
      [...this.#pending.values()].filter((meta) => meta.size <= LARGEST_LENT && mayBeText(meta));
    try {
      await shareWork({ assistant, waiting, isWaiting, lent, takeOver });
    } finally {
      assistant.end();
    }
    return done;
  }

  /** The indexing rests while somebody waits for this; a far server has work of its own, and may take its time. */
  undisturbed<T>(work: () => Promise<T>): Promise<T> {
    return this.#options.reach.isFar ? work() : this.#rest.during(work);
  }

  async #indexOne(meta: NoteMeta, pace: YieldTimer): Promise<void> {
    const isCurrent = () => this.#pending.get(meta.path) === meta;
    try {
      const text = mayBeText(meta) ? await this.#texts.getOnce(meta.path) : '';
      if (!isCurrent()) return;
      if (text === undefined) this.#options.onGone(meta);
      else await this.#put(meta, text, pace);
    } catch (error) {
      if (isCurrent()) this.#keepForLater(meta, error);
    }
    await pace.breathe();
  }

  async #put(meta: NoteMeta, text: string, pace: YieldTimer): Promise<void> {
    const isCurrent = () => this.#pending.get(meta.path) === meta;
    const document = await documentOf(meta.path, text);
    if (!isCurrent()) return;
    const { path, size, lastModified } = meta;
    await this.#index.put({ path, size, lastModified }, text, document, () => pace.breathe());
    if (!isCurrent()) return void this.#index.remove(path);
    this.#pending.delete(path);
    this.#failed.forget(path);
    // What was saved meanwhile did not have it.
    this.changed();
  }

  /** Only a note that is gone is nothing. This one is there and has to be read another time. */
  #keepForLater(meta: NoteMeta, error: unknown): void {
    this.#pending.delete(meta.path);
    this.#failed.add(meta, error);
    if (performance.now() - this.#toldUnreadAt < TELL_UNREAD_MS) return;
    this.#toldUnreadAt = performance.now();
    const { unreadable, pending } = this.progress;
    this.#options.log('warn', 'some notes cannot be read for the index; they are tried again', {
      unreadable,
      pending,
      path: meta.path,
      error: String(error),
    });
  }

  /** Packs the index, goes on with the packed one, and saves it. Left for later when there is something to index. */
  async #packIfDue(): Promise<void> {
    if (!this.#packIsDue || this.#closed) return;
    const gone = new Set<NotePath>();
    this.#goneWhilePacking = gone;
    const packed = await runInSlices(this.#packing(), async () => {
      await this.#options.turns();
      return this.#pending.size === 0 && !this.#closed;
    });
    this.#goneWhilePacking = undefined;
    if (!packed) return this.changed();
    this.#packIsDue = false;
    this.#isSaved = gone.size === 0;
    this.#index = new NoteIndex(packed.index);
    for (const path of gone) this.#index.remove(path);
    if (isMostlyUnused(packed.index)) this.#startOver();
    else if (this.#isWorthSaving()) await this.#save(packed);
  }

  *#packing(): Generator<undefined, PackedSnapshot> {
    const { token } = this.#options.files;
    const files = [...this.#options.files.values()];
    return { index: yield* this.#index.pack(files), files, token };
  }

  /** Nobody waits for the file, but there is never more than one being written. */
  async #save(packed: PackedSnapshot): Promise<void> {
    await this.#saving;
    this.#saving = this.#options.snapshot?.save(packed);
  }

  /** Words nobody uses any more are never removed; when most are of that kind, a new index is cheaper. */
  #startOver(): void {
    this.#index = new NoteIndex();
    for (const meta of this.#options.files.values()) this.#pending.set(meta.path, meta);
  }

  #isWorthSaving(): boolean {
    return this.#index.size >= this.#worthSaving;
  }
}

/** What is certainly not text is known by name only; what may be is found out when it is read. */
function mayBeText({ contentType, size }: NoteMeta): boolean {
  if (contentType === 'application/octet-stream') return size <= LARGEST_UNKNOWN;
  return /^text\/|^application\/(?:json|yaml)$|^image\/svg/.test(contentType);
}

function isMostlyUnused({ postings: { starts } }: PackedIndex): boolean {
  let unused = 0;
  for (let word = 1; word < starts.length; word++) if (starts[word] === starts[word - 1]) unused++;
  return unused > SPARE_WORDS && unused > starts.length / 2;
}
