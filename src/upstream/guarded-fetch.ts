/**
 * `fetch` for the SDK's HTTP transport, on top of `safe-fetch`: checked addresses only, no redirect followed (the SDK
 * makes a new request, which is checked again), and a size limit for every message.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FetchLike } from '@modelcontextprotocol/client';
import { isLoopbackHost } from '../shared/ip-ranges.ts';
import { type SafeFetchOptions, type StreamedAnswer, safeStream } from '../shared/safe-fetch.ts';
import { TOO_MANY_VALUES } from './calls.ts';
import { createPacer, type Pacer } from './pace.ts';
import { createValueCounter } from './value-count.ts';

const NEWLINE = 10;
const RETURN = 13;

/** Throws at a server-sent event of more bytes, which would fill the memory. An event ends with an empty line. */
export function capEvents(maxBytes: number): (chunk: Uint8Array) => void {
  let held = 0;
  let isLineEmpty = true;
  const values = createValueCounter();
  return (chunk) => {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      held++;
      if (byte === NEWLINE) {
        if (isLineEmpty) {
          assertFew(values.add(chunk.subarray(from, at)));
          values.reset();
          from = at;
          held = 0;
        }
        isLineEmpty = true;
      } else if (byte !== RETURN) isLineEmpty = false;
      if (held > maxBytes) throw new RangeError(`An event has more than ${maxBytes} bytes`);
    }
    assertFew(values.add(chunk.subarray(from)));
  };
}

function assertFew(hasTooMany: boolean): void {
  if (hasTooMany) throw new RangeError(TOO_MANY_VALUES.message);
}

interface GuardOptions {
  /** The configured address; loopback may be reached only if this is a loopback address. */
  readonly serverUrl: URL;
  readonly allowPrivate: boolean;
  /** Time until the headers of an answer. */
  readonly answerTimeoutMs: number;
  /** Limit of one JSON answer or one event. */
  readonly maxMessageBytes: number;
  readonly resolve?: SafeFetchOptions['resolve'];
  /** Called for every answer, before its body is read. */
  readonly onAnswer?: (request: { method: string; url: URL }, status: number) => void;
}

export function guardedFetch(options: GuardOptions): FetchLike {
  // All streams of a server share its part of the event loop.
  const pace = createPacer();
  return async (address, init = {}) => {
    const url = new URL(address);
    const method = (init.method ?? 'GET') as NonNullable<SafeFetchOptions['method']>;
    const headers = new Headers(init.headers as ConstructorParameters<typeof Headers>[0]);
    const answer = await safeStream(url, {
      ...reachFor(url, options),
      method,
      headers: Object.fromEntries(headers),
      redirect: 'return',
      timeoutMs: options.answerTimeoutMs,
      resolve: options.resolve || undefined,
      signal: init.signal ?? undefined,
      body: init.body !== undefined && init.body !== null ? String(init.body) : undefined,
    });
    options.onAnswer?.({ method, url }, answer.status);
    return responseOf(answer, {
      signal: init.signal ?? undefined,
      after: headers.get('last-event-id'),
      options,
      pace,
    });
  };
}

/** https only, except on this machine for a server that is configured there. */
function reachFor(url: URL, options: GuardOptions): Pick<SafeFetchOptions, 'allow' | 'schemes'> {
  const { serverUrl, allowPrivate } = options;
  const isLocal = isOnThisMachine(serverUrl) && isOnThisMachine(url);
  return { allow: reachAllowed(serverUrl, allowPrivate), schemes: isLocal ? ['https', 'http'] : ['https'] };
}

export function isOnThisMachine({ hostname }: URL): boolean {
  return isLoopbackHost(hostname);
}

/** The widest address range that requests to the server may go to. */
export function reachAllowed(serverUrl: URL, allowPrivate: boolean): 'public' | 'loopback' | 'private' {
  if (allowPrivate) return 'private';
  return isOnThisMachine(serverUrl) ? 'loopback' : 'public';
}

interface ResponseReader {
  readonly signal: AbortSignal | undefined;
  /** The `Last-Event-ID` of the request. */
  readonly after: string | null;
  readonly options: GuardOptions;
  readonly pace: Pacer;
}

/** Other work of the same turn is not the server's. */
const MAX_WORK_MS = 20;
/** Events are passed on in pieces, each of which the SDK reads in one go. */
const PIECE_BYTES = 8 * 1024;

function responseOf(answer: StreamedAnswer, reading: ResponseReader): Response {
  const { status, headers } = answer;
  if (status === 204 || status === 205 || status === 304) {
    answer.close();
    return new Response(null, { status, headers });
  }
  return new Response(bodyOf(answer, reading), { status, headers });
}

function bodyOf(
  answer: StreamedAnswer,
  { signal, after, options, pace }: ResponseReader,
): ReadableStream<Uint8Array> {
  const isEvents = (answer.headers.get('content-type') ?? '').startsWith('text/event-stream');
  const check = isEvents ? capEvents(options.maxMessageBytes) : capTotal(options.maxMessageBytes);
  const close = () => answer.close();
  signal?.addEventListener('abort', close, { once: true });
  const chunks = answer.chunks[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array();
  const finish = () => {
    signal?.removeEventListener('abort', close);
    close();
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      // Without it, a stream that breaks before its first event would lose its position.
      if (isEvents && answer.status === 200 && after)
        controller.enqueue(Buffer.from(`id: ${after}\ndata:\n\n`));
    },
    async pull(controller) {
      try {
        if (rest.length === 0) {
          const { value, done } = await chunks.next();
          if (done) {
            finish();
            controller.close();
            return;
          }
          check(value);
          rest = value;
        }
        const size = isEvents ? PIECE_BYTES : rest.length;
        const begun = performance.now();
        controller.enqueue(rest.subarray(0, size));
        rest = rest.subarray(size);
        if (!isEvents) return;
        await nextTurn();
        await pace(Math.min(performance.now() - begun, MAX_WORK_MS));
      } catch (cause) {
        finish();
        controller.error(cause);
      }
    },
    cancel: finish,
  });
}

function capTotal(maxBytes: number): (chunk: Uint8Array) => void {
  let total = 0;
  const values = createValueCounter();
  return (chunk) => {
    total += chunk.length;
    assertFew(values.add(chunk));
    if (total > maxBytes) throw new RangeError(`The answer has more than ${maxBytes} bytes`);
  };
}
