/** The catalogue of MCP servers (built in, a file, or a registry's address with a cache), and search in it. */
import { createHash } from 'node:crypto';
import { readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AppError, isAppError } from '../../shared/errors.ts';
import { isErrno } from '../../shared/fs/errno.ts';
import { makeFolders } from '../../shared/fs/make-folders.ts';
import { replaceFile } from '../../shared/fs/replace-file.ts';
import { readNamedFile } from '../files.ts';
import builtin from './builtin.json' with { type: 'json' };
import type { MarketEntry } from './entry.ts';
import { type InstallTransport, optionsOf } from './install.ts';
import { catalogueOf, type FetchListOptions, fetchList, pageOf, type RegistryList } from './registry-list.ts';

/** A fetched list in the cache. */
interface CachedList extends RegistryList {
  /** Version of the entries' format; a list cached in another format is fetched again. */
  readonly format: typeof CACHE_FORMAT;
  readonly source: string;
  /** ISO time. */
  readonly fetched_at: string;
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
  await makeFolders(dirname(path), 0o700);
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

/** Makes the file, for its owner alone; throws `conflict` when it was made meanwhile. */
export async function createText(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    if (!isErrno(error, 'EEXIST')) throw error;
    throw new AppError('conflict', 'A configuration file was written meanwhile', {
      subject: basename(path),
      hint: 'Nothing was changed. Try again.',
    });
  });
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
  if (source === BUILTIN) return builtinMarketplace([]);
  if (isAddress(source)) return fromAddress(options);
  const text = await readNamedFile(source, MAX_BYTES, 'the marketplace file');
  const { entries, malformed } = catalogueOf([pageOf(text.toString('utf8'))]);
  return { source, entries, malformed, notes: [] };
}

function builtinMarketplace(notes: readonly string[]): Marketplace {
  const { entries, malformed } = catalogueOf([pageOf(JSON.stringify(builtin))]);
  return { source: BUILTIN, entries, malformed, fetchedAt: builtin.reviewed_at, notes };
}

async function fromAddress(options: MarketplaceOptions): Promise<Marketplace> {
  const { source, stateFolder, refresh = false, now = Date.now } = options;
  const cached = await readCache(stateFolder, source);
  if (cached && !refresh && now() - Date.parse(cached.fetched_at) < FRESH_MS)
    return marketplaceFrom(cached, []);
  try {
    return await fetchMarketplace(options, cached);
  } catch (error) {
    options.fetch?.signal?.throwIfAborted();
    if (!isAppError(error) || error.code === 'internal') throw error;
    const reason = `${error.message}${error.hint === undefined ? '' : `. ${error.hint}`}`;
    const problem = `The marketplace could not be read (${reason}).`;
    return cached
      ? marketplaceFrom(cached, [`${problem} This is what was fetched before.`])
      : builtinMarketplace([`${problem} This is the list that comes with Quire.`]);
  }
}

async function fetchMarketplace(
  { source, stateFolder, fetch = {}, now = Date.now }: MarketplaceOptions,
  cached: CachedList | undefined,
): Promise<Marketplace> {
  const answer = await fetchList(new URL(source), { ...fetch, etag: cached?.etag });
  const fetched_at = new Date(now()).toISOString();
  const list: CachedList =
    answer === 'unchanged' && cached
      ? { ...cached, fetched_at }
      : { format: CACHE_FORMAT, source, ...(answer as Exclude<typeof answer, 'unchanged'>), fetched_at };
  const unsaved = await writeCache(stateFolder, list).then(
    () => [],
    (error: unknown) => [`What was fetched could not be kept: ${reasonOf(error)}.`],
  );
  return marketplaceFrom(list, unsaved);
}

function marketplaceFrom(list: CachedList, notes: readonly string[]): Marketplace {
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

interface MarketQuery {
  readonly text?: string;
  readonly transport?: InstallTransport;
  /** Deprecated entries too. */
  readonly all?: boolean;
}

const MAX_QUERY = 200;
const MAX_WORDS = 10;

/** Best match first. Every word of the query must be found; the field it is found in gives the score. */
export function searchMarket(entries: readonly MarketEntry[], query: MarketQuery): MarketEntry[] {
  const words = wordsOf((query.text ?? '').slice(0, MAX_QUERY)).slice(0, MAX_WORDS);
  return entries
    .filter((entry) => query.all === true || entry.status !== 'deprecated')
    .filter((entry) => query.transport === undefined || transportsOf(entry).includes(query.transport))
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0 || words.length === 0)
    .sort((a, b) => b.score - a.score || inOrder(a.entry, b.entry))
    .map(({ entry }) => entry);
}

export function transportsOf(entry: MarketEntry): InstallTransport[] {
  return [...new Set(optionsOf(entry).map(({ transport }) => transport))];
}

function inOrder(a: MarketEntry, b: MarketEntry): number {
  if (a.status !== b.status) return a.status === 'active' ? -1 : 1;
  const [older, newer] = [a.updatedAt ?? '', b.updatedAt ?? ''];
  if (older !== newer) return older > newer ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

/** 0 when a word is not found. */
function scoreOf(entry: MarketEntry, words: readonly string[]): number {
  const name = entry.name.toLowerCase();
  const short = name.slice(name.indexOf('/') + 1);
  const title = (entry.title ?? '').toLowerCase();
  const description = entry.description.toLowerCase();
  const nameWords = wordsOf(name);
  const otherWords = wordsOf(`${title} ${description}`);
  const scores = words.map((word): number => {
    if (short === word || name === word) return 100;
    if (nameWords.includes(word)) return 60;
    if (nameWords.some((own) => own.startsWith(word))) return 40;
    if (name.includes(word)) return 20;
    if (otherWords.includes(word)) return title.includes(word) ? 15 : 10;
    return title.includes(word) || description.includes(word) ? 4 : 0;
  });
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0);
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
