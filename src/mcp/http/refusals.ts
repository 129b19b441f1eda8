/**
 * The HTTP exchange of an MCP message, and refusals in the shape clients of both eras read: an HTTP status and a JSON-RPC
 * error.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isAppError } from '../../shared/errors.ts';
import type { Principal } from '../../shared/principal.ts';

/** The caller is authenticated, and the body parsed. */
export interface McpExchange<Caller extends Principal = Principal> {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: Caller;
  readonly body: unknown;
}

export function answerError(
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
  { id = null, data }: { id?: string | number | null; data?: unknown } = {},
): void {
  if (response.headersSent) {
    response.end();
    return;
  }
  const error = { code, message, data };
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
}

/** Reasons of sessions and streams to refuse a request. */
export type Refusal =
  | 'no_session'
  | 'unknown_session'
  | 'too_many'
  | 'not_a_message'
  | 'no_batches'
  | 'long_batch'
  | 'only_get'
  | 'only_post';

/** Answers with a refusal; servers of other projects' commands have wordings of their own. */
export type Refuse = (response: ServerResponse, refusal: Refusal) => void;

/** The one version with batches: 2025-06-18 removed them again. */
export const BATCH_VERSION = '2025-03-26';
export const MOST_IN_BATCH = 100;
export const BATCHES_REFUSED = `Batches are only part of ${BATCH_VERSION}: send one message`;
export const LONG_BATCH_REFUSED = `A batch holds at most ${MOST_IN_BATCH} messages: send fewer at a time`;

interface Wording {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const WORDINGS: Readonly<Record<Refusal, Wording>> = {
  no_session: { status: 400, code: -32000, message: 'Mcp-Session-Id is missing: send initialize first' },
  unknown_session: { status: 404, code: -32001, message: 'Session not found: open a new one' },
  too_many: {
    status: 503,
    code: -32000,
    message: 'Too many sessions: try again later',
    headers: { 'Retry-After': '30' },
  },
  not_a_message: { status: 400, code: -32600, message: 'Not a JSON-RPC message' },
  no_batches: { status: 400, code: -32600, message: BATCHES_REFUSED },
  long_batch: { status: 400, code: -32600, message: LONG_BATCH_REFUSED },
  only_get: { status: 405, code: -32000, message: 'Open the stream with GET', headers: { Allow: 'GET' } },
  only_post: { status: 405, code: -32000, message: 'Send messages with POST', headers: { Allow: 'POST' } },
};

export const refuseInJsonRpc: Refuse = (response, refusal) => {
  const { status, code, message, headers = {} } = WORDINGS[refusal];
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  answerError(response, status, code, message);
};

/** Answers where what is shared with other servers cannot be reached; throws any other error. */
export function refuseUnavailable(response: ServerResponse, error: unknown): void {
  if (!isAppError(error, 'upstream_failed')) throw error;
  if (!response.headersSent) response.setHeader('Retry-After', '1');
  answerError(response, 503, -32000, error.hint ? `${error.message}. ${error.hint}` : error.message);
}
