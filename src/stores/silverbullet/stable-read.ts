/**
 * Reads that are true. The server empties a page before it fills it, and answers 200 with whatever is there in
 * between; a page that looks as if it were being written is read again until it stays the same.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../shared/errors.ts';
import type { SilverBulletClient } from './client.ts';
import type { RemoteFile } from './wire.ts';

/** A page as it certainly stood at some moment. */
export interface Snapshot extends RemoteFile {
  /** Of the bytes alone: time stamps repeat, and go backwards. */
  readonly version: string;
}

interface ReadOptions {
  /** What needs no second look, because it is what was hoped for. */
  readonly accepts?: (seen: Snapshot) => boolean;
  /** Looks as often as it can: a write is known to have gone wrong. */
  readonly wary?: boolean;
}

/** Between two looks; a page that has to prove itself is looked at after each of them. */
export const PAUSES: readonly number[] = [50, 150, 400];
/** A page changed less long ago may be in the middle of a write. */
const YOUNG_MS = 300;
/** Where time stamps are whole seconds, or pairs of them, a page is that much younger than it says. */
const COARSE_MS = 2_000;
const MOST_LOOKS = 16;
const MOST_REMEMBERED = 10_000;

interface RememberedRead {
  readonly version: string;
  readonly lastModified: number;
  readonly size: number;
}

export class StableReader {
  readonly #client: SilverBulletClient;
  readonly #pauses: readonly number[];
  /** What pages were when last seen whole; the oldest is forgotten first. */
  readonly #known = new Map<string, RememberedRead>();

  constructor(client: SilverBulletClient, pauses: readonly number[] = PAUSES) {
    this.#client = client;
    this.#pauses = pauses;
  }

  /** Undefined when nothing is there. Throws `conflict` when it does not come to rest. */
  async read(name: string, { accepts, wary = false }: ReadOptions = {}): Promise<Snapshot | undefined> {
    let seen = await this.#look(name);
    let agreed = 0;
    for (let looks = 1; seen; looks++) {
      const needed = wary ? this.#pauses.length : this.#doubts(name, seen);
      if (agreed >= needed || accepts?.(seen)) return this.#remember(name, seen);
      if (looks === MOST_LOOKS) throw neverAtRest(name);
      await sleep(this.#pauses[agreed]);
      const next = await this.#look(name);
      agreed = next && isSame(seen, next) ? agreed + 1 : 0;
      seen = next;
    }
    this.#known.delete(name);
    return undefined;
  }

  async #look(name: string): Promise<Snapshot | undefined> {
    const file = await this.#client.get(name);
    return file && { ...file, version: versionOf(file.bytes) };
  }

  /** How often the same has to be seen again before it is believed. */
  #doubts(name: string, { bytes, size, version, lastModified, servedAt }: Snapshot): number {
    const known = this.#known.get(name);
    if (bytes.length > 0 && known?.version === version && known.lastModified === lastModified) return 0;
    const youth = YOUNG_MS + (lastModified % 1000 === 0 ? COARSE_MS : 0);
    const isYoung = servedAt - lastModified < youth;
    const hasShrunk = known ? bytes.length < known.size / 2 : bytes.length === 0 && isYoung;
    if (hasShrunk || bytes.length !== size) return this.#pauses.length;
    return isYoung ? 1 : 0;
  }

  #remember(name: string, snapshot: Snapshot): Snapshot {
    const { version, lastModified, bytes } = snapshot;
    this.#known.delete(name);
    this.#known.set(name, { version, lastModified, size: bytes.length });
    if (this.#known.size > MOST_REMEMBERED) this.#known.delete(this.#known.keys().next().value as string);
    return snapshot;
  }
}

export function versionOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
}

function isSame(a: Snapshot, b: Snapshot): boolean {
  return a.version === b.version && a.lastModified === b.lastModified && a.size === b.size;
}

function neverAtRest(subject: string): AppError {
  return new AppError('conflict', 'Note is being written by somebody else', {
    subject,
    hint: 'It did not stay the same long enough to be read. Nothing was changed. Try again in a moment.',
  });
}
