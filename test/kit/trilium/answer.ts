/** Answers of the fake, in the shapes the real one has. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

export interface FakeRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The parts of the path that a route names. */
  readonly params: readonly string[];
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Thrown anywhere, sent as it is. */
export class Refusal extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`refused with ${answer.status}`);
    this.answer = answer;
  }
}

export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  };
}

export const nothing: Answer = { status: 204 };

export function etapiError(status: number, code: string, message: string): Refusal {
  return new Refusal(json({ status, code, message }, status));
}

/** Errors from outside ETAPI's own code carry a message alone. */
export function bareError(status: number, message: string): Refusal {
  return new Refusal(json({ message }, status));
}

export const generic = (message: string): Refusal => etapiError(500, 'GENERIC', message);

export function notFound(
  kind: 'Note' | 'Branch' | 'Attribute' | 'Attachment' | 'Revision',
  id: string,
): Refusal {
  return etapiError(404, `${kind.toUpperCase()}_NOT_FOUND`, `${kind} '${id}' not found.`);
}

export function noRoute({ method, path }: Pick<FakeRequest, 'method' | 'path'>): Refusal {
  return bareError(404, `Router not found for request ${method} ${path}`);
}

export function jsonBody({ body, headers }: FakeRequest): Record<string, unknown> {
  if (!(headers['content-type'] ?? '').startsWith('application/json')) return {};
  const text = body.toString();
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw bareError(500, withPlace((error as Error).message));
  }
}

/** Newer Nodes than ours also say the line and the column. */
function withPlace(message: string): string {
  const at = /at position (\d+)$/.exec(message)?.[1];
  return at === undefined ? message : `${message} (line 1 column ${Number(at) + 1})`;
}

export function send(response: ServerResponse, { status, headers = {}, body }: Answer): void {
  const bytes = body === undefined ? undefined : Buffer.from(body as Buffer);
  response.writeHead(status, { ...headers, ...(bytes && { 'content-length': bytes.length }) });
  response.end(bytes);
}
