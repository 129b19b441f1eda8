import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Whether an error has one of these file system codes. */
export function isErrno(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** Undefined instead of an ENOENT error. */
export async function ifPresent<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

export async function isThere(path: string): Promise<boolean> {
  return (await ifPresent(stat(path))) !== undefined;
}

export async function isFolder(path: string): Promise<boolean> {
  return (await ifPresent(stat(path)))?.isDirectory() === true;
}

/** The folder for what must survive a restart. */
export function stateFolderOf(env: Readonly<Record<string, string | undefined>>): string {
  return join(env.XDG_STATE_HOME || join(homedir(), '.local/state'), 'quire');
}

/** The folder for caches, which can be rebuilt. */
export function cacheFolderOf(env: Readonly<Record<string, string | undefined>>): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'quire');
}
