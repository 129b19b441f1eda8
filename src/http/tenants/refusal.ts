/** Why a request is not served, in the words triliumnext-mcp has for it: in the answer, in the log, in the counts. */
import type { ServerResponse } from 'node:http';
import {
  BATCHES_REFUSED,
  LONG_BATCH_REFUSED,
  type Refusal as SessionProblem,
} from '../../mcp/http/refusals.ts';
import type { LogLevel } from '../../shared/log.ts';
import type { SessionRefusal } from '../metrics.ts';

interface RefusalParts {
  /** Beside the error in the answer. */
  readonly answer?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the operator is told beside who asked; nothing at all unless said. */
  readonly logged?: Readonly<Record<string, unknown>>;
  readonly level?: LogLevel;
  /** Counted as a connection that could not begin. */
  readonly counted?: SessionRefusal;
}

export class GatewayRefusal extends Error {
  readonly status: number;
  /** For programs; also the name of the event in the log. */
  readonly error: string;
  readonly parts: RefusalParts;

  constructor(status: number, error: string, parts: RefusalParts = {}) {
    super(error);
    this.status = status;
    this.error = error;
    this.parts = parts;
  }
}

export function answerRefusal(response: ServerResponse, { status, error, parts }: GatewayRefusal): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const [name, value] of Object.entries(parts.headers ?? {})) response.setHeader(name, value);
  answerJson(response, status, { error, ...parts.answer });
}

export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(body));
}

export type TransportKind = 'sse' | 'streamable';

const OPEN_AGAIN: Readonly<Record<TransportKind, string>> = {
  sse: 'Open GET /sse again, and send messages to the address its first event names.',
  streamable: 'Send initialize to POST /mcp without MCP-Session-Id.',
};

/** The same for a session that never was, that is over, and that is somebody else's. */
export function unknownSession(kind: TransportKind, sessionId: string, label: string): GatewayRefusal {
  const shown = sessionId.slice(0, 100);
  return new GatewayRefusal(404, 'unknown_session', {
    answer: {
      message: 'There is no such session: it has ended, or the server was started anew.',
      hint: OPEN_AGAIN[kind],
      transport: kind,
      sessionId: shown,
    },
    logged: { transport: kind, session: label },
  });
}

export function missingSessionId(kind: TransportKind): GatewayRefusal {
  const message =
    kind === 'sse'
      ? 'Send messages to the address the first event of GET /sse names.'
      : 'Send initialize first, and its MCP-Session-Id with everything after.';
  return new GatewayRefusal(400, 'missing_session_id', { answer: { message } });
}

export function batchRefused(): GatewayRefusal {
  return new GatewayRefusal(400, 'invalid_message', { answer: { message: `${BATCHES_REFUSED}.` } });
}

/** What sessions and streams refuse by themselves. */
export function refuseAs(kind: TransportKind): (response: ServerResponse, problem: SessionProblem) => void {
  return (response, problem) => answerRefusal(response, sessionRefusal(kind, problem));
}

function sessionRefusal(kind: TransportKind, problem: SessionProblem): GatewayRefusal {
  switch (problem) {
    case 'no_session':
      return missingSessionId(kind);
    case 'unknown_session':
      return unknownSession(kind, '', '');
    case 'too_many':
      return new GatewayRefusal(503, 'too_many_sessions', { headers: { 'Retry-After': '30' } });
    case 'not_a_message':
      return new GatewayRefusal(400, 'invalid_message', {
        answer: { message: 'This is no JSON-RPC message.' },
      });
    case 'no_batches':
      return batchRefused();
    case 'long_batch':
      return new GatewayRefusal(400, 'invalid_message', { answer: { message: `${LONG_BATCH_REFUSED}.` } });
    case 'only_get':
    case 'only_post':
      return new GatewayRefusal(404, 'not_found');
  }
}
