/**
 * Consistent reads. The server truncates a page before it writes it, and answers 200 with whatever is there in
 * between; a page that may be in the middle of a write is read until two reads agree.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../shared/errors.ts';
import { versionOf } from '../condition.ts';
import type { SilverBulletClient } from './client.ts';
import type { RemoteFile } from './wire.ts';

/** The content of a page at some moment, never a partial write. */
export interface Snapshot extends RemoteFile {
  /** SHA-256 of the bytes alone, because time stamps repeat and go backwards. */
  readonly version: string;
}

interface ReadOptions {
  /** Accepts a first read that already is the expected content. */
  readonly accepts?: (seen: Snapshot) => boolean;
  /** Reads as often as allowed, because a write is known to have failed. */
  readonly wary?: boolean;
}

/** Delays between two reads of a page in doubt. */
export const PAUSES: readonly number[] = [50, 150, 400];
/** A page modified more recently may be in the middle of a write. */
const YOUNG_MS = 300;
/** Added where time stamps have a resolution of one or two seconds. */
const COARSE_MS = 2_000;
const MOST_LOOKS = 16;
const MOST_REMEMBERED = 10_000;

export class StableReader {
  readonly #client: SilverBulletClient;
  readonly #pauses: readonly number[];
  /** Last consistent read of each page; the least recently used entry is evicted. */
  readonly #known = new Map<string, Pick<Snapshot, 'version' | 'lastModified' | 'size'>>();

  constructor(client: SilverBulletClient, pauses: readonly number[] = PAUSES) {
    this.#client = client;
    this.#pauses = pauses;
  }

  /** Undefined when the page does not exist. Throws `conflict` when no two reads agree. */
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

  /** Number of further equal reads needed before this one is accepted. */
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

function isSame(a: Snapshot, b: Snapshot): boolean {
  return a.version === b.version && a.lastModified === b.lastModified && a.size === b.size;
}

function neverAtRest(subject: string): AppError {
  return new AppError('conflict', 'Note is being written by another client', {
    subject,
    hint: 'It did not stay the same long enough to be read. Nothing was changed. Try again in a moment.',
  });
}
