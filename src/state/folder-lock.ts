/**
 * One process at a time for a folder. The lock names its owner: on the same machine the owner's process tells
 * whether it still counts, seen from elsewhere (another container, a shared disk) its heartbeat does.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { readFile, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { ifPresent, isErrno } from '../shared/errno.ts';
import { AppError } from '../shared/errors.ts';
import { once } from '../shared/once.ts';

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
/** Far longer than it takes to remove a lock. */
const BREAKING_MS = 5_000;
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

const ownStart = once(() => startOf(process.pid));

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
    if (!takeAway(file, (now) => now === found)) await sleep(UNWRITTEN_MS);
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
export function takeAwayIfGone(file: string, maxAgeMs: number): void {
  takeAway(file, (text) => {
    const owner = readOwner(text);
    const isGone = owner && isOwnerGone(owner);
    return isGone ?? Date.now() - statSync(file).ctimeMs > maxAgeMs;
  });
}

/**
 * Whether it removed a lock whose owner is gone. One process at a time does so, and judges and removes without a pause: between
 * the two, nobody else can have freed the lock for somebody who lives.
 */
function takeAway(file: string, isGone: (text: string) => boolean): boolean {
  const breaking = `${file}.breaking`;
  try {
    if (!isGone(readFileSync(file, 'utf8'))) return false;
    writeFileSync(breaking, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (isErrno(error, 'EEXIST')) removeLeftover(breaking);
    else if (!isErrno(error, 'ENOENT')) throw error;
    return false;
  }
  try {
    if (!isGone(readFileSync(file, 'utf8'))) return false;
    unlinkSync(file);
    return true;
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
    return false;
  } finally {
    rmSync(breaking, { force: true });
  }
}

/** Of a process that ended in the middle of the few steps above. */
function removeLeftover(breaking: string): void {
  const found = statSync(breaking, { throwIfNoEntry: false });
  if (found && Date.now() - found.mtimeMs > BREAKING_MS) rmSync(breaking, { force: true });
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

const place = once(() => `${hostname()} ${processNamespace()}`);

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
