/**
 * Sends all requests to one Trilium. Reads are retried after network and gateway failures. Changes are never retried
 * here: the caller has to read the note before it decides. Redirects are not followed.
 */
import { createSemaphore } from '../../../shared/async/semaphore.ts';
import type { Connections } from '../../../shared/connections.ts';
import { AppError } from '../../../shared/errors.ts';
import type { SafeFetchOptions, safeRead, WholeAnswer } from '../../../shared/safe-fetch.ts';
import { RETRY_PAUSES, withRetries } from '../../remote.ts';
import { type Content, readAppInfo } from './entities.ts';
import { brokenOff, errorOf, type Failure, needsVersion, notTrilium } from './errors.ts';

/** Compares the numbers of versions such as `0.102.0` and `0.105.0-beta`. */
export function isAtLeast(version: string, wanted: string): boolean {
  const [present, needed] = [version, wanted].map(numbersOf);
  for (let at = 0; at < 3; at++) {
    const difference = (present?.[at] ?? 0) - (needed?.[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function numbersOf(version: string): number[] {
  return version.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0);
}

export interface TransportOptions {
  /** Address of Trilium, with or without `/etapi`. */
  readonly url: string;
  readonly token: string;
  /** IP ranges allowed besides public ones: private ones for an operator's address, none for a tenant's. */
  readonly allow?: NonNullable<SafeFetchOptions['allow']>;
  readonly schemes?: NonNullable<SafeFetchOptions['schemes']>;
  readonly resolve?: NonNullable<SafeFetchOptions['resolve']>;
  readonly timeoutMs?: number;
  /** Limit of a request or response body. */
  readonly maxBodyBytes?: number;
  /** Delays before each retry of a read. */
  readonly retryPauses?: readonly number[];
}

/** Limits of the requests of one caller. */
export interface CallLimits {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

interface EtapiRequest extends CallLimits {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Segments of the path after `/etapi`, not encoded. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly json?: unknown;
  /** Sent as text or bytes; ETAPI accepts nothing else. */
  readonly body?: string | Uint8Array;
  /** A longer response is an error and is not read completely. */
  readonly maxBytes?: number;
  /** Timeout factor. Default: 1. */
  readonly patience?: number;
  /** Whether the request may be retried because it changes nothing. Default: true for GET. */
  readonly isRead?: boolean;
  /** The version that introduced the endpoint. */
  readonly since?: { readonly version: string; readonly what: string };
}

export interface Transport {
  /** For messages. */
  readonly host: string;
  json<T>(asking: EtapiRequest, read: (value: unknown, answer: Pick<WholeAnswer, 'header'>) => T): Promise<T>;
  content(asking: EtapiRequest): Promise<Content>;
  /** For endpoints without a response body. */
  nothing(asking: EtapiRequest): Promise<void>;
  /** Requested once. */
  version(): Promise<string>;
  /** A transport to the same Trilium with these limits on each request. */
  limited(limits: CallLimits): Transport;
  close(): void;
}

const PARALLEL = 8;
const TIMEOUT_MS = 20_000;
const MAX_BODY_BYTES = 100 * 1024 * 1024;
/** Room for 100,000 search results. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;

export function createTransport(options: TransportOptions): Transport {
  const { retryPauses = RETRY_PAUSES, maxBodyBytes = MAX_BODY_BYTES } = options;
  const base = baseOf(options.url);
  const authorization = checkedToken(options.token);
  let network: Promise<Network> | undefined;
  const inSlot = createSemaphore(PARALLEL);

  const ask = (asking: EtapiRequest): Promise<WholeAnswer> => {
    const { body, type } = bodyOf(asking);
    if (body !== undefined && Buffer.byteLength(body) > maxBodyBytes) throw tooLarge(maxBodyBytes);
    const usualMs = options.timeoutMs ?? TIMEOUT_MS;
    const timeoutMs = asking.timeoutMs ?? usualMs * (asking.patience ?? 1);
    const address = `${base}${pathOf(asking)}`;
    const answer = inSlot(async () => {
      network ??= openNetwork();
      const { read, connections } = await network;
      return read(address, {
        connections,
        allow: options.allow ?? 'public',
        redirect: 'return',
        method: asking.method ?? 'GET',
        timeoutMs,
        maxBytes: asking.maxBytes ?? maxBodyBytes,
        headers: { authorization, ...(type !== undefined && { 'content-type': type }) },
        schemes: options.schemes,
        resolve: options.resolve,
        body,
        signal: asking.signal,
      });
    });
    return answer.catch((error: unknown) => {
      throw brokenOff(error, { isRead: isRead(asking), timeoutMs });
    });
  };

  const succeed = async (asking: EtapiRequest): Promise<WholeAnswer> => {
    const pauses = isRead(asking) ? retryPauses : [];
    const answer = await withRetries(() => ask(asking), { pauses, signal: asking.signal });
    if (answer.status < 300) return answer;
    const failure = failureOf(answer, authorization);
    if (asking.since && isUnknownAddress(failure)) {
      const present = await version();
      if (!isAtLeast(present, asking.since.version))
        throw needsVersion(asking.since.version, present, asking.since.what);
    }
    throw errorOf(failure);
  };

  const json: Transport['json'] = async (asking, read) => {
    const most = Math.min(MAX_JSON_BYTES, maxBodyBytes);
    const answer = await succeed({ ...asking, maxBytes: asking.maxBytes ?? most });
    if (!isJson(answer)) throw notTrilium({ status: answer.status });
    return read(parsed(answer), answer);
  };

  let known: Promise<string> | undefined;
  const version: Transport['version'] = async () => {
    // Without the caller's signal, because other callers wait for the same response.
    known ??= json({ path: ['app-info'] }, readAppInfo).then(({ appVersion }) => appVersion);
    const asked = known;
    // Failures are not cached.
    asked.catch(() => {
      if (known === asked) known = undefined;
    });
    return asked;
  };

  const limited = (limits: CallLimits): Transport => ({
    host: new URL(base).host,
    json: (asking, read) => json({ ...limits, ...asking }, read),
    content: async (asking) => {
      const answer = await succeed({ ...limits, ...asking });
      return {
        bytes: answer.bytes,
        contentType: answer.header('content-type') ?? 'application/octet-stream',
      };
    },
    nothing: async (asking) => {
      const { status } = await succeed({ ...limits, ...asking });
      // A login page answers any request with a body.
      if (status !== 204) throw notTrilium({ status });
    },
    version,
    limited,
    close: () => void network?.then(({ connections }) => connections.destroy()),
  });
  return limited({});
}

interface Network {
  readonly read: typeof safeRead;
  readonly connections: Connections;
}

/** Loaded with the first request, because the HTTP client takes longer to load than everything else. */
async function openNetwork(): Promise<Network> {
  const { safeRead: read } = await import('../../../shared/safe-fetch.ts');
  const { Connections: Kept } = await import('../../../shared/connections.ts');
  return { read, connections: new Kept(PARALLEL) };
}

function baseOf(url: string): string {
  const trimmed = url
    .trim()
    .replace(/\/+$/, '')
    .replace(/\/etapi$/, '');
  const parsed = URL.canParse(trimmed) ? new URL(trimmed) : undefined;
  const isPlain =
    parsed &&
    /^https?:$/.test(parsed.protocol) &&
    `${parsed.search}${parsed.hash}${parsed.username}${parsed.password}` === '';
  if (!isPlain)
    throw new AppError('invalid_input', 'Not the address of a Trilium', {
      hint: 'Give it in full, without a password and without anything after the path, for example https://trilium.example.com.',
    });
  return `${trimmed}/etapi`;
}

/** Refuses an invalid token without quoting it; the error of an invalid header would contain it. */
function checkedToken(token: string): string {
  const trimmed = token.trim();
  if (!/^[\x21-\x7e]{1,512}$/.test(trimmed))
    throw new AppError('invalid_input', 'Not an ETAPI token', {
      hint: 'Make one in Trilium under Options, ETAPI, and give it whole, on one line.',
    });
  return trimmed;
}

function isRead({ method = 'GET', isRead: said }: EtapiRequest): boolean {
  return said ?? method === 'GET';
}

function pathOf({ path, query = {} }: EtapiRequest): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parameters.set(name, String(value));
  const search = parameters.size === 0 ? '' : `?${parameters}`;
  // Ids, dates and names have no other characters. A proxy might decode others and resolve `..` in them.
  if (!path.every((part) => /^[\w.-]+$/.test(part) && !/^\.+$/.test(part)))
    throw new AppError('invalid_input', 'Invalid address', {
      hint: 'An id or a date holds a sign it cannot.',
    });
  return `/${path.map(encodeURIComponent).join('/')}${search}`;
}

function bodyOf({ json, body }: EtapiRequest): { body?: string | Uint8Array; type?: string } {
  if (json !== undefined) return { body: JSON.stringify(json), type: 'application/json' };
  if (body === undefined) return {};
  return { body, type: typeof body === 'string' ? 'text/plain' : 'application/octet-stream' };
}

function tooLarge(most: number): AppError {
  return new AppError('unsupported', 'Too large to send', {
    reason: 'too_large',
    hint: `The limit is ${Math.floor(most / 1024 / 1024)} MB.`,
  });
}

function isJson(answer: WholeAnswer): boolean {
  return /^application\/json\b/i.test(answer.header('content-type') ?? '');
}

function parsed({ bytes }: WholeAnswer): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
  } catch (cause) {
    throw new AppError('upstream_failed', 'Trilium sent broken JSON', {
      hint: 'The answer broke off or was changed on its way. Try again; if it happens again, look at the proxy in between.',
      cause,
    });
  }
}

/** Lenient, because some errors of Trilium have only a message. A message that contains the token is dropped. */
function failureOf(answer: WholeAnswer, token: string): Failure {
  const { status } = answer;
  const waitSeconds = secondsOf(answer.header('retry-after'));
  if (!isJson(answer)) return { status, isJson: false, waitSeconds };
  const body = parsedOrNothing(answer);
  const { code, message } = (typeof body === 'object' && body !== null ? body : {}) as Record<
    string,
    unknown
  >;
  return {
    status,
    isJson: true,
    waitSeconds,
    code: typeof code === 'string' && /^[A-Z_]{1,60}$/.test(code) ? code : undefined,
    message: typeof message === 'string' ? message.replaceAll(token, '…') : undefined,
  };
}

function parsedOrNothing(answer: WholeAnswer): unknown {
  try {
    return parsed(answer);
  } catch {
    // The status is enough.
    return undefined;
  }
}

/** Parses `Retry-After`: seconds or a date. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d{1,6}$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return seconds > 0 ? Math.ceil(seconds) : undefined;
}

/** Older versions read `notes/history` as the id of a note. */
function isUnknownAddress({ status, message = '', code }: Failure): boolean {
  return status === 404 && (code === undefined || /'history' not found/.test(message));
}
