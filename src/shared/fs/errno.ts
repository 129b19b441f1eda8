import { homedir } from 'node:os';
import { join } from 'node:path';

/** What the file system says went wrong, by its own codes. */
export function isErrno(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** Undefined instead of the error when the entry is not there. */
export async function ifPresent<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** Where what can be made again is kept between runs. */
export function cacheFolderOf(env: Readonly<Record<string, string | undefined>>): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'quire');
}
