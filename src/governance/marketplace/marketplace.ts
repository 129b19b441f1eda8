/** The catalogue of MCP servers: the built-in one, a file, or a registry's address with a cache. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, isAppError } from '../../shared/errors.ts';
import { replaceFile } from '../../shared/fs/replace-file.ts';
import { readNamedFile } from '../files.ts';
import builtin from './builtin.json' with { type: 'json' };
import type { MarketEntry } from './entry.ts';
import { catalogueOf, type FetchListOptions, fetchList, pageOf } from './registry-list.ts';

/** A fetched list in the cache. */
interface CachedList {
  /** Version of the entries' format; a list cached in another format is fetched again. */
  readonly format: typeof CACHE_FORMAT;
  readonly source: string;
  /** ISO time. */
  readonly fetched_at: string;
  readonly etag?: string;
  readonly entries: readonly MarketEntry[];
  readonly malformed: number;
  readonly stoppedAt?: string;
}

const CACHE_FORMAT = 1;
const MAX_BYTES = 20_000_000;
/** Parsed entries may be longer than the text they were parsed from. */
const MAX_CACHE_BYTES = 4 * MAX_BYTES;

/** Undefined when there is no usable cache. */
async function readCache(folder: string, source: string): Promise<CachedList | undefined> {
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

async function writeCache(folder: string, list: CachedList): Promise<void> {
  const path = cachePath(folder, list.source);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, JSON.stringify(list));
}

/** The source is hashed, because its name must not become part of a path. */
function cachePath(folder: string, source: string): string {
  const digest = createHash('sha256').update(source).digest('hex').slice(0, 32);
  return join(folder, 'marketplace', `${digest}.json`);
}

/** Replaces `before` by a new text atomically; throws `conflict` when the file has changed meanwhile. */
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
  await replaceFile(target, text, { exactMode: mode & 0o777, lastCheck });
}

interface MarketplaceOptions {
  /** `builtin`, an absolute path, or an address. */
  readonly source: string;
  /** The cache is below it. */
  readonly stateFolder: string;
  /** Ignores the age of the cache. */
  readonly refresh?: boolean;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly fetch?: Omit<FetchListOptions, 'etag'>;
}

export interface Marketplace {
  /** The source that was used, which is `builtin` after a failure. */
  readonly source: string;
  readonly entries: readonly MarketEntry[];
  /** Number of malformed entries, which are left out. */
  readonly malformed: number;
  /** ISO time; undefined for a file. */
  readonly fetchedAt?: string;
  /** For the operator: why the list is outdated, cut off or from another source. */
  readonly notes: readonly string[];
}

export const BUILTIN = 'builtin';
const FRESH_MS = 24 * 3_600_000;

export function isAddress(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

export async function openMarketplace(options: MarketplaceOptions): Promise<Marketplace> {
  const { source } = options;
  if (source === BUILTIN) return shipped([]);
  if (isAddress(source)) return fromAddress(options);
  const text = await readNamedFile(source, MAX_BYTES, 'the marketplace file');
  const { entries, malformed } = catalogueOf([pageOf(text.toString('utf8'))]);
  return { source, entries, malformed, notes: [] };
}

function shipped(notes: readonly string[]): Marketplace {
  const { entries, malformed } = catalogueOf([pageOf(JSON.stringify(builtin))]);
  return { source: BUILTIN, entries, malformed, fetchedAt: builtin.reviewed_at, notes };
}

async function fromAddress(options: MarketplaceOptions): Promise<Marketplace> {
  const { source, stateFolder, refresh = false, now = Date.now } = options;
  const cached = await readCache(stateFolder, source);
  if (cached && !refresh && now() - Date.parse(cached.fetched_at) < FRESH_MS) return kept(cached, []);
  try {
    return await fetched(options, cached);
  } catch (error) {
    options.fetch?.signal?.throwIfAborted();
    if (!isAppError(error) || error.code === 'internal') throw error;
    const reason = `${error.message}${error.hint === undefined ? '' : `. ${error.hint}`}`;
    return cached
      ? kept(cached, [`The marketplace could not be read (${reason}). Shown is what was fetched before.`])
      : shipped([`The marketplace could not be read (${reason}). Shown is the list that comes with Quire.`]);
  }
}

async function fetched(
  { source, stateFolder, fetch = {}, now = Date.now }: MarketplaceOptions,
  cached: CachedList | undefined,
): Promise<Marketplace> {
  const answer = await fetchList(new URL(source), {
    ...fetch,
    etag: cached?.etag,
  });
  const fetched_at = new Date(now()).toISOString();
  const list: CachedList =
    answer === 'unchanged' && cached
      ? { ...cached, fetched_at }
      : { format: CACHE_FORMAT, source, ...(answer as Exclude<typeof answer, 'unchanged'>), fetched_at };
  const unsaved = await writeCache(stateFolder, list).then(
    () => [],
    (error: unknown) => [`What was fetched could not be kept: ${reasonOf(error)}.`],
  );
  return kept(list, unsaved);
}

function kept(list: CachedList, notes: readonly string[]): Marketplace {
  const { source, entries, malformed, fetched_at: fetchedAt, stoppedAt } = list;
  const short =
    stoppedAt === undefined
      ? []
      : [`There may be more than these ${entries.length}: reading ended at ${stoppedAt}.`];
  return { source, entries, malformed, fetchedAt, notes: [...notes, ...short] };
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
}
