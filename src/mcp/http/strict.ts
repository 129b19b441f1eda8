/**
 * An endpoint that speaks 2025-11-25 and nothing else: it refuses other versions instead of negotiating, waits for
 * `notifications/initialized`, and answers the probe of a newer client so that it falls back.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JSONRPCMessage, MessageExtraInfo, RequestId, Transport } from '@modelcontextprotocol/server';
import { NotificationStream, type StreamLimits } from './notification-stream.ts';
import { answerError, type McpExchange } from './refusals.ts';

export const STRICT_VERSION = '2025-11-25';
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const INTERNAL = -32_603;
const REFUSED = -32_000;
const RESOURCE_NOT_FOUND = -32_002;
const CANCELLED = -32_800;
/** The HTTP status of a JSON-RPC error that is not one of HTTP. */
const OK = 200;
const MOST_PROBLEMS = 3;

type ErrorResponse = Extract<JSONRPCMessage, { error: unknown }>;

/**
 * The SDK has other codes for two errors of 2025-11-25: a missing resource, and parameters of a wrong shape. `method` is
 * that of the request.
 */
function asOf2025(message: ErrorResponse, method: string | undefined): ErrorResponse {
  const { error } = message;
  const uri = (error.data as { uri?: unknown } | undefined)?.uri;
  if (method === 'resources/read' && error.code === INVALID_PARAMS && typeof uri === 'string')
    return { ...message, error: { ...error, code: RESOURCE_NOT_FOUND } };
  const problems = error.code === INTERNAL ? problemsIn(error.message) : [];
  if (problems.length === 0) return message;
  return {
    ...message,
    error: { code: INVALID_PARAMS, message: `Invalid params: ${problems.join('; ')}` },
  };
}

/** The SDK's message is the list of schema issues, as JSON. */
function problemsIn(text: string): string[] {
  if (!text.startsWith('[')) return [];
  try {
    const issues = JSON.parse(text) as readonly { path?: unknown; message?: unknown }[];
    return issues
      .slice(0, MOST_PROBLEMS)
      .flatMap(({ path, message }) =>
        Array.isArray(path) && typeof message === 'string'
          ? [`${path.filter((step) => step !== 'params').join('.')}: ${message.slice(0, 200)}`]
          : [],
      );
  } catch {
    return [];
  }
}

/**
 * Between a session's server and the SDK's transport. A request that its client cancels is answered at once, so that
 * the stream that waits for the answer ends; notifications without a request go to the notification stream.
 */
class StrictTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  readonly #inner: Transport;
  readonly #notify: (message: JSONRPCMessage) => void;
  /** Methods of the requests that have no answer yet. */
  readonly #running = new Map<RequestId, string>();

  constructor(inner: Transport, notify: (message: JSONRPCMessage) => void) {
    this.#inner = inner;
    this.#notify = notify;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message, extra) => this.#receive(message, extra);
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    await this.#inner.start();
  }

  setSupportedProtocolVersions(versions: string[]): void {
    this.#inner.setSupportedProtocolVersions?.(versions);
  }

  async send(message: JSONRPCMessage, options?: Parameters<Transport['send']>[1]): Promise<void> {
    if (!('method' in message)) return this.#answer(message);
    if (options?.relatedRequestId === undefined) this.#notify(message);
    else await this.#inner.send(message, options);
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }

  /** A cancelled request has been answered already. */
  async #answer(message: Exclude<JSONRPCMessage, { method: string }>): Promise<void> {
    const id = message.id as RequestId;
    const method = this.#running.get(id);
    if (!this.#running.delete(id)) return;
    await this.#inner.send('error' in message ? asOf2025(message, method) : message);
  }

  #receive(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    if ('method' in message && 'id' in message) this.#running.set(message.id, message.method);
    this.onmessage?.(message, extra);
    if ('method' in message && message.method === 'notifications/cancelled') this.#cancel(message.params);
  }

  /** Requests that are unknown or over, and `initialize`, cannot be cancelled. */
  #cancel(params: { readonly [name: string]: unknown } | undefined): void {
    const { requestId, reason } = params ?? {};
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
    if ((this.#running.get(requestId) ?? 'initialize') === 'initialize') return;
    this.#running.delete(requestId);
    const data = { reason: typeof reason === 'string' ? reason : undefined };
    const error = { code: CANCELLED, message: 'Request cancelled', data };
    this.#inner.send({ jsonrpc: '2.0', id: requestId, error }).catch((failure: unknown) => {
      this.onerror?.(failure instanceof Error ? failure : new Error(String(failure)));
    });
  }
}

interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: unknown };
}

/** The part of a session that only strict endpoints have. */
export interface StrictSession {
  /** Absent where the stream is shared with other replicas. */
  readonly stream?: NotificationStream;
  isReady: boolean;
}

/** 256 random bits. */
export function strictSessionId(): string {
  return randomBytes(32).toString('base64url');
}

/** `notify` gets the messages that belong to no request. */
export function strictTransport(transport: Transport, notify: (message: JSONRPCMessage) => void): Transport {
  return new StrictTransport(transport, notify);
}

export function openStrictSession(transport: Transport, id: string, limits: StreamLimits) {
  const stream = new NotificationStream(limits, { 'Mcp-Session-Id': id });
  const between = strictTransport(transport, (message) => stream.push(message));
  const strict: StrictSession = { stream, isReady: false };
  return { strict, transport: between };
}

/** Whether a request was answered before its session is looked up. */
export function answeredBeforeSession({ request, response, body }: McpExchange): boolean {
  const problem = headerProblem(request);
  const message = messageIn(body);
  if (problem) answerError(response, problem.status, REFUSED, problem.message, about(message));
  else if (request.method !== 'POST') return false;
  else if (Array.isArray(body))
    answerError(
      response,
      400,
      INVALID_REQUEST,
      `Batches are not part of ${STRICT_VERSION}: send one message`,
    );
  else if (message?.jsonrpc !== '2.0') answerError(response, 400, INVALID_REQUEST, 'Not a JSON-RPC message');
  else if (message.method === 'server/discover')
    answerError(response, OK, METHOD_NOT_FOUND, 'Method not found', about(message));
  else {
    const requested = message.params?.protocolVersion;
    const begins = message.method === 'initialize' && request.headers['mcp-session-id'] === undefined;
    if (!begins || requested === STRICT_VERSION) return false;
    answerError(response, OK, INVALID_PARAMS, 'Unsupported protocol version', {
      ...about(message),
      data: { supported: [STRICT_VERSION], requested: requested ?? null },
    });
  }
  return true;
}

/** Whether a request of a session was answered without the SDK. */
export function answeredInSession(
  { stream, isReady }: StrictSession,
  { request, response, body }: McpExchange,
): boolean {
  const message = messageIn(body);
  const isRequest = message?.method !== undefined && message.id !== undefined;
  const isInitialize = message?.method === 'initialize';
  // The first one has no session yet.
  if (isInitialize && request.headers['mcp-session-id'] === undefined) return false;
  if (isInitialize)
    answerError(response, OK, INVALID_REQUEST, 'This session is initialized already', about(message));
  else if (!isReady && isRequest && message.method !== 'ping')
    answerError(response, OK, INVALID_REQUEST, 'Session not initialized', about(message));
  else if (!isReady && request.method === 'GET')
    answerError(response, 400, INVALID_REQUEST, 'Session not initialized');
  else if (request.method === 'GET' && stream) return listens(stream, { request, response });
  else return false;
  return true;
}

export function isInitialized(body: unknown): boolean {
  return messageIn(body)?.method === 'notifications/initialized';
}

/** False for the resumption of a stream that answers a request, which is the SDK's (`p` before its id). */
function listens(
  stream: NotificationStream,
  { request, response }: Pick<McpExchange, 'request' | 'response'>,
): boolean {
  const last = request.headers['last-event-id'];
  if (typeof last === 'string' && last.startsWith('p')) return false;
  if (last === undefined && stream.isOpen) refuseSecondStream(response);
  else if (last === undefined) stream.begin(response);
  else if (!stream.resume(response, String(last))) refuseEventId(response);
  return true;
}

export function refuseSecondStream(response: ServerResponse): void {
  answerError(
    response,
    409,
    REFUSED,
    'This session has a stream already: send Last-Event-ID to take it over',
  );
}

export function refuseEventId(response: ServerResponse): void {
  answerError(response, 400, REFUSED, 'Last-Event-ID is not of this session: open the stream without it');
}

function headerProblem({
  method,
  headers,
}: IncomingMessage): { status: number; message: string } | undefined {
  const accept = headers.accept ?? '';
  const wanted = { POST: ['application/json', 'text/event-stream'], GET: ['text/event-stream'] }[
    method ?? ''
  ];
  if (wanted?.some((type) => !accept.includes(type)))
    return { status: 406, message: `Not Acceptable: send Accept: ${wanted.join(', ')}` };
  const version = headers['mcp-protocol-version'];
  // The probe of a newer client names its own version, and gets an answer that makes it fall back.
  if (version === undefined || version === STRICT_VERSION || headers['mcp-method'] === 'server/discover')
    return undefined;
  return { status: 400, message: `Unsupported MCP-Protocol-Version: this is ${STRICT_VERSION}` };
}

function messageIn(body: unknown): Message | undefined {
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Message) : undefined;
}

function about(message: Message | undefined): { id?: string | number } {
  const id = message?.id;
  return typeof id === 'string' || typeof id === 'number' ? { id } : {};
}
