/**
 * CORS, off unless origins are listed. The answer names the origin of the request, never `*`, so that a cached answer is
 * never used for another origin.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { originsIn } from './host-check.ts';

export interface CorsOptions {
  /** `*` for all. */
  readonly allowedOrigins: readonly string[];
  /** Request headers that only one command has, such as X-Trilium-Url. */
  readonly requestHeaders?: readonly string[];
  /** Lets browsers send cookies along. Nothing here needs it: credentials travel in Authorization. */
  readonly credentials?: boolean;
  /** Allows every header that a browser asks for. */
  readonly anyHeader?: boolean;
}

/** Sets the CORS headers; true when the request was a preflight, which is answered then. */
export type Cors = (request: IncomingMessage, response: ServerResponse) => boolean;

const METHODS = 'GET, POST, DELETE, OPTIONS';
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'DPoP',
  'Accept',
  'Mcp-Session-Id',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Last-Event-ID',
];
const EXPOSED_HEADERS = 'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After';
const MAX_AGE_SECONDS = '600';
/** Headers with parameters of a tool, which chooses their names. */
const PARAMETER_HEADER = /^mcp-param-[\w!#$%&'*+.^`|~-]{1,64}$/i;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
const MAX_ASKED_HEADERS = 32;

export function createCors(options: CorsOptions): Cors {
  const { allowedOrigins, requestHeaders = [], credentials = false, anyHeader = false } = options;
  if (allowedOrigins.length === 0) return () => false;
  const isAllowed = originsIn(allowedOrigins);
  const usual = [...REQUEST_HEADERS, ...requestHeaders];
  const known = new Set(usual.map((name) => name.toLowerCase()));

  return (request, response) => {
    response.appendHeader('Vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !isAllowed(origin)) return false;
    response.setHeader('Access-Control-Allow-Origin', origin);
    if (credentials) response.setHeader('Access-Control-Allow-Credentials', 'true');
    if (!isPreflight(request)) {
      response.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
      return false;
    }
    response.setHeader('Access-Control-Allow-Methods', METHODS);
    const asked = askedHeaders(request)
      .filter((name) => anyHeader || PARAMETER_HEADER.test(name))
      .filter((name) => !known.has(name.toLowerCase()))
      .slice(0, MAX_ASKED_HEADERS);
    response.setHeader('Access-Control-Allow-Headers', [...usual, ...asked].join(', '));
    response.setHeader('Access-Control-Max-Age', MAX_AGE_SECONDS);
    response.appendHeader('Vary', 'Access-Control-Request-Headers');
    response.writeHead(204).end();
    return true;
  };
}

export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

function askedHeaders({ headers }: IncomingMessage): string[] {
  const asked = String(headers['access-control-request-headers'] ?? '').split(',');
  return asked.map((name) => name.trim()).filter((name) => HEADER_NAME.test(name));
}
