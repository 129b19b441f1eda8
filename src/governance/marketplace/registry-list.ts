/** The list of a registry over HTTP, with limits of pages, time and bytes. */
import { AppError, isAppError } from '../../shared/errors.ts';
import { isLoopbackHost } from '../../shared/ip-ranges.ts';
import { recordOf } from '../../shared/records.ts';
import { type SafeFetchOptions, safeRead } from '../../shared/safe-fetch.ts';
import { listedOf, type MarketEntry, type RegistryEntry } from './entry.ts';

interface Page {
  readonly listed: readonly RegistryEntry[];
  /** Number of malformed entries. */
  readonly malformed: number;
  readonly nextCursor?: string;
}

interface Catalogue {
  readonly entries: readonly MarketEntry[];
  readonly malformed: number;
}

/** Many times the size of the official registry. */
const MAX_ENTRIES = 100_000;
const MAX_CURSOR = 2_048;

export function pageOf(text: string): Page {
  const { servers, metadata } = recordOf(parsed(text));
  if (!Array.isArray(servers)) throw notAList();
  const listed = servers
    .slice(0, MAX_ENTRIES)
    .map(listedOf)
    .filter((one) => one !== undefined);
  return { listed, malformed: servers.length - listed.length, nextCursor: cursorIn(recordOf(metadata)) };
}

export function catalogueOf(pages: readonly Page[]): Catalogue {
  const latest = new Map<string, RegistryEntry>();
  for (const one of pages.flatMap(({ listed }) => listed)) {
    if (one.isDeleted || one.isLatest === false) continue;
    const before = latest.get(one.entry.name);
    if (before === undefined || isNewer(one, before)) latest.set(one.entry.name, one);
  }
  return {
    entries: [...latest.values()].slice(0, MAX_ENTRIES).map(({ entry }) => entry),
    malformed: pages.reduce((sum, { malformed }) => sum + malformed, 0),
  };
}

function isNewer(one: RegistryEntry, before: RegistryEntry): boolean {
  if (one.isLatest !== before.isLatest) return one.isLatest === true;
  return (one.entry.updatedAt ?? '') > (before.entry.updatedAt ?? '');
}

/** Older lists write `next_cursor`. */
function cursorIn({ nextCursor, next_cursor: older }: Readonly<Record<string, unknown>>): string | undefined {
  const cursor = nextCursor ?? older;
  return typeof cursor === 'string' && cursor !== '' && cursor.length <= MAX_CURSOR ? cursor : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw notAList(cause);
  }
}

function notAList(cause?: unknown): AppError {
  return new AppError('upstream_failed', 'Not a list of MCP servers', {
    hint: 'It must be the registry\'s list: {"servers": [{"server": {...}}], "metadata": {...}}.',
    cause,
  });
}

export interface FetchListOptions {
  /** ETag of the list when it was last fetched. */
  readonly etag?: string;
  readonly signal?: AbortSignal;
  readonly progress?: (text: string) => void;
  readonly limits?: Partial<FetchLimits>;
  readonly resolve?: NonNullable<SafeFetchOptions['resolve']>;
}

interface FetchLimits {
  readonly pages: number;
  readonly ms: number;
  readonly bytes: number;
}

export interface RegistryList extends Catalogue {
  /** Only of a list of one page: the ETag of a page says nothing about the others. */
  readonly etag?: string;
  /** The limit that cut the list off. */
  readonly stoppedAt?: string;
}

const LIMITS: FetchLimits = { pages: 50, ms: 10_000, bytes: 20_000_000 };
const PAGE_SIZE = '100';
const MAX_ETAG = 500;

/** `unchanged` when the server says that the list is the one with `etag`. */
export async function fetchList(source: URL, options: FetchListOptions): Promise<RegistryList | 'unchanged'> {
  const limits = { ...LIMITS, ...options.limits };
  const deadline = performance.now() + limits.ms;
  const pages: Page[] = [];
  const seen = new Set<string>();
  let left = limits.bytes;
  let cursor: string | undefined;
  let etag: string | undefined;
  const end = (stoppedAt?: string): RegistryList => ({
    ...catalogueOf(pages),
    etag: pages.length === 1 && stoppedAt === undefined ? etag : undefined,
    stoppedAt,
  });
  for (;;) {
    if (pages.length === limits.pages) return end(`${limits.pages} pages`);
    const timeoutMs = Math.ceil(deadline - performance.now());
    if (timeoutMs <= 0) return end(`${limits.ms} ms`);
    const isFirst = pages.length === 0;
    const answer = await readPage(pageAddress(source, cursor), {
      ...options,
      timeoutMs,
      maxBytes: left,
      isFirst,
    }).catch((error: unknown) => limitIn(error, limits, isFirst));
    if (typeof answer === 'string') return end(answer);
    if (answer.status === 304 && isFirst && options.etag !== undefined) return 'unchanged';
    assertGood(answer.status, source);
    left -= answer.bytes.length;
    const page = pageOf(new TextDecoder().decode(answer.bytes));
    pages.push(page);
    etag = etagIn(answer.headers);
    cursor = page.nextCursor;
    if (cursor === undefined) return end();
    if (seen.has(cursor)) return end('a page that links back to an earlier one');
    seen.add(cursor);
    options.progress?.(`reading ${source.host}: ${pages.length} pages`);
  }
}

type ReadOptions = FetchListOptions & Pick<SafeFetchOptions, 'timeoutMs' | 'maxBytes'> & { isFirst: boolean };

function readPage(address: URL, options: ReadOptions) {
  const { etag, isFirst, timeoutMs, maxBytes, signal, resolve } = options;
  return safeRead(address, {
    timeoutMs,
    maxBytes,
    gzip: true,
    // An operator may name an address of this machine, but a name that resolves to one is refused.
    allow: isLoopbackHost(address.hostname) ? 'loopback' : 'public',
    headers: {
      accept: 'application/json',
      ...(isFirst && etag !== undefined && { 'if-none-match': etag }),
    },
    signal,
    resolve,
  });
}

/** Pages read before a limit was reached are kept; a limit before the first page is a failure. */
function limitIn(error: unknown, limits: FetchLimits, isFirst: boolean): string {
  if (!isFirst && isAppError(error, 'timeout')) return `${limits.ms} ms`;
  if (!isFirst && isAppError(error) && error.reason === 'too_large') return `${limits.bytes} bytes`;
  throw error;
}

function pageAddress(source: URL, cursor: string | undefined): URL {
  const address = new URL(source);
  const isRegistry = /\/servers\/?$/.test(address.pathname);
  if (isRegistry && !address.searchParams.has('limit')) address.searchParams.set('limit', PAGE_SIZE);
  if (isRegistry && !address.searchParams.has('version')) address.searchParams.set('version', 'latest');
  if (cursor !== undefined) address.searchParams.set('cursor', cursor);
  return address;
}

function assertGood(status: number, source: URL): void {
  if (status === 200) return;
  throw new AppError('upstream_failed', 'The marketplace did not answer with a list', {
    subject: source.host,
    hint: `It answered ${status}. Check the address, or try again later.`,
  });
}

function etagIn(headers: Headers): string | undefined {
  const etag = headers.get('etag');
  return etag !== null && etag.length <= MAX_ETAG ? etag : undefined;
}
