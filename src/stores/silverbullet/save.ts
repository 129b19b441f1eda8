/**
 * Writes a page so that nothing acknowledged is lost. The server writes in place and without conditions, so every
 * write is read back; and after one that failed we look what it left: our text (then it is saved), the old text (then
 * it is tried once more), a broken page (then the old text is put back), or somebody else's (then it is a conflict).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, isAppError } from '../../shared/errors.ts';
import type { SilverBulletClient } from './client.ts';
import { PAUSES, type Snapshot, type StableReader, versionOf } from './stable-read.ts';
import { isUncertain } from './wire.ts';

/** Tells a page that our own broken write left behind from one that somebody else wrote. */

/**
 * Whether `there` is a part of `intended`: its beginning alone, or with the end of what stood there before, or with
 * nothing but zeros where the rest should be. A page left so by a full disk or a cut connection is nobody's text.
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

/** More than a write, a retry and every attempt at putting the old text back can leave one behind the other. */
const MOST_PATCHES = 8;

/**
 * Whether several broken writes in a row can have left `there`: every piece of it stands at its own place in one of
 * `texts`, or is zeros.
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

/** One change of a page: what it is to be, and what it was when it was decided. */
interface Change {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly before: Snapshot | undefined;
}

export class Saver {
  readonly #client: SilverBulletClient;
  readonly #reader: StableReader;
  readonly #pauses: readonly number[];
  /** Pages a failed write may have broken, with what they held before: this is the only copy. */
  readonly #broken = new Map<string, Change>();

  constructor(client: SilverBulletClient, reader: StableReader, pauses: readonly number[] = PAUSES) {
    this.#client = client;
    this.#reader = reader;
    this.#pauses = pauses;
  }

  /** Resolves when the page certainly held `bytes`; nobody else in this process may write it meanwhile. */
  async save(name: string, bytes: Uint8Array, before: Snapshot | undefined): Promise<Snapshot> {
    const saved = await this.#write({ name, bytes, before });
    if (saved instanceof AppError) throw saved;
    return saved.lastModified === before?.lastModified ? this.#touch(name, saved) : saved;
  }

  /** Browsers only look at a page again when its time stamp differs. */
  async #touch(name: string, saved: Snapshot): Promise<Snapshot> {
    const { bytes, lastModified } = saved;
    const step = lastModified % 1000 === 0 ? 1000 : 1;
    try {
      const touched = await this.#write({ name, bytes, before: saved }, lastModified + step);
      return touched instanceof AppError ? saved : touched;
    } catch (error) {
      // Somebody has changed it since, and with it the time stamp.
      if (isAppError(error, 'conflict')) return saved;
      throw error;
    }
  }

  /** Names of pages that wait for their old text. */
  get broken(): readonly string[] {
    return [...this.#broken.keys()];
  }

  /** To be called before a page is used: puts back what an earlier failure took, or throws. */
  async heal(name: string): Promise<void> {
    const change = this.#broken.get(name);
    if (!change) return;
    const there = await this.#reader.read(name, { wary: true });
    if (isBroken(there, change) || isHalfMended(there, change)) await this.#restore(change);
    this.#broken.delete(name);
  }

  /** The error where the page is as it was before; throws where it is not, or nobody knows. */
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

  /** The server said yes. */
  async #verify(change: Change): Promise<Snapshot> {
    const { name } = change;
    const accepts = (seen: Snapshot) => holds(seen, change);
    const there = await this.#reader.read(name, { accepts }).catch((cause: unknown) => {
      throw isAppError(cause, 'conflict') ? replaced(name) : unchecked(name, cause);
    });
    if (!holds(there, change)) throw replaced(name);
    return there;
  }

  /** The server said no, or nothing. Undefined when the page is as it was, the error when it had to be mended. */
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

  /** Of several failures in a row, the text before the first one counts. */
  #keep(change: Change): void {
    if (change.before && !this.#broken.has(change.name)) this.#broken.set(change.name, change);
  }

  /** Throws unless the page is what it was before the change. */
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

/** Whether the page is what was written, or what somebody has made of it since: then it was saved all the same. */
function holds(there: Snapshot | undefined, { bytes, before }: Change): there is Snapshot {
  if (!there) return false;
  if (there.version === versionOf(bytes)) return true;
  // Only a text that is not in the old one can tell what a newer one was made of.
  return bytes.length > 0 && includes(there.bytes, bytes) && !(before && includes(before.bytes, bytes));
}

function includes(text: Uint8Array, part: Uint8Array): boolean {
  return bufferOf(text).includes(bufferOf(part));
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/** The version is that of what was written, so that whoever goes on from it learns of what came after. */
function asSaved(there: Snapshot, bytes: Uint8Array): Snapshot {
  return { ...there, bytes, size: bytes.length, version: versionOf(bytes) };
}

function isBroken(there: Snapshot | undefined, { bytes, before }: Change): boolean {
  return (
    there !== undefined && there.version !== before?.version && isDamage(there.bytes, bytes, before?.bytes)
  );
}

/** Putting the old text back can fail as well, and more than once. */
function isHalfMended(there: Snapshot | undefined, { bytes, before }: Change): boolean {
  if (!there || !before) return false;
  const isWhole = there.version === before.version || there.version === versionOf(bytes);
  return !isWhole && isPatchwork(there.bytes, [before.bytes, bytes]);
}

function replaced(subject: string, cause?: unknown): AppError {
  return new AppError('conflict', 'Note was written by somebody else at the same time', {
    subject,
    hint: 'Your text is not in it, or not alone. Read it again and repeat the change.',
    // Without a failure the server has taken our text, and somebody replaced it since.
    details: cause === undefined ? { wasWritten: true } : undefined,
    cause,
  });
}

function notWritten(subject: string, cause: unknown): AppError {
  return new AppError('upstream_failed', 'SilverBullet could not save the note', {
    subject,
    hint: 'It holds what it held before. Look whether the server has space left and may write, then try again.',
    cause,
  });
}

function unchecked(subject: string, cause: unknown): AppError {
  return new AppError('upstream_failed', 'Note was sent, but could not be read back', {
    subject,
    hint: 'SilverBullet said that it saved it. Read the note before you repeat the change.',
    cause,
  });
}

function unknownOutcome(subject: string, cause: unknown): AppError {
  return new AppError('upstream_failed', 'Nobody knows whether the note was saved', {
    subject,
    hint: 'SilverBullet stopped answering while it was written. Read the note before you repeat the change.',
    cause,
  });
}

function stillBroken({ name: subject, before }: Change, cause?: unknown): AppError {
  return new AppError('upstream_failed', 'SilverBullet broke the note while saving it', {
    subject,
    hint: before
      ? 'What it held before is kept here and is put back as soon as the server takes it: free space there, keep this process running, and read the note.'
      : 'A part of it may be there. Free space on the server, then delete the note and write it again.',
    cause,
  });
}
