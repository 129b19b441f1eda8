/**
 * Keeps an index equal to its store: what a saved snapshot knew is checked against a listing, what is new or
 * changed is read and indexed in the background, and every later change, our own or another program's, takes
 * the old entry out at once and puts the new one in soon after. Until then such a note counts as pending, and
 * a search looks at it directly.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { NotePath } from '../notes/path.ts';
import type { Listing, ListingChanges, NoteChange, NoteMeta, NoteStore } from '../notes/store.ts';
import { isAppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { pooled } from '../shared/pooled.ts';
import { atOnce, inSteps } from '../shared/steps.ts';
import { Backstage } from './backstage.ts';
import { documentOf } from './document.ts';
import type { Library } from './find.ts';
import { NoteIndex, type PackedIndex } from './note-index.ts';
import { Pace } from './pace.ts';
import type { PackedSnapshot, SnapshotFile } from './snapshot.ts';
import { TextCache } from './text-cache.ts';

export interface KeeperOptions {
  readonly snapshot?: SnapshotFile;
  readonly log: Log;
  /** Which paths of a wider store are in this one. Default: all. */
  readonly concerns?: (path: NotePath) => boolean;
  /** Fewer notes are not kept between runs. */
  readonly worthSaving?: number;
}

const READ_AHEAD = 8;
/** A file of unknown kind that is larger is hardly a note. */
const LARGEST_UNKNOWN = 1024 * 1024;
const BATCH = 64;
/** Without a watch, how old a listing may be when a search relies on it. */
const LISTING_FRESH_MS = 1_000;
const SAVE_AFTER_MS = 20_000;
const SPARE_WORDS = 20_000;
/** Fewer notes are indexed as fast as a file is found and read, or looked through packed. */
const WORTH_SAVING = 200;
/** Of notes that are gone; beyond that and the living ones, they are left out by packing. */
const SPARE_ENTRIES = 5_000;
/** About what is indexed in that time. */
const WORTH_WAITING_FOR_BYTES = 64 * 1024 * 1024;
const PATIENCE_MS = 5_000;

export class IndexKeeper {
  readonly #store: NoteStore;
  readonly #options: KeeperOptions;
  readonly #worthSaving: number;
  #index = new NoteIndex();
  readonly #texts: TextCache;
  readonly #backstage = new Backstage();
  /** Every file there is, searchable or not. */
  readonly #files = new Map<NotePath, NoteMeta>();
  readonly #pending = new Map<NotePath, NoteMeta>();
  #marks: Listing['marks'] = new Map();
  /** Paths whose entries were taken out while the index is being packed. */
  #goneWhilePacking: Set<NotePath> | undefined;
  #packIsDue = false;
  #listing: Promise<void> | undefined;
  #listedAt = 0;
  #isListing = false;
  #changedWhileListing: Set<NotePath> | undefined;
  #working: Promise<void> = Promise.resolve();
  #indexing: Promise<void> = Promise.resolve();
  #isWorking = false;
  #isIndexing = false;
  #saving: Promise<void> | undefined;
  #unsaved = 0;
  #saveTimer: NodeJS.Timeout | undefined;
  #stopWatching: (() => Promise<void>) | undefined;
  /** From when the watch is being set up: that compares everything with the listing too. */
  #isWatching = false;
  readonly #listeners = new Set<(changes: readonly NoteChange[]) => void>();
  #started: Promise<void> | undefined;
  #closed = false;

  constructor(store: NoteStore, options: KeeperOptions) {
    this.#store = store;
    this.#options = options;
    this.#texts = new TextCache(store);
    this.#worthSaving = options.worthSaving ?? WORTH_SAVING;
  }

  /** What a search goes by from its beginning to its end. */
  get library(): Library {
    return { index: this.#index, texts: this.#texts, pending: () => [...this.#pending.values()] };
  }

  /**
   * Resolves when the index, together with what is pending, covers the store. What is pending is waited for
   * within reason: indexing it takes little longer than looking through it, and then it is done.
   */
  async ready(signal?: AbortSignal): Promise<void> {
    await this.upToDate(signal);
    if (this.#pending.size === 0 || this.#pendingBytes() > WORTH_WAITING_FOR_BYTES) return;
    const giveUp = new AbortController();
    const patience = sleep(PATIENCE_MS, undefined, { signal: giveUp.signal, ref: false }).catch(() => {});
    while (this.#pending.size > 0 && !this.#closed) {
      const isOver = await Promise.race([this.#progress().then(() => false), patience.then(() => true)]);
      signal?.throwIfAborted();
      if (isOver) break;
    }
    giveUp.abort();
  }

  #pendingBytes(): number {
    let bytes = 0;
    for (const { size } of this.#pending.values()) bytes += size;
    return bytes;
  }

  /** While somebody waits for an answer, other work holds back. */
  answering<T>(answer: () => Promise<T>): Promise<T> {
    return this.#backstage.while(answer);
  }

  async upToDate(signal?: AbortSignal): Promise<void> {
    const isOld = Date.now() - this.#listedAt > LISTING_FRESH_MS;
    if (!this.#listing || (isOld && !this.#isListing && !this.#isWatching)) this.#listing = this.#list();
    await this.#listing;
    signal?.throwIfAborted();
  }

  /** Everything known, in path order. */
  files(): NoteMeta[] {
    return [...this.#files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Resolves when nothing is pending. */
  async settled(): Promise<void> {
    await this.upToDate();
    while (this.#pending.size > 0 && !this.#closed) await this.#progress();
  }

  /** Resolves when what is pending now has been indexed; packing gives way to it. */
  #progress(): Promise<void> {
    return this.#isIndexing ? this.#indexing : this.#working;
  }

  /** A note was written or changed: the old entry goes at once. */
  touch(meta: NoteMeta): void {
    if (this.#options.concerns?.(meta.path) === false) return;
    this.#forget(meta.path);
    this.#files.set(meta.path, meta);
    this.#pending.set(meta.path, meta);
    this.#work();
  }

  drop(path: NotePath): void {
    this.#forget(path);
    this.#files.delete(path);
  }

  /** Tells of every change seen by the watch, until the returned function is called. */
  listen(listener: (changes: readonly NoteChange[]) => void): () => Promise<void> {
    this.#listeners.add(listener);
    this.start();
    return async () => void this.#listeners.delete(listener);
  }

  /** Begins to list, index and watch. Once is enough. */
  start(): void {
    this.#started ??= this.upToDate()
      .then(() => Promise.race([this.settled(), sleep(PATIENCE_MS, undefined, { ref: false })]))
      .then(() => this.#watch())
      .catch((error: unknown) =>
        this.#options.log('warn', 'the notes could not be listed', { error: String(error) }),
      );
  }

  async #watch(): Promise<void> {
    if (!this.#store.watch || this.#closed) return;
    this.#isWatching = true;
    try {
      const since = { files: [...this.#files.values()], marks: this.#marks };
      this.#stopWatching = await this.#store.watch(
        (changes) => {
          void this.#follow(changes);
          for (const listener of this.#listeners) listener(changes);
        },
        { since, turns: this.#backstage.turns, log: this.#options.log },
      );
    } catch (error) {
      this.#isWatching = false;
      this.#options.log('warn', 'cannot watch for changes; the notes are listed before each search instead', {
        error: String(error),
      });
      return;
    }
    if (this.#closed) return this.#stopWatching();
    if (this.#store.relist) return;
    // A store without marks cannot tell what changed between the listing and the watch.
    await this.#listing;
    this.#listing = this.#list();
    await this.#listing;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#saveTimer);
    // A watch still being set up ends itself; nobody who leaves waits for it.
    await this.#stopWatching?.();
    await this.#working.catch(() => {});
    await this.#saving;
    // Also when some are still pending: they are not in it, and will be found missing next time.
    if (this.#unsaved > 0 && this.#isWorthSaving()) this.#options.snapshot?.saveNow(atOnce(this.#packing()));
  }

  async #list(): Promise<void> {
    this.#isListing = true;
    if (this.#listedAt === 0) await this.#load();
    const known = new Set<NotePath>();
    this.#changedWhileListing = known;
    try {
      const { changed, removed } = await this.#changesSinceListing();
      // What changed since the listing began is known better already.
      for (const meta of changed) if (!known.has(meta.path)) this.touch(meta);
      for (const path of removed) if (!known.has(path)) this.drop(path);
    } finally {
      this.#changedWhileListing = undefined;
      this.#isListing = false;
      this.#listedAt = Date.now();
    }
    this.#work();
  }

  async #changesSinceListing(): Promise<Omit<ListingChanges, 'marks'>> {
    const files = [...this.#files.values()];
    if (this.#store.relist) {
      const { marks, ...changes } = await this.#store.relist({ files, marks: this.#marks });
      this.#marks = marks;
      return changes;
    }
    const listed = await this.#store.list();
    const present = new Set(listed.map(({ path }) => path));
    return {
      changed: listed.filter((meta) => !isSame(this.#files.get(meta.path), meta)),
      removed: files.map(({ path }) => path).filter((path) => !present.has(path)),
    };
  }

  async #follow(changes: readonly NoteChange[]): Promise<void> {
    await pooled(changes, READ_AHEAD, async ({ kind, path }) => {
      if (kind === 'removed') return this.drop(path);
      // Out of the index and pending before anything is awaited: the old text must not be found, the new one must.
      this.touch({
        path,
        size: 0,
        lastModified: Date.now(),
        contentType: this.#files.get(path)?.contentType ?? 'text/plain',
      });
      const meta = await this.#store.stat?.(path).catch(() => undefined);
      if (meta) this.touch(meta);
      else this.drop(path);
    });
  }

  #forget(path: NotePath): void {
    this.#index.remove(path);
    this.#goneWhilePacking?.add(path);
    this.#changedWhileListing?.add(path);
    this.#texts.forget(path);
    this.#pending.delete(path);
    this.#changed();
  }

  #work(): void {
    if (this.#isWorking || (this.#pending.size === 0 && !this.#packIsDue)) return;
    this.#isWorking = true;
    this.#isIndexing = true;
    this.#indexing = this.#indexPending()
      .catch((error: unknown) => this.#options.log('error', 'indexing failed', { error: String(error) }))
      .finally(() => {
        this.#isIndexing = false;
      });
    this.#working = this.#indexing
      .then(() => this.#packIfDue())
      .finally(() => {
        this.#isWorking = false;
        if (!this.#closed) this.#work();
      });
  }

  async #indexPending(): Promise<void> {
    const pace = new Pace();
    const total = this.#pending.size;
    let done = 0;
    // Answers in flight come first.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#pending.size > 0 && !this.#closed) {
      const batch = firstOf(this.#pending.values(), BATCH);
      await pooled(batch, READ_AHEAD, (meta) => this.#indexOne(meta, pace));
      done += batch.length;
      if (total > 2 * BATCH) this.#options.log('debug', 'indexing', { done, left: this.#pending.size });
    }
    const isWorn = this.#index.span > 2 * this.#index.size + SPARE_ENTRIES;
    if (isWorn || done >= this.#worthSaving) this.#packIsDue = true;
  }

  /** Packs the index, goes on with the packed one, and saves it. Left for later when there is something to index. */
  async #packIfDue(): Promise<void> {
    if (!this.#packIsDue || this.#closed) return;
    const gone = new Set<NotePath>();
    this.#goneWhilePacking = gone;
    const packed = await inSteps(this.#packing(), async () => {
      await this.#backstage.turns();
      return this.#pending.size === 0 && !this.#closed;
    });
    this.#goneWhilePacking = undefined;
    if (!packed) return this.#changed();
    this.#packIsDue = false;
    this.#unsaved = 0;
    this.#index = new NoteIndex(packed.index);
    for (const path of gone) this.#index.remove(path);
    if (isMostlyUnused(packed.index)) this.#startOver();
    await this.#saving;
    if (this.#isWorthSaving()) this.#saving = this.#options.snapshot?.save(packed);
  }

  /** Words nobody uses any more are never removed; when most are of that kind, a new index is cheaper. */
  #startOver(): void {
    this.#index = new NoteIndex();
    for (const [path, meta] of this.#files) this.#pending.set(path, meta);
  }

  #isWorthSaving(): boolean {
    return this.#index.size >= this.#worthSaving;
  }

  *#packing(): Generator<undefined, PackedSnapshot> {
    const listing = { files: [...this.#files.values()], marks: this.#marks };
    return { index: yield* this.#index.pack(listing.files), listing };
  }

  async #indexOne(meta: NoteMeta, pace: Pace): Promise<void> {
    const isCurrent = () => this.#pending.get(meta.path) === meta;
    try {
      const text = mayBeText(meta) ? ((await this.#texts.get(meta.path)) ?? '') : '';
      const document = await documentOf(meta.path, text);
      if (!isCurrent()) return;
      const { path, size, lastModified } = meta;
      await this.#index.put({ path, size, lastModified }, text, document, () => pace.breathe());
      if (!isCurrent()) this.#index.remove(meta.path);
    } catch (error) {
      // Gone, or not text: there is nothing to find in it.
      if (!isAppError(error)) throw error;
    } finally {
      if (isCurrent()) this.#pending.delete(meta.path);
    }
    await pace.breathe();
  }

  async #load(): Promise<void> {
    const saved = await this.#options.snapshot?.load();
    if (!saved) return;
    this.#index = saved.index;
    this.#marks = saved.listing.marks;
    for (const meta of saved.listing.files) this.#files.set(meta.path, meta);
    for (const meta of saved.unindexed) this.#pending.set(meta.path, meta);
  }

  #changed(): void {
    this.#unsaved++;
    this.#saveTimer ??= setTimeout(() => {
      this.#saveTimer = undefined;
      this.#packIsDue = this.#isWorthSaving();
      if (!this.#closed) this.#work();
    }, SAVE_AFTER_MS).unref();
  }
}

function isSame(a: NoteMeta | undefined, b: NoteMeta): boolean {
  return a?.size === b.size && a.lastModified === b.lastModified;
}

function isMostlyUnused({ postings: { starts } }: PackedIndex): boolean {
  let unused = 0;
  for (let word = 1; word < starts.length; word++) if (starts[word] === starts[word - 1]) unused++;
  return unused > SPARE_WORDS && unused > starts.length / 2;
}

/** What is certainly not text is known by name only; what may be is found out when it is read. */
function mayBeText({ contentType, size }: NoteMeta): boolean {
  if (contentType === 'application/octet-stream') return size <= LARGEST_UNKNOWN;
  return /^text\/|^application\/(?:json|yaml)$|^image\/svg/.test(contentType);
}

function firstOf<T>(items: Iterable<T>, most: number): T[] {
  const first: T[] = [];
  for (const item of items) {
    if (first.length === most) break;
    first.push(item);
  }
  return first;
}
