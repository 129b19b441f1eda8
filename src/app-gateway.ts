/** Puts the server of `quire trilium --transport http` together: one Trilium for all, or each client its own. */
import { constants } from 'node:buffer';
import type { Server } from '@modelcontextprotocol/server';
import { type Served, serverOf, triliumTools } from './app.ts';
import { gatewayAuthenticator, metricsAccess } from './app-gateway-auth.ts';
import { assertGateway, warningsOf } from './app-gateway-checks.ts';
import { localOrigin } from './app-http.ts';
import { authOf, type GatewayConfig, gatewaySchema } from './config/gateway-schema.ts';
import type { Config, NotebookConfig } from './config/schema.ts';
import { createDoorkeeper } from './gateway/doorkeeper.ts';
import { createListener, type ListenerParts } from './gateway/listener.ts';
import {
  createMcpRoute,
  createMessageRoute,
  createSseRoute,
  type GatewayRoute,
  type McpRouteParts,
} from './gateway/mcp-routes.ts';
import { createMetricsRoute } from './gateway/metrics-route.ts';
import { createGatewayLimits } from './gateway/rate-limits.ts';
import { answerJson, refuseAs } from './gateway/refusal.ts';
import { type Connection, createSessionBook, principalField } from './gateway/session-book.ts';
import { createTenantLeases, type TenantLeases } from './gateway/tenant-leases.ts';
import { type Credentials, createTenants, type OpenTenant, onlyTenant } from './gateway/tenants.ts';
import { createUrlGuard, type Resolve } from './gateway/url-guard.ts';
import { createAddressOf, trustedProxies } from './http/client-address.ts';
import { createCors } from './http/cors.ts';
import { createHostCheck } from './http/host-check.ts';
import { listen } from './http/listen.ts';
import { type ToolErrorKind, TRILIUM_NAMES } from './http/metric-names.ts';
import { createMetrics, type Metrics } from './http/metrics.ts';
import { countWork, endServing } from './http/shutdown.ts';
import { createEndpoint } from './mcp/http/endpoint.ts';
import { createLegacySse } from './mcp/http/legacy-sse.ts';
import type { Called } from './mcp/tool.ts';
import type { Log } from './shared/log.ts';
import { createTriliumClient, type TriliumClient } from './stores/trilium/client.ts';
import { VERSION } from './version.ts';

export interface GatewayServices {
  readonly log: Log;
  /** For what an operator should know and need not mend. */
  readonly warn: (text: string) => void;
  /** The addresses of a name. */
  readonly resolve?: Resolve;
  /** For the check of a client's Trilium. */
  readonly probeTimeoutMs?: number;
}

export interface RunningGateway {
  readonly origin: string;
  readonly port: number;
  /** Answers what was asked, then ends. */
  close(): Promise<void>;
}

const PATHS = ['/health', '/sse', '/message', '/metrics', '/mcp'];
const HEADER_SECONDS = 15;
const BODY_SECONDS = 300;
const PROBE_MS = 10_000;
/** Longer than any request to a Trilium may take. */
const LINGER_MS = 150_000;
const BUFFERED_BYTES = 16 * 1024 * 1024;

/** With a notebook, that one is served; without, every client names its own. */
export async function openGatewayApp(
  config: Config,
  notebook: NotebookConfig | undefined,
  services: GatewayServices,
): Promise<RunningGateway> {
  const gateway = config.gateway ?? gatewaySchema.parse({});
  assertGateway(gateway, config, notebook);
  for (const warning of warningsOf(gateway)) services.warn(warning);
  const authenticate = gatewayAuthenticator(gateway);
  const tenants = await openTenants(gateway, notebook, services);
  const metrics = createMetrics({
    version: VERSION,
    names: TRILIUM_NAMES,
    routes: PATHS,
    tools: tenants.limited.surface.tools.map(({ name }) => name),
    sessions: () => book.size,
    perPrincipal: gateway.metricsIncludePrincipal,
  });
  const { log } = services;
  const book = createSessionBook(log, metrics);
  const createServer = serverMaker(tenants.limited, metrics, log);
  const endpoint = createEndpoint<Connection>({
    createServer,
    limits: {
      sessions: gateway.sessions,
      subscriptions: gateway.sessions,
      idleMs: gateway.sessionIdleMinutes * 60_000,
      bufferedBytes: BUFFERED_BYTES,
    },
    log,
    watch: book.watch('streamable'),
    refuse: refuseAs('streamable'),
  });
  const sse = createLegacySse<Connection>({
    createServer,
    messagePath: '/message',
    streams: gateway.sessions,
    watch: book.watch('sse'),
    refuse: refuseAs('sse'),
  });
  const routes = routesOf({
    mcp: {
      doorkeeper: createDoorkeeper(authenticate),
      openTenant: tenants.open,
      leases: tenants.leases,
      book,
      endpoint,
      sse,
      body: {
        // A longer one could not be read as text.
        limitBytes: Math.min(gateway.maxPostBytes, constants.MAX_STRING_LENGTH),
        timeoutMs: BODY_SECONDS * 1000,
      },
      log,
    },
    metrics: createMetricsRoute(metrics, metricsAccess(gateway, authenticate)),
  });
  const work = countWork();
  let isEnding = false;
  const listener = createListener({ routes, ...bordersOf(gateway, notebook, metrics), metrics, work, log });
  const listening = await listen(
    (request, response) => {
      if (isEnding) response.writeHead(503, { Connection: 'close' }).end();
      else listener(request, response);
    },
    {
      host: gateway.host,
      port: gateway.port,
      headerTimeoutSeconds: HEADER_SECONDS,
      bodyTimeoutSeconds: BODY_SECONDS,
    },
  );
  if (gateway.multiTenant && gateway.allowPrivateUrls) log('warn', 'allow_private_urls_enabled');
  log('info', 'server_started', {
    transport: 'http',
    port: listening.port,
    mode: gateway.multiTenant ? 'multi-tenant' : 'single-tenant',
    gateway_auth: authOf(gateway),
    metrics: gateway.metrics,
  });
  return {
    origin: localOrigin(gateway, listening),
    port: listening.port,
    close: async () => {
      isEnding = true;
      await endServing(listening, work, [endpoint, sse]);
      tenants.close();
    },
  };
}

interface Tenants {
  readonly limited: Served['limited'];
  readonly open: OpenTenant;
  readonly leases: Pick<TenantLeases, 'borrow'>;
  close(): void;
}

async function openTenants(
  gateway: GatewayConfig,
  notebook: NotebookConfig | undefined,
  services: GatewayServices,
): Promise<Tenants> {
  const { limited, backendOver } = await triliumTools(notebook ?? gateway);
  if (notebook?.trilium) {
    const { url, token } = notebook.trilium;
    const client = createTriliumClient({ url, token, allow: 'private' });
    const open = onlyTenant(new URL(url).hostname, backendOver(client, notebook.trilium));
    const borrow = async () => ({ tenant: await open({}), release: () => {} });
    return { limited, open, leases: { borrow }, close: () => client.close() };
  }
  const { resolve, probeTimeoutMs = PROBE_MS } = services;
  const clientOf = ({ url, token, allow }: Credentials, retryPauses?: readonly number[]) =>
    createTriliumClient({
      url,
      token,
      allow,
      schemes: ['http', 'https'],
      ...(resolve && { resolve }),
      ...(retryPauses && { retryPauses }),
    });
  const open = createTenants({
    guard: createUrlGuard({
      allowlist: gateway.urlAllowlist,
      allowPrivate: gateway.allowPrivateUrls,
      ...(resolve && { resolve }),
    }),
    probe: (credentials) => probe(clientOf(credentials, []), probeTimeoutMs),
    open: (credentials) => {
      const client = clientOf(credentials);
      // A change that has begun is finished, though nobody waits for it any more.
      const close = () => void setTimeout(() => client.close(), LINGER_MS).unref();
      return { backend: backendOver(client, credentials), close };
    },
    timeoutMs: probeTimeoutMs,
  });
  const leases = createTenantLeases({ open });
  return { limited, open, leases, close: () => leases.close() };
}

async function probe(client: TriliumClient, timeoutMs: number): Promise<void> {
  try {
    await client.system.appInfo({ timeoutMs });
  } finally {
    client.close();
  }
}

/** A protocol server of one connection, whose calls are counted and told with the session they belong to. */
function serverMaker(
  limited: Served['limited'],
  metrics: Metrics,
  log: Log,
): (connection: Connection, session: string | undefined) => Server {
  return (connection, session) => {
    const ownLog: Log = (level, message, fields) =>
      log(level, message, {
        ...(session !== undefined && { session }),
        ...fields,
        ...principalField(connection),
      });
    return serverOf(
      { limited, backend: connection.tenant.backend },
      {
        log: ownLog,
        announces: session !== undefined,
        principal: connection,
        onCalled: (called) => {
          metrics.called({ ...called, ...errorOf(called) }, connection);
          if (called.line) ownLog(called.line.level, called.line.message, called.line.fields);
        },
      },
    );
  };
}

function errorOf({ line }: Called): { error?: ToolErrorKind } {
  const error = line?.fields.error;
  return typeof error === 'string' ? { error: error as ToolErrorKind } : {};
}

function routesOf(parts: { mcp: McpRouteParts; metrics: GatewayRoute }): Map<string, GatewayRoute> {
  const mcp = createMcpRoute(parts.mcp);
  const health: GatewayRoute = async (_request, response) => {
    answerJson(response, 200, { status: 'ok' });
    return undefined;
  };
  return new Map([
    ['GET /health', health],
    ['HEAD /health', health],
    ['GET /sse', createSseRoute(parts.mcp)],
    ['POST /message', createMessageRoute(parts.mcp)],
    ['GET /mcp', mcp],
    ['POST /mcp', mcp],
    ['DELETE /mcp', mcp],
    ['GET /metrics', parts.metrics],
  ]);
}

/** What is looked at before it is known where a request goes. */
function bordersOf(
  gateway: GatewayConfig,
  notebook: NotebookConfig | undefined,
  metrics: Metrics,
): Pick<ListenerParts, 'addressOf' | 'cors' | 'strangerProblem' | 'limits'> {
  const { corsOrigins, rateLimitRps, rateLimitBurst, host, allowedHosts } = gateway;
  const isOpen = notebook !== undefined && authOf(gateway) === 'none';
  return {
    addressOf: createAddressOf(trustedProxies(gateway.trustedProxies, gateway.forwardedHeader)),
    cors:
      corsOrigins.length === 0
        ? undefined
        : createCors({
            allowedOrigins: corsOrigins,
            credentials: true,
            anyHeader: true,
            requestHeaders: ['X-Trilium-Url', 'X-Trilium-Token'],
          }),
    strangerProblem: isOpen
      ? createHostCheck({ host, allowedHosts, allowedOrigins: corsOrigins })
      : undefined,
    limits:
      rateLimitRps > 0 && rateLimitBurst > 0
        ? createGatewayLimits({
            perSecond: rateLimitRps,
            burst: rateLimitBurst,
            onLimited: (kind) => metrics.rateLimited(kind),
          })
        : undefined,
  };
}
