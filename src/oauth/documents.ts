/**
 * JSON that others publish: descriptions of clients, and their keys. Fetched by a function that is safe to give
 * any address, kept for a while, and never more than so many in a minute, whatever is asked for.
 */
import { createCounter } from './counter.ts';
import { OAuthError } from './errors.ts';

export type FetchDocument = (
  url: URL,
) => Promise<{ readonly status: number; readonly contentType: string; readonly body: string }>;

export interface Documents {
  /** Not older than `maxAgeMs`. Throws `invalid_client` when there is no such document to be had. */
  get(url: string, maxAgeMs: number): Promise<unknown>;
  clear(): void;
}

interface Kept {
  readonly at: number;
  readonly document: Promise<unknown>;
  failed: boolean;
}

const MAX_KEPT = 200;
const MAX_BYTES = 32 * 1024;
const MAX_PER_MINUTE = 60;
/** A document that could not be had is not asked for again within this time. */
const FAILURE_KEPT_MS = 30_000;

export function createDocuments(fetchDocument: FetchDocument, now: () => number): Documents {
  const kept = new Map<string, Kept>();
  const fetched = createCounter({ spanMs: 60_000, maxKeys: 1, now });

  const load = async (url: string): Promise<unknown> => {
    if (fetched.add('all') > MAX_PER_MINUTE)
      throw new OAuthError(
        'temporarily_unavailable',
        'Too many apps are being looked up. Try again in a minute.',
        {
          status: 503,
        },
      );
    return readDocument(url, fetchDocument);
  };

  const keep = (url: string): Kept => {
    const entry: Kept = { at: now(), document: load(url), failed: false };
    entry.document.catch(() => {
      entry.failed = true;
    });
    kept.delete(url);
    kept.set(url, entry);
    if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value ?? url);
    return entry;
  };

  return {
    async get(url, maxAgeMs) {
      const found = kept.get(url);
      const isFresh = found && now() - found.at < (found.failed ? FAILURE_KEPT_MS : maxAgeMs);
      return (isFresh ? found : keep(url)).document;
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
  return new OAuthError('invalid_client', `The document of an app at ${host} cannot be used: ${why}`, {
    status: 401,
  });
}
