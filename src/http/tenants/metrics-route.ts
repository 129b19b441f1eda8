/** Where Prometheus reads the counts, with an answer of its own where there are none to read. */
import type { Authenticate } from '../auth/authenticate.ts';
import type { Metrics } from '../metrics.ts';
import { gatewayTokenOf, unauthorized } from './doorkeeper.ts';
import type { GatewayRoute } from './mcp-routes.ts';
import { GatewayRefusal } from './refusal.ts';

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
