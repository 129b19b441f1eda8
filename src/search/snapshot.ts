/**
 * The index as a file, in the user's cache folder: read back in milliseconds at the next start. It is only a
 * saving: a missing, damaged or foreign file means that the notes are read again. Written aside and renamed,
 * so that two processes on one notebook leave one whole file.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Listing, NoteMeta } from '../notes/store.ts';
import { isErrno } from '../shared/errno.ts';
import type { Log } from '../shared/log.ts';
import { atOnce, inSteps } from '../shared/steps.ts';
import { type ArrayTree, decodeArrays, encodeArrays } from './array-file.ts';
import { NoteIndex, type PackedIndex } from './note-index.ts';
import { type PackedNotes, pathsOf } from './note-table.ts';
import { Pace } from './pace.ts';

/** Grows with every change of what is stored or how text is cut into words. */
const FORMAT = 2;
const MAGIC = `quire index ${FORMAT}\n`;
const FORGOTTEN_AFTER_MS = 90 * 24 * 3600 * 1000;

/** All that is worth keeping between runs. */
export interface Snapshot {
  readonly index: NoteIndex;
  readonly listing: Listing;
  /** Files of the listing that are not in the index. */
  readonly unindexed: readonly NoteMeta[];
}

/** The same, ready to be written. The index's rows are the listing's files. */
export interface PackedSnapshot {
  readonly index: PackedIndex;
  readonly listing: Listing;
}

export interface SnapshotFile {
  load(): Promise<Snapshot | undefined>;
  save(snapshot: PackedSnapshot): Promise<void>;
  /** Before the process ends. */
  saveNow(snapshot: PackedSnapshot): void;
}

export function snapshotAt(file: string, log: Log): SnapshotFile {
  const failed = (temporary: string, error: unknown) => {
    rmSync(temporary, { force: true });
    log('warn', 'the index could not be saved', { error: String(error) });
  };
  return {
    async load() {
      try {
        const pace = new Pace();
        return await inSteps(decode(await readWhole(file)), () => pace.breathe());
      } catch (error) {
        if (!isErrno(error, 'ENOENT'))
          log('warn', 'the saved index cannot be used; the notes are read again', { error: String(error) });
        return undefined;
      }
    },
    async save(snapshot) {
      const temporary = besides(file);
      try {
        const pace = new Pace();
        const pieces = (await inSteps(encode(snapshot), () => pace.breathe())) ?? [];
        makeFolder(file);
        await writeFile(temporary, pieces, { mode: 0o600 });
        await rename(temporary, file);
        dropForgotten(dirname(file));
      } catch (error) {
        failed(temporary, error);
      }
    },
    saveNow(snapshot) {
      const temporary = besides(file);
      try {
        makeFolder(file);
        writeFileSync(temporary, Buffer.concat(atOnce(encode(snapshot))), { mode: 0o600 });
        renameSync(temporary, file);
      } catch (error) {
        failed(temporary, error);
      }
    },
  };
}

let written = 0;

/** A name of its own for each file written: another searcher or the last save may be at work on the same index. */
function besides(file: string): string {
  written += 1;
  return `${file}.${process.pid}-${written}`;
}

/** In one go, at an address that arrays can begin at. */
async function readWhole(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.allocUnsafeSlow(size);
    const { bytesRead } = await handle.read(buffer, 0, size, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function makeFolder(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
}

/** Indexes of notebooks nobody has changed or served for a season. */
function dropForgotten(folder: string): void {
  const oldest = Date.now() - FORGOTTEN_AFTER_MS;
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const found = name.startsWith('index-') ? statSync(file, { throwIfNoEntry: false }) : undefined;
    if (found && found.mtimeMs < oldest) rmSync(file, { force: true });
  }
}

interface Facts {
  readonly contentTypes: readonly string[];
}

function encode({ index, listing }: PackedSnapshot): Generator<undefined, Uint8Array[]> {
  const contentTypes = [...new Set(listing.files.map(({ contentType }) => contentType))];
  const folders = {
    paths: Buffer.from([...listing.marks.keys()].join('\0')),
    marks: Float64Array.from(listing.marks.values()),
  };
  const kinds = Uint16Array.from(listing.files, ({ contentType }) => contentTypes.indexOf(contentType));
  return encodeArrays(MAGIC, {
    facts: { contentTypes } satisfies Facts,
    arrays: { index: index as unknown as ArrayTree, kinds, folders },
  });
}

function* decode(file: Buffer): Generator<undefined, Snapshot> {
  const { facts, arrays } = yield* decodeArrays(MAGIC, file);
  const { index, kinds, folders } = arrays as unknown as {
    index: PackedIndex;
    kinds: Uint16Array;
    folders: { paths: Uint8Array; marks: Float64Array };
  };
  const { contentTypes } = facts as Facts;
  const paths = folders.marks.length === 0 ? [] : Buffer.from(folders.paths).toString().split('\0');
  const files = filesOf(index.notes, (row) => contentTypes[kinds[row] ?? 0] ?? '');
  return {
    index: new NoteIndex(index),
    listing: { files, marks: new Map(paths.map((path, at) => [path, folders.marks[at] ?? 0])) },
    unindexed: files.filter((_, row) => index.notes.sizes[row] === 0),
  };
}

function filesOf(notes: PackedNotes, contentTypeOf: (row: number) => string): NoteMeta[] {
  return pathsOf(notes).map((path, row) => ({
    path,
    size: notes.bytes[row] ?? 0,
    lastModified: notes.times[row] ?? 0,
    contentType: contentTypeOf(row),
  }));
}
