/**
 * Writes a page so that no acknowledged change is lost. The server writes in place and without conditions, so every
 * write is read back. After a failed write the page is read: our text (saved), the old text (one more try), a
 * damaged page (the old text is put back), or another writer's text (a conflict).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, isAppError } from '../../shared/errors.ts';
import { versionOf } from '../condition.ts';
import { isUncertain } from '../remote.ts';
import type { SilverBulletClient } from './client.ts';
import { PAUSES, type Snapshot, type StableReader } from './stable-read.ts';

/**
 * Whether `there` is a truncated write of `intended`: a prefix of it, alone, followed by the tail of the old text,
 * or padded with zeros. A full disk or a cut connection leaves a page like that.
 */
export function isDamage(
  there: Uint8Array,
  intended: Uint8Array,
  before: Uint8Array = new Uint8Array(),
): boolean {
  const length = sharedStart(there, intended);
  const rest = there.subarray(length);
  if (rest.length === 0) return length < intended.length;
  const tail = before.subarray(length);
  const isOldTail = there.length === before.length && Buffer.compare(rest, tail) === 0;
  return isOldTail || rest.every((byte) => byte === 0);
}

/** More layers than a write, a retry and all attempts to restore the old text can leave. */
const MOST_PATCHES = 8;

/**
 * Whether several truncated writes in a row can have produced `there`: every byte of it equals the byte at that
 * offset in one of `texts`, or is zero.
 */
export function isPatchwork(there: Uint8Array, texts: readonly Uint8Array[]): boolean {
  const sources = [...texts, new Uint8Array(there.length)];
  let at = 0;
  for (let patches = 0; at < there.length; patches++) {
    const rest = there.subarray(at);
    const length = Math.max(...sources.map((source) => sharedStart(rest, source.subarray(at))));
    if (length === 0 || patches === MOST_PATCHES) return false;
    at += length;
  }
  return true;
}

function sharedStart(a: Uint8Array, b: Uint8Array): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a[at] === b[at]) at++;
  return at;
}

/** One change of a page: the intended text, and the text it was computed from. */
interface Change {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly before: Snapshot | undefined;
}

export class Saver {
  readonly #client: SilverBulletClient;
  readonly #reader: StableReader;
  readonly #pauses: readonly number[];
  /** Pages possibly damaged by a failed write, with their previous content; this is its only copy. */
  readonly #broken = new Map<string, Change>();

  constructor(client: SilverBulletClient, reader: StableReader, pauses: readonly number[] = PAUSES) {
    this.#client = client;
    this.#reader = reader;
    this.#pauses = pauses;
  }

  /** Resolves once the page was read back as `bytes`. Callers must hold the page's mutex. */
  async save(name: string, bytes: Uint8Array, before: Snapshot | undefined): Promise<Snapshot> {
    const saved = await this.#write({ name, bytes, before });
    if (saved instanceof AppError) throw saved;
    return saved.lastModified === before?.lastModified ? this.#touch(name, saved) : saved;
  }

  /** Moves the time stamp on, because browsers reload a page only when its time stamp differs. */
  async #touch(name: string, saved: Snapshot): Promise<Snapshot> {
    const { bytes, lastModified } = saved;
    const step = lastModified % 1000 === 0 ? 1000 : 1;
    try {
      const touched = await this.#write({ name, bytes, before: saved }, lastModified + step);
      return touched instanceof AppError ? saved : touched;
    } catch (error) {
      // Another writer changed the page since, which also changed its time stamp.
      if (isAppError(error, 'conflict')) return saved;
      throw error;
    }
  }

  /** Names of damaged pages whose old text has not been put back yet. */
  get broken(): readonly string[] {
    return [...this.#broken.keys()];
  }

  /** Restores a damaged page before it is used; throws if that fails. */
  async heal(name: string): Promise<void> {
    const change = this.#broken.get(name);
    if (!change) return;
    const there = await this.#reader.read(name, { wary: true });
    if (isBroken(there, change) || isHalfMended(there, change)) await this.#restore(change);
    this.#broken.delete(name);
  }

  /** Returns the error when the page is unchanged; throws when it is not, or its state is unknown. */
  async #write(change: Change, lastModified?: number): Promise<Snapshot | AppError> {
    const { name, bytes } = change;
    for (let isLastTry = false; ; isLastTry = true) {
      let failure: AppError | undefined;
      try {
        await this.#client.put(name, bytes, lastModified);
      } catch (error) {
        if (!isUncertain(error)) throw error;
        failure = error;
      }
      const there = failure ? await this.#lookAfter(change, failure) : await this.#verify(change);
      if (there instanceof AppError) return there;
      if (there) return asSaved(there, bytes);
      if (isLastTry) return notWritten(name, failure);
    }
  }

  /** Reads back a write that the server acknowledged. */
  async #verify(change: Change): Promise<Snapshot> {
    const { name } = change;
    const accepts = (seen: Snapshot) => holds(seen, change);
    const there = await this.#reader.read(name, { accepts }).catch((cause: unknown) => {
      throw isAppError(cause, 'conflict') ? replaced(name) : unchecked(name, cause);
    });
    if (!holds(there, change)) throw replaced(name);
    return there;
  }

  /**
   * Examines the page after a failed or unanswered write. Undefined when the page is unchanged, the error when it
   * had to be restored.
   */
  async #lookAfter(change: Change, failure: AppError): Promise<Snapshot | AppError | undefined> {
    const { name, before } = change;
    const accepts = (seen: Snapshot) => holds(seen, change);
    const there = await this.#reader.read(name, { accepts, wary: true }).catch((cause: unknown) => {
      this.#keep(change);
      throw unknownOutcome(name, cause);
    });
    if (there?.version === before?.version) return undefined;
    if (holds(there, change)) return there;
    if (!isBroken(there, change)) throw replaced(name, failure);
    this.#keep(change);
    await this.#restore(change);
    this.#broken.delete(name);
    return notWritten(name, failure);
  }

  /** After several failures in a row, the text before the first one is the one to restore. */
  #keep(change: Change): void {
    if (change.before && !this.#broken.has(change.name)) this.#broken.set(change.name, change);
  }

  /** Throws unless the page holds its previous text afterwards. */
  async #restore(change: Change): Promise<void> {
    const { name, before } = change;
    for (const pause of [...this.#pauses, undefined]) {
      try {
        if (before) await this.#client.put(name, before.bytes, before.lastModified);
        else await this.#client.remove(name);
      } catch (error) {
        if (!isUncertain(error)) throw stillBroken(change, error);
      }
      const accepts = (seen: Snapshot) => seen.version === before?.version;
      const there = await this.#reader.read(name, { accepts, wary: true }).catch((cause: unknown) => {
        throw stillBroken(change, cause);
      });
      if (there?.version === before?.version) return;
      if (!isBroken(there, change) && !isHalfMended(there, change)) {
        this.#broken.delete(name);
        throw replaced(name);
      }
      if (pause !== undefined) await sleep(pause);
    }
    throw stillBroken(change);
  }
}

/** Whether the page holds the written text, or a later text that contains it: then the write was saved. */
function holds(there: Snapshot | undefined, { bytes, before }: Change): there is Snapshot {
  if (!there) return false;
  if (there.version === versionOf(bytes)) return true;
  // Containment proves nothing if the old text already contained the new one.
  return bytes.length > 0 && includes(there.bytes, bytes) && !(before && includes(before.bytes, bytes));
}

function includes(text: Uint8Array, part: Uint8Array): boolean {
  return bufferOf(text).includes(bufferOf(part));
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/** Returns the version of the written text, so that a later edit based on it detects the change that followed. */
function asSaved(there: Snapshot, bytes: Uint8Array): Snapshot {
  return { ...there, bytes, size: bytes.length, version: versionOf(bytes) };
}

function isBroken(there: Snapshot | undefined, { bytes, before }: Change): boolean {
  return (
    there !== undefined && there.version !== before?.version && isDamage(there.bytes, bytes, before?.bytes)
  );
}

/** Whether the page can be the result of failed attempts to restore the old text. */
function isHalfMended(there: Snapshot | undefined, { bytes, before }: Change): boolean {
  if (!there || !before) return false;
  const isWhole = there.version === before.version || there.version === versionOf(bytes);
  return !isWhole && isPatchwork(there.bytes, [before.bytes, bytes]);
}

function replaced(subject: string, cause?: unknown): AppError {
  return new AppError('conflict', 'Note was written by another client at the same time', {
    subject,
    hint: 'Your text is not in it, or not alone. Read it again and repeat the change.',
    // Without a failure the server accepted our text, and another writer replaced it since.
    details: cause === undefined ? { wasWritten: true } : undefined,
    cause,
  });
}

function failure(title: string, hint: string): (subject: string, cause: unknown) => AppError {
  return (subject, cause) => new AppError('upstream_failed', title, { subject, hint, cause });
}

const notWritten = failure(
  'SilverBullet could not save the note',
  'It holds what it held before. Look whether the server has space left and may write, then try again.',
);

const unchecked = failure(
  'Note was sent, but could not be read back',
  'SilverBullet said that it saved it. Read the note before you repeat the change.',
);

const unknownOutcome = failure(
  'It is unknown whether the note was saved',
  'SilverBullet stopped answering while it was written. Read the note before you repeat the change.',
);

function stillBroken({ name, before }: Change, cause?: unknown): AppError {
  const hint = before
    ? 'What it held before is kept here and is put back as soon as the server takes it: free space there, keep this process running, and read the note.'
    : 'A part of it may be there. Free space on the server, then delete the note and write it again.';
  return failure('SilverBullet broke the note while saving it', hint)(name, cause);
}
