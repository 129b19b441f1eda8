/**
 * Keeps an index equal to its store: what a saved snapshot knew is checked against a listing, what is new or
 * changed is read and indexed in the background, and every later change, our own or another program's, takes
 * the old entry out at once and puts the new one in soon after. Until then such a note counts as pending, and
 * a search looks at it directly.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { NotePath } from '../notes/path.ts';
import type { Listing, NoteChange, NoteMeta, NoteStore } from '../notes/store.ts';
import { isAppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { pooled } from '../shared/pooled.ts';
import { documentOf } from './document.ts';
import type { Library } from './find.ts';
import { NoteIndex } from './note-index.ts';
import { Pace } from './pace.ts';
import type { SnapshotFile } from './snapshot.ts';
import { TextCache } from './text-cache.ts';

export interface KeeperOptions {
  readonly snapshot?: SnapshotFile;
  readonly log: Log;
  /** Which paths of a wider store are in this one. Default: all. */
  readonly concerns?: (path: NotePath) => boolean;
}

const READ_AHEAD = 8;
/** A file of unknown kind that is larger is hardly a note. */
const LARGEST_UNKNOWN = 1024 * 1024;
const BATCH = 64;
/** Without a watch, how old a listing may be when a search relies on it. */
const LISTING_FRESH_MS = 1_000;
const SAVE_AFTER_MS = 20_000;
const SPARE_ENTRIES = 5_000;
/** Fewer notes are indexed as fast as a file is found and read. */
const WORTH_SAVING = 200;
/** About what is indexed in that time. */
const WORTH_WAITING_FOR_BYTES = 64 * 1024 * 1024;
const PATIENCE_MS = 5_000;

export class IndexKeeper {
  readonly library: Library;
  readonly #store: NoteStore;
  readonly #options: KeeperOptions;
  #index = new NoteIndex();
  readonly #texts: TextCache;
  /** Every file there is, searchable or not. */
  readonly #files = new Map<NotePath, NoteMeta>();
  readonly #pending = new Map<NotePath, NoteMeta>();
  #marks: Listing['marks'] = {};
  #listing: Promise<void> | undefined;
  #listedAt = 0;
  #working: Promise<void> = Promise.resolve();
  #isWorking = false;
  #unsaved = 0;
  #saveTimer: NodeJS.Timeout | undefined;
  #stopWatching: (() => Promise<void>) | undefined;
  readonly #listeners = new Set<(changes: readonly NoteChange[]) => void>();
  #started: Promise<void> | undefined;
  #closed = false;

  constructor(store: NoteStore, options: KeeperOptions) {
    this.#store = store;
    this.#options = options;
    this.#texts = new TextCache(store);
    const keeper = this;
    this.library = {
      get index() {
        return keeper.#index;
      },
      texts: this.#texts,
      pending: () => [...keeper.#pending.values()],
    };
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
      const isOver = await Promise.race([this.#working.then(() => false), patience.then(() => true)]);
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

  async upToDate(signal?: AbortSignal): Promise<void> {
    const stale = !this.#stopWatching && Date.now() - this.#listedAt > LISTING_FRESH_MS;
    if (!this.#listing || stale) this.#listing = this.#list();
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
    while (this.#pending.size > 0 && !this.#closed) await this.#working;
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
      .then(() => this.#watch())
      .catch((error: unknown) =>
        this.#options.log('warn', 'the notes could not be listed', { error: String(error) }),
      );
  }

  async #watch(): Promise<void> {
    if (!this.#store.watch || this.#closed) return;
    try {
      this.#stopWatching = await this.#store.watch((changes) => {
        void this.#follow(changes);
        for (const listener of this.#listeners) listener(changes);
      });
    } catch (error) {
      this.#options.log('warn', 'cannot watch for changes; the notes are listed before each search instead', {
        error: String(error),
      });
      return;
    }
    if (this.#closed) return this.#stopWatching();
    // What changed between the listing and the watch is found by listing once more.
    this.#listing = this.#list();
    await this.#listing;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#saveTimer);
    // A watch still being set up ends itself; nobody who leaves waits for it.
    await this.#stopWatching?.();
    await this.#working.catch(() => {});
    // Also when some are still pending: they are not in it, and will be found missing next time.
    if (this.#unsaved > 0 && this.#index.size > 0) this.#save();
  }

  async #list(): Promise<void> {
    if (this.#listedAt === 0) this.#load();
    this.#listedAt = Date.now();
    const metas = await this.#listFiles();
    const present = new Set<NotePath>();
    for (const meta of metas) {
      present.add(meta.path);
      const indexed = this.#index.get(meta.path) ?? this.#pending.get(meta.path);
      const isSame = (other: NoteMeta | { size: number; lastModified: number } | undefined) =>
        other?.size === meta.size && other.lastModified === meta.lastModified;
      this.#files.set(meta.path, meta);
      if (isSame(indexed)) continue;
      this.touch(meta);
    }
    for (const path of [...this.#files.keys()]) if (!present.has(path)) this.drop(path);
    for (const path of [...this.#index.paths()]) if (!present.has(path)) this.drop(path);
    this.#work();
  }

  async #listFiles(): Promise<readonly NoteMeta[]> {
    if (!this.#store.relist) return this.#store.list();
    const listing = await this.#store.relist({ files: [...this.#files.values()], marks: this.#marks });
    this.#marks = listing.marks;
    return listing.files;
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
    this.#texts.forget(path);
    this.#pending.delete(path);
    this.#changed();
  }

  #work(): void {
    if (this.#isWorking || this.#pending.size === 0) return;
    this.#isWorking = true;
    this.#working = this.#indexPending()
      .catch((error: unknown) => this.#options.log('error', 'indexing failed', { error: String(error) }))
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
    this.#changed();
    this.#renewIfWorn();
  }

  /** Entries of removed notes are never reused; when most are dead, a new index is cheaper than carrying them. */
  #renewIfWorn(): void {
    if (this.#index.span <= 2 * this.#index.size + SPARE_ENTRIES) return;
    this.#index = new NoteIndex();
    for (const [path, meta] of this.#files) this.#pending.set(path, meta);
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

  #load(): void {
    const saved = this.#options.snapshot?.load();
    if (!saved) return;
    this.#index = saved.index;
    this.#marks = saved.listing.marks;
    for (const meta of saved.listing.files) this.#files.set(meta.path, meta);
  }

  #changed(): void {
    this.#unsaved++;
    this.#saveTimer ??= setTimeout(() => {
      this.#saveTimer = undefined;
      if (this.#pending.size === 0 && !this.#closed) this.#save();
    }, SAVE_AFTER_MS).unref();
  }

  #save(): void {
    this.#unsaved = 0;
    if (this.#index.size < WORTH_SAVING) return;
    this.#options.snapshot?.save({
      index: this.#index,
      listing: { files: this.files(), marks: this.#marks },
    });
  }
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
