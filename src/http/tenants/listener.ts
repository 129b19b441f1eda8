/** One request's way through the gateway, from top to bottom. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Log } from '../../shared/log.ts';
import type { Principal } from '../../shared/principal.ts';
import type { Authenticate } from '../auth/authenticate.ts';
import { type Cors, isPreflight } from '../cors.ts';
import type { HostCheck } from '../host-check.ts';
import type { WorkCounter } from '../listen.ts';
import type { Metrics } from '../metrics.ts';
import { pathOf } from '../web.ts';
import { type GatewayLimits, gatewayTokenOf, unauthorized } from './doorkeeper.ts';
import type { GatewayRoute } from './mcp-routes.ts';
import { answerRefusal, GatewayRefusal } from './refusal.ts';
import { principalField } from './sessions.ts';

export interface ListenerParts {
  /** By method and path: `GET /health`. */
  readonly routes: ReadonlyMap<string, GatewayRoute>;
  readonly addressOf: (request: IncomingMessage) => string;
  /** Undefined where no page of the web may call. */
  readonly cors: Cors | undefined;
  /** What is wrong with the Host or the Origin; undefined where a token is asked for. */
  readonly strangerProblem: HostCheck | undefined;
  readonly limits: GatewayLimits | undefined;
  readonly metrics: Pick<Metrics, 'answered' | 'sessionRefused' | 'rateLimited'>;
  readonly work: WorkCounter;
  readonly log: Log;
}

const HEALTH = '/health';
const MAX_LOGGED_PATH = 200;

interface GatewayRequestFacts {
  readonly path: string;
  readonly remote: string;
  principal?: Principal | undefined;
}

export function createListener(parts: ListenerParts): RequestListener {
  const { routes, cors, limits, metrics, log } = parts;

  const serve = async (request: IncomingMessage, response: ServerResponse, about: GatewayRequestFacts) => {
    if (cors?.(request, response)) return;
    if (cors && isPreflight(request)) throw new GatewayRefusal(403, 'cors_origin_rejected');
    if (about.path !== HEALTH) {
      limits?.check(request, about.remote);
      const problem = parts.strangerProblem?.(request);
      if (problem !== undefined)
        throw new GatewayRefusal(403, 'host_rejected', { answer: { message: problem } });
    }
    const route = routes.get(`${request.method} ${about.path}`);
    if (!route) throw new GatewayRefusal(404, 'not_found');
    if (request.method === 'POST') response.once('close', parts.work.begin());
    about.principal = await route(request, response);
  };

  const refuse = (
    response: ServerResponse,
    refused: GatewayRefusal,
    { remote, principal }: GatewayRequestFacts,
  ) => {
    const { logged, level = 'warn', counted } = refused.parts;
    if (counted) metrics.sessionRefused(counted);
    if (logged) log(level, refused.error, { remote, ...logged, ...(principal && principalField(principal)) });
    answerRefusal(response, refused);
  };

  return (request, response) => {
    const begun = performance.now();
    const { method = '' } = request;
    const about: GatewayRequestFacts = { path: pathOf(request), remote: parts.addressOf(request) };
    const path = about.path.slice(0, MAX_LOGGED_PATH);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.once('close', () => {
      const milliseconds = performance.now() - begun;
      const status = response.statusCode;
      metrics.answered({ method, route: about.path, status, milliseconds });
      log('info', 'http_request', {
        method,
        path,
        status,
        duration_ms: Math.round(milliseconds),
        remote: about.remote,
        ...(about.principal && principalField(about.principal)),
      });
    });
    serve(request, response, about).catch((error: unknown) => {
      if (error instanceof GatewayRefusal) return refuse(response, error, about);
      log('error', 'request_handler_error', { method, path, err: String(error) });
      answerRefusal(response, new GatewayRefusal(500, 'internal_error'));
    });
  };
}

/** Where Prometheus reads the counts, with an answer of its own where there are none to read. */

/** Undefined where it is switched off. */
export type MetricsAccess = { readonly authenticate: Authenticate | 'nobody' } | undefined;

export function createMetricsRoute(metrics: Pick<Metrics, 'text' | 'contentType'>, access: MetricsAccess) {
  const route: GatewayRoute = async (request, response) => {
    if (!access) throw new GatewayRefusal(404, 'metrics_disabled');
    const token = gatewayTokenOf(request);
    if (access.authenticate !== 'nobody' && !(await access.authenticate(token))) throw refusalOf(token);
    const text = await metrics.text();
    response.writeHead(200, { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' }).end(text);
    return undefined;
  };
  return route;
}

/** No connection was to begin. */
function refusalOf(token: string | undefined): GatewayRefusal {
  const { status, error, parts } = unauthorized(token);
  const { counted: _, ...rest } = parts;
  return new GatewayRefusal(status, error, rest);
}
