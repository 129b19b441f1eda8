/**
 * The index as a file, in the user's cache folder: read back in milliseconds at the next start. It is only a
 * saving: a missing, damaged or foreign file means that the notes are read again. Written aside and renamed,
 * so that two processes on one notebook leave one whole file.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Listing, NoteMeta } from '../notes/store.ts';
import type { Log } from '../shared/log.ts';
import { type IndexedNote, NoteIndex } from './note-index.ts';
import { Postings } from './postings.ts';
import { StemGroups } from './stem-groups.ts';
import { Vocabulary } from './vocabulary.ts';

/** Grows with every change of what is stored or how text is cut into words. */
const FORMAT = 1;
const MAGIC = `quire index ${FORMAT}\n`;

/** All that is worth keeping between runs. */
export interface Snapshot {
  readonly index: NoteIndex;
  readonly listing: Listing;
}

export interface SnapshotFile {
  load(): Snapshot | undefined;
  save(snapshot: Snapshot): void;
}

interface Header {
  readonly notes: readonly (
    | readonly [
        path: string,
        size: number,
        lastModified: number,
        title: string,
        tags: string[],
        inline: string[],
        frontmatter: string,
        length: number,
      ]
    | 0
  )[];
  /** Element counts, in the order the arrays stand. */
  readonly counts: readonly number[];
  readonly others: readonly NoteMeta[];
  readonly marks: Listing['marks'];
}

export function snapshotAt(file: string, log: Log): SnapshotFile {
  return {
    load() {
      try {
        return decode(aligned(readFileSync(file)));
      } catch (error) {
        const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
        if (!isMissing)
          log('warn', 'the saved index cannot be used; the notes are read again', { error: String(error) });
        return undefined;
      }
    },
    save(snapshot) {
      const temporary = `${file}.${process.pid}`;
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        writeFileSync(temporary, encode(snapshot), { mode: 0o600 });
        renameSync(temporary, file);
        dropForgotten(dirname(file));
      } catch (error) {
        rmSync(temporary, { force: true });
        log('warn', 'the index could not be saved', { error: String(error) });
      }
    },
  };
}

/** Indexes of notebooks nobody has changed or served for a season. */
function dropForgotten(folder: string): void {
  const oldest = Date.now() - 90 * 24 * 3600 * 1000;
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (name.startsWith('index-') && statSync(file).mtimeMs < oldest) rmSync(file, { force: true });
  }
}

function encode({ index, listing }: Snapshot): Uint8Array {
  const { vocabulary, postings, stems, notes } = index.parts();
  const arrays = arraysOf(vocabulary.arrays(), postings.arrays(), stems.arrays());
  const header: Header = {
    counts: arrays.map((array) => array.length),
    notes: notes.map((note) => (note ? rowOf(note) : 0)),
    // Files that are notes stand in the rows already.
    others: listing.files.filter(({ path }) => !index.get(path)),
    marks: listing.marks,
  };
  const json = Buffer.from(JSON.stringify(header));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32LE(json.length, 0);
  const body = Buffer.concat([json, Buffer.alloc(padding(json.length)), ...arrays.map(bytesOf)]);
  lengths.writeUInt32LE(checksum(body), 4);
  return Buffer.concat([Buffer.from(MAGIC.padEnd(16)), lengths, body]);
}

function decode(file: Buffer): Snapshot {
  if (file.subarray(0, 16).toString() !== MAGIC.padEnd(16)) throw new Error('another format');
  const jsonLength = file.readUInt32LE(16);
  const body = file.subarray(24);
  if (checksum(body) !== file.readUInt32LE(20)) throw new Error('damaged');
  const { notes, counts, others, marks } = JSON.parse(body.subarray(0, jsonLength).toString()) as Header;
  const remaining = [...counts];
  let at = body.byteOffset + jsonLength + padding(jsonLength);
  /** The next array, as a view: everything before it is a multiple of eight bytes long. */
  const next = <A>(Type: ArrayType<A>): A => {
    const count = remaining.shift() ?? 0;
    const array = new Type(file.buffer as ArrayBuffer, at, count);
    const size = count * Type.BYTES_PER_ELEMENT;
    at += size + padding(size);
    return array;
  };
  // In the order `arraysOf` has them.
  const words = { letters: next(Uint16Array), starts: next(Uint32Array) };
  const entries = {
    heads: next(Uint32Array),
    notes: next(Uint32Array),
    weights: next(Uint8Array),
    nexts: next(Uint32Array),
  };
  const stems = { letters: next(Uint16Array), starts: next(Uint32Array) };
  const index = new NoteIndex({
    vocabulary: new Vocabulary(words),
    postings: new Postings(entries),
    stems: new StemGroups({ stems, heads: next(Uint32Array), nexts: next(Uint32Array) }),
    notes: notes.map((row) => (row === 0 ? undefined : noteOf(row))),
  });
  return { index, listing: { files: [...filesOf(index), ...others], marks } };
}

/** What kind of text an indexed note is does not matter to a listing that is about to be checked. */
function* filesOf(index: NoteIndex): Generator<NoteMeta> {
  for (const path of index.paths()) {
    const { size, lastModified } = index.get(path)!;
    yield { path, size, lastModified, contentType: 'text/markdown' };
  }
}

interface ArrayType<A> {
  new (buffer: ArrayBuffer, offset: number, length: number): A;
  readonly BYTES_PER_ELEMENT: number;
}

function arraysOf(
  words: ReturnType<Vocabulary['arrays']>,
  entries: ReturnType<Postings['arrays']>,
  groups: ReturnType<StemGroups['arrays']>,
): readonly (Uint8Array | Uint16Array | Uint32Array)[] {
  return [
    words.letters,
    words.starts,
    entries.heads,
    entries.notes,
    entries.weights,
    entries.nexts,
    groups.stems.letters,
    groups.stems.starts,
    groups.heads,
    groups.nexts,
  ];
}

function bytesOf(array: Uint8Array | Uint16Array | Uint32Array): Uint8Array {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  return Buffer.concat([bytes, Buffer.alloc(padding(bytes.length))]);
}

/** Small files come as pieces of a shared buffer, at any offset. */
function aligned(file: Buffer): Buffer {
  return file.byteOffset % 8 === 0 ? file : Buffer.from(new Uint8Array(file).buffer);
}

function padding(length: number): number {
  return (8 - (length % 8)) % 8;
}

function rowOf(note: IndexedNote): Header['notes'][number] {
  const { path, size, lastModified, title, frontmatterTags, inlineTags, frontmatter, length } = note;
  return [
    path,
    size,
    lastModified,
    title,
    [...frontmatterTags],
    [...inlineTags],
    JSON.stringify(frontmatter),
    length,
  ];
}

function noteOf([path, size, lastModified, title, frontmatterTags, inlineTags, json, length]: Exclude<
  Header['notes'][number],
  0
>): IndexedNote {
  let frontmatter: Record<string, unknown> | undefined;
  return {
    path: path as IndexedNote['path'],
    size,
    lastModified,
    title,
    frontmatterTags,
    inlineTags,
    length,
    // Only filters ask for it, and most searches have none.
    get frontmatter() {
      frontmatter ??= JSON.parse(json) as Record<string, unknown>;
      return frontmatter;
    },
  };
}

/** Finds accidents, not attacks: the folder is the user's own. */
function checksum(bytes: Uint8Array): number {
  return createHash('sha1').update(bytes).digest().readUInt32LE(0);
}
