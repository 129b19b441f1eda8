/** The differences between the two server versions in use: 2.10 and later (Rust) and 2.8 (Go). */
import type { ServerResponse } from 'node:http';

export type Dialect = 'rust' | 'go';

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
}

export const VERSIONS: Readonly<Record<Dialect, string>> = {
  rust: '2.10.0-unknown-2026-11-15T01-49-24Z',
  go: '2.8.1-unknown-2026-11-15T02-06-38Z',
};

const PLAIN = { 'content-type': 'text/plain; charset=utf-8' };

/** An error as each server words it: Go's ends its lines and says what it is. */
export function failure(dialect: Dialect, status: number, text: string): Answer {
  if (dialect === 'rust') return { status, body: text };
  return { status, headers: { ...PLAIN, 'x-content-type-options': 'nosniff' }, body: `${text}\n` };
}

export function notFound(dialect: Dialect): Answer {
  return dialect === 'rust'
    ? { status: 404, body: '404 page not found\n' }
    : failure('go', 404, '404 page not found');
}

export function json(dialect: Dialect, value: unknown, status = 200): Answer {
  const body = `${JSON.stringify(value)}${dialect === 'go' ? '\n' : ''}`;
  return { status, headers: { 'content-type': 'application/json' }, body };
}

export function plain(text: string, status = 200): Answer {
  return { status, headers: PLAIN, body: text };
}

/** The answer of either server to an unknown address. */
export function appShell(dialect: Dialect): Answer {
  const title =
    '<!doctype html>\n<html lang="en"><head><title>SilverBullet</title></head><body></body></html>\n';
  const headers = { 'content-type': 'text/html', ...(dialect === 'rust' && { 'cache-control': 'no-cache' }) };
  return { status: 200, headers, body: title };
}

export function send(
  response: ServerResponse,
  { status, headers = {}, body = '' }: Answer,
  isHead = false,
): void {
  const bytes = Buffer.from(body);
  const hasLength = status !== 304 && !('transfer-encoding' in headers) && !('content-length' in headers);
  response.writeHead(status, {
    ...(headers as Record<string, string | string[]>),
    ...(hasLength && { 'content-length': String(bytes.length) }),
  });
  response.end(isHead ? undefined : bytes);
}
