/**
 * One process at a time for a folder. The lock names its owner: on the same machine the owner's process tells
 * whether it still counts, seen from elsewhere (another container, a shared disk) its heartbeat does.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { readFile, rename, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../shared/errors.ts';
import { ifPresent, isErrno } from '../shared/fs/errno.ts';
import { memoize } from '../shared/memoize.ts';

export interface FolderLock {
  /** Throws `conflict` when somebody else took the lock, as may happen to a process that slept too long. */
  assertHeld(): Promise<void>;
  release(): Promise<void>;
}

export interface FolderLockOptions {
  readonly beatMs?: number;
}

interface Owner {
  readonly pid: number;
  /** When the process began, in the system's own measure: process ids come round again. */
  readonly started: string | undefined;
  /** Where the process id means something. */
  readonly place: string;
  readonly mark: string;
}

const BEAT_MS = 2_000;
const BEATS_MISSED = 3.5;
/** How often, and how long each time, a lock without an owner is looked at again: it may be on its way. */
const UNWRITTEN_LOOKS = 25;
const UNWRITTEN_MS = 20;
/** Marks of the locks that this process has now. */
export const held = new Set<string>();

export async function lockFolder(file: string, options: FolderLockOptions = {}): Promise<FolderLock> {
  const beatMs = options.beatMs ?? BEAT_MS;
  const mark = randomBytes(12).toString('hex');
  const text = ownerText(mark);
  held.add(mark);
  try {
    await acquire(file, text, beatMs * BEATS_MISSED);
  } catch (error) {
    held.delete(mark);
    throw error;
  }
  const beat = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => {}), beatMs);
  beat.unref();
  const isOurs = async () => (await ifPresent(readFile(file, 'utf8'))) === text;
  return {
    async assertHeld() {
      if (await isOurs()) return;
      throw new AppError('conflict', 'Another process has taken over the state folder', {
        hint: 'Nothing more is written from here. Restart this server once the other one has stopped.',
      });
    },
    async release() {
      clearInterval(beat);
      held.delete(mark);
      if (await isOurs()) await unlink(file);
    },
  };
}

const ownStart = memoize(() => startOf(process.pid));

export function ownerText(mark: string): string {
  return JSON.stringify({ pid: process.pid, started: ownStart(), place: place(), mark });
}

async function acquire(file: string, text: string, patienceMs: number): Promise<void> {
  let unwritten = 0;
  for (;;) {
    try {
      await writeFile(file, text, { flag: 'wx', mode: 0o600 });
      return;
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw error;
    }
    const found = await ifPresent(readFile(file, 'utf8'));
    if (found === undefined) continue;
    if (found === '' && unwritten++ < UNWRITTEN_LOOKS) {
      await sleep(UNWRITTEN_MS);
      continue;
    }
    const owner = readOwner(found);
    const isGone = owner === undefined ? undefined : isOwnerGone(owner);
    if (isGone === false || (isGone === undefined && (await hasHeartbeat(file, found, patienceMs))))
      throw inUse(owner);
    await takeAway(file, found);
  }
}

/** Whether anything about the lock changes within the time given. */
async function hasHeartbeat(file: string, text: string, patienceMs: number): Promise<boolean> {
  const before = await ifPresent(stat(file));
  await sleep(patienceMs);
  const [after, now] = await Promise.all([ifPresent(stat(file)), ifPresent(readFile(file, 'utf8'))]);
  return after?.mtimeMs !== before?.mtimeMs || now !== text;
}

/** For a lock without a heartbeat: frees it when its owner is gone, or when it is that old and nobody can tell. */
export async function takeAwayIfGone(file: string, maxAgeMs: number): Promise<void> {
  const [text, found] = await Promise.all([ifPresent(readFile(file, 'utf8')), ifPresent(stat(file))]);
  if (text === undefined || !found) return;
  const owner = readOwner(text);
  const isGone = owner && isOwnerGone(owner);
  if (isGone ?? Date.now() - found.ctimeMs > maxAgeMs) await takeAway(file, text);
}

/** Removes exactly the lock that was judged: one that came in its place meanwhile is put back. */
async function takeAway(file: string, judged: string): Promise<void> {
  const aside = `${file}.${randomBytes(6).toString('hex')}`;
  if ((await ifPresent(rename(file, aside).then(() => true))) === undefined) return;
  if ((await readFile(aside, 'utf8')) === judged) await unlink(aside);
  else await rename(aside, file);
}

function readOwner(text: string): Owner | undefined {
  try {
    const owner = JSON.parse(text) as Owner;
    return Number.isInteger(owner?.pid) && typeof owner.place === 'string' ? owner : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined when it cannot be known from here. */
function isOwnerGone(owner: Owner): boolean | undefined {
  if (owner.place !== place()) return undefined;
  if (owner.pid === process.pid) return !held.has(owner.mark);
  return !isAlive(owner.pid) || (owner.started !== undefined && startOf(owner.pid) !== owner.started);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isErrno(error, 'EPERM');
  }
}

function startOf(pid: number): string | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, may hold anything; what follows may not.
    return status.slice(status.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

const place = memoize(() => `${hostname()} ${processNamespace()}`);

/** Containers on one machine may share a name, but count their processes apart. */
function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function inUse(owner: Owner | undefined): AppError {
  const isHere = owner?.place === place();
  return new AppError('conflict', 'The state folder is in use', {
    subject: isHere ? `process ${owner?.pid}` : 'another machine or container',
    hint: 'Stop that one first, or give this server a state folder of its own.',
  });
}
