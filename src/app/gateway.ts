/** Puts the server of `quire trilium --transport http` together: one Trilium for all, or each client its own. */
import { constants } from 'node:buffer';
import type { Server } from '@modelcontextprotocol/server';
import { authOf, type GatewayConfig, gatewaySchema } from '../config/gateway-schema.ts';
import type { Config, NotebookConfig } from '../config/schema.ts';
import { createApp, type ExchangeHandler } from '../http/app.ts';
import { createAddressOf, trustedProxies } from '../http/client-address.ts';
import { createCors } from '../http/cors.ts';
import { createHostCheck } from '../http/host-check.ts';
import { countWork, endServing, listen, localOrigin, type WorkCounter } from '../http/listen.ts';
import { createMetrics, type Metrics, TRILIUM_NAMES } from '../http/metrics.ts';
import { answerJson } from '../http/refusal.ts';
import { createGatewayLimits } from '../http/tenants/doorkeeper.ts';
import { createJsonReader } from '../http/tenants/json-body.ts';
import {
  createMcpRoute,
  createMessageRoute,
  createSseRoute,
  type McpRouteParts,
} from '../http/tenants/mcp-routes.ts';
import { refuseAs } from '../http/tenants/refusal.ts';
import {
  type Connection,
  createSessionRegistry,
  principalField,
  type SessionRegistry,
  sessionLabel,
} from '../http/tenants/sessions.ts';
import { createMetricsRoute, type TenantStackParts, tenantStack } from '../http/tenants/stack.ts';
import { createEndpoint, type McpEndpoint } from '../mcp/http/endpoint.ts';
import { createLegacySse, type LegacySse } from '../mcp/http/legacy-sse.ts';
import type { Log } from '../shared/log.ts';
import { VERSION } from '../version.ts';
import { assertGateway, gatewayAuthenticator, metricsAccess, warningsOf } from './gateway-auth.ts';
import { openTenants, type TenantServices, type Tenants } from './gateway-tenants.ts';
import { serverOf } from './notebooks.ts';

export interface GatewayServices extends TenantServices {
  readonly log: Log;
  /** For what an operator should know and need not mend. */
  readonly warn: (text: string) => void;
}

interface RunningGateway {
  readonly origin: string;
  readonly port: number;
  /** Answers what was asked, then ends. */
  close(): Promise<void>;
}

const PATHS = ['/health', '/sse', '/message', '/metrics', '/mcp'];
const HEADER_S = 15;
const BODY_S = 300;
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
  const { log } = services;
  const tenants = await openTenants(gateway, notebook, services);
  const metrics = createMetrics({
    version: VERSION,
    names: TRILIUM_NAMES,
    routes: PATHS,
    tools: tenants.limited.surface.tools.map(({ name }) => name),
    sessions: () => book.size,
    perPrincipal: gateway.metricsIncludePrincipal,
  });
  const book = createSessionRegistry(log, metrics);
  const work = countWork();
  const createServer = serverMaker(tenants, metrics, log);
  const transports = transportsOf(gateway, { book, createServer, work, log });
  const routes = routesOf(gateway, { ...transports, tenants, book, metrics, work, log });
  const borders = bordersOf(gateway, notebook, metrics);
  const listener = createApp(tenantStack({ routes, ...borders, metrics, log }));
  let isEnding = false;
  const listening = await listen(
    (request, response) => {
      if (isEnding) response.writeHead(503, { Connection: 'close' }).end();
      else listener(request, response);
    },
    { host: gateway.host, port: gateway.port, headerTimeoutSeconds: HEADER_S, bodyTimeoutSeconds: BODY_S },
  );
  tellStarted(gateway, listening.port, log);
  return {
    origin: localOrigin(gateway, listening),
    port: listening.port,
    close: async () => {
      isEnding = true;
      await endServing(listening, work, [transports.endpoint, transports.sse]);
      tenants.close();
    },
  };
}

function tellStarted(gateway: GatewayConfig, port: number, log: Log): void {
  if (gateway.multiTenant && gateway.allowPrivateUrls) log('warn', 'allow_private_urls_enabled');
  log('info', 'server_started', {
    transport: 'http',
    port,
    mode: gateway.multiTenant ? 'multi-tenant' : 'single-tenant',
    gateway_auth: authOf(gateway),
    metrics: gateway.metrics,
  });
}

interface Transports {
  readonly endpoint: McpEndpoint<Connection>;
  readonly sse: LegacySse<Connection>;
}

function transportsOf(
  gateway: GatewayConfig,
  {
    book,
    createServer,
    work,
    log,
  }: { book: SessionRegistry; createServer: ServerMaker; work: WorkCounter; log: Log },
): Transports {
  const { sessions, sessionIdleMinutes } = gateway;
  return {
    endpoint: createEndpoint<Connection>({
      createServer,
      limits: {
        sessions,
        subscriptions: sessions,
        idleMs: sessionIdleMinutes * 60_000,
        bufferedBytes: BUFFERED_BYTES,
      },
      log,
      watch: book.watch('streamable'),
      refuse: refuseAs('streamable'),
    }),
    sse: createLegacySse<Connection>({
      createServer,
      messagePath: '/message',
      streams: sessions,
      watch: book.watch('sse'),
      refuse: refuseAs('sse'),
      onWorking: () => work.begin(),
    }),
  };
}

type ServerMaker = (connection: Connection, session: string | undefined) => Server;

/** A protocol server of one connection, whose calls are counted and told with the session they belong to. */
function serverMaker({ limited, errorKind }: Tenants, metrics: Metrics, log: Log): ServerMaker {
  return (connection, id) => {
    const session = id === undefined ? undefined : sessionLabel(id);
    const ownLog: Log = (level, message, fields) =>
      log(level, message, {
        session,
        ...fields,
        ...principalField(connection),
      });
    return serverOf(
      { limited, backend: connection.tenant.backend },
      {
        log: ownLog,
        announces: session !== undefined,
        principal: connection,
        session,
        onCalled: (called) => {
          metrics.called({ ...called, errorKind: errorKind(called.error) }, connection);
          if (called.line) ownLog(called.line.level, called.line.message, called.line.fields);
        },
      },
    );
  };
}

function routesOf(
  gateway: GatewayConfig,
  parts: Transports & {
    tenants: Tenants;
    book: SessionRegistry;
    metrics: Metrics;
    work: WorkCounter;
    log: Log;
  },
): Map<string, ExchangeHandler> {
  const { tenants, metrics, ...rest } = parts;
  const authenticate = gatewayAuthenticator(gateway);
  const mcpParts: McpRouteParts = {
    ...rest,
    authenticate,
    openTenant: tenants.open,
    leases: tenants.leases,
    messageAuth: gateway.messageAuth,
    readJson: createJsonReader({
      // A longer one could not be read as text.
      fileBytes: Math.min(gateway.maxPostBytes, constants.MAX_STRING_LENGTH),
      timeoutMs: BODY_S * 1000,
      takesFiles: tenants.takesFiles,
    }),
  };
  const mcp = createMcpRoute(mcpParts);
  return new Map([
    ['GET /health', health],
    ['HEAD /health', health],
    ['GET /sse', createSseRoute(mcpParts)],
    ['POST /message', createMessageRoute(mcpParts)],
    ['GET /mcp', mcp],
    ['POST /mcp', mcp],
    ['DELETE /mcp', mcp],
    ['GET /metrics', createMetricsRoute(metrics, metricsAccess(gateway, authenticate))],
  ]);
}

const health: ExchangeHandler = async ({ response }) => answerJson(response, 200, { status: 'ok' });

/** What is looked at before it is known where a request goes. */
function bordersOf(
  gateway: GatewayConfig,
  notebook: NotebookConfig | undefined,
  metrics: Metrics,
): Pick<TenantStackParts, 'addressOf' | 'cors' | 'strangerProblem' | 'limits'> {
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
