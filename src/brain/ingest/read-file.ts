/**
 * Reads a text file below the allowed folders only. Symbolic links are resolved before the check, the opened file is
 * verified to be the checked one, and errors disclose nothing about files outside of the folders.
 */
import { constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { basename, extname, isAbsolute, relative, resolve, sep } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import { isErrno } from '../../shared/fs/errno.ts';

interface IngestedFile {
  readonly bytes: Uint8Array;
  /** Base name. */
  readonly name: string;
}

const EXTENSIONS = ['.md', '.txt'];

/** `path` is absolute, or relative to one of the absolute `roots`. */
export async function readAllowedFile(
  path: string,
  roots: readonly string[],
  maxBytes: number,
): Promise<IngestedFile> {
  if (roots.length === 0)
    throw new AppError('forbidden', 'No files may be read', {
      hint: 'Give the text as content, or name folders in allowed_file_roots.',
    });
  if (path.includes('\0')) throw notAllowed(path);
  const real = await firstInside(candidates(path, roots), await realRoots(roots), path);
  if (!EXTENSIONS.includes(extname(real).toLowerCase()))
    throw new AppError('unsupported', 'Not a text file', {
      subject: path,
      hint: `Only ${EXTENSIONS.join(' and ')} files are taken.`,
    });
  return { bytes: await readWhole(real, path, maxBytes), name: basename(real) };
}

function candidates(path: string, roots: readonly string[]): string[] {
  return isAbsolute(path) ? [resolve(path)] : roots.map((root) => resolve(root, path));
}

/** Missing roots allow nothing. */
async function realRoots(roots: readonly string[]): Promise<string[]> {
  const known = await Promise.all(roots.map((root) => realpath(root).catch(() => [])));
  return known.flat();
}

async function firstInside(
  paths: readonly string[],
  roots: readonly string[],
  asked: string,
): Promise<string> {
  let isMissing = false;
  for (const path of paths) {
    try {
      const real = await realpath(path);
      if (roots.some((root) => isInside(real, root))) return real;
    } catch (error) {
      if (!isGone(error)) throw notAllowed(asked);
      isMissing ||= roots.some((root) => isInside(path, root));
    }
  }
  if (!isMissing) throw notAllowed(asked);
  throw new AppError('not_found', 'File not found', { subject: asked, hint: 'Check the path.' });
}

/** Hidden files and folders below a root are excluded. */
function isInside(path: string, root: string): boolean {
  const below = relative(root, path);
  const isBelow = below !== '' && !isAbsolute(below) && below !== '..' && !below.startsWith(`..${sep}`);
  return isBelow && !below.split(sep).some((name) => name.startsWith('.'));
}

async function readWhole(real: string, asked: string, maxBytes: number): Promise<Uint8Array> {
  // O_NONBLOCK, because opening a FIFO without a writer would block.
  const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      throw isGone(error)
        ? new AppError('not_found', 'File not found', { subject: asked })
        : notAllowed(asked);
    },
  );
  try {
    await assertSameFile(file, real, asked);
    const { buffer, bytesRead } = await readUpTo(file, maxBytes + 1);
    if (bytesRead > maxBytes)
      throw new AppError('invalid_input', 'File too large', {
        subject: asked,
        reason: 'too_large',
        hint: `The limit is ${maxBytes} bytes.`,
      });
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** A folder of the path may have been replaced since the check. */
async function assertSameFile(file: FileHandle, real: string, asked: string): Promise<void> {
  const opened = await file.stat();
  if (!opened.isFile())
    throw new AppError('unsupported', 'Not a file', { subject: asked, hint: 'Name a text file.' });
  const [again, there] = await Promise.all([realpath(real), stat(real)]).catch(() => {
    throw notAllowed(asked);
  });
  if (again !== real || there.ino !== opened.ino || there.dev !== opened.dev) throw notAllowed(asked);
}

async function readUpTo(file: FileHandle, most: number): Promise<{ buffer: Buffer; bytesRead: number }> {
  const buffer = Buffer.alloc(most);
  let bytesRead = 0;
  while (bytesRead < most) {
    const step = await file.read(buffer, bytesRead, most - bytesRead, bytesRead);
    if (step.bytesRead === 0) break;
    bytesRead += step.bytesRead;
  }
  return { buffer, bytesRead };
}

function isGone(error: unknown): boolean {
  return isErrno(error, 'ENOENT', 'ENOTDIR');
}

function notAllowed(asked: string): AppError {
  return new AppError('forbidden', 'Path not allowed', {
    subject: asked.replaceAll('\0', '\uFFFD').slice(0, 200),
    hint: 'Only files below the folders in allowed_file_roots may be read.',
  });
}
