/**
 * HTTP client of one SilverBullet space; every request goes through `ask`. Reads are retried after network and
 * gateway failures. Changes are never retried here: the caller has to read the page before it decides.
 */
import { createSemaphore } from '../../shared/async/semaphore.ts';
import { Connections } from '../../shared/connections.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import {
  type SafeFetchOptions,
  type StreamedAnswer,
  safeFetch,
  safeStream,
} from '../../shared/safe-fetch.ts';
import { RETRY_PAUSES, withRetries } from '../remote.ts';
import {
  configOf,
  errorOf,
  isAnotherAnswer,
  type ListedFile,
  listingOf,
  metaOf,
  notSilverBullet,
  type RemoteFile,
  type RemoteMeta,
  type SpaceConfig,
  tooLarge,
} from './wire.ts';

export interface ClientOptions {
  /**
   * Address of the space, including its path prefix. Set by the operator, so it may lead to this machine or a
   * private network.
   */
  readonly url: string;
  readonly token?: string;
  /** Delays before each retry of a read. */
  readonly retryPauses?: readonly number[];
  readonly timeoutMs?: number;
}

interface SpaceRequest {
  readonly method?: 'GET' | 'PUT' | 'DELETE' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly gzip?: boolean;
  /** Sends no token, to check what anonymous clients can read. */
  readonly anonymous?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface SilverBulletClient {
  /** For messages; without credentials. */
  readonly host: string;
  /** Sends any request and returns the raw response. */
  ask(path: string, asking?: SpaceRequest): Promise<Response>;
  list(signal?: AbortSignal): Promise<ListedFile[]>;
  config(): Promise<SpaceConfig>;
  /** Undefined when the file does not exist. */
  get(name: string): Promise<RemoteFile | undefined>;
  /** Metadata without content; also answers for a folder. */
  meta(name: string): Promise<RemoteMeta | undefined>;
  /** After an uncertain error the file may be old, new or damaged. */
  put(name: string, bytes: Uint8Array, lastModified?: number): Promise<RemoteMeta>;
  /** Whether the file existed. */
  remove(name: string): Promise<boolean>;
  /** The stream of change events; undefined where the server has none. */
  events(signal?: AbortSignal): Promise<StreamedAnswer | undefined>;
  close(): void;
}

export const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_LISTING_BYTES = 256 * 1024 * 1024;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Maximum concurrent requests: twenty search hits take two round trips. */
export const PARALLEL = 16;
const TIMEOUT_MS = 20_000;
const LISTING_TIMEOUT_MS = 30_000;

export function createSilverBulletClient(options: ClientOptions): SilverBulletClient {
  const { token, timeoutMs = TIMEOUT_MS, retryPauses = RETRY_PAUSES } = options;
  const base = baseOf(options.url);
  const connections = new Connections(PARALLEL);
  const inSlot = createSemaphore(PARALLEL);

  const common = (
    asking: SpaceRequest,
  ): Pick<SafeFetchOptions, 'allow' | 'redirect' | 'headers' | 'method' | 'timeoutMs'> => ({
    allow: 'private',
    redirect: 'return',
    method: asking.method ?? 'GET',
    timeoutMs: asking.timeoutMs ?? timeoutMs,
    headers: {
      'x-sync-mode': 'true',
      accept: 'application/octet-stream',
      ...(token !== undefined && !asking.anonymous && { authorization: `Bearer ${token}` }),
      ...asking.headers,
    },
  });

  const ask = (path: string, asking: SpaceRequest = {}): Promise<Response> =>
    inSlot(() =>
      safeFetch(`${base}${path}`, {
        ...common(asking),
        connections,
        maxBytes: asking.maxBytes ?? MAX_ANSWER_BYTES,
        gzip: asking.gzip ?? false,
        body: asking.body,
        signal: asking.signal,
      }),
    );

  const askAgain = (path: string, asking: SpaceRequest): Promise<Response> =>
    withRetries(() => ask(path, asking), { pauses: retryPauses, signal: asking.signal });

  const readFile = async (name: string, asking: SpaceRequest): Promise<Response | undefined> => {
    const answer = await askAgain(pathOf(name), asking).catch((error: unknown) => {
      throw isAppError(error) && error.reason === 'too_large'
        ? tooLarge(name, MAX_FILE_BYTES / 1048576)
        : error;
    });
    return isMissing(answer) ? undefined : succeeded(answer, name);
  };

  return {
    host: new URL(base).host,
    ask,
    list: async (signal) => {
      const answer = await askAgain('/.fs', {
        timeoutMs: Math.max(timeoutMs, LISTING_TIMEOUT_MS),
        maxBytes: MAX_LISTING_BYTES,
        gzip: true,
        signal,
      });
      if (answer.status === 404) throw notSilverBullet();
      return listingOf(succeeded(answer));
    },
    config: async () => configOf(succeeded(await askAgain('/.config', {}))),
    get: async (name) => {
      const answer = await readFile(name, { maxBytes: MAX_FILE_BYTES });
      return answer && { ...metaOf(answer), bytes: new Uint8Array(await answer.arrayBuffer()) };
    },
    meta: async (name) => {
      const answer = await readFile(name, { headers: { 'x-get-meta': 'true' } });
      return answer && metaOf(answer);
    },
    put: async (name, bytes, lastModified) => {
      const answer = await ask(pathOf(name), {
        method: 'PUT',
        body: bytes,
        headers: {
          'content-type': name.endsWith('.md') ? 'text/markdown' : 'application/octet-stream',
          'x-permission': 'rw',
          ...(lastModified !== undefined && { 'x-last-modified': String(lastModified) }),
        },
      });
      return metaOf(succeeded(answer, name));
    },
    remove: async (name) => {
      const answer = await ask(pathOf(name), { method: 'DELETE' });
      if (isMissing(answer)) return false;
      if (!isAnotherAnswer(succeeded(answer, name), 'text/html')) throw notSilverBullet();
      return true;
    },
    events: async (signal) => {
      const asking = common({ headers: { accept: 'text/event-stream' } });
      const stream = await safeStream(`${base}/.events`, { ...asking, signal });
      if (stream.status === 200 && !isAnotherAnswer(stream, 'text/event-stream')) return stream;
      stream.close();
      return undefined;
    },
    close: () => connections.destroy(),
  };
}

/** A web page with this status comes from another server. */
function isMissing(answer: Response): boolean {
  return answer.status === 404 && isAnotherAnswer(answer, 'text/html');
}

function succeeded(answer: Response, subject?: string): Response {
  if (answer.status !== 200) throw errorOf(answer, subject);
  return answer;
}

function baseOf(url: string): string {
  const trimmed = url.trim().replace(/\/+$/, '');
  const parsed = URL.canParse(trimmed) ? new URL(trimmed) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.search !== '' || parsed.hash !== '')
    throw new AppError('invalid_input', 'SB_URL is not the address of a space', {
      hint: 'Give it in full and without anything after the path, for example https://notes.example.com/prefix.',
    });
  return trimmed;
}

/**
 * Encodes each segment, so that a name cannot be read as a path or query. Hidden files are refused before anything
 * is sent, because SilverBullet serves its secrets from them.
 */
function pathOf(name: string): string {
  const segments = name.split('/');
  if (name.split(/[\\/]/).some((segment) => segment === '' || segment.startsWith('.')))
    throw new AppError('forbidden', 'Access denied', {
      subject: name.toWellFormed(),
      hint: 'Names that begin with a dot are not part of the notebook. Choose another path.',
    });
  try {
    return `/.fs/${segments.map(encodeURIComponent).join('/')}`;
  } catch (cause) {
    throw new AppError('invalid_input', 'Invalid path', {
      subject: name.toWellFormed(),
      hint: 'It holds half a character (an unpaired surrogate). Write the name again.',
      cause,
    });
  }
}
