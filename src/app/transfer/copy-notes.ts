/**
 * Copies all files of one store into another, byte for byte. Nothing is replaced unless asked to. A copy that was cut off
 * is continued by making it again: what is there already is compared, not written. What cannot be copied is reported, and
 * holds nothing else up.
 */
import type { NotePath } from '../../notes/path.ts';
import type { JointChange, NoteMeta, NoteStore } from '../../notes/store.ts';
import { isAppError } from '../../shared/errors.ts';

export interface CopyReport {
  /** Written, and read back. */
  readonly copied: number;
  /** There already, with the same bytes. */
  readonly same: number;
  readonly bytes: number;
  readonly problems: readonly CopyProblem[];
}

export interface CopyProblem {
  readonly path: string;
  readonly reason: string;
}

interface CopyOptions {
  /** Replaces files that differ. */
  readonly overwrite: boolean;
  readonly onProgress?: (done: number, total: number) => void;
}

interface SourceFile extends NoteMeta {
  readonly bytes: Uint8Array;
}

const MOST_FILES = 128;
const MOST_BYTES = 8 * 1024 * 1024;

export async function copyNotes(
  source: NoteStore,
  target: NoteStore,
  { overwrite, onProgress }: CopyOptions,
): Promise<CopyReport> {
  const metas = await source.list();
  const problems: CopyProblem[] = [];
  const tally = { copied: 0, same: 0, bytes: 0 };
  const spellings = new Map<string, NotePath>();
  let done = 0;
  for (const batch of batchesOf(metas)) {
    const own = batch.filter(({ path }) => {
      const other = spellings.get(path.normalize('NFC'));
      spellings.set(path.normalize('NFC'), other ?? path);
      if (other === undefined) return true;
      problems.push({ path, reason: `another file has the same name in another form: ${other}` });
      return false;
    });
    const read = await Promise.all(own.map(({ path }) => reading(source, path, problems)));
    const files = own.flatMap((meta, at): SourceFile[] => (read[at] ? [{ ...meta, bytes: read[at] }] : []));
    await copyBatch(target, files, { overwrite, problems, tally });
    done += batch.length;
    onProgress?.(done, metas.length);
  }
  return { ...tally, problems };
}

function* batchesOf(metas: readonly NoteMeta[]): Generator<NoteMeta[]> {
  let batch: NoteMeta[] = [];
  let bytes = 0;
  for (const meta of metas) {
    if (batch.length > 0 && (batch.length === MOST_FILES || bytes + meta.size > MOST_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(meta);
    bytes += meta.size;
  }
  if (batch.length > 0) yield batch;
}

async function reading(
  store: NoteStore,
  path: NotePath,
  problems: CopyProblem[],
): Promise<Uint8Array | undefined> {
  try {
    return (await store.read(path)).bytes;
  } catch (error) {
    problems.push({ path, reason: reasonOf(error) });
    return undefined;
  }
}

interface BatchParts {
  readonly overwrite: boolean;
  readonly problems: CopyProblem[];
  readonly tally: { copied: number; same: number; bytes: number };
}

async function copyBatch(target: NoteStore, files: readonly SourceFile[], parts: BatchParts): Promise<void> {
  const { overwrite, problems, tally } = parts;
  const present = await Promise.all(files.map(({ path }) => presentAt(target, path)));
  const writes: (SourceFile & { readonly ifVersion: string | null })[] = [];
  for (const [at, file] of files.entries()) {
    const there = present[at];
    if (there instanceof Error) problems.push({ path: file.path, reason: reasonOf(there) });
    else if (there === undefined) writes.push({ ...file, ifVersion: null });
    else if (Buffer.compare(there.bytes, file.bytes) === 0) tally.same++;
    else if (overwrite) writes.push({ ...file, ifVersion: there.version });
    else problems.push({ path: file.path, reason: 'another text is there already; --overwrite replaces it' });
  }
  const made = await written(target, writes, problems);
  const copies = await Promise.all(made.map(({ path }) => presentAt(target, path)));
  for (const [at, file] of made.entries()) {
    const copy = copies[at];
    if (copy instanceof Error) problems.push({ path: file.path, reason: reasonOf(copy) });
    else if (copy === undefined || Buffer.compare(copy.bytes, file.bytes) !== 0)
      problems.push({ path: file.path, reason: 'the copy is not what was written' });
    else {
      tally.copied++;
      tally.bytes += file.bytes.length;
    }
  }
}

async function presentAt(store: NoteStore, path: NotePath) {
  try {
    return await store.read(path);
  } catch (error) {
    if (isAppError(error, 'not_found')) return undefined;
    if (isAppError(error) && !isOutage(error)) return error;
    throw error;
  }
}

/** The files that were written. All at once where the store can, and one by one where one of them is refused. */
async function written<File extends SourceFile & { readonly ifVersion: string | null }>(
  target: NoteStore,
  files: readonly File[],
  problems: CopyProblem[],
): Promise<readonly File[]> {
  if (files.length > 1 && target.changeAll) {
    try {
      await target.changeAll(files.map(changeOf));
      return files;
    } catch (error) {
      if (!isAppError(error) || isOutage(error)) throw error;
    }
  }
  const done: File[] = [];
  for (const file of files) {
    try {
      if (target.changeAll) await target.changeAll([changeOf(file)]);
      else await target.write(file.path, file.bytes, { ifVersion: file.ifVersion });
      done.push(file);
    } catch (error) {
      if (!isAppError(error) || isOutage(error)) throw error;
      problems.push({ path: file.path, reason: reasonOf(error) });
    }
  }
  return done;
}

function changeOf({
  path,
  bytes,
  lastModified,
  ifVersion,
}: SourceFile & { readonly ifVersion: string | null }): JointChange {
  return { kind: 'write', path, content: bytes, ifVersion, lastModified };
}

/** Holds for all files that are left, so the copy ends; made again, it goes on from there. */
function isOutage(error: unknown): boolean {
  return (['upstream_failed', 'timeout', 'read_only', 'unauthorized', 'internal'] as const).some((code) =>
    isAppError(error, code),
  );
}

function reasonOf(error: unknown): string {
  if (!isAppError(error)) return String(error);
  return error.hint === undefined ? error.title : `${error.title}: ${error.hint}`;
}
