/** What SilverBullet's answers say, read strictly: whatever does not look like its own answer is none. */
import { AppError } from '../../shared/errors.ts';
import { isAnotherAnswer, notSilverBullet } from './errors.ts';

/** One file as its headers describe it. */
export interface RemoteMeta {
  /** Bytes, as the server counted them before it sent the body. */
  readonly size: number;
  /** Milliseconds since 1970. May repeat and go backwards. */
  readonly lastModified: number;
  readonly contentType: string;
  readonly isReadOnly: boolean;
  /** The server's clock when it answered, to the second; ours, where it does not tell. */
  readonly servedAt: number;
}

export interface RemoteFile extends RemoteMeta {
  readonly bytes: Uint8Array;
}

export interface ListedFile {
  readonly name: string;
  readonly size: number;
  readonly lastModified: number;
  readonly contentType: string;
  readonly isReadOnly: boolean;
}

/** What `/.config` tells. */
export interface SpaceConfig {
  readonly readOnly: boolean;
  /** Not told before 2.10. */
  readonly shellBackend?: string;
}

/** Throws for an answer without the headers every file has: it came from something else. */
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
      hint: 'The answer broke off or was changed on its way. Try again; if it stays so, look at the proxy in between.',
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
