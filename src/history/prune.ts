/** Removes the oldest segments of a history beyond its limits. Texts that the other changes name are kept. */
import { readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ifPresent } from '../shared/fs/errno.ts';
import { acquireLock, type FileLock } from '../shared/fs/lock-file.ts';
import { timeOfId } from './change-heads.ts';
import { ChangeLog } from './change-log.ts';
import { lockSegment, removeSegment, segmentFile, segmentIds } from './segment.ts';
import { hashesOf, indexOfPack, offsetIn, readFrameOf, scanPack, type TextHash } from './text-pack.ts';

const DAY_MS = 86_400_000;

export interface PruneLimits {
  readonly folder: string;
  readonly days: number;
  readonly maxBytes: number;
  readonly segmentBytes: number;
  readonly now: () => number;
}

export interface PruneParts {
  /** Bytes of all files. */
  size(): Promise<number>;
  /** Keeps a text in another segment. */
  keep(hash: TextHash, text: Uint8Array): Promise<void>;
  /** The segment is about to be removed. */
  forget(id: string): void;
}

interface Victim {
  readonly id: string;
  readonly lock: FileLock;
}

/** One process at a time; another one that comes meanwhile leaves it to the first. */
export async function prune(limits: PruneLimits, parts: PruneParts): Promise<void> {
  const busy = new Error('held');
  const lock = await acquireLock(join(limits.folder, 'prune.lock'), { busy: () => busy }).catch(
    (error: unknown) => {
      if (error !== busy) throw error;
    },
  );
  if (!lock) return;
  try {
    // Texts that are kept need room again, so a second look may find more to remove.
    while (await removeOldest(limits, parts)) if ((await parts.size()) <= roomOf(limits)) break;
  } finally {
    lock.release();
  }
}

/** What is left for closed segments beside the ones that two processes fill. */
function roomOf({ maxBytes, segmentBytes }: PruneLimits): number {
  return maxBytes - 2 * segmentBytes;
}

async function removeOldest(limits: PruneLimits, parts: PruneParts): Promise<boolean> {
  const { folder } = limits;
  const victims = await findVictims(limits, await parts.size());
  try {
    if (victims.length === 0) return false;
    const ids = new Set(victims.map(({ id }) => id));
    const indexes = new Map<string, Buffer>();
    for (const id of ids) {
      indexes.set(id, await indexOf(folder, id));
      parts.forget(id);
      // First: whoever relies on a text of it from now on looks for the index once its own line is written.
      await ifPresent(unlink(segmentFile(folder, id, 'index')));
    }
    const named = new Set<TextHash>();
    for (const id of await segmentIds(folder))
      if (!ids.has(id)) (await ChangeLog.read(segmentFile(folder, id, 'changes'))).texts(named);
    for (const [id, index] of indexes) {
      for (const hash of hashesOf(index).filter((candidate) => named.has(candidate))) {
        const text = await readFrameOf(segmentFile(folder, id, 'texts'), offsetIn(index, hash) ?? 0, hash);
        if (text) await parts.keep(hash, text);
      }
      await removeSegment(folder, id);
    }
    return true;
  } finally {
    for (const { lock } of victims) lock.release();
  }
}

/** Locked, so that no process goes on with one of them. */
async function findVictims(limits: PruneLimits, size: number): Promise<Victim[]> {
  const { folder, now, days } = limits;
  const victims: Victim[] = [];
  let left = size;
  for (const id of await segmentIds(folder)) {
    const { last, bytes } = await measure(folder, id);
    if (last >= now() - days * DAY_MS && left <= roomOf(limits)) break;
    const lock = await lockSegment(folder, id);
    if (!lock) continue;
    victims.push({ id, lock });
    left -= bytes;
  }
  return victims;
}

async function measure(folder: string, id: string): Promise<{ last: number; bytes: number }> {
  const changes = await ChangeLog.read(segmentFile(folder, id, 'changes'));
  const texts = await ifPresent(stat(segmentFile(folder, id, 'texts')));
  // A segment may have texts alone, which were kept when an older one was removed.
  const last = Math.max(changes.lastTime(), timeOfId(id));
  return { last, bytes: changes.wholeBytes + (texts?.size ?? 0) };
}

async function indexOf(folder: string, id: string): Promise<Buffer> {
  return (
    (await ifPresent(readFile(segmentFile(folder, id, 'index')))) ??
    indexOfPack((await scanPack(segmentFile(folder, id, 'texts'))).offsets)
  );
}
