/**
 * Which process holds a lock or a temporary file, and whether it still runs. A process id alone does not tell: ids are
 * used again, and each container numbers its own.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { memoize } from '../memoize.ts';
import { isErrno } from './errno.ts';

/** No lock or temporary file beside a note is in use for that long without a heartbeat. */
const ABANDONED_MS = 60_000;

interface Holder {
  readonly pid: number;
  /** Start time of the process in the system's own unit: process ids are used again. */
  readonly started?: string;
  /** Host and PID namespace, or the host's hash: where the process id has a meaning. */
  readonly place: string;
  readonly mark: string;
}

/** This process, looked up when the first lock is taken; pure, so that the launcher's bundle leaves it out. */
const self = /* @__PURE__ */ memoize(() => {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8);
  const place = `${hostname()} ${pidNamespace()}`;
  const started = startOf(process.pid);
  // One mark for all threads of the process, where its start time is known.
  const mark =
    started === undefined ? randomBytes(4).toString('hex') : sha256(`${place} ${process.pid} ${started}`);
  return { pid: process.pid, started, place, hostHash: sha256(hostname()), mark };
});

/** This process, in a form that fits into a file name. */
export function processTag(): string {
  const { hostHash, pid, mark } = self();
  return `${hostHash}-${pid}-${mark}`;
}

/** Whether a lock or a temporary file of that holder and age can be removed. */
export function isAbandoned(holder: string, ageMs: number): boolean {
  return ageMs > ABANDONED_MS || isHolderGone(holder) === true;
}

export function holderText(): string {
  const { pid, started, place, mark } = self();
  return JSON.stringify({
    pid,
    started,
    place,
    mark: mark + randomBytes(8).toString('hex'),
  } satisfies Holder);
}

function parseHolder(text: string): Holder | undefined {
  const tag = /^([0-9a-f]{8})-(\d+)-([0-9a-f]{8})$/.exec(text);
  if (tag) return { place: tag[1] ?? '', pid: Number(tag[2]), mark: tag[3] ?? '' };
  try {
    const holder = JSON.parse(text) as Holder;
    const { pid, place, mark } = holder;
    return Number.isInteger(pid) && typeof place === 'string' && typeof mark === 'string'
      ? holder
      : undefined;
  } catch {
    return undefined;
  }
}

function isHere(holder: Holder): boolean {
  return holder.place === self().place || holder.place === self().hostHash;
}

/** Undefined when it cannot be known from here. */
export function isHolderGone(text: string): boolean | undefined {
  const holder = parseHolder(text);
  if (!holder || !isHere(holder)) return undefined;
  // In a container each start may have the same process id.
  if (holder.pid === process.pid) return !holder.mark.startsWith(self().mark);
  if (!isAlive(holder.pid)) return true;
  return holder.started === undefined ? undefined : startOf(holder.pid) !== holder.started;
}

export function holderName(text: string): string {
  const holder = parseHolder(text);
  return holder && isHere(holder) ? `process ${holder.pid}` : 'another machine or container';
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
    // The program's name, in parentheses, may hold anything; the fields after it hold no parenthesis.
    return status.slice(status.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** Containers on one machine may share a host name, but number their processes apart. */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
