/** Reads a chain, for reports and for verification. */
import { AppError, isAppError } from '../shared/errors.ts';
import { makePrivateFolder } from '../shared/fs/private.ts';
import {
  type ChainProblem,
  type ChainProblemCode,
  type ChainWitnesses,
  endProblem,
  FRESH,
  witnessesOf,
} from './chain-check.ts';
import {
  type ChainEnd,
  type ChainFiles,
  type ChainLine,
  chainFiles,
  FIRST_PREV,
  hashOf,
  readChainLine,
} from './chain-files.ts';
import type { ChainSeal, SealState } from './chain-seal.ts';
import { createFileMutex } from './file-mutex.ts';
import { readLines } from './line-file.ts';

export interface ChainReport {
  readonly isWhole: boolean;
  /** The links hold, but the key that sealed the end is not here. */
  readonly isUntold: boolean;
  readonly lines: number;
  /** The first ones. */
  readonly problems: readonly ChainProblem[];
  /** Ends that a crash left unfinished: repaired ones, and one that is there now. */
  readonly torn: number;
  readonly seal: SealState;
  /** Of the last line; undefined without lines. */
  readonly end: ChainEnd | undefined;
}

const MAX_PROBLEMS = 20;
const MAX_REREADS = 5;

export interface Walk {
  readonly problems: ChainProblem[];
  /** Hashes of lines that are known from elsewhere. */
  readonly marks: Map<number, string>;
  last: ChainEnd | undefined;
  first: number;
  oldest: number;
  lines: number;
  torn: number;
}

interface VerifyOptions {
  /** Ends a verification that takes too long. */
  readonly signal?: AbortSignal;
  readonly seal?: ChainSeal;
  readonly anchored?: ChainEnd;
}

/** Holds the lock at the end, so that no process appends meanwhile. */
export async function verifyChain(
  folder: string,
  name: string,
  options: VerifyOptions = {},
): Promise<ChainReport> {
  await makePrivateFolder(folder);
  const files = chainFiles(folder, name, () => options.seal);
  const walk = newWalk();
  let walked = 0;
  const walkParts = async () => {
    for (const { file, last } of await files.parts()) {
      if (last <= walked) continue;
      await walkFile(file, walk, options.signal);
      walked = last;
    }
  };
  // Rotated files do not change any more, so nobody has to wait until they are read.
  await walkParts();
  return createFileMutex(files.lock)(async () => {
    await walkParts();
    return walkRest(files, walk, options);
  });
}

/** For a caller that holds the lock. */
export async function verifyUnderLock(files: ChainFiles, options: VerifyOptions): Promise<ChainReport> {
  const walk = newWalk();
  for (const { file } of await files.parts()) await walkFile(file, walk, options.signal);
  return walkRest(files, walk, options);
}

export function newWalk(): Walk {
  return { problems: [], marks: new Map(), last: undefined, first: 1, oldest: 1, lines: 0, torn: 0 };
}

async function walkRest(files: ChainFiles, walk: Walk, options: VerifyOptions): Promise<ChainReport> {
  const witnesses = await witnessesOf(files, options.seal, options.anchored);
  for (const one of [witnesses.noted, ...witnesses.outside]) if (one) walk.marks.set(one.seq, one.hash);
  await walkFile(files.current, walk, options.signal);
  return reportOf(walk, witnesses);
}

export function reportOf(walk: Walk, witnesses: ChainWitnesses): ChainReport {
  const { last, lines, torn, problems: found } = walk;
  const ofEnd = endProblem(last ?? FRESH, witnesses, lines > 0);
  const all = [
    ...(walk.first > walk.oldest ? [{ code: 'start_missing', seq: walk.oldest } as const] : []),
    ...found,
    ...(ofEnd && !found.some(({ code }) => code === ofEnd.code) ? [ofEnd] : []),
  ];
  const problems = all.slice(0, MAX_PROBLEMS);
  return {
    isWhole: problems.length === 0,
    isUntold: problems.length > 0 && problems.every(({ code }) => code === 'key_elsewhere'),
    lines,
    problems,
    torn,
    seal: witnesses.seal,
    end: last,
  };
}

async function walkFile(file: string, walk: Walk, signal: AbortSignal | undefined): Promise<void> {
  try {
    for await (const { line, isWhole } of readLines(file)) {
      signal?.throwIfAborted();
      if (isWhole) walkLine(line, walk);
      else walk.torn++;
    }
  } catch (error) {
    if (!isAppError(error, 'invalid_input')) throw error;
    note(walk, 'unreadable_line', (walk.last?.seq ?? 0) + 1);
  }
}

export function walkLine(text: string, walk: Walk): void {
  walk.lines++;
  const line = readChainLine(text);
  const expected = (walk.last?.seq ?? 0) + 1;
  if (!line) {
    note(walk, 'unreadable_line', expected);
    walk.last = { seq: expected, hash: hashOf(text) };
    return;
  }
  if (walk.lines === 1) begin(line, walk);
  else if (line.seq !== expected) note(walk, 'wrong_number', expected);
  else if (line.prev !== walk.last?.hash) note(walk, 'broken_link', line.seq);
  if (line.event === 'rotated' && typeof line.oldest === 'number') walk.oldest = line.oldest;
  if (line.event === 'repaired') walk.torn++;
  walk.last = { seq: line.seq, hash: hashOf(text) };
  const mark = walk.marks.get(line.seq);
  if (mark !== undefined && mark !== walk.last.hash) note(walk, 'end_changed', line.seq);
}

function begin(line: ChainLine, walk: Walk): void {
  walk.first = line.seq;
  // A new log begins where a broken one was acknowledged.
  if (line.event === 'acknowledged') walk.oldest = line.seq;
  if (line.seq === 1 && line.prev !== FIRST_PREV) note(walk, 'broken_link', 1);
}

function note(walk: Walk, code: ChainProblemCode, seq: number): void {
  if (walk.problems.length < MAX_PROBLEMS) walk.problems.push({ code, seq });
}

interface ReadChainOptions {
  /** Milliseconds since 1970; older lines are left out. */
  readonly since?: number;
}

/**
 * Lines in order, while other processes may append. Invalid lines are left out; `verifyChain` reports them.
 */
export async function* readChain(
  folder: string,
  name: string,
  { since = 0 }: ReadChainOptions = {},
): AsyncGenerator<ChainLine> {
  const files = chainFiles(folder, name);
  let last = (await files.parts()).filter(({ modifiedAt }) => modifiedAt < since).at(-1)?.last ?? 0;
  for (let rereads = 0; ; ) {
    const part = (await files.parts()).find((one) => one.last > last);
    let hasMoved = false;
    for await (const line of linesAfter(part?.file ?? files.current, last)) {
      // The current file has become a part since the parts were listed.
      hasMoved = part === undefined && line.seq > last + 1 && (await hasPartAfter(files, last));
      if (hasMoved) break;
      last = line.seq;
      if (Date.parse(line.time) >= since) yield line;
    }
    if (part) last = Math.max(last, part.last);
    else if (!hasMoved || ++rereads > MAX_REREADS) return assertDone(hasMoved);
  }
}

interface ReadBackOptions {
  /** Only lines with a smaller number. */
  readonly before?: number;
}

/** Lines from the newest to the oldest, while other processes may append. One file is in memory at a time. */
export async function* readChainBack(
  folder: string,
  name: string,
  { before = Number.POSITIVE_INFINITY }: ReadBackOptions = {},
): AsyncGenerator<ChainLine> {
  const files = chainFiles(folder, name);
  let first = before;
  const linesOf = async function* (file: string): AsyncGenerator<ChainLine> {
    const texts: string[] = [];
    for await (const { line, isWhole } of readLines(file)) if (isWhole) texts.push(line);
    for (const text of texts.reverse()) {
      const line = readChainLine(text);
      if (!line || line.seq >= first) continue;
      first = line.seq;
      yield line;
    }
  };
  yield* linesOf(files.current);
  // Listed after the current file was read: if that has become a part meanwhile, its lines are not given twice.
  const parts = (await files.parts()).reverse();
  for (const [at, { file }] of parts.entries())
    if ((parts[at + 1]?.last ?? 0) + 1 < first) yield* linesOf(file);
}

async function hasPartAfter(files: ChainFiles, last: number): Promise<boolean> {
  return (await files.parts()).some((part) => part.last > last);
}

async function* linesAfter(file: string, last: number): AsyncGenerator<ChainLine> {
  for await (const { line, isWhole } of readLines(file)) {
    const read = isWhole ? readChainLine(line) : undefined;
    if (read && read.seq > last) yield read;
  }
}

function assertDone(hasMoved: boolean): void {
  if (hasMoved)
    throw new AppError('conflict', 'The log grows faster than it can be read', { hint: 'Try again.' });
}
