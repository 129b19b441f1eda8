/** Append-only files of lines, with permissions for their owner alone. Acknowledged lines are on the disk. */
import { open, readFile, stat, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../shared/errors.ts';
import { ifPresent } from '../shared/fs/errno.ts';
import { makePrivate } from '../shared/fs/private.ts';
import { syncFolder } from '../shared/fs/replace-file.ts';

const ONLY_OWNER = 0o600;
const NEWLINE = 10;
const CHUNK = 64 * 1024;

/** Longer lines are neither written nor read. */
export const MAX_LINE_BYTES = 256 * 1024;

export interface LineTail {
  /** The length of the whole lines. */
  readonly wholeBytes: number;
  /** Without its line break. */
  readonly last: string | undefined;
  /** An unfinished line at the end. */
  readonly torn: Buffer;
}

/** Truncates the file again when the text cannot be written whole. */
export async function appendLines(
  file: string,
  text: string,
  assertHeld: () => Promise<void>,
): Promise<void> {
  await makePrivate(file, ONLY_OWNER);
  const handle = await open(file, 'a', ONLY_OWNER);
  try {
    const before = (await handle.stat()).size;
    await assertHeld();
    try {
      await handle.appendFile(text);
      await handle.datasync();
    } catch (error) {
      await handle.truncate(before).catch(() => {});
      throw error;
    }
    if (before === 0) await syncFolder(dirname(file));
  } finally {
    await handle.close();
  }
}

export async function readTail(file: string): Promise<LineTail> {
  const handle = await ifPresent(open(file, 'r'));
  if (!handle) return { wholeBytes: 0, last: undefined, torn: Buffer.alloc(0) };
  try {
    const { size } = await handle.stat();
    // Room for a torn line and the whole one before it.
    const from = Math.max(0, size - 2 * MAX_LINE_BYTES - 2);
    const bytes = Buffer.alloc(size - from);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
    return tailOf(bytes.subarray(0, bytesRead), from);
  } finally {
    await handle.close();
  }
}

function tailOf(bytes: Buffer, from: number): LineTail {
  const end = bytes.lastIndexOf(NEWLINE);
  const torn = bytes.subarray(end + 1);
  if (end < 0) return { wholeBytes: from, last: undefined, torn };
  const start = end === 0 ? 0 : bytes.lastIndexOf(NEWLINE, end - 1) + 1;
  return { wholeBytes: from + end + 1, last: bytes.toString('utf8', start, end), torn };
}

export async function cutTo(file: string, bytes: number, assertHeld: () => Promise<void>): Promise<void> {
  await assertHeld();
  await truncate(file, bytes);
}

/** Empty for a missing file. */
export async function readSmall(file: string, maxBytes: number): Promise<Buffer> {
  const found = await ifPresent(stat(file));
  if (!found) return Buffer.alloc(0);
  if (found.size > maxBytes) throw tooLarge(`${found.size} bytes, at most ${maxBytes}`);
  return (await ifPresent(readFile(file))) ?? Buffer.alloc(0);
}

interface LineRead {
  readonly line: string;
  /** False for an unfinished line at the end. */
  readonly isWhole: boolean;
}

/** Streams the lines of a file of any size; none of a missing one. */
export async function* readLines(file: string): AsyncGenerator<LineRead> {
  const handle = await ifPresent(open(file, 'r'));
  if (!handle) return;
  try {
    let rest = Buffer.alloc(0);
    for await (const chunk of chunksOf(handle)) {
      const bytes = Buffer.concat([rest, chunk]);
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
        yield { line: bytes.toString('utf8', start, end), isWhole: true };
        start = end + 1;
      }
      rest = Buffer.from(bytes.subarray(start));
      if (rest.length > MAX_LINE_BYTES) throw tooLarge(`a line of more than ${MAX_LINE_BYTES} bytes`);
    }
    if (rest.length > 0) yield { line: rest.toString('utf8'), isWhole: false };
  } finally {
    await handle.close();
  }
}

async function* chunksOf(handle: Awaited<ReturnType<typeof open>>): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(CHUNK), 0, CHUNK, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function tooLarge(subject: string): AppError {
  return new AppError('invalid_input', 'A state file is too large', { subject, reason: 'too_large' });
}
