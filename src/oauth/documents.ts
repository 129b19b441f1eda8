/**
 * Fetches JSON documents of clients: metadata and keys. Only through a fetch that is safe for any address, cached,
 * and rate-limited per requester and per site. A document that can no longer be fetched is served stale for a few
 * days.
 */
import { LruMap } from '../shared/memoize.ts';
import { createWindowCounter } from '../shared/rate-limit.ts';
import { OAuthError } from './answers.ts';
import type { OAuthContext } from './context.ts';
import { createNetworkCounter } from './throttle.ts';

export type FetchDocument = (
  url: URL,
) => Promise<{ readonly status: number; readonly contentType: string; readonly body: string }>;

interface DocumentOptions {
  readonly maxAgeMs: number;
  /** The requester's address; undefined for approved clients, which are exempt from its limit. */
  readonly address: string | undefined;
  /** Throws for an unusable document; then the previous one stays in use. */
  readonly assertUsable?: (document: unknown) => void;
}

interface KeptDocument {
  /** The last usable document and its time. */
  last?: { readonly document: unknown; readonly at: number };
  failure?: { readonly error: unknown; readonly at: number };
  fetching?: Promise<unknown>;
}

const MAX_KEPT = 200;
const MAX_BYTES = 32 * 1024;
const MINUTE_MS = 60_000;
const MAX_PER_MINUTE = { 32: 60, 64: 60, 56: 60, 48: 60 } as const;
/** Larger than the limit per requester, so that no single requester can exhaust a site's limit. */
const MAX_PER_HOST = 300;
const MAX_HOSTS = 10_000;
/** A failed fetch is not repeated within this time. */
const FAILURE_KEPT_MS = 30_000;
const MAX_STALE_MS = 7 * 24 * 60 * MINUTE_MS;

export type Documents = ReturnType<typeof createDocuments>;

export function createDocuments(fetchDocument: FetchDocument, { state, now }: OAuthContext) {
  const kept = new LruMap<KeptDocument>(MAX_KEPT);
  const byAddress = createNetworkCounter(MAX_PER_MINUTE, MINUTE_MS, { state, now, name: 'documents' });
  const byHost = createWindowCounter({ spanMs: MINUTE_MS, maxKeys: MAX_HOSTS, now });

  const assertNotTooMany = async (url: string, address: string | undefined) => {
    if (address === undefined) return;
    if ((await byAddress(address)) === undefined && byHost.add(new URL(url).host) <= MAX_PER_HOST) return;
    throw new OAuthError(
      'temporarily_unavailable',
      'Too many apps are being looked up. Try again in a minute.',
    );
  };

  const entryOf = (url: string): KeptDocument => {
    const entry = kept.get(url) ?? {};
    kept.set(url, entry);
    return entry;
  };

  const fetchInto = async (entry: KeptDocument, url: string, { assertUsable }: DocumentOptions) => {
    try {
      const document = await readDocument(url, fetchDocument);
      assertUsable?.(document);
      entry.last = { document, at: now() };
      delete entry.failure;
      return document;
    } catch (error) {
      entry.failure = { error, at: now() };
      throw error;
    } finally {
      delete entry.fetching;
    }
  };

  const isWithin = (at: number | undefined, spanMs: number) => {
    const age = now() - (at ?? Number.NEGATIVE_INFINITY);
    return age >= 0 && age < spanMs;
  };

  return {
    /**
     * A document not older than `maxAgeMs`, or a stale one if it cannot be fetched. Throws `invalid_client` when there
     * is none at all, and `temporarily_unavailable` when the rate limit is reached.
     */
    async get(url: string, options: DocumentOptions): Promise<unknown> {
      const entry = entryOf(url);
      const { last } = entry;
      if (last && isWithin(last.at, options.maxAgeMs)) return last.document;
      const failure = isWithin(entry.failure?.at, FAILURE_KEPT_MS) ? entry.failure : undefined;
      try {
        if (failure) throw failure.error;
        if (!entry.fetching) await assertNotTooMany(url, options.address);
        entry.fetching ??= fetchInto(entry, url, options);
        return await entry.fetching;
      } catch (error) {
        if (last && isWithin(last.at, MAX_STALE_MS)) return last.document;
        throw error;
      }
    },
    clear: () => kept.clear(),
  };
}

async function readDocument(url: string, fetchDocument: FetchDocument): Promise<unknown> {
  const { host } = new URL(url);
  const answer = await fetchDocument(new URL(url)).catch(() => {
    throw unusable(host, 'it could not be fetched');
  });
  if (answer.status !== 200) throw unusable(host, `the answer was ${answer.status} instead of 200`);
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(answer.contentType)) throw unusable(host, 'it is not JSON');
  if (Buffer.byteLength(answer.body) > MAX_BYTES)
    throw unusable(host, `it is larger than ${MAX_BYTES / 1024} KB`);
  try {
    return JSON.parse(answer.body);
  } catch {
    throw unusable(host, 'it is not JSON');
  }
}

function unusable(host: string, why: string): OAuthError {
  return new OAuthError('invalid_client', `The document of an app at ${host} cannot be used: ${why}`);
}
