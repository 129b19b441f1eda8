/**
 * The index as a file in the user's cache folder, read back in milliseconds at the next start. It is a cache: if
 * the file is missing, damaged or of another format, the notes are indexed again. Replaced atomically, so that two
 * processes on one notebook leave one whole file.
 */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { NotePath } from '../../notes/path.ts';
import type { Listing, ListingToken, NoteMeta } from '../../notes/store.ts';
import { runAtOnce, runInSlices } from '../../shared/async/time-slices.ts';
import { isErrno } from '../../shared/fs/errno.ts';
import { makeFolders } from '../../shared/fs/make-folders.ts';
import { replaceFile, replaceFileSync } from '../../shared/fs/replace-file.ts';
import type { Log } from '../../shared/log.ts';
import { memoize } from '../../shared/memoize.ts';
import { YieldTimer } from '../sync/scheduler.ts';
import { type ArrayFile, type ArrayTree, decodeArrays, encodeArrays, viewArrays } from './array-file.ts';
import { NoteIndex, type PackedIndex } from './note-index.ts';
import { listingIn, MAGIC } from './snapshot-format.ts';

const UNUSED_AFTER_MS = 90 * 24 * 3600 * 1000;

export interface Snapshot {
  readonly index: NoteIndex;
  readonly listing: Listing;
  /** The files of the listing, made at the first call: a search does not need them, and the first one should come soon. */
  readonly files: () => readonly NoteMeta[];
  /** Files of the listing that are not in the index. */
  readonly unindexed: readonly NoteMeta[];
  /** Milliseconds since 1970, where that is known. */
  readonly savedAt?: number;
}

/** A snapshot ready to be written. The index's rows are the files. */
export interface PackedSnapshot {
  readonly index: PackedIndex;
  readonly files: readonly NoteMeta[];
  readonly token?: ListingToken;
}

export interface SnapshotFile {
  load(): Promise<Snapshot | undefined>;
  save(snapshot: PackedSnapshot): Promise<void>;
  /** Synchronous, for the end of the process. */
  saveNow(snapshot: PackedSnapshot): void;
  /** Removes the file. */
  forget(): void;
}

/** A snapshot that a worker has read before the program was loaded. */
export interface PrefetchedSnapshot {
  /** The bytes of the file, with the checksum verified. */
  readonly bytes: Buffer;
  /** Called with the listing in those bytes. */
  readonly onListing: (listing: Listing) => void;
}

export function snapshotAt(
  file: string,
  log: Log,
  begun?: () => Promise<PrefetchedSnapshot | undefined>,
): SnapshotFile {
  const failed = (error: unknown) => log('warn', 'the index could not be saved', { error: String(error) });
  return {
    async load() {
      try {
        const pace = new YieldTimer();
        const prefetched = await begun?.();
        if (prefetched) {
          log('debug', 'the saved index was read ahead');
          const snapshot = decode(viewArrays(prefetched.bytes));
          prefetched.onListing(snapshot.listing);
          return snapshot;
        }
        const { bytes, savedAt } = await readWhole(file);
        const arrays = await runInSlices(decodeArrays(MAGIC, bytes), () => pace.breathe());
        return arrays && { ...decode(arrays), savedAt };
      } catch (error) {
        if (!isErrno(error, 'ENOENT'))
          log('warn', 'the saved index cannot be used; the notes are read again', { error: String(error) });
        return undefined;
      }
    },
    async save(snapshot) {
      try {
        const pace = new YieldTimer();
        const pieces = (await runInSlices(encode(snapshot), () => pace.breathe())) ?? [];
        await makeFolders(dirname(file), 0o700);
        await replaceFile(file, pieces, { flush: false });
        dropUnused(dirname(file));
      } catch (error) {
        failed(error);
      }
    },
    saveNow(snapshot) {
      try {
        replaceFileSync(file, Buffer.concat(runAtOnce(encode(snapshot))));
      } catch (error) {
        failed(error);
      }
    },
    forget: () => rmSync(file, { force: true }),
  };
}

/** Into a buffer of its own, so that the arrays are aligned. */
async function readWhole(file: string): Promise<{ bytes: Buffer; savedAt: number }> {
  const handle = await open(file);
  try {
    const { size, mtimeMs } = await handle.stat();
    const buffer = Buffer.allocUnsafeSlow(size);
    const { bytesRead } = await handle.read(buffer, 0, size, 0);
    return { bytes: buffer.subarray(0, bytesRead), savedAt: mtimeMs };
  } finally {
    await handle.close();
  }
}

/** Deletes the snapshots of notebooks that were neither changed nor served for 90 days. */
function dropUnused(folder: string): void {
  const oldest = Date.now() - UNUSED_AFTER_MS;
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const found = name.startsWith('index-') ? statSync(file, { throwIfNoEntry: false }) : undefined;
    if (found && found.mtimeMs < oldest) rmSync(file, { force: true });
  }
}

interface SnapshotFacts {
  readonly contentTypes: readonly string[];
}

/** The token of a store that gives none. */
const NO_TOKEN: ListingToken = { paths: new Uint8Array(), marks: new Float64Array() };

function encode({ index, files, token = NO_TOKEN }: PackedSnapshot): Generator<undefined, Uint8Array[]> {
  const contentTypes = [...new Set(files.map(({ contentType }) => contentType))];
  const kinds = Uint16Array.from(files, ({ contentType }) => contentTypes.indexOf(contentType));
  return encodeArrays(MAGIC, {
    facts: { contentTypes } satisfies SnapshotFacts,
    arrays: { index: index as unknown as ArrayTree, kinds, folders: token },
  });
}

function decode(file: ArrayFile): Snapshot {
  const { index, kinds } = file.arrays as unknown as { index: PackedIndex; kinds: Uint16Array };
  const { contentTypes } = file.facts as SnapshotFacts;
  const listing = listingIn(file);
  const { paths, sizes, times } = listing;
  const metaOf = (path: NotePath, row: number): NoteMeta => ({
    path,
    size: sizes[row] ?? 0,
    lastModified: times[row] ?? 0,
    contentType: contentTypes[kinds[row] ?? 0] ?? '',
  });
  const isIndexed = (row: number) => index.notes.sizes[row] !== 0;
  return {
    index: new NoteIndex(index, { paths }),
    listing,
    files: memoize(() => paths.map(metaOf)),
    unindexed: paths.flatMap((path, row) => (isIndexed(row) ? [] : [metaOf(path, row)])),
  };
}
