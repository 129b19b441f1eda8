/** The middleware and the error renderer of a server whose callers bring their own Trilium, as triliumnext-mcp words them. */
import type { IncomingMessage } from 'node:http';
import type { Log } from '../../shared/log.ts';
import type { AppParts, ExchangeHandler, Middleware } from '../app.ts';
import type { Authenticate } from '../auth/authenticate.ts';
import { type Cors, isPreflight } from '../cors.ts';
import type { HostCheck } from '../host-check.ts';
import type { Metrics } from '../metrics.ts';
import { HttpRefusal } from '../refusal.ts';
import { type GatewayLimits, gatewayTokenOf, unauthorized } from './doorkeeper.ts';
import { principalField } from './sessions.ts';

export interface TenantStackParts {
  /** By method and path: `GET /health`. */
  readonly routes: ReadonlyMap<string, ExchangeHandler>;
  readonly addressOf: (request: IncomingMessage) => string;
  /** Undefined where no page of the web may call. */
  readonly cors: Cors | undefined;
  /** What is wrong with the Host or the Origin; undefined where a token is asked for. */
  readonly strangerProblem: HostCheck | undefined;
  readonly limits: GatewayLimits | undefined;
  readonly metrics: Pick<Metrics, 'answered' | 'sessionRefused' | 'rateLimited'>;
  readonly log: Log;
}

const HEALTH = '/health';
const MAX_LOGGED_PATH = 200;

export function tenantStack(parts: TenantStackParts): AppParts {
  const { addressOf, metrics, log } = parts;
  return {
    addressOf,
    middleware: tenantMiddleware(parts),
    renderError(error, { request: { method = '' }, path, address: remote, principal }) {
      if (!(error instanceof HttpRefusal)) {
        const fields = { method, path: path.slice(0, MAX_LOGGED_PATH), err: String(error) };
        log('error', 'request_handler_error', fields);
        return new HttpRefusal(500, 'internal_error');
      }
      const { logged, level = 'warn', counted } = error.parts;
      if (counted) metrics.sessionRefused(counted);
      if (logged) log(level, error.error, { remote, ...logged, ...(principal && principalField(principal)) });
      return error;
    },
    onAnswered({ request: { method = '' }, response, path, address: remote, principal }, milliseconds) {
      const status = response.statusCode;
      metrics.answered({ method, route: path, status, milliseconds });
      log('info', 'http_request', {
        method,
        path: path.slice(0, MAX_LOGGED_PATH),
        status,
        duration_ms: Math.round(milliseconds),
        remote,
        ...(principal && principalField(principal)),
      });
    },
  };
}

function tenantMiddleware({ routes, cors, limits, strangerProblem }: TenantStackParts): Middleware[] {
  return [
    ({ request, response }) => {
      if (cors?.(request, response)) return true;
      if (cors && isPreflight(request)) throw new HttpRefusal(403, 'cors_origin_rejected');
      return false;
    },
    ({ request, path, address }) => {
      if (path !== HEALTH) limits?.check(request, address);
      return false;
    },
    ({ request, path }) => {
      const problem = path === HEALTH ? undefined : strangerProblem?.(request);
      if (problem !== undefined)
        throw new HttpRefusal(403, 'host_rejected', { answer: { message: problem } });
      return false;
    },
    async (exchange) => {
      const route = routes.get(`${exchange.request.method} ${exchange.path}`);
      if (!route) throw new HttpRefusal(404, 'not_found');
      await route(exchange);
      return true;
    },
  ];
}

/** Where Prometheus reads the counts, with an answer of its own where there are none to read. */

/** Undefined where it is switched off. */
export type MetricsAccess = { readonly authenticate: Authenticate | 'nobody' } | undefined;

export function createMetricsRoute(metrics: Pick<Metrics, 'text' | 'contentType'>, access: MetricsAccess) {
  const route: ExchangeHandler = async ({ request, response }) => {
    if (!access) throw new HttpRefusal(404, 'metrics_disabled');
    const token = gatewayTokenOf(request);
    if (access.authenticate !== 'nobody' && !(await access.authenticate(token))) throw refusalOf(token);
    const text = await metrics.text();
    response.writeHead(200, { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' }).end(text);
  };
  return route;
}

/** No connection was to begin. */
function refusalOf(token: string | undefined): HttpRefusal {
  const { status, error, parts } = unauthorized(token);
  const { counted: _, ...rest } = parts;
  return new HttpRefusal(status, error, rest);
}
