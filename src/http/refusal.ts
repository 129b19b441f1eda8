/** A refused request: its answer, log line and metric. */
import type { ServerResponse } from 'node:http';
import { answerError } from '../mcp/http/refusals.ts';
import type { LogLevel } from '../shared/log.ts';
import type { SessionRefusal } from './metrics.ts';

interface RefusalParts {
  /** Further fields of the answer. */
  readonly answer?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Answers with a JSON-RPC error. */
  readonly rpc?: { readonly code: number; readonly data?: unknown };
  /** Fields of the log line; without them, nothing is logged. */
  readonly logged?: Readonly<Record<string, unknown>>;
  readonly level?: LogLevel;
  /** Counted as a session that could not begin. */
  readonly counted?: SessionRefusal;
}

export class HttpRefusal extends Error {
  readonly status: number;
  /** The code in the answer, and the event in the log. */
  readonly error: string;
  readonly parts: RefusalParts;

  constructor(status: number, error: string, parts: RefusalParts = {}) {
    super(error);
    this.status = status;
    this.error = error;
    this.parts = parts;
  }
}

export function answerRefusal(response: ServerResponse, { status, error, parts }: HttpRefusal): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const [name, value] of Object.entries(parts.headers ?? {})) response.appendHeader(name, value);
  if (parts.rpc) answerError(response, status, parts.rpc.code, error, { data: parts.rpc.data });
  else {
    response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
    response.end(JSON.stringify({ error, ...parts.answer }));
  }
}
