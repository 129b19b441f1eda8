/** Scans the notes that are pending, and those that come while the store is still being listed. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { NoteMeta, NoteStore } from '../../notes/store.ts';
import { isAppError } from '../../shared/errors.ts';
import type { ScanRequest } from '../query/context.ts';
import type { IndexWorker } from './index-worker.ts';
import { mayBeText, mayLend } from './readable-files.ts';
import { scan } from './scan.ts';

interface PendingNotes {
  readonly store: NoteStore;
  readonly pending: () => readonly NoteMeta[];
  /** Resolves when all notes are known. */
  readonly listed: () => Promise<void>;
}

const NO_BYTES = new Uint8Array(0);
/** How often a scan looks for notes that were listed meanwhile. */
const LISTING_MS = 5;

/** The notes that are pending now are the first to be scanned, whenever the scan goes on: they may be indexed by then. */
export function beginScan(
  { store, pending, listed }: PendingNotes,
  { onUnread, ...asked }: ScanRequest,
): (worker: IndexWorker | undefined) => Promise<void> {
  const scanned = new Set<NoteMeta>();
  const unscanned = () => {
    const notes = pending().filter((note) => !scanned.has(note));
    for (const note of notes) scanned.add(note);
    return notes;
  };
  const readAsUsual = async ({ path }: NoteMeta) => {
    try {
      return (await store.read(path)).bytes;
    } catch (error) {
      if (isAppError(error, 'not_found')) return undefined;
      if (!isAppError(error)) throw error;
      onUnread(path);
      return NO_BYTES;
    }
  };
  const bytesOf = (note: NoteMeta) =>
    mayBeText(note) ? (store.readListed?.(note) ?? readAsUsual(note)) : NO_BYTES;
  const first = unscanned();
  return async (worker) => {
    const look = (notes: readonly NoteMeta[]) => scan({ ...asked, notes, worker, mayLend, bytesOf });
    let isListed = false;
    const listing = listed().finally(() => {
      isListed = true;
    });
    // Awaited below, unless the scan itself fails before.
    listing.catch(() => {});
    await look(first);
    while (!isListed) {
      const notes = unscanned();
      if (notes.length > 0) await look(notes);
      else await Promise.race([listing, sleep(LISTING_MS)]);
    }
    await listing;
    await look(unscanned());
  };
}
