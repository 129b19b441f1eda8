/**
 * A segment of the history: a file of changes, a pack of texts and, once it is closed, an index of the pack. One process
 * appends to it, under a lock. A segment without an index is in use, or its process has crashed.
 */
import { readdir, readFile, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ifPresent } from '../shared/fs/errno.ts';
import { acquireLock, type FileLock } from '../shared/fs/lock-file.ts';
import { makeFolders } from '../shared/fs/make-folders.ts';
import { makePrivateFolder } from '../shared/fs/private.ts';
import { replaceFile, syncFolder } from '../shared/fs/replace-file.ts';
import { ulid } from '../shared/ids.ts';
import { ChangeLog } from './change-log.ts';
import { type FlushedFile, openFlushedFile } from './flushed-file.ts';
import { frameOf, indexOfPack, mergeIndexes, offsetIn, readFrame, type TextHash } from './text-pack.ts';

export function segmentFile(
  folder: string,
  id: string,
  kind: 'changes' | 'texts' | 'index' | 'lock',
): string {
  return join(folder, `${id}.${kind}`);
}

/** The oldest first. */
export async function segmentIds(folder: string): Promise<string[]> {
  const names = (await ifPresent(readdir(folder))) ?? [];
  return names
    .filter((name) => name.endsWith('.changes'))
    .map((name) => name.slice(0, -'.changes'.length))
    .sort();
}

/** Survives a power cut, and only its owner can read it. */
export async function makeDurableFolder(folder: string): Promise<void> {
  const made = await makeFolders(folder, 0o700);
  await makePrivateFolder(folder);
  if (made === undefined) return;
  for (let below = folder; below !== dirname(made) && below !== dirname(below); below = dirname(below))
    await syncFolder(dirname(below));
}

/** Undefined while a process uses the segment. */
export function lockSegment(folder: string, id: string): Promise<FileLock | undefined> {
  const isHeld = new Error('held');
  return acquireLock(segmentFile(folder, id, 'lock'), { busy: () => isHeld }).catch((error: unknown) => {
    if (error !== isHeld) throw error;
    return undefined;
  });
}

export async function isClosed(folder: string, id: string): Promise<boolean> {
  return (await ifPresent(stat(segmentFile(folder, id, 'index')))) !== undefined;
}

export function writeIndex(folder: string, id: string, index: Buffer): Promise<void> {
  return replaceFile(segmentFile(folder, id, 'index'), index);
}

interface SegmentParts {
  readonly folder: string;
  readonly id: string;
  readonly changes: FlushedFile;
  readonly texts: FlushedFile;
  /** Of the texts that were there when it was opened. */
  readonly index: Buffer;
  readonly lock: FileLock;
}

/** The segment that this process appends to. */
export class Segment {
  readonly id: string;
  readonly #parts: SegmentParts;
  /** Of the texts that were kept since. */
  readonly #offsets = new Map<TextHash, number>();
  readonly #writing = new Map<TextHash, Promise<number>>();
  #holders = 0;
  #isClosing = false;
  #isSettled = true;
  #onIdle: (() => void) | undefined;

  private constructor(parts: SegmentParts) {
    this.id = parts.id;
    this.#parts = parts;
  }

  static async create(folder: string, now: number): Promise<Segment> {
    const id = ulid(now).toLowerCase();
    try {
      const lock = await lockSegment(folder, id);
      if (!lock) throw new Error('a new segment is locked');
      return await Segment.#open(folder, id, { lock, index: Buffer.alloc(0) });
    } catch (error) {
      // On a full disk the attempts would leave ever more empty files.
      for (const kind of ['changes', 'texts', 'lock'] as const)
        await rm(segmentFile(folder, id, kind), { force: true }).catch(() => {});
      throw error;
    }
  }

  /** Goes on with a segment that was closed; undefined when another process has it, or has removed it. */
  static async reopen(folder: string, id: string): Promise<Segment | undefined> {
    const lock = await lockSegment(folder, id);
    if (!lock) return undefined;
    const file = segmentFile(folder, id, 'index');
    const index = await ifPresent(readFile(file));
    if (!index) {
      lock.release();
      return undefined;
    }
    try {
      await unlink(file);
      // After a power cut the old index must not come back: it does not have the new texts.
      await syncFolder(folder);
    } catch (error) {
      lock.release();
      throw error;
    }
    return Segment.#open(folder, id, { lock, index });
  }

  static async #open(
    folder: string,
    id: string,
    { lock, index }: Pick<SegmentParts, 'lock' | 'index'>,
  ): Promise<Segment> {
    const [changesFile, textsFile] = [segmentFile(folder, id, 'changes'), segmentFile(folder, id, 'texts')];
    const opened: FlushedFile[] = [];
    try {
      const { wholeBytes } = await ChangeLog.read(changesFile);
      opened.push(await openFlushedFile(changesFile, wholeBytes));
      opened.push(await openFlushedFile(textsFile, (await ifPresent(stat(textsFile)))?.size ?? 0));
      const [changes, texts] = opened as [FlushedFile, FlushedFile];
      return new Segment({ folder, id, changes, texts, index, lock });
    } catch (error) {
      for (const file of opened) await file.close();
      lock.release();
      throw error;
    }
  }

  get size(): number {
    return this.#parts.changes.size + this.#parts.texts.size;
  }

  /** True once it takes no further edits. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Keeps the segment open until `release`. False when it is being closed. */
  hold(): boolean {
    if (this.#isClosing) return false;
    this.#holders++;
    return true;
  }

  release(): void {
    this.#holders--;
    if (this.#holders === 0) this.#onIdle?.();
  }

  /** What became of one of its edits is not known: the next start finds out. */
  leaveUnsettled(): void {
    this.#isSettled = false;
  }

  has(hash: TextHash): boolean {
    return this.#writing.has(hash) || this.#offsetOf(hash) !== undefined;
  }

  #offsetOf(hash: TextHash): number | undefined {
    return this.#offsets.get(hash) ?? offsetIn(this.#parts.index, hash);
  }

  /** Resolves when the text is on the disk. */
  async keep(hash: TextHash, text: Uint8Array): Promise<void> {
    if (this.#offsetOf(hash) !== undefined) return;
    const { texts } = this.#parts;
    const writing = this.#writing.get(hash) ?? frameOf(hash, text).then((frame) => texts.append(frame));
    this.#writing.set(hash, writing);
    try {
      this.#offsets.set(hash, await writing);
    } finally {
      this.#writing.delete(hash);
    }
  }

  /** Undefined for a text that is not here. */
  async read(hash: TextHash): Promise<Buffer | undefined> {
    const offset = this.#offsetOf(hash);
    const { texts } = this.#parts;
    if (offset === undefined) return undefined;
    return readFrame((at, length) => texts.read(at, length), offset, hash);
  }

  /** Resolves when the line is on the disk; without `flush`, when it survives the end of the process. */
  async append(line: Buffer, options: { readonly flush: boolean }): Promise<void> {
    await this.#parts.changes.append(line, options);
  }

  /** Waits for its holders. Resolves to the index of its texts, unless there is something left to settle. */
  async close(): Promise<Buffer | undefined> {
    this.#isClosing = true;
    if (this.#holders > 0)
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    const { folder, id, changes, texts, lock } = this.#parts;
    try {
      // A segment with an index is not looked at again, so the ends of its edits must not get lost.
      await changes.append(Buffer.alloc(0)).catch(() => this.leaveUnsettled());
      await changes.close();
      await texts.close();
      if (this.size === 0) await removeSegment(folder, id);
      if (this.size === 0 || !this.#isSettled) return undefined;
      const index = mergeIndexes(this.#parts.index, indexOfPack(this.#offsets));
      await writeIndex(folder, id, index);
      return index;
    } finally {
      lock.release();
    }
  }
}

/** The index goes first: without it, no other process relies on the segment's texts any more. */
export async function removeSegment(folder: string, id: string): Promise<void> {
  for (const kind of ['index', 'changes', 'texts'] as const)
    await ifPresent(unlink(segmentFile(folder, id, kind)));
}
