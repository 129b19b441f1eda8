/**
 * Keeps an index equal to its store: what a saved snapshot knew is checked against a listing, and every later
 * change, our own or another program's, is handed to the indexer at once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { NotePath } from '../../notes/path.ts';
import type { SearchOptions } from '../../notes/searcher.ts';
import type { ListingChanges, NoteChange, NoteMeta, NoteStore } from '../../notes/store.ts';
import { mapConcurrently } from '../../shared/async/semaphore.ts';
import { createYielder } from '../../shared/async/time-slices.ts';
import { type AppError, isAppError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import {
  type Backoff,
  createBackoff,
  persistently,
  RETRY_NOTE,
  RETRY_SERVER,
  type RetryOptions,
} from '../failed-reads.ts';
import type { SnapshotFile } from '../index/snapshot.ts';
import type { IndexedLibrary } from '../query/context.ts';
import { Reach } from '../reach.ts';
import type { IndexWorker } from './index-worker.ts';
import { Indexer, type IndexProgress } from './indexer.ts';
import { KnownFiles } from './known-files.ts';
import { BackgroundScheduler } from './scheduler.ts';

export interface IndexSyncOptions {
  readonly snapshot?: SnapshotFile;
  readonly log: Log;
  /** Which paths of a wider store are in this one. Default: all. */
  readonly concerns?: (path: NotePath) => boolean;
  /** Fewer notes are not kept between runs. */
  readonly worthSaving?: number;
  /** A worker that helps with very many notes, where there is one. */
  readonly assistant?: () => Promise<IndexWorker | undefined>;
  readonly retries?: RetryOptions;
  readonly scheduler?: BackgroundScheduler;
}

const TURN_MS = 8;
const STATS_AT_ONCE = 8;
/** Without a watch, how old a listing may be when a search relies on it. */
const LISTING_FRESH_MS = 1_000;
const MOMENT_MS = 50;
/** What a search waits for a server that is known to be down: it may be back. */
const PROBE_MS = 250;
const PATIENCE_MS = 5_000;
const MANY_NOTES = 1_000;
const FEW_BYTES = 256 * 1024;
const QUICKLY_LOOKED_THROUGH_BYTES = 8 * 1024 * 1024;
const SLOWLY_INDEXED_BYTES = 64 * 1024 * 1024;

export class IndexSync {
  readonly #store: NoteStore;
  readonly #options: IndexSyncOptions;
  readonly #backstage: BackgroundScheduler;
  readonly #backoff: Backoff;
  readonly reach: Reach;
  readonly #indexer: Indexer;
  readonly #closing = new AbortController();
  readonly #files = new KnownFiles();
  #listing: Promise<void> | undefined;
  #isListing = false;
  #listedAt = 0;
  /** When what the index knows was saved, if it comes from an earlier run; milliseconds since 1970. */
  #savedAt: number | undefined;
  #hasListed = false;
  #relisting: Promise<void> | undefined;
  #catchingUp: Promise<void> | undefined;
  #changedWhileListing: Set<NotePath> | undefined;
  #stopWatching: (() => Promise<void>) | undefined;
  /** From when the watch is being set up: that compares everything with the listing too. */
  #isWatching = false;
  #following: Promise<void> = Promise.resolve();
  readonly #listeners = new Set<(changes: readonly NoteChange[]) => void>();
  #started: Promise<void> | undefined;
  #wasAsked = false;
  #closed = false;

  constructor(store: NoteStore, options: IndexSyncOptions) {
    this.#store = store;
    this.#options = options;
    const { retries = {}, scheduler = new BackgroundScheduler() } = options;
    this.#backstage = scheduler;
    this.#backoff = createBackoff({ ...RETRY_NOTE, ...retries });
    this.reach = new Reach({
      ...retries,
      isFar: store.readsAtOnce !== undefined,
      backoff: createBackoff({ ...RETRY_SERVER, ...retries }),
    });
    this.#indexer = new Indexer(store, {
      ...options,
      turns: scheduler.turns,
      reach: this.reach,
      backoff: this.#backoff,
      files: this.#files,
      onGone: ({ path }) => this.#forgetGone(path),
    });
  }

  get library(): IndexedLibrary {
    return this.#indexer.library;
  }

  /**
   * Resolves when the index, together with what is pending, covers the store. A few notes are indexed in no
   * time, but for the first search after a start, when a few of many are looked through sooner. Of more, the
   * ones that are left are looked through, which is quicker; of many, it is better to wait until they are
   * indexed, for looking through them helps one search only; and for very many nobody would wait that long.
   * Where the server cannot be reached, what was known of it last has to do: then it resolves to the reason. Throws
   * when nothing is known.
   */
  async ready(asking: SearchOptions = {}): Promise<AppError | undefined> {
    const stale = await this.#asFreshAsCanBe(asking);
    const isFirst = !this.#wasAsked;
    this.#wasAsked = true;
    if (isFirst && this.library.index.size > MANY_NOTES && this.#indexer.pendingBytes < FEW_BYTES)
      return stale;
    await this.#indexed(asking, MOMENT_MS);
    const bytes = this.#indexer.pendingBytes;
    if (bytes > QUICKLY_LOOKED_THROUGH_BYTES && bytes < SLOWLY_INDEXED_BYTES)
      await this.#indexed(asking, Math.min(PATIENCE_MS, this.reach.answerMs / 3));
    return stale;
  }

  /** Resolves when all that can be read has been indexed, or nothing can. Throws when nothing is known at all. */
  async covered(asking: SearchOptions = {}): Promise<AppError | undefined> {
    const stale = await this.#asFreshAsCanBe(asking);
    await this.#indexed(asking);
    return stale;
  }

  /** Resolves when everything there is has been indexed, but for what cannot be read; however long that takes. */
  async settled(asking: SearchOptions = {}): Promise<void> {
    await this.#upToDate(asking);
    await this.#indexer.settled(asking);
  }

  get progress(): IndexProgress {
    return this.#indexer.progress;
  }

  /** As of when the index is what the server said; undefined when nobody knows. */
  get asOf(): number | undefined {
    return this.reach.answeredAt ?? this.#savedAt;
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
    const { log } = this.#options;
    // A server that is away when we start is followed as soon as it is there.
    this.#started ??= persistently(
      async () => {
        await this.#upToDate();
        await this.#indexer.settled({}, PATIENCE_MS);
        await this.#watch();
      },
      {
        backoff: this.#backoff,
        signal: this.#closing.signal,
        onFailure: (error) =>
          log('warn', 'the notes could not be listed; it is tried again', { error: String(error) }),
      },
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#closing.abort();
    // A watch still being set up ends itself; nobody who leaves waits for it.
    await this.#stopWatching?.();
    await this.#indexer.close();
  }

  /**
   * Waits no longer than the server is heard of. Then what was known of it last has to do, if anything was; resolves
   * to why it has to.
   */
  async #asFreshAsCanBe(asking: SearchOptions): Promise<AppError | undefined> {
    if (!this.reach.isFar) return void (await this.#upToDate(asking));
    const looking = this.#isWatching ? this.#catchUp() : this.#upToDate(asking);
    looking.catch(() => {});
    try {
      if (this.reach.isDown) await Promise.race([looking, sleep(PROBE_MS, undefined, { ref: false })]);
      else await this.reach.patiently(looking);
    } catch (error) {
      asking.signal?.throwIfAborted();
      if (!isAppError(error) || !this.#isAnythingKnown) throw error;
      return error;
    }
    const error = this.reach.isDown ? this.reach.problem?.error : undefined;
    if (error && !this.#isAnythingKnown) throw error;
    return error;
  }

  get #isAnythingKnown(): boolean {
    return this.#hasListed || this.#savedAt !== undefined;
  }

  /** Resolves when nothing is pending, patience is over, or the server is silent. */
  async #indexed(asking: SearchOptions, patience?: number): Promise<void> {
    try {
      await this.reach.patiently(this.#indexer.settled(asking, patience));
    } catch (error) {
      asking.signal?.throwIfAborted();
      if (!this.reach.isFar || !isAppError(error)) throw error;
    }
  }

  /** One look for all who ask. */
  #catchUp(): Promise<void> {
    const { catchUp } = this.#store;
    if (!catchUp) return this.#following;
    this.#catchingUp ??= this.reach
      .ask(catchUp, (hasAsked) => hasAsked)
      .then(() => this.#following)
      .finally(() => {
        this.#catchingUp = undefined;
      });
    return this.#catchingUp;
  }

  async #upToDate({ signal }: SearchOptions = {}): Promise<void> {
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
      const turns = createYielder(TURN_MS);
      for (const meta of changed) {
        if (!known.has(meta.path)) this.touch(meta);
        const pause = turns();
        if (pause) await pause;
      }
      for (const path of removed) if (!known.has(path)) this.drop(path);
      this.#hasListed = true;
    } finally {
      this.#changedWhileListing = undefined;
      this.#isListing = false;
      this.#listedAt = Date.now();
    }
  }

  async #load(): Promise<void> {
    const saved = await this.#options.snapshot?.load();
    if (!saved) return;
    this.#savedAt = saved.savedAt;
    const earlier = [...this.#files.values()];
    this.#files.begin(saved);
    this.#indexer.begin(saved);
    // Written before it was loaded, and not in it.
    for (const meta of earlier) this.touch(meta);
  }

  async #changesSinceListing(): Promise<Pick<ListingChanges, 'changed' | 'removed'>> {
    const { relist } = this.#store;
    const before = this.#files.listing();
    if (relist) {
      const { token = before.token, ...changes } = await this.reach.ask(() => relist(before));
      if (token !== before.token) this.#indexer.changed();
      this.#files.token = token;
      return changes;
    }
    const listed = await this.reach.ask(() => this.#store.list());
    const present = new Set(listed.map(({ path }) => path));
    return {
      changed: listed.filter((meta) => !this.#files.isCurrent(meta)),
      removed: before.paths.filter((path) => !present.has(path)),
    };
  }

  async #watch(): Promise<void> {
    if (!this.#store.watch || this.#closed) return;
    this.#isWatching = true;
    try {
      this.#stopWatching = await this.#store.watch(
        (changes) => {
          void this.#follow(changes);
          for (const listener of this.#listeners) listener(changes);
        },
        { since: () => this.#files.listing(), log: this.#options.log },
      );
    } catch (error) {
      this.#isWatching = false;
      if (this.reach.isFar) throw error;
      this.#options.log('warn', 'cannot watch for changes; the notes are listed before each search instead', {
        error: String(error),
      });
      return;
    }
    if (this.#closed) return this.#stopWatching();
    if (this.#store.relist) return;
    // Without `relist` a store does not tell what changed between the listing and the watch.
    await this.#listAgain().catch(() => this.#relistLater());
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
      mapConcurrently(present, STATS_AT_ONCE, ({ path }) => this.#followOne(path)).then(() => {}),
    );
    return this.#following;
  }

  async #followOne(path: NotePath): Promise<void> {
    const { stat } = this.#store;
    if (!stat) return;
    try {
      this.touch(await this.reach.ask(() => stat(path)));
    } catch (error) {
      if (isAppError(error, 'not_found')) return this.drop(path);
      // It stays pending; of what size and when it changed, the next listing tells.
      this.#options.log('debug', 'a changed note could not be looked at', { path, error: String(error) });
      this.#relistLater();
    }
  }

  #forgetGone(path: NotePath): void {
    this.drop(path);
    // A server may say so by mistake, and would not tell of the note again.
    if (this.reach.isFar) this.#relistLater();
  }

  /** Something was missed: a listing, as soon as there can be one, finds what. */
  #relistLater(): void {
    const { signal } = this.#closing;
    this.#relisting ??= sleep(this.#backoff.pauseMs(0), undefined, { ref: false, signal })
      .then(() => persistently(() => this.#listAgain(), { backoff: this.#backoff, signal }))
      .catch(() => {})
      .finally(() => {
        this.#relisting = undefined;
      });
  }

  async #listAgain(): Promise<void> {
    await this.#listing?.catch(() => {});
    this.#listing = this.#list();
    await this.#listing;
  }
}
