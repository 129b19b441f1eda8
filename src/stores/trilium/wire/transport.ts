/**
 * Every request to one Trilium goes through here. Reads are repeated when the network or a gateway fails; a change
 * is never sent twice, because whoever asked for it has to look first. Nothing points us elsewhere.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createSemaphore } from '../../../shared/async/semaphore.ts';
import type { Connections } from '../../../shared/connections.ts';
import { AppError, isAppError } from '../../../shared/errors.ts';
import type { SafeFetchOptions, safeRead, WholeAnswer } from '../../../shared/safe-fetch.ts';
import { brokenOff, errorOf, type Failure, needsVersion, notTrilium } from './errors.ts';
import { readAppInfo } from './read.ts';
import type { CallOptions, Content } from './types.ts';

/** `0.102.0`, `0.105.0-beta` and the like, by their numbers. */
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
  /** Where Trilium is, with or without `/etapi`. */
  readonly url: string;
  readonly token: string;
  /** Which addresses besides public ones. What an operator wrote may lead to his own network; what a stranger sent may not. */
  readonly allow?: NonNullable<SafeFetchOptions['allow']>;
  readonly schemes?: NonNullable<SafeFetchOptions['schemes']>;
  readonly resolve?: NonNullable<SafeFetchOptions['resolve']>;
  readonly timeoutMs?: number;
  /** Of one body, either way. */
  readonly maxBodyBytes?: number;
  /** How long to wait before a read is repeated, once for each time. */
  readonly retryPauses?: readonly number[];
}

interface EtapiRequest extends CallOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Parts of the path behind `/etapi`; each is encoded by itself. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly json?: unknown;
  /** Sent as text or as bytes: ETAPI takes nothing else. */
  readonly body?: string | Uint8Array;
  /** How many times the usual time it may take; once unless told. */
  readonly patience?: number;
  /** Whether it changes nothing, so that it may be sent again. A GET does not, unless it says so. */
  readonly isRead?: boolean;
  /** An address that older Triliums do not have. */
  readonly since?: { readonly version: string; readonly what: string };
}

export interface Transport {
  /** For messages. */
  readonly host: string;
  json<T>(asking: EtapiRequest, read: (value: unknown, answer: Pick<WholeAnswer, 'header'>) => T): Promise<T>;
  content(asking: EtapiRequest): Promise<Content>;
  /** For what answers with nothing. */
  nothing(asking: EtapiRequest): Promise<void>;
  /** Asked for once. */
  version(): Promise<string>;
  close(): void;
}

const PARALLEL = 8;
const TIMEOUT_MS = 20_000;
const MAX_BODY_BYTES = 100 * 1024 * 1024;
/** 100,000 notes as search results. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;
const RETRY_PAUSES = [200, 800];
/** 500 is not among them: Trilium says it where it means never. */
const PASSING = [502, 503, 504];

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
        resolve: options.resolve || undefined,
        body,
        signal: asking.signal,
      });
    });
    return answer.catch((error: unknown) => {
      throw brokenOff(error, { isRead: isRead(asking), timeoutMs });
    });
  };

  const askAgain = async (asking: EtapiRequest): Promise<WholeAnswer> => {
    for (const pause of retryPauses) {
      try {
        const answer = await ask(asking);
        if (!PASSING.includes(answer.status)) return answer;
      } catch (error) {
        if (!isAppError(error, 'upstream_failed') || error.reason) throw error;
      }
      await sleep(pause * (0.75 + Math.random() / 2), undefined, { signal: asking.signal });
    }
    return ask(asking);
  };

  const succeed = async (asking: EtapiRequest): Promise<WholeAnswer> => {
    const answer = await (isRead(asking) ? askAgain(asking) : ask(asking));
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
    // No caller's signal: others wait for the same answer.
    known ??= json({ path: ['app-info'] }, readAppInfo).then(({ appVersion }) => appVersion);
    const asked = known;
    // A failure is not remembered.
    asked.catch(() => {
      if (known === asked) known = undefined;
    });
    return asked;
  };

  return {
    host: new URL(base).host,
    json,
    content: async (asking) => {
      const answer = await succeed(asking);
      return {
        bytes: answer.bytes,
        contentType: answer.header('content-type') ?? 'application/octet-stream',
      };
    },
    nothing: async (asking) => {
      const answer = await succeed(asking);
      // A login page answers everything, and with a body.
      if (answer.status !== 204) throw notTrilium({ status: answer.status });
    },
    version,
    close: () => void network?.then(({ connections }) => connections.close()),
  };
}

interface Network {
  readonly read: typeof safeRead;
  readonly connections: Connections;
}

/** Loaded with the first request: what speaks HTTP takes longer to load than all else, and a client waits for the start. */
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

/** Refused here, without a word of it: a broken header would be reported with its value. */
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
  // Ids, dates and names hold nothing else; a proxy may decode what we encode, and read steps in it.
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
      hint: 'The answer broke off or was changed on its way. Try again; if it stays so, look at the proxy in between.',
      cause,
    });
  }
}

/** Lenient: some of Trilium's errors have a message and nothing else. A server that repeats the token is not quoted. */
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
    // Its status says enough.
    return undefined;
  }
}

/** Of a `Retry-After`, which holds seconds or a date. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d{1,6}$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return seconds > 0 ? Math.ceil(seconds) : undefined;
}

/** Older Triliums take `notes/history` for a note of that name. */
function isUnknownAddress({ status, message = '', code }: Failure): boolean {
  return status === 404 && (code === undefined || /'history' not found/.test(message));
}
