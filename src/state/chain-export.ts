/**
 * A chain as one file of lines to verify elsewhere: a line about it, its lines as they are written, and its sealed end.
 */
import { readFile } from 'node:fs/promises';
import { ifPresent } from '../shared/fs/errno.ts';
import { makePrivateFolder } from '../shared/fs/private.ts';
import { type ChainProblem, endProblem, FRESH } from './chain-check.ts';
import { type ChainEnd, chainFiles, hashOf, readChainLine } from './chain-files.ts';
import type { ChainReport } from './chain-read.ts';
import { type ChainKey, type ChainSeal, endOf, sealed, sealStateOf } from './chain-seal.ts';
import { createFileMutex } from './file-mutex.ts';
import { readLines } from './line-file.ts';

const FORMAT = 'quire audit export 1';

interface ExportOptions {
  /** Milliseconds since 1970: from the first line of that time on. */
  readonly since?: number;
  readonly seal?: ChainSeal;
}

export async function* exportChain(
  folder: string,
  name: string,
  options: ExportOptions,
): AsyncGenerator<string> {
  await makePrivateFolder(folder);
  yield* exportLines(name, linesIn(folder, name), options);
}

/** `lines`: all of a chain. */
export async function* exportLines(
  name: string,
  lines: AsyncIterable<string>,
  { since = 0, seal }: ExportOptions,
): AsyncGenerator<string> {
  let last: ChainEnd | undefined;
  for await (const text of lines) {
    const line = readChainLine(text);
    // A line that cannot be read is part of the evidence.
    if (last === undefined && line && Date.parse(line.time) < since) continue;
    if (last === undefined)
      yield JSON.stringify({ format: FORMAT, name, from: line?.seq ?? 1, prev: line?.prev ?? '' });
    last = { seq: line?.seq ?? (last?.seq ?? 0) + 1, hash: hashOf(text) };
    yield text;
  }
  if (last === undefined) yield JSON.stringify({ format: FORMAT, name, from: 1, prev: FRESH.hash });
  yield JSON.stringify({ head: sealed(last ?? FRESH, seal?.key) });
}

async function* linesIn(folder: string, name: string): AsyncGenerator<string> {
  const files = chainFiles(folder, name);
  let taken = 0;
  for (const { file, last } of await files.parts()) {
    for await (const { line, isWhole } of readLines(file)) if (isWhole) yield line;
    taken = last;
  }
  // The current file is small enough to be read at once, so that nobody has to wait.
  const rest = await createFileMutex(files.lock)(async () => {
    const newer = (await files.parts()).filter((part) => part.last > taken).map(({ file }) => file);
    const texts = await Promise.all(
      [...newer, files.current].map((file) => ifPresent(readFile(file, 'utf8'))),
    );
    return texts.flatMap((text) => (text ?? '').split('\n').slice(0, -1));
  });
  yield* rest;
}

/** Reads the lines of an export, and reports as `verifyChain` does. */
export async function verifyExport(
  file: string,
  key: ChainKey | undefined,
): Promise<ChainReport | undefined> {
  let heading: { readonly from: number; readonly prev: string } | undefined;
  let head: ChainEnd | undefined;
  let last: ChainEnd | undefined;
  let lines = 0;
  const problems: ChainProblem[] = [];
  for await (const { line: text } of readLines(file)) {
    if (!heading) {
      heading = headingOf(text);
      if (!heading) return undefined;
      continue;
    }
    const ended: ChainEnd | undefined = headOf(text);
    if (ended) {
      head = ended;
      continue;
    }
    lines++;
    const line = readChainLine(text);
    const seq: number = last ? last.seq + 1 : heading.from;
    if (!line) problems.push({ code: 'unreadable_line', seq });
    else if (line.seq !== seq) problems.push({ code: 'wrong_number', seq });
    else if (line.prev !== (last?.hash ?? heading.prev)) problems.push({ code: 'broken_link', seq });
    last = { seq: line?.seq ?? seq, hash: hashOf(text) };
  }
  if (!heading) return undefined;
  const seal = head ? sealStateOf(head, key) : 'plain';
  const ofEnd = endProblem(last ?? FRESH, { noted: head, seal, outside: [], sealedBy: undefined }, true);
  if (ofEnd) problems.push(ofEnd);
  return {
    isWhole: problems.length === 0,
    isUntold: problems.length > 0 && problems.every(({ code }) => code === 'key_elsewhere'),
    lines,
    problems: problems.slice(0, 20),
    torn: 0,
    seal,
    end: last,
  };
}

function headingOf(text: string): { from: number; prev: string } | undefined {
  try {
    const { format, from, prev } = JSON.parse(text) as Record<string, unknown>;
    return format === FORMAT && typeof from === 'number' && typeof prev === 'string'
      ? { from, prev }
      : undefined;
  } catch {
    return undefined;
  }
}

function headOf(text: string): ChainEnd | undefined {
  try {
    const { head } = JSON.parse(text) as { head?: unknown };
    return head === undefined ? undefined : endOf(JSON.stringify(head));
  } catch {
    return undefined;
  }
}
