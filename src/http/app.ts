/** The one HTTP stack: a request passes the middleware from top to bottom, and a refusal on the way becomes the answer. */
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { isAppError } from '../shared/errors.ts';
import type { Route } from '../shared/exchange.ts';
import type { Log } from '../shared/log.ts';
import type { Principal } from '../shared/principal.ts';
import { headersAfter, readBody } from './body.ts';
import type { Cors } from './cors.ts';
import { unknownPageAnswer } from './health.ts';
import type { HostCheck } from './host-check.ts';
import { answerRefusal, HttpRefusal } from './refusal.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  /** After trusted proxies. */
  readonly address: string;
  /** The path, once it has turned out to be one of the server's. */
  route: string;
  /** Once it is authenticated. */
  principal?: Principal;
}

/** True when the exchange has been answered; throws an `HttpRefusal` to refuse it. */
export type Middleware = (exchange: Exchange) => boolean | undefined | Promise<boolean | undefined>;

/** Answers, or throws an `HttpRefusal`. */
export type ExchangeHandler = (exchange: Exchange) => Promise<void>;

export interface AppParts {
  readonly middleware: readonly Middleware[];
  readonly addressOf: (request: IncomingMessage) => string;
  /** The answer to an exchange that was refused or that failed. */
  readonly renderError: (error: unknown, exchange: Exchange) => HttpRefusal;
  readonly onAnswered: (exchange: Exchange, milliseconds: number) => void;
}

export function createApp({ middleware, addressOf, renderError, onAnswered }: AppParts): RequestListener {
  const serve = async (exchange: Exchange): Promise<void> => {
    for (const step of middleware) if (await step(exchange)) return;
  };
  return (request, response) => {
    const begun = performance.now();
    const path = pathOf(request);
    const exchange: Exchange = { request, response, path, address: addressOf(request), route: 'other' };
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.once('close', () => onAnswered(exchange, performance.now() - begun));
    const fail = (error: unknown) => answerRefusal(response, renderError(error, exchange));
    // A refusal that cannot be sent is a failure like any other, and never one of the process.
    serve(exchange).catch(fail).catch(fail);
  };
}

/** Context of the web routes. */
export interface RouteContext {
  /** Where clients reach this server. */
  readonly origin: string;
  /** For the body of a form. */
  readonly bodyTimeoutMs: number;
}

interface SiteParts extends RouteContext {
  readonly routes: readonly Route[];
  /** MCP endpoints by path. */
  readonly mcp: ReadonlyMap<string, ExchangeHandler>;
  readonly hostCheck: HostCheck;
  readonly cors: Cors;
  /** Seconds to wait, when this address has asked too often. */
  readonly tooOften: (address: string) => Promise<number | undefined>;
}

/** Routes and MCP endpoints at their exact paths. */
export function siteMiddleware({ mcp, hostCheck, cors, tooOften, ...parts }: SiteParts): Middleware[] {
  const routes = routeTable(parts.routes);
  return [
    (exchange) => {
      const problem = hostCheck(routes.headersToCheck(exchange));
      if (problem !== undefined) throw new HttpRefusal(403, problem);
      return false;
    },
    async (exchange) => {
      const { path, request, response } = exchange;
      if (mcp.has(path) || routes.has(path)) {
        exchange.route = path;
        return false;
      }
      const shown = path.slice(0, 200);
      if (!isBrowser(request)) throw new HttpRefusal(404, `There is nothing at ${shown}`);
      await answerWith(response, unknownPageAnswer(shown), request.method === 'HEAD');
      return true;
    },
    async ({ path, address }) => {
      const wait = routes.isUnlimited(path) ? undefined : await tooOften(address);
      if (wait === undefined) return false;
      const headers = { 'Retry-After': String(wait) };
      throw new HttpRefusal(429, `Too many requests: try again in ${wait} s`, { headers });
    },
    async (exchange) => {
      const gate = mcp.get(exchange.path);
      if (!gate) return false;
      if (!cors(exchange.request, exchange.response)) await gate(exchange);
      return true;
    },
    (exchange) => {
      const route = routes.find(exchange);
      if (route) return serveRoute(exchange, route, parts);
      const headers = { Allow: routes.methods(exchange.path).join(', ') };
      throw new HttpRefusal(405, `${exchange.request.method ?? ''} is not used here`, { headers });
    },
  ];
}

function isBrowser({ method = '', headers: { accept = '' } }: IncomingMessage): boolean {
  return ['GET', 'HEAD'].includes(method) && accept.includes('text/html');
}

/** Routes by path; a property of a path holds for all methods. */
export function routeTable(routes: readonly Route[]) {
  const byPath = new Map<string, Route[]>();
  for (const route of routes) byPath.set(route.path, [...(byPath.get(route.path) ?? []), route]);
  const every = (path: string, property: 'anyOrigin' | 'unlimited') =>
    byPath.get(path)?.every((route) => route[property]) === true;
  return {
    has: (path: string) => byPath.has(path),
    methods: (path: string) => [...new Set(byPath.get(path)?.map(({ method }) => method))],
    isUnlimited: (path: string) => every(path, 'unlimited'),
    hasAnyOrigin: (path: string) => every(path, 'anyOrigin'),
    /** HEAD is answered as GET, without the body. */
    find({ request: { method }, path }: Exchange): Route | undefined {
      return byPath.get(path)?.find((route) => route.method === (method === 'HEAD' ? 'GET' : method));
    },
    /** For the host check, without an Origin that the route allows or checks itself. */
    headersToCheck({ request: { headers }, path }: Exchange): { readonly headers: IncomingHttpHeaders } {
      return { headers: every(path, 'anyOrigin') ? { ...headers, origin: undefined } : headers };
    },
  };
}

const FORM_LIMIT_BYTES = 64 * 1024;
const RETRY_SOON = { 'Retry-After': '5' };

export async function serveRoute(
  { request, response, address }: Exchange,
  route: Route,
  { origin, bodyTimeoutMs }: RouteContext,
): Promise<true> {
  const limits = { limitBytes: FORM_LIMIT_BYTES, timeoutMs: bodyTimeoutMs };
  const body = route.method === 'POST' ? await readBody(request, limits) : undefined;
  if (body && 'status' in body)
    throw new HttpRefusal(body.status, body.message, { headers: headersAfter(body) });
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const asked = webRequestOf(request, origin, body?.bytes, gone.signal);
  const answer = await route.handle(asked, { address });
  await answerWith(response, answer, request.method === 'HEAD');
  return true;
}

/** A refusal is its own answer; a failure is logged. */
export function siteErrors(log: Log): AppParts['renderError'] {
  return (error, { route }) => {
    if (error instanceof HttpRefusal) return error;
    log('error', 'request failed', { path: route, error: String(error) });
    if (isAppError(error, 'upstream_failed'))
      return new HttpRefusal(503, error.title, { answer: { hint: error.hint }, headers: RETRY_SOON });
    return new HttpRefusal(500, 'Internal error; the log of the server has the details');
  };
}

/**
 * The path as it was sent, neither decoded nor normalized: only known paths are answered. One slash at the end, which
 * people and clients add, is ignored. The query is left out, as it may be secret.
 */
function pathOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  return /[^/]\/$/.test(path) ? path.slice(0, -1) : path;
}

function webRequestOf(
  request: IncomingMessage,
  origin: string,
  body: Buffer | undefined,
  signal: AbortSignal,
): Request {
  const headers = new Headers();
  for (let at = 0; at < request.rawHeaders.length; at += 2)
    headers.append(request.rawHeaders[at] ?? '', request.rawHeaders[at + 1] ?? '');
  const method = request.method ?? 'GET';
  return new Request(new URL(request.url ?? '/', origin), {
    method,
    headers,
    signal,
    body: body !== undefined && method !== 'GET' && method !== 'HEAD' ? new Uint8Array(body) : undefined,
  });
}

async function answerWith(response: ServerResponse, answer: Response, isHead = false): Promise<void> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of answer.headers) if (name !== 'set-cookie') headers[name] = value;
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  response.writeHead(answer.status, headers);
  if (answer.body && headers['content-type'] === 'text/event-stream' && !isHead) {
    for await (const chunk of answer.body) if (!response.write(chunk)) await drained(response);
    response.end();
    return;
  }
  response.end(isHead ? undefined : Buffer.from(await answer.arrayBuffer()));
}

/** Resolves too when the connection has closed. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.once('drain', done).once('close', done);
  });
}
