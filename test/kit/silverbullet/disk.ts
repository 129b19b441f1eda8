/**
 * The space's files. A write empties the file in place and fills it afterwards, as both servers do; what a reader
 * sees in between, how coarse the clock is and when the disk is full can be chosen.
 */
import { setTimeout as sleep } from 'node:timers/promises';

export interface DiskFile {
  bytes: Buffer;
  lastModified: number;
  /** When it was made. */
  born: number;
  /** When it last changed in any way: what Go takes for the time of creation. */
  changed: number;
  perm: 'rw' | 'ro';
  /** The bytes that writers have announced and not yet written. */
  readonly incoming: Buffer[];
}

export interface DiskWays {
  /** How long a file stays empty while it is written; 0 for no time at all. */
  tornMs: () => number;
  /** Time stamps are multiples of this. */
  tickMs: number;
  /** Between 0 and 1. */
  random: () => number;
}

/** How much of a write gets onto a full disk, and whether the old text's end stays behind it. */
export interface Shortage {
  readonly share: number;
  readonly keepsTail?: boolean;
}

export class DiskFull extends Error {}

export class Disk {
  readonly files = new Map<string, DiskFile>();
  readonly ways: DiskWays = { tornMs: () => 0, tickMs: 1, random: Math.random };
  clock: () => number = Date.now;

  now(): number {
    return Math.floor(this.clock() / this.ways.tickMs) * this.ways.tickMs;
  }

  seed(
    name: string,
    content: string | Uint8Array,
    lastModified = this.now(),
    perm: 'rw' | 'ro' = 'rw',
  ): void {
    const bytes = Buffer.from(content);
    this.files.set(name, {
      bytes,
      lastModified,
      born: lastModified,
      changed: lastModified,
      perm,
      incoming: [],
    });
  }

  text(name: string): string | undefined {
    return this.files.get(name)?.bytes.toString();
  }

  isFolder(name: string): boolean {
    return [...this.files.keys()].some((other) => other.startsWith(`${name}/`));
  }

  /** Whether some part of the way to `name` is a file. */
  isUnderFile(name: string): boolean {
    const segments = name.split('/').slice(0, -1);
    return segments.some((_, at) => this.files.has(segments.slice(0, at + 1).join('/')));
  }

  async write(name: string, bytes: Buffer, lastModified?: number, shortage?: Shortage): Promise<DiskFile> {
    const file = this.#open(name);
    const before = file.bytes;
    const torn = this.ways.tornMs();
    file.bytes = Buffer.alloc(0);
    this.#stamp(file);
    file.incoming.push(bytes);
    if (torn > 0) await sleep(torn);
    file.incoming.splice(file.incoming.indexOf(bytes), 1);
    // A file opened anew by another writer was emptied again; one that was filled meanwhile keeps its longer end.
    const kept = shortage ? bytes.subarray(0, Math.floor(bytes.length * shortage.share)) : bytes;
    const rest = shortage?.keepsTail ? before : file.bytes;
    file.bytes = Buffer.concat([kept, rest.subarray(kept.length)]);
    this.#stamp(file);
    if (shortage) throw new DiskFull();
    if (lastModified !== undefined)
      file.lastModified = Math.floor(lastModified / this.ways.tickMs) * this.ways.tickMs;
    return file;
  }

  /** The file as a reader gets it, which may be in the middle of a write. */
  read(file: DiskFile): { bytes: Buffer; size: number } {
    const incoming = file.incoming.at(-1);
    if (!incoming || file.bytes.length > 0 || this.ways.random() < 0.7)
      return { bytes: file.bytes, size: file.bytes.length };
    const bytes = incoming.subarray(0, Math.floor(this.ways.random() * incoming.length));
    return { bytes, size: this.ways.random() < 0.5 ? bytes.length : 0 };
  }

  #open(name: string): DiskFile {
    const known = this.files.get(name);
    if (known) return known;
    this.seed(name, '');
    return this.files.get(name) as DiskFile;
  }

  #stamp(file: DiskFile): void {
    file.lastModified = this.now();
    file.changed = file.lastModified;
  }
}
