/** Responses and errors of the OAuth endpoints. */
import { isAppError } from '../shared/errors.ts';
import type { Handler } from '../shared/exchange.ts';
import type { Log } from '../shared/log.ts';
import { errorPage } from './pages/account-page.ts';
import { contentSecurityPolicy } from './pages/layout.ts';

/** OAuth error codes (RFC 6749 §4.1.2.1 and §5.2, RFC 7009, 7591, 8707, 9449). */
type OAuthErrorCode =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_client_metadata'
  | 'invalid_dpop_proof'
  | 'invalid_grant'
  | 'invalid_redirect_uri'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'login_required'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'temporarily_unavailable'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type';

interface OAuthErrorParts {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Redirect target for the error; only ever a registered address of the client. */
  readonly returnTo?: ReturnAddress;
}

export interface ReturnAddress {
  readonly redirectUri: string;
  readonly state: string | undefined;
  /** Whether a person here has approved this client before. Other clients never get an automatic redirect. */
  readonly isTrusted: boolean;
}

/** 401 makes clients register again (RFC 6749 §5.2). */
const USUAL: Readonly<Partial<Record<OAuthErrorCode, Pick<OAuthErrorParts, 'status' | 'headers'>>>> = {
  invalid_client: { status: 401 },
  temporarily_unavailable: { status: 503, headers: { 'Retry-After': '60' } },
};

export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly returnTo: ReturnAddress | undefined;

  constructor(code: OAuthErrorCode, message: string, parts: OAuthErrorParts = {}) {
    super(message);
    this.name = 'OAuthError';
    this.code = code;
    const { status = 400, headers = {}, returnTo } = { ...USUAL[code], ...parts };
    this.status = status;
    this.headers = headers;
    this.returnTo = returnTo;
  }

  /** A copy of the error that may be sent by redirect. */
  returnedTo(returnTo: ReturnAddress): OAuthError {
    return new OAuthError(this.code, this.message, { status: this.status, headers: this.headers, returnTo });
  }
}

/** Responses with these headers never depend on cookies, so any origin may read them. */
const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, DPoP, MCP-Protocol-Version',
  'Access-Control-Max-Age': '86400',
};

/** What cannot be reached now may be there then. */
const RETRY_SECONDS = '5';

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

/** 303 See Other, so that browsers always follow with GET (RFC 9700 §4.12). */
export function redirect(to: string, cookies: readonly string[] = []): Response {
  const headers = { Location: to, ...NO_STORE, 'Referrer-Policy': 'no-referrer' };
  return withCookies(new Response(null, { status: 303, headers }), cookies);
}

export interface PageOptions {
  readonly status?: number;
  readonly cookies?: readonly string[];
  /** Origin other than this server that the page's form may lead to. */
  readonly leadsTo?: string;
  /** Whether the page runs the script that talks to passkeys. */
  readonly runsPasskeys?: boolean;
}

export function page(
  html: string,
  { status = 200, cookies = [], leadsTo, runsPasskeys }: PageOptions = {},
): Response {
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy(leadsTo, runsPasskeys),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    ...NO_STORE,
  };
  return withCookies(new Response(html, { status, headers }), cookies);
}

/** Renders errors as JSON and allows all origins. */
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
  if (isAppError(error, 'upstream_failed')) {
    const body = { error: 'temporarily_unavailable', error_description: `${error.title}. ${error.hint}` };
    return json(body, { status: 503, headers: { ...NO_STORE, 'Retry-After': RETRY_SECONDS } });
  }
  const description = isAppError(error)
    ? error.title
    : 'Internal error; the log of the server has the details';
  return json({ error: 'server_error', error_description: description }, { status: 500 });
}

function withCookies(answer: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) answer.headers.append('Set-Cookie', cookie);
  return answer;
}

/** Renders errors as pages, and those of OAuth with `render`. */
export function onPages(handle: Handler, log: Log, render: (error: OAuthError) => Response): Handler {
  return async (request, caller) => {
    try {
      return await handle(request, caller);
    } catch (error) {
      if (error instanceof OAuthError) return render(error);
      log('error', 'authorization request failed', { error: String(error) });
      const html = errorPage({
        title: 'Something went wrong',
        message: 'The server could not finish this.',
        hint: 'Try again in a moment. The log of the server has the details.',
      });
      if (!isAppError(error, 'upstream_failed')) return page(html, { status: 500 });
      const answer = page(html, { status: 503 });
      answer.headers.set('Retry-After', RETRY_SECONDS);
      return answer;
    }
  };
}
