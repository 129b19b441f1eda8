/**
 * Keeps an index equal to its store: what a saved snapshot knew is checked against a listing, and every later
 * change, our own or another program's, is handed to the indexer at once.
 */
import type { NotePath } from '../notes/path.ts';
import type { Asking } from '../notes/searcher.ts';
import type { ListingChanges, NoteChange, NoteMeta, NoteStore } from '../notes/store.ts';
import type { Log } from '../shared/log.ts';
import { pooled } from '../shared/pooled.ts';
import { turnsOf } from '../shared/turns.ts';
import type { Assistant } from './assistant.ts';
import { Backstage } from './backstage.ts';
import type { Library } from './find.ts';
import { Indexer } from './indexer.ts';
import { KnownFiles } from './known-files.ts';
import type { SnapshotFile } from './snapshot.ts';

export interface KeeperOptions {
  readonly snapshot?: SnapshotFile;
  readonly log: Log;
  /** Which paths of a wider store are in this one. Default: all. */
  readonly concerns?: (path: NotePath) => boolean;
  /** Fewer notes are not kept between runs. */
  readonly worthSaving?: number;
  /** Somebody to help with very many notes; undefined where there is nobody. */
  readonly assistant?: () => Promise<Assistant | undefined>;
}

const TURN_MS = 8;
const STATS_AT_ONCE = 8;
/** Without a watch, how old a listing may be when a search relies on it. */
const LISTING_FRESH_MS = 1_000;
const MOMENT_MS = 50;
const PATIENCE_MS = 5_000;
const MANY_NOTES = 1_000;
const FEW_BYTES = 256 * 1024;
const QUICKLY_LOOKED_THROUGH_BYTES = 8 * 1024 * 1024;
const SLOWLY_INDEXED_BYTES = 64 * 1024 * 1024;

export class IndexKeeper {
  readonly #store: NoteStore;
  readonly #options: KeeperOptions;
  readonly #backstage = new Backstage();
  readonly #indexer: Indexer;
  readonly #files = new KnownFiles();
  #listing: Promise<void> | undefined;
  #isListing = false;
  #listedAt = 0;
  #changedWhileListing: Set<NotePath> | undefined;
  #stopWatching: (() => Promise<void>) | undefined;
  /** From when the watch is being set up: that compares everything with the listing too. */
  #isWatching = false;
  #following: Promise<void> = Promise.resolve();
  readonly #listeners = new Set<(changes: readonly NoteChange[]) => void>();
  #started: Promise<void> | undefined;
  #wasAsked = false;
  #closed = false;

  constructor(store: NoteStore, options: KeeperOptions) {
    this.#store = store;
    this.#options = options;
    const { turns } = this.#backstage;
    this.#indexer = new Indexer(store, { ...options, turns, listing: () => this.#files.listing() });
  }

  get library(): Library {
    return this.#indexer.library;
  }

  /**
   * Resolves when the index, together with what is pending, covers the store. A few notes are indexed in no
   * time, but for the first search after a start, when a few of many are looked through sooner. Of more, the
   * ones that are left are looked through, which is quicker; of many, it is better to wait until they are
   * indexed, for looking through them helps one search only; and for very many nobody would wait that long.
   */
  async ready(asking: Asking = {}): Promise<void> {
    await this.#upToDate(asking);
    const isFirst = !this.#wasAsked;
    this.#wasAsked = true;
    if (isFirst && this.library.index.size > MANY_NOTES && this.#indexer.pendingBytes < FEW_BYTES) return;
    await this.#indexer.settled(asking, MOMENT_MS);
    const bytes = this.#indexer.pendingBytes;
    if (bytes > QUICKLY_LOOKED_THROUGH_BYTES && bytes < SLOWLY_INDEXED_BYTES)
      await this.#indexer.settled(asking, PATIENCE_MS);
  }

  /** Resolves when everything there is has been indexed. */
  async settled(asking: Asking = {}): Promise<void> {
    await this.#upToDate(asking);
    await this.#indexer.settled(asking);
  }

  /** While somebody waits for an answer, other work holds back. */
  answering<T>(answer: () => Promise<T>): Promise<T> {
    return this.#backstage.while(answer);
  }

  /** The indexing rests meanwhile: a write takes many small steps, and would wait for a turn at each. */
  undisturbed<T>(work: () => Promise<T>): Promise<T> {
    return this.#indexer.undisturbed(work);
  }

  /** Everything known, in path order. */
  files(): NoteMeta[] {
    return [...this.#files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** A note was written or changed. */
  touch(meta: NoteMeta): void {
    if (this.#options.concerns?.(meta.path) === false) return;
    this.#changedWhileListing?.add(meta.path);
    this.#files.set(meta);
    this.#indexer.add(meta);
  }

  drop(path: NotePath): void {
    this.#changedWhileListing?.add(path);
    this.#files.delete(path);
    this.#indexer.remove(path);
  }

  /** Tells of every change seen by the watch, until the returned function is called. */
  listen(listener: (changes: readonly NoteChange[]) => void): () => Promise<void> {
    this.#listeners.add(listener);
    this.start();
    return async () => void this.#listeners.delete(listener);
  }

  /** Begins to list, index and watch. Once is enough. */
  start(): void {
    this.#started ??= this.#upToDate()
      .then(() => this.#indexer.settled({}, PATIENCE_MS))
      .then(() => this.#watch())
      .catch((error: unknown) =>
        this.#options.log('warn', 'the notes could not be listed', { error: String(error) }),
      );
  }

  async close(): Promise<void> {
    this.#closed = true;
    // A watch still being set up ends itself; nobody who leaves waits for it.
    await this.#stopWatching?.();
    await this.#indexer.close();
  }

  async #upToDate({ signal }: Asking = {}): Promise<void> {
    const isOld = Date.now() - this.#listedAt > LISTING_FRESH_MS;
    if (!this.#listing || (isOld && !this.#isListing && !this.#isWatching)) this.#listing = this.#list();
    await this.#listing;
    signal?.throwIfAborted();
  }

  async #list(): Promise<void> {
    this.#isListing = true;
    try {
      if (this.#listedAt === 0) await this.#load();
      const known = new Set<NotePath>();
      this.#changedWhileListing = known;
      const { changed, removed } = await this.#changesSinceListing();
      // What changed since the listing began is known better already.
      const turns = turnsOf(TURN_MS);
      for (const meta of changed) {
        if (!known.has(meta.path)) this.touch(meta);
        const pause = turns();
        if (pause) await pause;
      }
      for (const path of removed) if (!known.has(path)) this.drop(path);
    } finally {
      this.#changedWhileListing = undefined;
      this.#isListing = false;
      this.#listedAt = Date.now();
    }
  }

  async #load(): Promise<void> {
    const saved = await this.#options.snapshot?.load();
    if (!saved) return;
    const earlier = [...this.#files.values()];
    this.#files.begin(saved.listing);
    this.#indexer.begin(saved);
    // Written before it was loaded, and not in it.
    for (const meta of earlier) this.touch(meta);
  }

  async #changesSinceListing(): Promise<Omit<ListingChanges, 'remarked'>> {
    const before = this.#files.listing();
    if (this.#store.relist) {
      const { remarked, ...changes } = await this.#store.relist(before);
      this.#files.remark(remarked);
      if (remarked && remarked.size > 0) this.#indexer.changed();
      return changes;
    }
    const listed = await this.#store.list();
    const present = new Set(listed.map(({ path }) => path));
    return {
      changed: listed.filter((meta) => !isSame(this.#files.get(meta.path), meta)),
      removed: before.files.map(({ path }) => path).filter((path) => !present.has(path)),
    };
  }

  async #watch(): Promise<void> {
    if (!this.#store.watch || this.#closed) return;
    this.#isWatching = true;
    try {
      const { turns } = this.#backstage;
      this.#stopWatching = await this.#store.watch(
        (changes) => {
          void this.#follow(changes);
          for (const listener of this.#listeners) listener(changes);
        },
        { since: () => this.#files.listing(), turns, log: this.#options.log },
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

  /** One after the other: what was seen later must be what stays. */
  #follow(changes: readonly NoteChange[]): Promise<void> {
    for (const { kind, path } of changes) {
      if (kind === 'removed') this.drop(path);
      // Out of the index and pending before anything is awaited: the old text must not be found, the new one must.
      else
        this.touch({
          path,
          size: 0,
          lastModified: Date.now(),
          contentType: this.#files.get(path)?.contentType ?? 'text/plain',
        });
    }
    const present = changes.filter(({ kind }) => kind !== 'removed');
    this.#following = this.#following.then(() =>
      pooled(present, STATS_AT_ONCE, async ({ path }) => {
        const meta = await this.#store.stat?.(path).catch(() => undefined);
        if (meta) this.touch(meta);
        else this.drop(path);
      }).then(() => {}),
    );
    return this.#following;
  }
}

function isSame(a: NoteMeta | undefined, b: NoteMeta): boolean {
  return a?.size === b.size && a.lastModified === b.lastModified;
}
