/** Pages of the registry's list, made into entries: the latest of each name, none that was deleted, strays counted. */
import { AppError } from '../../shared/errors.ts';
import { type Listed, listedOf, type MarketEntry } from './entry.ts';

export interface Page {
  readonly listed: readonly Listed[];
  /** Entries that are none. */
  readonly malformed: number;
  readonly nextCursor?: string;
}

export interface Catalogue {
  readonly entries: readonly MarketEntry[];
  readonly malformed: number;
}

/** The registry has fewer than this many times over; a catalogue that claims more is none. */
export const MAX_ENTRIES = 100_000;
const MAX_CURSOR = 2_048;

export function pageOf(text: string): Page {
  const page = parsed(text);
  if (typeof page !== 'object' || page === null || !('servers' in page) || !Array.isArray(page.servers))
    throw notAList();
  const listed = page.servers.slice(0, MAX_ENTRIES).map(listedOf);
  const good = listed.filter((one) => one !== undefined);
  const nextCursor = cursorIn('metadata' in page ? page.metadata : undefined);
  return {
    listed: good,
    malformed: page.servers.length - good.length,
    ...(nextCursor !== undefined && { nextCursor }),
  };
}

export function catalogueOf(pages: readonly Page[]): Catalogue {
  const latest = new Map<string, Listed>();
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

function isNewer(one: Listed, before: Listed): boolean {
  if (one.isLatest !== before.isLatest) return one.isLatest === true;
  return (one.entry.updatedAt ?? '') > (before.entry.updatedAt ?? '');
}

/** Older lists spell it with an underscore. */
function cursorIn(metadata: unknown): string | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const { nextCursor, next_cursor: older } = metadata as Record<string, unknown>;
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
