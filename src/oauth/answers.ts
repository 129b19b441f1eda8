/** The kinds of answers the endpoints give. */

import { isAppError } from '../shared/errors.ts';
import type { Handler } from '../shared/exchange.ts';
import type { Log } from '../shared/log.ts';
import { OAuthError } from './errors.ts';
import { contentSecurityPolicy } from './pages/layout.ts';

/** Nothing an endpoint with these headers answers depends on cookies, so any web page may ask. */
const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, MCP-Protocol-Version',
  'Access-Control-Max-Age': '86400',
};

const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

export function json(
  body: object,
  { status = 200, headers = NO_STORE }: { status?: number; headers?: Readonly<Record<string, string>> } = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

/** Always to be fetched by GET, whatever brought the browser here (RFC 9700 §4.12). */
export function redirect(to: string, cookies: readonly string[] = []): Response {
  return withCookies(
    new Response(null, {
      status: 303,
      headers: { Location: to, ...NO_STORE, 'Referrer-Policy': 'no-referrer' },
    }),
    cookies,
  );
}

interface PageOptions {
  readonly status?: number;
  readonly cookies?: readonly string[];
  /** Where a form of the page may lead besides this server. */
  readonly leadsTo?: string;
}

export function page(html: string, { status = 200, cookies = [], leadsTo }: PageOptions = {}): Response {
  return withCookies(
    new Response(html, {
      status,
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': contentSecurityPolicy(leadsTo),
        'X-Frame-Options': 'DENY',
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
        ...NO_STORE,
      },
    }),
    cookies,
  );
}

/** Answers errors as JSON, and lets any web page ask. */
export function openToAll(handle: Handler, log: Log): Handler {
  return async (request, caller) => {
    const answer = await handle(request, caller).catch((error: unknown) => errorAnswer(error, log));
    for (const [name, value] of Object.entries(CORS)) answer.headers.set(name, value);
    return answer;
  };
}

export const preflight: Handler = async () => new Response(null, { status: 204, headers: CORS });

function errorAnswer(error: unknown, log: Log): Response {
  if (error instanceof OAuthError) {
    const body = { error: error.code, error_description: error.message };
    return json(body, { status: error.status, headers: { ...NO_STORE, ...error.headers } });
  }
  log('error', 'authorization request failed', { error: String(error) });
  const description = isAppError(error)
    ? error.title
    : 'Internal error; the log of the server has the details';
  return json({ error: 'server_error', error_description: description }, { status: 500 });
}

function withCookies(answer: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) answer.headers.append('Set-Cookie', cookie);
  return answer;
}
