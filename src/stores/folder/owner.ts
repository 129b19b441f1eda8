/**
 * Who made a lock or a temporary file, and whether that process is still there. The answer is certain on
 * one machine; for another machine (a shared or synced folder) only age tells.
 */
import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);

/** This process, unlike any other on this or another machine. */
export const SELF = `${HOST}-${process.pid}-${randomBytes(4).toString('hex')}`;

const MAX_AGE_MS = 60_000;

export function isAbandoned(owner: string, ageMs: number): boolean {
  if (ageMs > MAX_AGE_MS) return true;
  const parts = /^([0-9a-f]{8})-(\d+)-([0-9a-f]{8})$/.exec(owner);
  if (!parts) return false;
  const [, host, pid] = parts;
  if (host !== HOST) return false;
  // The same process id under another mark is a process that is gone: ids repeat in containers.
  if (Number(pid) === process.pid) return owner !== SELF;
  return !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
