/** The files of the marketplace: a catalogue somebody keeps, what was fetched, and the configuration a server is added to. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import { replaceWhole } from '../replace-whole.ts';
import type { MarketEntry } from './entry.ts';

/** A list as it was fetched. */
export interface CachedList {
  /** Of what entries look like; a list kept by another version of us is fetched again. */
  readonly format: typeof CACHE_FORMAT;
  readonly source: string;
  /** ISO time. */
  readonly fetched_at: string;
  readonly etag?: string;
  readonly entries: readonly MarketEntry[];
  readonly malformed: number;
  readonly stoppedAt?: string;
}

export const CACHE_FORMAT = 1;
const MAX_BYTES = 20_000_000;
/** Entries are kept as they were made, which may be longer than what they were made from. */
const MAX_CACHE_BYTES = 4 * MAX_BYTES;

export async function readCatalogueFile(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) throw new Error(`it has ${size} bytes; the limit is ${MAX_BYTES}`);
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new AppError('invalid_input', 'Cannot read the marketplace file', {
      subject: path,
      hint: `${cause instanceof Error ? cause.message : 'unknown reason'}. Name a file that is there, an https address, or builtin.`,
      cause,
    });
  }
}

/** Undefined when there is none, or none that can be used: a cache is only ever a saving. */
export async function readCache(folder: string, source: string): Promise<CachedList | undefined> {
  const path = cachePath(folder, source);
  try {
    if ((await stat(path)).size > MAX_CACHE_BYTES) return undefined;
    const cached = JSON.parse(await readFile(path, 'utf8')) as Partial<CachedList> | null;
    const isGood =
      cached?.source === source &&
      cached.format === CACHE_FORMAT &&
      Array.isArray(cached.entries) &&
      typeof cached.malformed === 'number' &&
      !Number.isNaN(Date.parse(cached.fetched_at ?? ''));
    return isGood ? (cached as CachedList) : undefined;
  } catch {
    return undefined;
  }
}

export async function writeCache(folder: string, list: CachedList): Promise<void> {
  const path = cachePath(folder, list.source);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceWhole(path, JSON.stringify(list), { mode: 0o600 });
}

/** Whatever the source is called, its name is no part of a path. */
function cachePath(folder: string, source: string): string {
  const digest = createHash('sha256').update(source).digest('hex').slice(0, 32);
  return join(folder, 'marketplace', `${digest}.json`);
}

/** Puts a new text in the place of `before`, in one step; refuses when somebody else has changed the file. */
export async function replaceText(path: string, before: string, text: string): Promise<void> {
  const target = await realpath(path);
  const { mode } = await stat(target);
  const lastCheck = async () => {
    if ((await readFile(target, 'utf8')) === before) return;
    throw new AppError('conflict', 'The configuration file was changed meanwhile', {
      subject: path,
      hint: 'Nothing was written. Try again.',
    });
  };
  await replaceWhole(target, text, { mode: mode & 0o777, lastCheck });
}
