/** How long a request waits for the index to be as new as the store, and what it has to do with when that takes too long. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SearchOptions } from '../../notes/searcher.ts';
import { type AppError, isAppError } from '../../shared/errors.ts';
import type { IndexSync } from './index-sync.ts';

/** Time in which a few notes are indexed. */
const MOMENT_MS = 50;
/** How long a search waits for a server that is known to be down: it may be back. */
const PROBE_MS = 250;
/** How often a search looks whether very many notes are listed. */
const LISTING_MS = 5;
const PATIENCE_MS = 5_000;
const MANY_NOTES = 1_000;
const FEW_BYTES = 256 * 1024;
const QUICKLY_READ_BYTES = 8 * 1024 * 1024;
const SLOWLY_INDEXED_BYTES = 64 * 1024 * 1024;

export class Freshness {
  readonly #sync: IndexSync;
  #isFirst = true;
  #hasScanned = false;

  constructor(sync: IndexSync) {
    this.#sync = sync;
  }

  /**
   * Resolves when the index, together with the pending notes that a search reads itself, covers the store. How long
   * it waits for pending notes depends on how many there are:
   * - a few are indexed in a moment; only the first search after a start does not wait for a few of many;
   * - more are scanned by the search, if they are files; a few of a server are read by it, which takes less time than
   *   to index them, of many more are waited for, because reading them helps one search only, and very many would take
   *   longer than any request waits.
   *
   * A search that scans very many notes need not wait until all are listed: the scan does. Once one search has been
   * answered by a scan, further ones wait for an index that is soon complete: their scans would only delay it.
   *
   * Resolves to an error where the server cannot be reached and the index is what was last known of it; throws that
   * error where nothing is known.
   */
  async forSearch(asking: SearchOptions = {}, mayScan = false): Promise<AppError | undefined> {
    const { indexer } = this.#sync;
    const listed = this.#listed(asking);
    if (mayScan) await this.#listedOrMany(listed);
    const stale = indexer.isWorthAWorker && mayScan ? undefined : await listed;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (isFirst && indexer.library.index.size > MANY_NOTES && indexer.pendingBytes < FEW_BYTES) return stale;
    if (mayScan ? indexer.isWorthScanning : indexer.isWorthAWorker) {
      if (mayScan && this.#hasScanned && indexer.pendingBytes < SLOWLY_INDEXED_BYTES) await this.soon(asking);
      return stale;
    }
    await this.#indexed(asking, MOMENT_MS);
    const bytes = indexer.pendingBytes;
    if (bytes > QUICKLY_READ_BYTES && bytes < SLOWLY_INDEXED_BYTES) await this.soon(asking);
    return stale;
  }

  /** To be called when a search has been answered by a scan. */
  scanned(): void {
    this.#hasScanned = true;
  }

  /** Resolves when every note has been indexed, or no request would wait longer. */
  soon(asking: SearchOptions): Promise<void> {
    return this.#indexed(asking, Math.min(PATIENCE_MS, this.#sync.reach.answerMs / 3));
  }

  /** Resolves when every note that can be read has been indexed, to an error as `forSearch` does. */
  async forAllNotes(asking: SearchOptions = {}): Promise<AppError | undefined> {
    const stale = await this.#listed(asking);
    await this.#indexed(asking);
    return stale;
  }

  /** Resolves when very many notes are known to be pending, or all are listed. */
  async #listedOrMany(listed: Promise<unknown>): Promise<void> {
    const { indexer } = this.#sync;
    let isListed = false;
    const ended = listed
      .catch(() => {})
      .finally(() => {
        isListed = true;
      });
    if (!this.#sync.isListing) return;
    const wait = async () => {
      while (!isListed && !indexer.isWorthAWorker) await Promise.race([ended, sleep(LISTING_MS)]);
    };
    await indexer.undisturbed(wait);
  }

  /** Waits for a listing, but not for a server that is down or silent. */
  async #listed(asking: SearchOptions): Promise<AppError | undefined> {
    const { reach } = this.#sync;
    const listed = this.#sync.listed(asking);
    if (!reach.isFar) return void (await listed);
    listed.catch(() => {});
    try {
      if (reach.isDown) await Promise.race([listed, sleep(PROBE_MS, undefined, { ref: false })]);
      // A server that is back may have answered for a single note; which notes there are is known from the listing.
      if (!reach.isDown) await reach.patiently(listed);
    } catch (error) {
      asking.signal?.throwIfAborted();
      if (!isAppError(error) || !this.#sync.isAnythingKnown) throw error;
      return error;
    }
    const error = reach.isDown ? reach.problem?.error : undefined;
    if (error && !this.#sync.isAnythingKnown) throw error;
    return error;
  }

  /** Resolves when nothing is pending, patience is over, or the server is silent. */
  async #indexed(asking: SearchOptions, patienceMs?: number): Promise<void> {
    const { indexer, reach } = this.#sync;
    try {
      await reach.patiently(indexer.settled(asking, patienceMs));
    } catch (error) {
      asking.signal?.throwIfAborted();
      if (!reach.isFar || !isAppError(error)) throw error;
    }
  }
}
