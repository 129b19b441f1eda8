/**
 * Keeps an index equal to its store: a saved snapshot is compared with a listing, and every later change, our own or
 * another program's, goes to the indexer at once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { NotePath } from '../../notes/path.ts';
import type { SearchOptions } from '../../notes/searcher.ts';
import type { NoteChange, NoteMeta, NoteStore } from '../../notes/store.ts';
import { mapConcurrently } from '../../shared/async/semaphore.ts';
import { createYielder } from '../../shared/async/time-slices.ts';
import { isAppError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { memoizeWhile } from '../../shared/memoize.ts';
import {
  type Backoff,
  createBackoff,
  persistently,
  RETRY_NOTE,
  RETRY_SERVER,
  type RetryOptions,
} from '../failed-reads.ts';
import type { SnapshotFile } from '../index/snapshot.ts';
import { Reach } from '../reach.ts';
import type { IndexWorker } from './index-worker.ts';
import { Indexer } from './indexer.ts';
import { changesOf, KnownFiles } from './known-files.ts';
import type { LearnTerms } from './meaning-builder.ts';
import { BackgroundScheduler } from './scheduler.ts';

export interface IndexSyncOptions {
  readonly snapshot?: SnapshotFile;
  readonly log: Log;
  /** Whether a path of a wider store is one of this store. Default: all are. */
  readonly concerns?: (path: NotePath) => boolean;
  /** An index of fewer notes is not saved. */
  readonly worthSaving?: number;
  /** Starts a worker for very many notes; resolves to undefined where there can be none. */
  readonly startWorker?: () => Promise<IndexWorker | undefined>;
  /** Learns the meaning of terms in a worker. */
  readonly learnTerms?: LearnTerms;
  readonly retries?: RetryOptions;
  readonly scheduler?: BackgroundScheduler;
}

const TURN_MS = 8;
const STATS_AT_ONCE = 8;
/** How old a listing may be for a search, where the store is not watched. */
const LISTING_FRESH_MS = 1_000;
/** How long the watch waits for the indexing after a start. */
const WATCH_AFTER_MS = 5_000;

export class IndexSync {
  readonly #store: NoteStore;
  readonly #options: IndexSyncOptions;
  readonly #backstage: BackgroundScheduler;
  readonly #backoff: Backoff;
  readonly reach: Reach;
  readonly indexer: Indexer;
  readonly #closing = new AbortController();
  readonly #files = new KnownFiles();
  readonly #sortedFiles = memoizeWhile(
    () => this.#files.revision,
    () => [...this.#files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
  );
  #listing: Promise<void> | undefined;
  #isListing = false;
  #listedAt = 0;
  /** When the loaded snapshot was saved, in milliseconds since 1970. */
  #savedAt: number | undefined;
  #hasListed = false;
  #relisting: Promise<void> | undefined;
  #catchingUp: Promise<void> | undefined;
  #changedWhileListing: Set<NotePath> | undefined;
  #stopWatching: (() => Promise<void>) | undefined;
  /** True as soon as the watch is being set up, because that compares the store with the listing. */
  #isWatching = false;
  /** Changes of any file, searched or not. */
  #anyChanges = 0;
  /** Whether the watch has begun to tell all changes, in their order, those that this process makes too. */
  #followsFeed = false;
  /** Whether the watch sees every change, of files that are not searched too. */
  #seesAll = false;
  #following: Promise<void> = Promise.resolve();
  readonly #listeners = new Set<(changes: readonly NoteChange[]) => void>();
  #started: Promise<void> | undefined;
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
    this.indexer = new Indexer(store, {
      ...options,
      turns: scheduler.turns,
      reach: this.reach,
      backoff: this.#backoff,
      files: this.#files,
      listed: () => this.#upToDate(),
      onGone: ({ path }) => this.#forgetGone(path),
    });
  }

  /** When the server last confirmed what the index knows; undefined when it never did. */
  get asOf(): number | undefined {
    return this.reach.answeredAt ?? this.#savedAt;
  }

  /** When the notes were last listed, in milliseconds since 1970; undefined when they never were. */
  get listedAt(): number | undefined {
    return this.#hasListed ? this.#listedAt : undefined;
  }

  /** Whether changes by other programs are known at once. */
  get isWatching(): boolean {
    return this.#isWatching;
  }

  get isAnythingKnown(): boolean {
    return this.#hasListed || this.#savedAt !== undefined;
  }

  /** Background work holds back while a request is answered. */
  answering<T>(answer: () => Promise<T>): Promise<T> {
    return this.#backstage.while(answer);
  }

  /** Whether the notes are being listed just now. */
  get isListing(): boolean {
    return this.#isListing;
  }

  /** Resolves when all changes of the store so far are known, where it can tell. */
  listed({ signal }: SearchOptions = {}): Promise<void> {
    if (this.reach.isFar && this.#isWatching) return this.#catchUp();
    // Until the feed is followed, a listing is asked for what others changed a moment ago.
    return this.#store.hasFeed ? this.#listAgain() : this.#upToDate(signal);
  }

  /** Resolves when every note has been indexed, but for those that cannot be read; however long that takes. */
  async settled(): Promise<void> {
    await this.#upToDate();
    await this.indexer.settled({});
  }

  /** Resolves when the meaning of all notes is known, if there are enough of them. */
  async meaningKnown(): Promise<void> {
    await this.settled();
    await this.indexer.meaningKnown();
  }

  /** Lists the notes again, forgets the index and its file, and reads every note anew. Resolves when that has begun. */
  async rebuild(): Promise<void> {
    await this.#listAgain();
    this.#options.snapshot?.forget();
    this.indexer.rebuild();
  }

  /** In path order. */
  files(): readonly NoteMeta[] {
    return this.#sortedFiles();
  }

  /** Another one after every change of the files. */
  get filesRevision(): number {
    return this.#files.revision;
  }

  /** Another one after any change of the store; undefined while changes can go unnoticed. */
  async storeRevision(): Promise<number | undefined> {
    if (!this.#seesAll) return undefined;
    if (this.reach.isFar) await this.#catchUp();
    return this.#anyChanges;
  }

  /** A note that this process wrote. A feed tells it too, and in its place among the changes of others. */
  wrote(meta: NoteMeta): void {
    if (!this.#followsFeed) this.touch(meta);
  }

  /** A note that this process removed or moved away. */
  removed(path: NotePath): void {
    if (!this.#followsFeed) this.drop(path);
  }

  /** For a note that was written or changed. */
  touch(meta: NoteMeta): void {
    this.#anyChanges++;
    if (this.#options.concerns?.(meta.path) === false) return;
    this.#changedWhileListing?.add(meta.path);
    this.#files.set(meta);
    this.indexer.add(meta);
  }

  drop(path: NotePath): void {
    this.#anyChanges++;
    this.#changedWhileListing?.add(path);
    this.#files.delete(path);
    this.indexer.remove(path);
  }

  /** Reports the changes the watch sees, until the returned function is called. */
  listen(listener: (changes: readonly NoteChange[]) => void): () => Promise<void> {
    this.#listeners.add(listener);
    this.start();
    return async () => void this.#listeners.delete(listener);
  }

  /** Begins to list, index and watch; later calls do nothing. */
  start(): void {
    const { log } = this.#options;
    // A server that is down when we start is listed and watched as soon as it answers.
    this.#started ??= persistently(
      async () => {
        await this.#upToDate();
        await this.indexer.settled({}, WATCH_AFTER_MS);
        await this.#watch();
      },
      {
        backoff: this.#backoff,
        signal: this.#closing.signal,
        onFailure: (error) =>
          log('warn', 'the notes could not be listed; trying again', { error: String(error) }),
      },
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#seesAll = false;
    this.#closing.abort();
    // A watch that is still being set up ends itself, and is not waited for.
    await this.#stopWatching?.();
    await this.indexer.close();
  }

  /** One request to the store for all callers. */
  #catchUp(): Promise<void> {
    const { catchUp, hasFeed } = this.#store;
    if (!catchUp) return this.#following;
    // A request that is under way may be older than the change which the caller has just made on another server.
    if (hasFeed) return this.reach.ask(catchUp).then((isOn) => (isOn ? this.#following : this.#listAgain()));
    this.#catchingUp ??= this.reach
      .ask(catchUp, (hasAsked) => hasAsked)
      .then(() => this.#following)
      .finally(() => {
        this.#catchingUp = undefined;
      });
    return this.#catchingUp;
  }

  async #upToDate(signal?: AbortSignal): Promise<void> {
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
      // Changes since the listing began are newer than the listing.
      const take = (meta: NoteMeta) => {
        if (!known.has(meta.path)) this.touch(meta);
      };
      const before = this.#files.listing();
      const { changed, removed, token } = await this.reach.ask(() =>
        changesOf(this.#store, before, this.#files, (found) => found.forEach(take)),
      );
      if (token !== before.token) this.indexer.changed();
      this.#files.token = token;
      const turns = createYielder(TURN_MS);
      for (const meta of changed) {
        take(meta);
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
    this.indexer.begin(saved);
    // Notes written before the snapshot was loaded are not in it.
    for (const meta of earlier) this.touch(meta);
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
        {
          since: () => this.#files.listing(),
          onAnyChange: (seesAll) => {
            this.#anyChanges++;
            this.#seesAll = seesAll;
          },
          onToken: (token) => {
            this.#files.token = token;
            this.indexer.changed();
          },
          log: this.#options.log,
        },
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
    this.#followsFeed = this.#store.hasFeed === true;
    if (this.#store.relist) return;
    // A store without `relist` does not know what changed between the listing and the watch.
    await this.#listAgain().catch(() => this.#relistLater());
  }

  /** Batches of changes are looked at one after the other, so that the latest wins. */
  #follow(changes: readonly NoteChange[]): Promise<void> {
    for (const { kind, path, meta } of changes) {
      const { contentType = 'text/plain' } = this.#files.get(path) ?? {};
      if (kind === 'removed') this.drop(path);
      // Pending before anything is awaited, so that searches find the new text and not the old one.
      else if (!meta) this.touch({ path, size: 0, lastModified: Date.now(), contentType });
      // What this process wrote while the watch was being set up is known already.
      else if (!this.#files.isCurrent(meta)) this.touch(meta);
    }
    const present = changes.filter(({ kind, meta }) => kind !== 'removed' && !meta);
    if (present.length === 0) return this.#following;
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
      // The note stays pending; the next listing has its size and time stamp.
      this.#options.log('debug', 'a changed note could not be inspected', { path, error: String(error) });
      this.#relistLater();
    }
  }

  #forgetGone(path: NotePath): void {
    this.drop(path);
    // A server may be wrong about that, and would not report the note again.
    if (this.reach.isFar) this.#relistLater();
  }

  /** For when a change may have been missed: the next listing finds it. */
  #relistLater(): void {
    const { signal } = this.#closing;
    this.#relisting ??= sleep(this.#backoff.pauseMs(0), undefined, { ref: false, signal })
      .then(() => persistently(() => this.#listAgain(), { backoff: this.#backoff, signal }))
      .catch(() => {})
      .finally(() => {
        this.#relisting = undefined;
      });
  }

  /** A listing that begins after the call; those who wait for the same earlier one share it. */
  async #listAgain(): Promise<void> {
    const earlier = this.#listing;
    await earlier?.catch(() => {});
    if (this.#listing === earlier) this.#listing = this.#list();
    await this.#listing;
  }
}
