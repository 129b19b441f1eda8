/**
 * Indexes notes in the background. A note that is new or changed is pending until its turn comes, and searches read
 * pending notes themselves. When none is pending, the index is packed and saved.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { NotePath } from '../../notes/path.ts';
import type { SearchOptions } from '../../notes/searcher.ts';
import type { NoteMeta, NoteStore } from '../../notes/store.ts';
import { runInSlices } from '../../shared/async/time-slices.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { type Backoff, FailedReads } from '../failed-reads.ts';
import { documentOf } from '../index/document.ts';
import { NoteIndex, type PackedIndex } from '../index/note-index.ts';
import { WordSequences } from '../index/word-sequences.ts';
import type { IndexedLibrary, ScanRequest } from '../query/context.ts';
import { HaystackCache } from '../query/occurrences.ts';
import { TextCache } from '../query/text-cache.ts';
import type { Reach } from '../reach.ts';
import { IndexSaver, type IndexSaverOptions, type IndexState } from './index-saver.ts';
import { type IndexWorker, SharedWorker, shareWork } from './index-worker.ts';
import { type LearnTerms, MeaningBuilder } from './meaning-builder.ts';
import { mayBeText, mayLend } from './readable-files.ts';
import { beginScan } from './scan-pending.ts';
import { Rest, YieldTimer } from './scheduler.ts';

interface IndexerOptions extends Omit<IndexSaverOptions, 'index' | 'onDue'> {
  readonly log: Log;
  readonly reach: Reach;
  /** The pauses between two attempts to read a note. */
  readonly backoff: Backoff;
  /** Resolves when all notes are known. */
  readonly listed: () => Promise<void>;
  /** Called for a pending note that does not exist any more. */
  readonly onGone: (meta: NoteMeta) => void;
  /** Starts a worker for very many notes; resolves to undefined where there can be none. */
  readonly startWorker?: () => Promise<IndexWorker | undefined>;
  readonly learnTerms?: LearnTerms;
}

/** Indexing is logged this often, and when it is done if it was about so many notes. */
const LOG_MS = 1_000;
const WORTH_LOGGING = 1_000;
const LOG_UNREAD_MS = 30_000;
/** How often a waiting search reports progress. */
const PROGRESS_MS = 250;
const STEP_MS = 3;
/** Fewer notes are read by the search, or indexed in a moment. */
const WORTH_A_SCAN = 200;
/** Fewer notes are indexed before a worker has started. */
const WORTH_A_WORKER = 2_000;
/** How long closing waits for a read that a server does not answer. */
const LAST_READ_MS = 1_000;

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
  readonly #store: NoteStore;
  readonly #options: IndexerOptions;
  readonly #texts: TextCache;
  readonly #haystacks = new HaystackCache();
  #index = new NoteIndex();
  #sequences = new WordSequences(this.#index);
  readonly #saver: IndexSaver;
  readonly #meaning: MeaningBuilder;
  readonly #pending = new Map<NotePath, NoteMeta>();
  readonly #failed: FailedReads;
  #loggedUnreadAt = Number.NEGATIVE_INFINITY;
  #indexing: Promise<void> = Promise.resolve();
  #isIndexing = false;
  readonly #rest = new Rest();
  readonly #worker: SharedWorker;
  /** Indexing and the packing after it. */
  #working: Promise<void> = Promise.resolve();
  #isWorking = false;
  #closed = false;

  constructor(store: NoteStore, options: IndexerOptions) {
    this.#store = store;
    this.#options = options;
    this.#texts = new TextCache(store, options.reach);
    const { startWorker } = options;
    this.#worker = new SharedWorker(startWorker && (() => startWorker().catch(this.#withoutWorker)));
    this.#failed = new FailedReads(options.backoff, (due) => {
      for (const meta of due) this.#pending.set(meta.path, meta);
      this.#work();
    });
    this.#saver = new IndexSaver({ ...options, index: () => this.#index, onDue: () => this.#work() });
    this.#meaning = new MeaningBuilder({
      ...options,
      index: () => this.#index,
      onChange: () => this.changed(),
    });
    options.reach.onRecovered(() => this.#failed.retryNow());
  }

  readonly #withoutWorker = (error: unknown): undefined =>
    void this.#options.log('warn', 'indexing goes on without a worker', { error: String(error) });

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

  /** Taken once per search, because packing replaces the index. */
  get library(): IndexedLibrary {
    return {
      index: this.#index,
      texts: this.#texts,
      haystacks: this.#haystacks,
      sequences: this.#sequences,
      reach: this.#options.reach,
      pending: () => [...this.#pending.values(), ...this.#failed.worthALook()],
      hopeless: () => this.#failed.hopeless(),
      undisturbed: (looking) => this.undisturbed(looking),
      scan: this.isWorthScanning ? (asked) => this.#scan(asked) : undefined,
    };
  }

  /** Whether so many notes are pending that a search is sooner done by scanning them. */
  get isWorthScanning(): boolean {
    return !this.#options.reach.isFar && this.#pending.size > WORTH_A_SCAN;
  }

  /** Whether so many are pending that threads help to scan them, even before all are listed. */
  get isWorthAWorker(): boolean {
    return this.#worker.isPossible && this.#pending.size > WORTH_A_WORKER;
  }

  get pendingBytes(): number {
    let bytes = 0;
    for (const { size } of this.#pending.values()) bytes += size;
    return bytes;
  }

  /** Replaces the index, by a saved or a packed one. */
  begin({ index, unindexed }: IndexState): void {
    this.#index = index;
    index.vocabulary.listAhead();
    this.#sequences = new WordSequences(index);
    for (const meta of unindexed) this.#pending.set(meta.path, meta);
    if (unindexed.length > 0) this.changed();
    this.#work();
    if (this.#pending.size === 0) void this.#meaning.look();
  }

  /** Forgets the index, and reads all notes anew; searches read those that are not indexed yet themselves. */
  rebuild(): void {
    // New objects, so that a note that is being indexed now counts as changed since.
    const metas = Array.from(this.#options.files.values(), (meta) => ({ ...meta }));
    for (const { path } of metas) {
      this.#texts.forget(path);
      this.#failed.forget(path);
    }
    this.begin({ index: new NoteIndex(), unindexed: metas });
  }

  /** For a new or changed note: its old entry is removed at once. */
  add(meta: NoteMeta): void {
    this.remove(meta.path);
    this.#pending.set(meta.path, meta);
    this.#work();
  }

  remove(path: NotePath): void {
    this.#index.remove(path);
    this.#texts.forget(path);
    this.#pending.delete(path);
    this.#failed.forget(path);
    this.#saver.removed(path);
  }

  /** The index or its listing is not what was saved. */
  changed(): void {
    this.#saver.changed();
  }

  /** Resolves when nothing is pending, or patience is over. */
  async settled({ signal, onProgress }: SearchOptions, patience = Number.POSITIVE_INFINITY): Promise<void> {
    const begun = performance.now();
    while (this.#pending.size > 0 && !this.#closed && performance.now() - begun < patience) {
      // Between two steps of packing, what is pending is indexed.
      const longest = this.#isIndexing ? PROGRESS_MS : STEP_MS;
      const left = Math.min(longest, patience - (performance.now() - begun));
      const giveUp = new AbortController();
      const pause = sleep(left, undefined, { signal: giveUp.signal, ref: false }).catch(() => {});
      await Promise.race([this.#isIndexing ? this.#indexing : this.#working, pause]);
      giveUp.abort();
      signal?.throwIfAborted();
      onProgress?.(this.#index.size, this.#index.size + this.#pending.size);
    }
  }

  /** Resolves when the meaning of the indexed notes is known. */
  meaningKnown(): Promise<void> {
    return this.#meaning.look();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#meaning.close();
    this.#failed.close();
    const tooLong = sleep(LAST_READ_MS, undefined, { ref: false });
    await (this.#options.reach.isFar ? Promise.race([this.#working, tooLong]) : this.#working);
    await this.#saver.close();
  }

  #work(): void {
    if (this.#closed || this.#isWorking || (this.#pending.size === 0 && !this.#saver.isDue)) return;
    const failed = (error: unknown) =>
      this.#options.log('error', 'indexing failed', { error: String(error) });
    const isIdle = () => this.#pending.size === 0 && !this.#closed;
    const replace = (packed: IndexState) => this.begin(packed);
    const indexPending = () => {
      this.#isIndexing = true;
      this.#indexing = this.#indexPending()
        .catch(failed)
        .finally(() => {
          this.#isIndexing = false;
        });
      return this.#indexing;
    };
    this.#isWorking = true;
    this.#working = indexPending()
      .then(() => this.#saver.packIfDue({ isIdle, indexPending }, replace))
      .catch(failed)
      .finally(() => {
        this.#isWorking = false;
        this.#work();
        if (isIdle()) void this.#meaning.look();
      });
  }

  async #indexPending(): Promise<void> {
    const pace = new YieldTimer();
    const begun = performance.now();
    let loggedAt = begun;
    let done = 0;
    // Requests that have arrived are answered first.
    await new Promise<void>((resolve) => setImmediate(resolve));
    // The iterator also gives the notes that are added meanwhile.
    const metas = this.#pending.values();
    const lent = new Set<NoteMeta>();
    let doneByWorker: Promise<number | undefined> | undefined;
    const work = async () => {
      for (const meta of metas) {
        if (lent.has(meta)) continue;
        await this.#rest.over(() => this.#closed);
        await this.#inReach();
        if (this.#closed) return;
        if (this.#pending.size > WORTH_A_WORKER)
          doneByWorker ??= this.#lend(lent, pace).catch(this.#withoutWorker);
        await this.#indexOne(meta, pace);
        done++;
        if (performance.now() - loggedAt < LOG_MS) continue;
        loggedAt = performance.now();
        this.#options.log('info', 'indexing', { done, left: this.#pending.size });
      }
    };
    await Promise.all(Array.from({ length: this.#texts.readsAtOnce }, work));
    done += (await doneByWorker) ?? 0;
    if (this.#closed) return;
    this.#rest.reset();
    const milliseconds = Math.round(performance.now() - begun);
    if (done >= WORTH_LOGGING) this.#options.log('info', 'indexed', { notes: done, milliseconds });
    this.#saver.indexed(done);
  }

  /** Resolves when the server may be asked again. */
  async #inReach(): Promise<void> {
    const { reach } = this.#options;
    while (reach.pauseMs > 0 && !this.#closed)
      await sleep(Math.min(reach.pauseMs, PROGRESS_MS), undefined, { ref: false });
  }

  /** Has a worker index pending notes; resolves to how many it indexed. */
  async #lend(lent: Set<NoteMeta>, pace: YieldTimer): Promise<number> {
    return this.#worker.during((worker) => (worker ? this.#lendTo(worker, lent, pace) : Promise.resolve(0)));
  }

  async #lendTo(worker: IndexWorker, lent: Set<NoteMeta>, pace: YieldTimer): Promise<number> {
    const isWaiting = (meta: NoteMeta) => this.#isPending(meta) && !this.#closed;
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
    await shareWork({
      worker,
      waiting: () => [...this.#pending.values()].filter(mayLend),
      isWaiting,
      lent,
      takeOver,
    });
    return done;
  }

  async #scan(asked: ScanRequest): Promise<void> {
    const scanning = beginScan(
      {
        store: this.#store,
        pending: () => [...this.#pending.values(), ...this.#failed.worthALook()],
        listed: this.#options.listed,
      },
      asked,
    );
    const { isWorthAWorker } = this;
    await this.undisturbed(() => (isWorthAWorker ? this.#worker.during(scanning) : scanning(undefined)));
  }

  /** Pauses the indexing during `work`, which needs the same disk; reads of a server do not disturb each other. */
  undisturbed<T>(work: () => Promise<T>): Promise<T> {
    return this.#options.reach.isFar ? work() : this.#rest.during(work);
  }

  async #indexOne(meta: NoteMeta, pace: YieldTimer): Promise<void> {
    try {
      const text = mayBeText(meta) ? await this.#texts.getOnce(meta) : '';
      if (!this.#isPending(meta)) return;
      if (text === undefined) this.#options.onGone(meta);
      else await this.#put(meta, text, pace);
    } catch (error) {
      if (this.#isPending(meta)) this.#retryLater(meta, error);
    }
    await pace.breathe();
  }

  async #put(meta: NoteMeta, text: string, pace: YieldTimer): Promise<void> {
    const document = await documentOf(meta.path, text);
    if (!this.#isPending(meta)) return;
    const { path, size, lastModified } = meta;
    await this.#index.put({ path, size, lastModified }, text, document, () => pace.breathe());
    if (!this.#isPending(meta)) return void this.#index.remove(path);
    this.#pending.delete(path);
    this.#failed.forget(path);
    this.changed();
  }

  /** False once the note has changed again, is gone or indexed. */
  #isPending(meta: NoteMeta): boolean {
    return this.#pending.get(meta.path) === meta;
  }

  /** A note that exists and cannot be read is not dropped. */
  #retryLater(meta: NoteMeta, error: unknown): void {
    this.#pending.delete(meta.path);
    this.#failed.add(meta, error);
    if (performance.now() - this.#loggedUnreadAt < LOG_UNREAD_MS) return;
    this.#loggedUnreadAt = performance.now();
    const { unreadable, pending } = this.progress;
    this.#options.log('warn', 'some notes cannot be read for the index; they are tried again', {
      unreadable,
      pending,
      path: meta.path,
      error: String(error),
    });
  }
}
