/** Child processes: the end of a process group, a bounded log of stderr, and no inherited descriptors. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  createWriteStream,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  type WriteStream,
} from 'node:fs';
import { isErrno } from '../shared/fs/errno.ts';

export interface StopTimes {
  /** Wait after the end of stdin. */
  readonly politeMs: number;
  /** Wait after SIGTERM. */
  readonly termMs: number;
}

export const STOP_TIMES: StopTimes = { politeMs: 2_000, termMs: 2_000 };

/** Ends stdin, then sends SIGTERM, then SIGKILL to the group, with a wait after each. Resolves when the child has exited. */
export async function stopGroup(child: ChildProcess, times: StopTimes): Promise<void> {
  if (child.pid === undefined) return;
  child.stdin?.end();
  if (!(await exitsWithin(child, times.politeMs))) signalGroup(child.pid, 'SIGTERM');
  if (!(await exitsWithin(child, times.termMs))) signalGroup(child.pid, 'SIGKILL');
  await exitsWithin(child, times.termMs);
  // Processes that the child has started may outlive it.
  signalGroup(child.pid, 'SIGKILL');
}

/** Whether a child can lead a process group of its own. On Windows, `detached` would open a window instead. */
export const HAS_GROUPS = process.platform !== 'win32';

/** Windows has neither signals nor groups: the process and all it has started are ended. */
export function signalGroup(
  pid: number,
  signal: NodeJS.Signals,
  { platform = process.platform, run = runQuietly } = {},
): void {
  if (platform === 'win32') {
    run('taskkill', ['/pid', String(pid), '/t', '/f']);
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch (cause) {
    if (!isErrno(cause, 'ESRCH', 'EPERM')) throw cause;
  }
}

function runQuietly(program: string, args: readonly string[]): void {
  spawn(program, args, { stdio: 'ignore', windowsHide: true }).once('error', () => {});
}

async function exitsWithin(child: ChildProcess, ms: number): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return true;
  return once(child, 'exit', { signal: AbortSignal.timeout(ms) }).then(
    () => true,
    () => false,
  );
}

const RING_BYTES = 64 * 1024;
const MAX_LOG_BYTES = 4 * 1024 * 1024;

/** A ring buffer in memory and a file, both bounded. */
export interface StderrLog {
  write(chunk: Buffer): void;
  /** The last 64 KiB. */
  text(): string;
  close(): void;
}

/** A log that is full already makes room for this run, and is kept under another name. */
function rotate(file: string): void {
  try {
    if (statSync(file).size >= MAX_LOG_BYTES) renameSync(file, `${file}.1`);
  } catch (cause) {
    if (!isErrno(cause, 'ENOENT')) throw cause;
  }
}

/** `file` is appended to, readable by its owner only; once it is full, only the ring buffer goes on. */
export function openStderrLog(file: string | undefined): StderrLog {
  let ring: Buffer = Buffer.alloc(0);
  let written = 0;
  let log: WriteStream | undefined;
  if (file !== undefined) {
    rotate(file);
    log = createWriteStream(file, { flags: 'a', mode: 0o600 });
    // An error of the log file must not end the server.
    log.on('error', () => {
      log = undefined;
    });
  }
  return {
    write(chunk) {
      ring = Buffer.concat([ring, chunk]);
      if (ring.length > RING_BYTES) ring = Buffer.from(ring.subarray(ring.length - RING_BYTES));
      const part = chunk.subarray(0, Math.max(MAX_LOG_BYTES - written, 0));
      written += part.length;
      if (part.length > 0) log?.write(part);
    },
    text: () => ring.toString('utf8'),
    close: () => log?.end(),
  };
}

const FIRST_OTHER = 3;
const HIGHEST = 1023;
const CLOSE_ON_EXEC = 0o2000000;

interface DescriptorCover {
  /** The child's descriptors after stdin, stdout and stderr. */
  readonly stdio: readonly ('ignore' | number)[];
  /** To be called once the child has been started. */
  close(): void;
}

/**
 * Node closes its own descriptors in a child, but of those it was started with only the ones up to the first gap. The
 * others are covered with /dev/null.
 */
export function coverInheritedDescriptors(): DescriptorCover {
  const inherited = inheritedDescriptors();
  const highest = Math.max(FIRST_OTHER - 1, ...inherited);
  if (inherited.length === 0) return { stdio: [], close: () => undefined };
  const nothing = openSync('/dev/null', 'r');
  const places = Array.from({ length: highest - FIRST_OTHER + 1 }, (_, at) => at + FIRST_OTHER);
  return {
    stdio: places.map((place) => (inherited.includes(place) ? nothing : 'ignore')),
    close: () => closeSync(nothing),
  };
}

/** Only Linux lists them; elsewhere Node's own handling has to suffice. */
function inheritedDescriptors(): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((place) => place >= FIRST_OTHER && place <= HIGHEST && isInherited(place));
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // The descriptor that read the folder is closed by now.
    return false;
  }
}
