/** One request's way through the server, from top to bottom. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Route } from '../shared/exchange.ts';
import type { Log } from '../shared/log.ts';
import type { Principal } from '../shared/principal.ts';
import { readBody } from './body.ts';
import type { McpGate } from './mcp-gate.ts';
import { answerWith, pathOf, webRequestOf } from './web.ts';

interface AppParts {
  /** Where clients reach this server. */
  readonly origin: string;
  readonly routes: readonly Route[];
  /** MCP endpoints by path. */
  readonly mcp: ReadonlyMap<string, McpGate>;
  readonly addressOf: (request: IncomingMessage) => string;
  /** What is wrong with the Host or the Origin. */
  readonly strangerProblem: (request: Pick<IncomingMessage, 'headers'>) => string | undefined;
  /** Sets the headers a browser asks for; true when the request was only asking. */
  readonly cors: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Seconds to wait, when this address has asked too often. */
  readonly tooOften: (address: string) => Promise<number | undefined>;
  /** For the body of a form. */
  readonly bodyTimeoutMs: number;
  readonly onAnswered: (answered: AnsweredExchange) => void;
  readonly log: Log;
}

interface AnsweredExchange {
  readonly method: string;
  /** Of a known path; others are one. */
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly address: string;
  readonly principal?: Principal;
}

const FORM_LIMIT_BYTES = 64 * 1024;

export function createApp(parts: AppParts): RequestListener {
  const routes = new Map<string, Route[]>();
  for (const route of parts.routes) routes.set(route.path, [...(routes.get(route.path) ?? []), route]);

  const serve = async (
    request: IncomingMessage,
    response: ServerResponse,
    about: RequestFacts,
  ): Promise<void> => {
    const gate = parts.mcp.get(about.path);
    const found = routes.get(about.path);
    const { origin: _, ...withoutOrigin } = request.headers;
    const isOpen = found?.every(({ anyOrigin }) => anyOrigin) === true;
    const problem = parts.strangerProblem(isOpen ? { headers: withoutOrigin } : request);
    if (problem !== undefined) return refuse(response, 403, problem);
    if (!gate && !found) return refuse(response, 404, `There is nothing at ${about.path.slice(0, 200)}`);
    about.route = about.path;
    const isUnlimited = found?.every(({ unlimited }) => unlimited) === true;
    const wait = isUnlimited ? undefined : await parts.tooOften(about.address);
    if (wait !== undefined) {
      response.setHeader('Retry-After', String(wait));
      return refuse(response, 429, `Too many requests: try again in ${wait} s`);
    }
    if (gate) {
      if (parts.cors(request, response)) return;
      about.principal = await gate(request, response);
      return;
    }
    await serveRoute(request, response, found ?? [], about);
  };

  const serveRoute = async (
    request: IncomingMessage,
    response: ServerResponse,
    found: readonly Route[],
    about: RequestFacts,
  ): Promise<void> => {
    const isHead = request.method === 'HEAD';
    const method = isHead ? 'GET' : request.method;
    const route = found.find((candidate) => candidate.method === method);
    if (!route) {
      response.setHeader('Allow', [...new Set(found.map((candidate) => candidate.method))].join(', '));
      return refuse(response, 405, `${request.method ?? ''} is not used here`);
    }
    const limits = { limitBytes: FORM_LIMIT_BYTES, timeoutMs: parts.bodyTimeoutMs };
    const body = method === 'POST' ? await readBody(request, limits) : undefined;
    if (body && 'status' in body) {
      response.setHeader('Connection', 'close');
      return refuse(response, body.status, body.message);
    }
    const answer = await route.handle(webRequestOf(request, parts.origin, body?.bytes), {
      address: about.address,
    });
    await answerWith(response, answer, isHead);
  };

  return (request, response) => {
    const begun = performance.now();
    const about: RequestFacts = { path: pathOf(request), route: 'other', address: parts.addressOf(request) };
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.once('close', () => {
      parts.onAnswered({
        method: request.method ?? '',
        route: about.route,
        status: response.statusCode,
        milliseconds: performance.now() - begun,
        address: about.address,
        principal: about.principal,
      });
    });
    serve(request, response, about).catch((error: unknown) => {
      parts.log('error', 'request failed', { path: about.route, error: String(error) });
      refuse(response, 500, 'Internal error; the log of the server has the details');
    });
  };
}

interface RequestFacts {
  readonly path: string;
  readonly address: string;
  route: string;
  principal?: Principal | undefined;
}

function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify({ error: message }));
}
