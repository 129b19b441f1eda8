/** Reads a chain, for reports and for verification. */
import { AppError, isAppError } from '../shared/errors.ts';
import { makePrivateFolder } from '../shared/fs/private.ts';
import {
  type ChainEnd,
  type ChainFiles,
  type ChainLine,
  chainFiles,
  FIRST_PREV,
  hashOf,
  readChainLine,
} from './chain-files.ts';
import { createFileMutex } from './file-mutex.ts';
import { readLines } from './line-file.ts';

type ChainProblemCode =
  | 'unreadable_line'
  | 'wrong_number'
  | 'broken_link'
  | 'start_missing'
  | 'cut_short'
  | 'end_changed'
  | 'end_unknown';

interface ChainProblem {
  readonly code: ChainProblemCode;
  /** The number of the line. */
  readonly seq: number;
}

export interface ChainReport {
  readonly isWhole: boolean;
  readonly lines: number;
  /** The first ones. */
  readonly problems: readonly ChainProblem[];
  /** Ends that a crash left unfinished: repaired ones, and one that is there now. */
  readonly torn: number;
}

const MAX_PROBLEMS = 20;
const MAX_REREADS = 5;

interface Walk {
  readonly problems: ChainProblem[];
  last: ChainEnd | undefined;
  first: number;
  oldest: number;
  lines: number;
  torn: number;
}

/** Holds the lock at the end, so that no process appends meanwhile; `signal` ends a verification that takes too long. */
export async function verifyChain(
  folder: string,
  name: string,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<ChainReport> {
  await makePrivateFolder(folder);
  const files = chainFiles(folder, name);
  const walk: Walk = { problems: [], last: undefined, first: 1, oldest: 1, lines: 0, torn: 0 };
  let walked = 0;
  const walkParts = async () => {
    for (const { file, last } of await files.parts()) {
      if (last <= walked) continue;
      await walkFile(file, walk, signal);
      walked = last;
    }
  };
  // Rotated files do not change any more, so nobody has to wait until they are read.
  await walkParts();
  return createFileMutex(files.lock)(async () => {
    await walkParts();
    await walkFile(files.current, walk, signal);
    if (walk.first > walk.oldest) walk.problems.unshift({ code: 'start_missing', seq: walk.oldest });
    checkEnd(walk, await files.readEnd());
    const problems = walk.problems.slice(0, MAX_PROBLEMS);
    return { isWhole: problems.length === 0, lines: walk.lines, problems, torn: walk.torn };
  });
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

function walkLine(text: string, walk: Walk): void {
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
}

function begin(line: ChainLine, walk: Walk): void {
  walk.first = line.seq;
  if (line.seq === 1 && line.prev !== FIRST_PREV) note(walk, 'broken_link', 1);
}

/** Lines after the noted end hang on to it by their links; fewer lines than noted are a cut. */
function checkEnd({ last, lines, problems }: Walk, noted: ChainEnd | undefined): void {
  if (!noted) {
    if (lines > 1) problems.push({ code: 'end_unknown', seq: last?.seq ?? 0 });
    return;
  }
  const seq = last?.seq ?? 0;
  if (seq < noted.seq) problems.push({ code: 'cut_short', seq: seq + 1 });
  else if (seq === noted.seq && last?.hash !== noted.hash) problems.push({ code: 'end_changed', seq });
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
