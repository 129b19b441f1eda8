/**
 * Strict parsing of SilverBullet's responses; anything unexpected is treated as coming from another server. Errors name
 * the next step, and never contain a token or a response body.
 */
import { AppError } from '../../shared/errors.ts';

/**
 * Whether the response has another content type than expected; SilverBullet serves its web page at every unknown
 * address.
 */
export function isAnotherAnswer({ headers }: Pick<Response, 'headers'>, expected: string): boolean {
  return !(headers.get('content-type') ?? '').toLowerCase().startsWith(expected);
}

export function notSilverBullet(): AppError {
  return new AppError('upstream_failed', 'The server does not answer like SilverBullet 2', {
    hint: 'Check SB_URL: it needs the prefix of the space where there is one (https://host/prefix), and SilverBullet 0.x is not supported.',
  });
}

/** The error for a response without success status, about `subject`. */
export function errorOf(response: Pick<Response, 'status' | 'headers'>, subject?: string): AppError {
  const { status } = response;
  const isPage = (response.headers.get('content-type') ?? '').startsWith('text/html');
  if (status >= 300 && status < 400)
    return new AppError('upstream_failed', 'SilverBullet answers with a redirect', {
      hint: `It answered ${status}. Check SB_URL, and let requests with SB_TOKEN pass the login page in front of it.`,
    });
  if (status === 401)
    return new AppError('unauthorized', 'SilverBullet refuses the token', {
      hint: 'Check SB_TOKEN. It has to be the SB_AUTH_TOKEN of the server, or an API token of an account there.',
    });
  if (isPage) return status === 404 ? notSilverBullet() : refusedOnTheWay(status, subject);
  switch (status) {
    case 403:
      return new AppError('forbidden', 'SilverBullet refuses the request', {
        subject,
        hint: 'The page is read-only there, or the token may not change it. Nothing was changed.',
      });
    case 404:
      return new AppError('not_found', 'File not found', { subject });
    case 405:
      return new AppError('read_only', 'SilverBullet is read-only', {
        subject,
        hint: 'The server takes no changes (SB_READ_ONLY). Nothing was changed.',
      });
    case 413:
      return new AppError('unsupported', 'Too large for the server', {
        subject,
        reason: 'too_large',
        hint: 'SilverBullet or a proxy in front of it limits how much may be sent. Make the page smaller, or raise the limit there.',
      });
    case 429:
      return new AppError('rate_limited', 'Too many requests for the server', {
        hint: 'SilverBullet or a proxy in front of it limits requests. Wait a moment and try again.',
      });
    default:
      return new AppError('upstream_failed', 'SilverBullet failed', {
        subject,
        hint: `It answered ${status}. Look at its log; try again later.`,
      });
  }
}

function refusedOnTheWay(status: number, subject: string | undefined): AppError {
  return new AppError('upstream_failed', 'A proxy in front of SilverBullet refuses the request', {
    subject,
    hint: `It answered ${status} with a web page. Some proxies refuse names that hold ? # or ; and some want a login: look at its log.`,
  });
}

export function tooLarge(subject: string, megabytes: number): AppError {
  return new AppError('unsupported', 'File too large', {
    subject,
    reason: 'too_large',
    hint: `The limit is ${megabytes} MB.`,
  });
}

/** File metadata from response headers. */
export interface RemoteMeta {
  /** Bytes, as announced by the server before the body. */
  readonly size: number;
  /** Milliseconds since 1970. May repeat and go backwards. */
  readonly lastModified: number;
  readonly contentType: string;
  readonly isReadOnly: boolean;
  /** The server's clock at the response, to the second; our clock where the header is missing. */
  readonly servedAt: number;
}

export interface RemoteFile extends RemoteMeta {
  readonly bytes: Uint8Array;
}

export interface ListedFile extends Omit<RemoteMeta, 'servedAt'> {
  readonly name: string;
}

/** The response of `/.config`. */
export interface SpaceConfig {
  readonly readOnly: boolean;
  /** Missing before 2.10. */
  readonly shellBackend?: string;
}

/** Throws when headers are missing that SilverBullet always sends. */
export function metaOf({ headers }: Response): RemoteMeta {
  const lastModified = Number(headers.get('x-last-modified') ?? Number.NaN);
  const size = Number(headers.get('x-content-length') ?? headers.get('content-length') ?? Number.NaN);
  if (!Number.isFinite(lastModified) || !Number.isFinite(size)) throw notSilverBullet();
  return {
    size,
    lastModified,
    contentType: typeOf(headers.get('x-content-type') ?? headers.get('content-type')),
    isReadOnly: headers.get('x-permission') === 'ro',
    servedAt: Date.parse(headers.get('date') ?? '') || Date.now(),
  };
}

export async function listingOf(response: Response): Promise<ListedFile[]> {
  const entries = await jsonOf(response);
  if (!Array.isArray(entries)) throw notSilverBullet();
  return entries.map(readEntry);
}

export async function configOf(response: Response): Promise<SpaceConfig> {
  const config = await jsonOf(response);
  if (typeof config !== 'object' || config === null || !('readOnly' in config)) throw notSilverBullet();
  const { readOnly, shellBackend } = config as { readOnly: unknown; shellBackend?: unknown };
  return {
    readOnly: readOnly === true,
    shellBackend: typeof shellBackend === 'string' ? shellBackend : undefined,
  };
}

async function jsonOf(response: Response): Promise<unknown> {
  if (isAnotherAnswer(response, 'application/json')) throw notSilverBullet();
  try {
    return await response.json();
  } catch (cause) {
    throw new AppError('upstream_failed', 'SilverBullet sent broken JSON', {
      hint: 'The answer broke off or was changed on its way. Try again; if it happens again, look at the proxy in between.',
      cause,
    });
  }
}

function readEntry(entry: unknown): ListedFile {
  const { name, size, lastModified, contentType, perm } = (entry ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string' || typeof size !== 'number' || typeof lastModified !== 'number')
    throw notSilverBullet();
  return {
    name,
    size,
    lastModified,
    contentType: typeOf(typeof contentType === 'string' ? contentType : null),
    isReadOnly: perm === 'ro',
  };
}

function typeOf(header: string | null): string {
  return header?.split(';')[0]?.trim().toLowerCase() || 'application/octet-stream';
}
