/**
 * Resolves the headers of a client to a Trilium of its own: both headers, an allowed address, a token that Trilium itself
 * has accepted. Tenants share nothing.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AppError, isAppError } from '../../shared/errors.ts';
import { memoize } from '../../shared/memoize.ts';
import { HttpRefusal } from '../refusal.ts';
import { type GuardedUrl, type UrlGuard, urlRejected } from './url-guard.ts';

/** One Trilium, as one connection reaches it. */
export interface Tenant {
  /** For the log, which has neither the address nor the token. */
  readonly host: string;
  /** A hash of its address and token, for sessions that several servers share. */
  readonly key: string;
  readonly backend: unknown;
  /** Whether these headers name another Trilium, or the same with another token. */
  differsFrom(headers: IncomingHttpHeaders): boolean;
  /** Throws an `HttpRefusal` where the headers do not name a Trilium and a token. */
  assertNamed(headers: IncomingHttpHeaders): void;
  close(): void;
}

export interface Credentials extends GuardedUrl {
  readonly token: string;
}

interface TenantsOptions {
  readonly guard: UrlGuard;
  /** Throws when Trilium does not accept the token. */
  readonly probe: (credentials: Credentials) => Promise<void>;
  readonly open: (credentials: Credentials) => { readonly backend: unknown; close(): void };
  /** For name resolution, connection and answer together. */
  readonly timeoutMs: number;
}

/** Throws an `HttpRefusal`. */
export type OpenTenant = (headers: IncomingHttpHeaders) => Promise<Tenant>;

const URL_HEADER = 'x-trilium-url';
const TOKEN_HEADER = 'x-trilium-token';

export function createTenants({ guard, probe, open, timeoutMs }: TenantsOptions): OpenTenant {
  return async (headers) => {
    const { url, token } = credentialsIn(headers);
    const about = { host: '' };
    try {
      const credentials = await within(timeoutMs, async () => {
        about.host = hostOf(url);
        const guarded = { ...(await guard(url)), token };
        await probe(guarded);
        return guarded;
      });
      return tenantOf(
        { host: credentials.host, key: tenantKeyIn(headers) },
        { url, token },
        open(credentials),
      );
    } catch (error) {
      throw error instanceof HttpRefusal ? error : refusalOf(error, about.host);
    }
  };
}

/** The operator's own Trilium, for all callers. */
export function onlyTenant(host: string, backend: unknown): OpenTenant {
  const tenant: Tenant = { ...NO_TENANT, host, backend };
  return async () => tenant;
}

const NO_TENANT: Tenant = {
  host: '',
  key: '',
  backend: undefined,
  differsFrom: () => false,
  assertNamed: () => {},
  close: () => {},
};

/** The tenant of a message for a stream of another server, which has it open. */
export function tenantElsewhere(key: string): Tenant {
  return { ...NO_TENANT, key };
}

/** Throws an `HttpRefusal` where the headers do not name a Trilium and a token. */
export function tenantKeyIn(headers: IncomingHttpHeaders): string {
  const { url, token } = credentialsIn(headers);
  return createHash('sha256')
    .update(JSON.stringify([url, token]))
    .digest('base64url');
}

/** Half of a pair is refused: the other half could only be another tenant's. */
export function credentialsIn(headers: IncomingHttpHeaders): { url: string; token: string } {
  const url = headerIn(headers, URL_HEADER);
  const token = headerIn(headers, TOKEN_HEADER);
  if (url === undefined || token === undefined || !/^[\x21-\x7e]{1,512}$/.test(token))
    throw new HttpRefusal(401, 'missing_trilium_credentials', {
      answer: { message: 'Send X-Trilium-Url and X-Trilium-Token together.' },
      logged: {},
      counted: 'missing_trilium_credentials',
    });
  return { url, token };
}

/** The Trilium that a client names, which may not be there. */
export function urlIn(headers: IncomingHttpHeaders): string | undefined {
  return headerIn(headers, URL_HEADER);
}

function headerIn(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = [headers[name] ?? []].flat().join(', ').trim();
  return value === '' ? undefined : value;
}

function tenantOf(
  about: Pick<Tenant, 'host' | 'key'>,
  { url, token }: { url: string; token: string },
  opened: { readonly backend: unknown; close(): void },
): Tenant {
  // Headers are kept as hashes, which can be compared and not read.
  const hashOf = (value: string) => createHash('sha256').update(value).digest();
  const known = { [URL_HEADER]: hashOf(url), [TOKEN_HEADER]: hashOf(token) };
  return {
    ...about,
    backend: opened.backend,
    differsFrom: (headers) =>
      Object.entries(known).some(([name, hash]) => {
        const value = headerIn(headers, name);
        return value !== undefined && !timingSafeEqual(hash, hashOf(value));
      }),
    assertNamed: (headers) => void credentialsIn(headers),
    close: memoize(() => opened.close()),
  };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.slice(0, 253) : '';
}

async function within<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new AppError('timeout', 'Trilium took too long')), timeoutMs);
  });
  try {
    return await Promise.race([late, work()]);
  } finally {
    clearTimeout(timer);
  }
}

function refusalOf(error: unknown, host: string): unknown {
  if (!isAppError(error)) return error;
  if (error.code === 'timeout')
    return new HttpRefusal(504, 'trilium_validate_timeout', {
      logged: { host },
      counted: 'trilium_validate_timeout',
    });
  // The name had another address when the connection was made (DNS rebinding).
  if (error.code === 'forbidden' && !error.upstream) return urlRejected('private_address');
  const { status, code } = error.upstream ?? { status: 0 };
  if (status >= 300) {
    const facts = { status, code };
    return new HttpRefusal(status === 401 || status === 403 ? 401 : 502, 'trilium_auth_failed', {
      answer: facts,
      logged: { host, ...facts },
      counted: 'trilium_auth_failed',
    });
  }
  return new HttpRefusal(502, 'trilium_unreachable', {
    logged: { host, err: [error.title, error.hint].filter(Boolean).join('. ') },
    counted: 'trilium_unreachable',
  });
}
