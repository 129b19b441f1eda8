/** The middleware and the error renderer of the gateway, in the words of triliumnext-mcp. */
import type { IncomingMessage } from 'node:http';
import type { Route } from '../../shared/exchange.ts';
import type { Log } from '../../shared/log.ts';
import {
  type AppParts,
  type ExchangeHandler,
  type Middleware,
  type RouteContext,
  routeTable,
  serveRoute,
} from '../app.ts';
import { presentedToken } from '../auth/authenticate.ts';
import { type Cors, isPreflight } from '../cors.ts';
import type { HostCheck } from '../host-check.ts';
import type { Metrics } from '../metrics.ts';
import type { BurstLimits } from '../rate-limits.ts';
import { HttpRefusal } from '../refusal.ts';
import { principalField } from './sessions.ts';

export interface TenantStackParts extends RouteContext {
  readonly routes: readonly Route[];
  /** MCP endpoints by method and path: `POST /mcp`. */
  readonly mcp: ReadonlyMap<string, ExchangeHandler>;
  readonly addressOf: (request: IncomingMessage) => string;
  /** Undefined where no page of the web may call. */
  readonly cors: Cors | undefined;
  /** Undefined where only a token that was handed out by hand opens the server. */
  readonly hostCheck: HostCheck | undefined;
  readonly limits: BurstLimits | undefined;
  /** Whether callers log in here, by OAuth. */
  readonly hasLogin: boolean;
  readonly metrics: Pick<Metrics, 'answered' | 'sessionRefused' | 'rateLimited'>;
  readonly log: Log;
}

const MAX_LOGGED_PATH = 200;

export function tenantStack(parts: TenantStackParts): AppParts {
  const { addressOf, hasLogin, metrics, log } = parts;
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
      // OAuth clients take every 401 for a reason to log in again; without a challenge it is about their Trilium.
      const isOfTrilium = error.status === 401 && !error.parts.headers?.['WWW-Authenticate'];
      return hasLogin && isOfTrilium ? new HttpRefusal(403, error.error, error.parts) : error;
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

function tenantMiddleware({ mcp, cors, limits, hostCheck, ...parts }: TenantStackParts): Middleware[] {
  const routes = routeTable(parts.routes);
  return [
    ({ request, response, path }) => {
      if (!cors || routes.hasAnyOrigin(path)) return false;
      if (cors(request, response)) return true;
      if (isPreflight(request)) throw new HttpRefusal(403, 'cors_origin_rejected');
      return false;
    },
    async ({ request, path, address }) => {
      const { token } = presentedToken(request, path);
      const excess = routes.isUnlimited(path) ? undefined : await limits?.(address, token);
      if (!excess) return false;
      const { reason, wait } = excess;
      const headers = { 'Retry-After': String(wait) };
      throw new HttpRefusal(429, 'rate_limited', { answer: { reason }, headers, logged: { reason } });
    },
    (exchange) => {
      const problem = routes.isUnlimited(exchange.path)
        ? undefined
        : hostCheck?.(routes.headersToCheck(exchange));
      if (problem !== undefined)
        throw new HttpRefusal(403, 'host_rejected', { answer: { message: problem } });
      return false;
    },
    async (exchange) => {
      const route = routes.find(exchange);
      if (route) return serveRoute(exchange, route, parts);
      const endpoint = mcp.get(`${exchange.request.method} ${exchange.path}`);
      if (!endpoint) throw new HttpRefusal(404, 'not_found');
      await endpoint(exchange);
      return true;
    },
  ];
}
