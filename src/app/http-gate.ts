/** The checks in front of one MCP endpoint of the server: who calls, how often, and with which scope. */
import type { ServeConfig } from '../config/schema.ts';
import type { ExchangeHandler } from '../http/app.ts';
import type { Authenticate } from '../http/auth/authenticate.ts';
import type { WorkCounter } from '../http/listen.ts';
import { createMcpGate, jsonReader, oauthRefusals, onlyEndpoint } from '../http/mcp-gate.ts';
import type { Metrics } from '../http/metrics.ts';
import type { RateLimits } from '../http/rate-limits.ts';
import type { McpEndpoint } from '../mcp/http/endpoint.ts';
import type { ServerSurface } from './notebooks.ts';

export interface GateParts {
  serve: ServeConfig;
  authenticate: Authenticate;
  resourceMetadataOf: ((path: string) => string) | undefined;
  limits: RateLimits;
  metrics: Metrics;
  work: WorkCounter;
}

export function gateOver(
  endpoint: Pick<McpEndpoint, 'handle'>,
  { path, limited, live }: ServerSurface & { readonly path: string },
  parts: GateParts,
): ExchangeHandler {
  const effects = new Map(limited.surface.tools.map(({ name, effect }) => [name, effect]));
  const { unauthorized, missingScope } = oauthRefusals({
    resourceMetadata: parts.resourceMetadataOf?.(path),
    canWrite: live !== undefined || [...effects.values()].some((effect) => effect !== 'read'),
    onAuthFailure: (reason) => parts.metrics.authFailed(reason),
  });
  return createMcpGate({
    tenants: onlyEndpoint(endpoint),
    authenticate: parts.authenticate,
    unauthorized,
    scopes: { effectOf: (name) => effects.get(name) ?? live?.effectOf(name), missingScope },
    readJson: jsonReader({
      limitBytes: parts.serve.bodyLimitMb * 1024 * 1024,
      timeoutMs: parts.serve.bodyTimeoutSeconds * 1000,
    }),
    tooOften: (principal) => parts.limits.byPrincipal(principal),
    onWorking: () => parts.work.begin(),
  });
}
