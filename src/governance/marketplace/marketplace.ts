/** The catalogue of MCP servers, from wherever it comes: shipped with us, a file, or an address, with what was fetched before as a help. */
import { isAppError } from '../../shared/errors.ts';
import builtin from './builtin.json' with { type: 'json' };
import type { MarketEntry } from './entry.ts';
import { type FetchListOptions, fetchList } from './fetch-list.ts';
import { CACHE_FORMAT, type CachedList, readCache, readCatalogueFile, writeCache } from './files.ts';
import { catalogueOf, pageOf } from './list.ts';

export interface MarketplaceOptions {
  /** `builtin`, an absolute path, or an address. */
  readonly source: string;
  /** Where what was fetched is kept. */
  readonly stateFolder: string;
  /** Asks again, however new what is kept is. */
  readonly refresh?: boolean;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly fetch?: Omit<FetchListOptions, 'etag'>;
}

export interface Marketplace {
  /** Where the entries really are from. */
  readonly source: string;
  readonly entries: readonly MarketEntry[];
  /** Entries that were none and are left out. */
  readonly malformed: number;
  /** ISO time; undefined for a file. */
  readonly fetchedAt?: string;
  /** What whoever looks should know: why it is older, shorter or another than was asked for. */
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
  const { entries, malformed } = catalogueOf([pageOf(await readCatalogueFile(source))]);
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
    ...(cached?.etag !== undefined && { etag: cached.etag }),
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
