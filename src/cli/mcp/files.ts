/** Files that somebody names on the command line: read up to a limit, written only where nothing is yet. */
import { open, readFile, stat } from 'node:fs/promises';
import { AppError } from '../../shared/errors.ts';
import { isErrno } from '../../shared/fs/errno.ts';

export async function readText(path: string, maxBytes: number): Promise<string> {
  const { size } = await stat(path).catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  if (size > maxBytes) throw tooLarge(path, maxBytes);
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
}

export async function readInput(maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge('stdin', maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Never in the place of something: what a server sends is no reason to lose a file. */
export async function writeNewFile(path: string, content: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((cause: unknown) => {
    if (isErrno(cause, 'EEXIST'))
      throw new AppError('already_exists', 'There is a file of this name already', {
        subject: path,
        hint: 'Name another with --out, or move it away.',
        cause,
      });
    throw new AppError('invalid_input', 'Cannot write the file', { subject: path, cause });
  });
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

function unreadable(path: string, cause: unknown): AppError {
  return new AppError('invalid_input', 'Cannot read the file', { subject: path, cause });
}

function tooLarge(what: string, maxBytes: number): AppError {
  return new AppError('invalid_input', 'It is too large', {
    subject: what,
    hint: `The limit is ${maxBytes} bytes.`,
  });
}
