/**
 * The only HTTP client. Connects to checked addresses only: a name is resolved once, all its addresses must be
 * allowed, and the connection is made to one of them, which defeats DNS rebinding. Follows no redirect, accepts
 * compression only on demand, and is limited in bytes and time.
 */
import { lookup as resolveName } from 'node:dns/promises';
import { type IncomingMessage, request as openRequest } from 'node:http';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type CheckedArgs, type Connections, connectTo, type Target } from './connections.ts';
import { AppError } from './errors.ts';
import { isLoopbackName, type Reach, reachOf } from './ip-ranges.ts';

export interface SafeFetchOptions {
  /** A longer answer is an error. */
  readonly maxBytes: number;
  /** From the name resolution to the last byte. */
  readonly timeoutMs: number;
  /** Addresses allowed besides public ones; `private` includes loopback. Link-local ones never are. */
  readonly allow?: 'public' | 'loopback' | 'private';
  /** Default: https, and http too where `allow` names local addresses. */
  readonly schemes?: readonly ('http' | 'https')[];
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Resolves a name to its addresses. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  readonly connect?: (target: Target) => Duplex;
  /** A connection pool; without it each request has a connection of its own. */
  readonly connections?: Connections;
  /** A redirect is an error or is returned, but never followed. */
  readonly redirect?: 'refuse' | 'return';
  /** Accepts gzip. `maxBytes` counts decompressed bytes. */
  readonly gzip?: boolean;
}

export interface WholeAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The first value, where there are several. */
  header(name: 'content-type' | 'date' | 'retry-after'): string | null;
  readonly bytes: Uint8Array;
}

export interface StreamedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly chunks: AsyncIterable<Uint8Array>;
  close(): void;
}

const MAX_URL_LENGTH = 8_192;

/** Headers that callers cannot set. */
const OWN_HEADERS = [
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'expect',
  'upgrade',
];

/** The addresses that each value of `allow` lets through. */
const ALLOWED: Readonly<Record<NonNullable<SafeFetchOptions['allow']>, readonly Reach[]>> = {
  public: ['public'],
  loopback: ['public', 'loopback'],
  private: ['public', 'loopback', 'private'],
};

export async function safeFetch(address: string | URL, options: SafeFetchOptions): Promise<Response> {
  const { status, headers, bytes } = await safeRead(address, options);
  const hasNoBody = status === 204 || status === 205 || status === 304;
  return new Response(hasNoBody ? null : new Uint8Array(bytes), { status, headers });
}

/** `safeFetch` without a `Response`, which costs as much time as the rest of a short request. */
export async function safeRead(address: string | URL, options: SafeFetchOptions): Promise<WholeAnswer> {
  const url = readUrl(address, options);
  const host = hostOf(url);
  return withinTime(host, options, async (signal) => {
    const message = await open(url, host, options, signal);
    try {
      assertUsable(message, host, options);
      const bytes = await readWithin(message, options, host);
      return wholeAnswer(message, bytes);
    } catch (cause) {
      throw unreachable(cause, host);
    } finally {
      message.destroy();
    }
  });
}

/** For endless answers: `timeoutMs` and `signal` apply until the headers arrive, and the caller closes the stream. */
export async function safeStream(
  address: string | URL,
  options: Omit<SafeFetchOptions, 'maxBytes' | 'gzip'>,
): Promise<StreamedAnswer> {
  const url = readUrl(address, options);
  const host = hostOf(url);
  return withinTime(host, options, async (signal) => {
    const message = await open(url, host, options, signal);
    try {
      assertUsable(message, host, options);
    } catch (cause) {
      message.destroy();
      throw cause;
    }
    return {
      status: message.statusCode ?? 0,
      headers: headersOf(message),
      chunks: message as AsyncIterable<Buffer>,
      close: () => void message.destroy(),
    };
  });
}

async function open(
  url: URL,
  host: string,
  options: Omit<SafeFetchOptions, 'maxBytes'>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const target = {
    host,
    port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    secure: url.protocol === 'https:',
    addresses: await checkedAddresses(host, options),
  };
  signal.throwIfAborted();
  return send(url, target, options, signal);
}

function readUrl(
  address: string | URL,
  { allow = 'public', schemes }: Pick<SafeFetchOptions, 'allow' | 'schemes'>,
): URL {
  const text = String(address);
  const url = text.length <= MAX_URL_LENGTH ? parsedUrl(text) : undefined;
  if (!url)
    throw new AppError('invalid_input', 'Not a web address', {
      hint: 'Give a full address, such as https://example.com/path.',
    });
  const allowed: readonly string[] = schemes ?? (allow === 'public' ? ['https'] : ['https', 'http']);
  if (!allowed.includes(url.protocol.slice(0, -1)))
    throw refused(url.hostname, `Only ${allowed.join(' and ')} may be used here.`);
  if (url.username !== '' || url.password !== '')
    throw refused(url.hostname, 'An address must not hold a user name or a password.');
  return url;
}

function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    // Not an address, as the caller says.
    return undefined;
  }
}

/** Without brackets and the final dot, which names the same host. */
function hostOf(url: URL): string {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const isName = host.length <= 253 && host.split('.').every((label) => label !== '');
  if (isIP(host) === 0 && !isName)
    throw refused(host.slice(0, 253), 'Its host is not a name that can exist.');
  return host;
}

interface AddressRules extends Pick<SafeFetchOptions, 'allow' | 'resolve'> {
  /** Addresses that are allowed one by one, except those that requests must never be sent to. */
  readonly isNamed?: (address: string) => boolean;
}

/** The addresses of a host, all of which may be connected to. Throws where one may not, or there is none. */
export async function checkedAddresses(
  host: string,
  { allow = 'public', resolve = systemResolve, isNamed = () => false }: AddressRules,
): Promise<readonly string[]> {
  const isLiteral = isIP(host) !== 0;
  if (!isLiteral && isLoopbackName(host) && allow === 'public') throw notAllowed(host);
  const addresses = isLiteral ? [host] : await resolve(host).catch((cause) => throwUnknown(host, cause));
  if (addresses.length === 0) throwUnknown(host);
  // One forbidden address is enough: an attacker would mix it with allowed ones.
  const isAllowed = (address: string) => {
    const reach = reachOf(address);
    return ALLOWED[allow].includes(reach) || (reach !== 'special' && isNamed(address));
  };
  if (!addresses.every(isAllowed)) throw notAllowed(host);
  return addresses;
}

async function systemResolve(name: string): Promise<readonly string[]> {
  return (await resolveName(name, { all: true })).map(({ address }) => address);
}

function send(
  url: URL,
  target: Target,
  options: Omit<SafeFetchOptions, 'maxBytes'>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { method = 'GET', headers = {}, body, connect = connectTo, connections } = options;
  const { host, port, secure } = target;
  const sent = foreignHeaders(headers);
  const hostHeader = isIP(host) === 6 ? `[${host}]` : host;
  sent.host = url.port === '' ? hostHeader : `${hostHeader}:${url.port}`;
  sent['accept-encoding'] = options.gzip ? 'gzip' : 'identity';
  const bytes = body === undefined ? undefined : Buffer.from(body);
  if (bytes) sent['content-length'] = String(bytes.length);
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => reject(unreachable(cause, host));
    const open = () => connect(target);
    const kept: CheckedArgs = { host, port, secure, open, agent: connections };
    let hasAnswer = false;
    openRequest({
      method,
      path: `${url.pathname}${url.search}`,
      headers: sent,
      signal,
      ...(connections ? kept : { createConnection: open }),
    })
      .once('response', (message) => {
        hasAnswer = true;
        resolve(message);
      })
      .on('error', fail)
      // Created lazily: every connection closes, and an Error is costly.
      .once('close', () => hasAnswer || fail(new Error('closed without an answer')))
      .end(bytes);
  });
}

/** The headers of the caller. Node refuses values with line breaks, without quoting them. */
function foreignHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!OWN_HEADERS.includes(lower)) kept[lower] = value.trim();
  }
  return kept;
}

function assertUsable(
  message: IncomingMessage,
  host: string,
  { redirect = 'refuse', gzip = false }: Pick<SafeFetchOptions, 'redirect' | 'gzip'>,
): void {
  const status = message.statusCode ?? 0;
  if (redirect === 'refuse' && status >= 300 && status < 400 && status !== 304)
    throw new AppError('upstream_failed', 'Redirect refused', {
      subject: host,
      hint: `It answered ${status} and points elsewhere. Give the address it points to.`,
    });
  if (status < 200 || status > 599)
    throw new AppError('upstream_failed', 'Not an answer', {
      subject: host,
      hint: `Its status is ${status}.`,
    });
  const coding = codingOf(message);
  if (coding !== 'identity' && !(gzip && coding === 'gzip'))
    throw new AppError('upstream_failed', 'Compressed answer refused', {
      subject: host,
      hint: 'It was asked for a plain one.',
    });
}

function codingOf(message: IncomingMessage): string {
  return (message.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
}

async function readWithin(
  message: IncomingMessage,
  { maxBytes, method }: SafeFetchOptions,
  host: string,
): Promise<Uint8Array> {
  const declared = Number(message.headers['content-length'] ?? 0);
  const tooLarge = () =>
    new AppError('upstream_failed', 'Answer too large', {
      subject: host,
      reason: 'too_large',
      hint:
        declared > maxBytes
          ? `It has ${declared} bytes; the limit is ${maxBytes} bytes.`
          : `It has more than the ${maxBytes} bytes that are the limit.`,
    });
  if (method !== 'HEAD' && declared > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  const source = codingOf(message) === 'gzip' ? unzipped(message) : message;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Fails when the answer is cut off. */
function unzipped(message: IncomingMessage): AsyncIterable<Buffer> {
  const gunzip = createGunzip();
  message.once('error', (error) => gunzip.destroy(error));
  return message.pipe(gunzip);
}

/** Without a `Headers` object, which takes longer to make than a short answer to read. */
function wholeAnswer(message: IncomingMessage, bytes: Uint8Array): WholeAnswer {
  let headers: Headers | undefined;
  return {
    status: message.statusCode ?? 0,
    bytes,
    header: (name) => message.headers[name] ?? null,
    get headers() {
      headers ??= headersOf(message);
      return headers;
    },
  };
}

function headersOf(message: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < message.rawHeaders.length; at += 2)
    headers.append(message.rawHeaders[at] ?? '', message.rawHeaders[at + 1] ?? '');
  return headers;
}

/** Rejects at the timeout or when the caller aborts, even during name resolution. */
async function withinTime<T>(
  host: string,
  { timeoutMs, signal }: Pick<SafeFetchOptions, 'timeoutMs' | 'signal'>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const giveUp = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => controller.abort(tooSlow(host, timeoutMs)), timeoutMs);
  signal?.addEventListener('abort', giveUp, { once: true });
  const ended = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
  });
  try {
    return await Promise.race([ended, work(controller.signal)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
}

function tooSlow(host: string, timeoutMs: number): AppError {
  return new AppError('timeout', 'Server took too long', {
    subject: host,
    hint: `The limit is ${timeoutMs} ms. Try again later.`,
  });
}

function notAllowed(host: string): AppError {
  return refused(
    host,
    'It is not an address on the public internet. The operator can allow local addresses.',
  );
}

function refused(host: string, hint: string): AppError {
  return new AppError('forbidden', 'Address refused', { subject: host, hint });
}

function throwUnknown(host: string, cause?: unknown): never {
  throw new AppError('upstream_failed', 'Name not found', {
    subject: host,
    hint: 'DNS has no address for it. Check the spelling.',
    cause,
  });
}

function unreachable(cause: unknown, host: string): unknown {
  if (cause instanceof AppError) return cause;
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  return new AppError('upstream_failed', 'Cannot reach the server', {
    subject: host,
    hint: `The connection failed or broke${code}. Check the address, or try again later.`,
    cause,
  });
}
