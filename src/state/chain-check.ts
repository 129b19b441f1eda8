/**
 * The quick check of a chain before it is added to: the links of its current file, rotated files that changed since
 * they were last looked at, and its end against every note of it. `verifyChain` reads everything.
 */
import { open, readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { ifPresent } from '../shared/fs/errno.ts';
import { replaceFile } from '../shared/fs/replace-file.ts';
import {
  type ChainEnd,
  type ChainFileState,
  type ChainFiles,
  FIRST_PREV,
  hashOf,
  readChainLine,
} from './chain-files.ts';
import { type ChainSeal, type SealState, sealStateOf } from './chain-seal.ts';
import { readTail } from './line-file.ts';

export type ChainProblemCode =
  | 'unreadable_line'
  | 'wrong_number'
  | 'broken_link'
  | 'start_missing'
  | 'cut_short'
  | 'end_changed'
  | 'end_unknown'
  | 'end_forged'
  | 'key_elsewhere';

export interface ChainProblem {
  readonly code: ChainProblemCode;
  /** The number of the line. */
  readonly seq: number;
}

/** Nothing is added to a chain that is not as it was left. */
export class BrokenChain extends Error {
  readonly problem: ChainProblem;

  constructor(problem: ChainProblem) {
    super(`${problem.code} at line ${problem.seq}`);
    this.problem = problem;
  }
}

export const FRESH: ChainEnd = { seq: 0, hash: FIRST_PREV };
/** The most lines beyond the noted end, as a crash can leave them. */
const MAX_UNNOTED = 256;
const NEWLINE = 10;
const PREV_LENGTH = `"prev":"${FIRST_PREV}"}`.length;

/** What is known of the end besides the lines themselves. */
export interface ChainWitnesses {
  readonly noted: ChainEnd | undefined;
  readonly seal: SealState;
  /** Ends that were kept outside the state folder. */
  readonly outside: readonly ChainEnd[];
  /** The key of the copy beside our key. */
  readonly sealedBy: string | undefined;
}

/** A chain as far as it was checked. */
export interface CheckedPlace extends ChainFileState {
  readonly end: ChainEnd;
}

export interface CheckedChain {
  readonly end: ChainEnd;
  /** Of the current file. */
  readonly place: CheckedPlace | undefined;
  readonly torn: Buffer;
  readonly seal: SealState;
  readonly isNoted: boolean;
}

export async function witnessesOf(
  files: ChainFiles,
  seal: ChainSeal | undefined,
  anchored: ChainEnd | undefined,
): Promise<ChainWitnesses> {
  const noted = await files.readEnd();
  const copy = await files.readOutside();
  return {
    noted,
    seal: noted ? sealStateOf(noted, seal?.key) : 'plain',
    outside: [copy, anchored].filter((one) => one !== undefined),
    sealedBy: copy?.key,
  };
}

/** The problem of an end that is whole by its links; undefined when it is where it was left. */
export function endProblem(
  found: ChainEnd,
  { noted, seal, outside, sealedBy }: ChainWitnesses,
  hasLines: boolean,
): ChainProblem | undefined {
  const last = Math.max(...outside.map(({ seq }) => seq), noted?.seq ?? 0);
  const at = (code: ChainProblemCode, seq = found.seq) => ({ code, seq });
  if (noted === undefined)
    return hasLines ? at('end_unknown') : last > found.seq ? at('cut_short', found.seq + 1) : undefined;
  if (seal === 'forged' || (sealedBy !== undefined && sealedBy !== noted.key)) return at('end_forged');
  if (last > found.seq) return at('cut_short', found.seq + 1);
  if (seal === 'elsewhere') return at('key_elsewhere');
  for (const one of [noted, ...outside])
    if (one.seq === found.seq && one.hash !== found.hash) return at('end_changed');
  return undefined;
}

/** `from` was checked before; only what follows is read, unless the file was written to in its middle. */
export async function checkChain(
  files: ChainFiles,
  witnesses: ChainWitnesses,
  from: CheckedPlace | undefined,
): Promise<CheckedChain> {
  const marks = new Map([witnesses.noted, ...witnesses.outside].map((one) => [one?.seq, one?.hash]));
  const found = await ifPresent(stat(files.current));
  const isGrown =
    found?.ino === from?.ino && found !== undefined && from !== undefined && found.size > from.size;
  const isSame = found?.size === from?.size && found?.ctimeMs === from?.ctimeMs && found?.ino === from?.ino;
  const known = isGrown || isSame ? from : undefined;
  const before = known?.end ?? (await endOfParts(files));
  const start = known?.size ?? 0;
  const bytes = found ? await bytesFrom(files.current, start) : Buffer.alloc(0);
  const { end, length } = walkLines(bytes, { before: before ?? firstOf(bytes), marks });
  const size = start + length;
  const problem = endProblem(end, witnesses, end.seq > 0);
  if (problem) throw new BrokenChain(problem);
  if (end.seq > (witnesses.noted?.seq ?? 0) + MAX_UNNOTED)
    throw new BrokenChain({ code: 'end_changed', seq: end.seq });
  return {
    end,
    place: found && { ino: found.ino, size, ctimeMs: found.ctimeMs, end },
    torn: bytes.subarray(length),
    seal: witnesses.seal,
    isNoted: witnesses.noted !== undefined,
  };
}

async function bytesFrom(file: string, start: number): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const bytes = Buffer.alloc(Math.max(0, size - start));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

interface WalkedLines {
  readonly end: ChainEnd;
  /** Of the whole lines. */
  readonly length: number;
}

/** Each line is `{"seq":…,…,"prev":"…"}`: it is not parsed, only its ends are compared. */
function walkLines(
  bytes: Buffer,
  { before, marks }: { before: ChainEnd; marks?: ReadonlyMap<unknown, unknown> },
): WalkedLines {
  let end = before;
  let at = 0;
  for (let stop = bytes.indexOf(NEWLINE, at); stop >= 0; stop = bytes.indexOf(NEWLINE, at)) {
    const seq = end.seq + 1;
    const head = `{"seq":${seq},`;
    if (bytes.toString('latin1', at, at + head.length) !== head)
      throw new BrokenChain({ code: 'wrong_number', seq });
    if (bytes.toString('latin1', stop - PREV_LENGTH, stop) !== `"prev":"${end.hash}"}`)
      throw new BrokenChain({ code: 'broken_link', seq });
    end = { seq, hash: hashOf(bytes.subarray(at, stop)) };
    if (marks?.has(seq) && marks.get(seq) !== end.hash) throw new BrokenChain({ code: 'end_changed', seq });
    at = stop + 1;
  }
  return { end, length: at };
}

/** The end of the newest rotated file; undefined without one. */
async function endOfParts(files: ChainFiles): Promise<ChainEnd | undefined> {
  const newest = (await files.parts()).at(-1);
  return newest && endOfFile(newest.file);
}

async function endOfFile(file: string): Promise<ChainEnd> {
  const { last } = await readTail(file);
  const read = last === undefined ? undefined : readChainLine(last);
  if (!read || last === undefined) throw new BrokenChain({ code: 'unreadable_line', seq: 0 });
  return { seq: read.seq, hash: hashOf(last) };
}

/** Where a chain without rotated files begins: at its first line, or at the acknowledgement of a broken one. */
function firstOf(bytes: Buffer): ChainEnd {
  const stop = bytes.indexOf(NEWLINE);
  const line = stop < 0 ? undefined : readChainLine(bytes.toString('utf8', 0, stop));
  if (stop < 0 || line?.seq === 1) return FRESH;
  if (line?.event === 'acknowledged') return { seq: line.seq - 1, hash: line.prev };
  throw new BrokenChain({ code: line ? 'start_missing' : 'unreadable_line', seq: line?.seq ?? 1 });
}

type PartStamps = Readonly<Record<string, readonly [ino: number, size: number, ctimeMs: number]>>;

/** Rotated files that changed since they were last looked at are read again. `verify` is for a missing one. */
export async function checkParts(files: ChainFiles, verify: () => Promise<void>): Promise<void> {
  const stampsFile = await files.stampsFile();
  if (stampsFile === undefined) return;
  const before = stampsIn(await ifPresent(readFile(stampsFile, 'utf8')));
  const now = await stampsOf(files);
  const changed = Object.keys(now).filter((name) => String(now[name]) !== String(before[name]));
  const isMissing = Object.keys(before).some((name) => !(name in now));
  if (changed.length === 0 && !isMissing) return;
  if (isMissing) await verify();
  else await walkParts(files, changed);
  await replaceFile(stampsFile, JSON.stringify(now), {});
}

/** Called under the lock, after a rotation of our own. */
export async function stampParts(files: ChainFiles): Promise<void> {
  const stampsFile = await files.stampsFile();
  if (stampsFile !== undefined) await replaceFile(stampsFile, JSON.stringify(await stampsOf(files)), {});
}

async function walkParts(files: ChainFiles, changed: readonly string[]): Promise<void> {
  let before: ChainEnd | undefined;
  let isAfterChanged = false;
  for (const { file } of await files.parts()) {
    const isChanged = changed.includes(basename(file));
    // The last line of a file is held by the link of the next one.
    if (isChanged || isAfterChanged) {
      const bytes = await readFile(file);
      walkLines(bytes, { before: before ?? beforeFirst(bytes) });
    }
    before = await endOfFile(file);
    isAfterChanged = isChanged;
  }
}

/** The oldest file that is kept may begin anywhere. */
function beforeFirst(bytes: Buffer): ChainEnd {
  const line = readChainLine(bytes.toString('utf8', 0, Math.max(0, bytes.indexOf(NEWLINE))));
  if (!line) throw new BrokenChain({ code: 'unreadable_line', seq: 1 });
  return { seq: line.seq - 1, hash: line.prev };
}

function stampsIn(text: string | undefined): PartStamps {
  try {
    return JSON.parse(text ?? '{}') as PartStamps;
  } catch {
    return {};
  }
}

async function stampsOf(files: ChainFiles): Promise<PartStamps> {
  const parts = await files.parts();
  const stamps = parts.map(async ({ file }) => {
    const { ino, size, ctimeMs } = await stat(file);
    return [basename(file), [ino, size, ctimeMs]] as const;
  });
  return Object.fromEntries(await Promise.all(stamps));
}
