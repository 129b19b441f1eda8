/** Composes the server of `quire trilium --transport http`: one Trilium for all clients, or one of its own for each. */
import { constants } from 'node:buffer';
import type { Server } from '@modelcontextprotocol/server';
import { authOf, type GatewayConfig, gatewaySchema } from '../config/http-schema.ts';
import type { Config, NotebookConfig } from '../config/schema.ts';
import { createApp, type ExchangeHandler } from '../http/app.ts';
import { createAddressOf, trustedProxies, warnOfForwarding } from '../http/client-address.ts';
import { createCors } from '../http/cors.ts';
import { healthRoutes, metricsRoute } from '../http/health.ts';
import { createHostCheck, type HostCheck } from '../http/host-check.ts';
import { createJsonReader } from '../http/json-body.ts';
import {
  countWork,
  type OpenApp,
  type RunningServer,
  rehearseServer,
  startServer,
  type WorkCounter,
} from '../http/listen.ts';
import { createMetrics, type Metrics, TRILIUM_NAMES } from '../http/metrics.ts';
import { createBurstLimits } from '../http/rate-limits.ts';
import { HttpRefusal } from '../http/refusal.ts';
import {
  createMcpRoute,
  createMessageRoute,
  createSseRoute,
  type McpRouteParts,
} from '../http/tenants/mcp-routes.ts';
import { createTenantLimits, createTenantNames } from '../http/tenants/named.ts';
import { refuseAs, tenantRefusals, unauthorizedReason } from '../http/tenants/refusal.ts';
import {
  type Connection,
  callerFields,
  createSessionRegistry,
  type SessionRegistry,
  sessionLabel,
} from '../http/tenants/sessions.ts';
import { type TenantStackParts, tenantStack } from '../http/tenants/stack.ts';
import { createEndpoint } from '../mcp/http/endpoint.ts';
import { createLegacySse } from '../mcp/http/legacy-sse.ts';
import type { Replicas } from '../mcp/http/replicas/open.ts';
import { createClosers } from '../shared/closers.ts';
import type { Route } from '../shared/exchange.ts';
import type { Log } from '../shared/log.ts';
import type { Database } from '../state/postgres/database.ts';
import { openRequestCounts, type RequestCounts } from '../state/postgres/request-counts.ts';
import { VERSION } from '../version.ts';
import { type AuthServices, appWith, type OpenAuth } from './auth.ts';
import { openStateDatabase } from './database.ts';
import { assertGateway, metricsAccess, openGatewayAuth, warningsOf } from './gateway-auth.ts';
import { openTenants, type TenantServices, type Tenants } from './gateway-tenants.ts';
import { sessionLimits } from './mcp-endpoints.ts';
import { serverOf } from './notebooks.ts';
import { historyOn, replicasOn } from './shared-state.ts';

export interface GatewayServices extends TenantServices, AuthServices {
  readonly log: Log;
  readonly warn: (text: string) => void;
}

/** Serves the notebook; without one, every client names its own Trilium. */
export async function openGatewayApp(
  config: Config,
  notebook: NotebookConfig | undefined,
  services: GatewayServices,
): Promise<RunningServer> {
  const { gateway, open, close } = await prepare(config, notebook, services);
  try {
    const running = await startServer(gateway, open);
    logStart(gateway, running.port, services.log);
    return {
      ...running,
      close: async () => {
        await running.close();
        await close();
      },
    };
  } catch (error) {
    // The reason why it did not start matters more than a failure to close.
    await close().catch(() => {});
    throw error;
  }
}

/** Throws what `openGatewayApp` would throw, and leaves nothing behind: the state is not looked at. */
export async function rehearseGatewayApp(
  config: Config,
  notebook: NotebookConfig | undefined,
  services: GatewayServices,
): Promise<void> {
  const { gateway, open, close } = await prepare(
    { ...config, state: { dir: 'memory' } },
    notebook,
    { ...services, isRehearsal: true },
    config.state,
  );
  try {
    await rehearseServer(gateway, open);
  } finally {
    await close();
  }
}

/** Checks the configuration, and opens everything that is open before the server's address is known. */
async function prepare(
  config: Config,
  notebook: NotebookConfig | undefined,
  services: GatewayServices,
  state = config.state,
) {
  const gateway = config.gateway ?? gatewaySchema.parse({});
  assertGateway(gateway, { ...config, state }, notebook);
  for (const warning of warningsOf(gateway)) services.warn(warning);
  const opened = createClosers();
  try {
    const database = await openStateDatabase(config, services.log);
    if (database) opened.add(() => database.close());
    const replicas = await replicasOn(database, services.log);
    if (replicas) opened.add(() => replicas.close());
    const history = await historyOn(database, services.history);
    const tenants = await openTenants(gateway, notebook, { ...services, history });
    opened.add(() => tenants.close());
    const open = async (origin: string) => {
      const auth = await openGatewayAuth(gateway, config, origin, { ...services, database });
      return appWith(auth, () =>
        appOver({ gateway, tenants, origin, auth, database, replicas, log: services.log }),
      );
    };
    return { gateway, open, close: () => opened.close() };
  } catch (error) {
    // The reason why it did not start matters more than a failure to close.
    await opened.close().catch(() => {});
    throw error;
  }
}

function logStart(gateway: GatewayConfig, port: number, log: Log): void {
  if (gateway.multiTenant && gateway.allowPrivateUrls) log('warn', 'allow_private_urls_enabled');
  log('info', 'server_started', {
    transport: 'http',
    port,
    mode: gateway.multiTenant ? 'multi-tenant' : 'single-tenant',
    gateway_auth: authOf(gateway),
    metrics: gateway.metrics,
  });
}

interface AppParts {
  readonly gateway: GatewayConfig;
  readonly tenants: Tenants;
  readonly origin: string;
  readonly auth: OpenAuth;
  readonly database: Database | undefined;
  readonly replicas: Replicas | undefined;
  readonly log: Log;
}

function appOver(parts: AppParts): OpenApp {
  const { gateway, tenants, origin, auth, replicas, log } = parts;
  const counts = parts.database && openRequestCounts(parts.database);
  const named = Object.keys(gateway.tenants);
  const metrics = createMetrics({
    version: VERSION,
    names: TRILIUM_NAMES,
    routes: [],
    tools: tenants.limited.surface.tools.map(({ name }) => name),
    sessions: () => registry.size,
    perPrincipal: gateway.metricsIncludePrincipal,
    tenantSessions: named.length === 0 ? undefined : () => sizesOf(registry, named),
  });
  const registry = createSessionRegistry(log, metrics);
  const work = countWork();
  const createServer = serverMaker(tenants, metrics, log);
  const transports = transportsByTenant({ gateway, registry, createServer, work, replicas, log });
  const listener = createApp(
    tenantStack({
      ...checksOf({ gateway, origin, metrics, counts, log }),
      origin,
      bodyTimeoutMs: gateway.bodyTimeoutSeconds * 1000,
      hasLogin: auth.pages !== undefined,
      routes: routesOf(parts, metrics),
      mcp: mcpRoutes({ ...parts, transportsOf: transports.of, registry, work, metrics, counts }),
      metrics,
      log,
    }),
  );
  const close = async () => {
    await counts?.close();
    await auth.close();
  };
  return { listener, work, endpoints: transports.all, close };
}

function sizesOf(registry: SessionRegistry, named: readonly string[]): Record<string, number> {
  return Object.fromEntries(named.map((name) => [name, registry.sizeOf(name)]));
}

interface TransportParts extends Pick<AppParts, 'gateway' | 'replicas' | 'log'> {
  readonly registry: SessionRegistry;
  readonly createServer: ServerMaker;
  readonly work: WorkCounter;
}

/** A tenant with a number of sessions of its own has them apart from all others. */
function transportsByTenant(parts: TransportParts) {
  const { sessions, sessionIdleMinutes, tenants } = parts.gateway;
  const common = newTransports(parts, { sessions, sessionIdleMinutes }, 'trilium');
  const own = new Map(
    Object.entries(tenants).flatMap(([name, tenant]) =>
      tenant.sessions === undefined
        ? []
        : [
            [
              name,
              newTransports(parts, { sessions: tenant.sessions, sessionIdleMinutes }, `trilium ${name}`),
            ] as const,
          ],
    ),
  );
  return {
    of: (tenantName: string | undefined) => own.get(tenantName ?? '') ?? common,
    all: [common, ...own.values()].flatMap(({ endpoint, sse }) => [endpoint, sse]),
  };
}

function newTransports(
  { registry, createServer, work, replicas, log }: TransportParts,
  limits: Pick<GatewayConfig, 'sessions' | 'sessionIdleMinutes'>,
  place: string,
) {
  return {
    endpoint: createEndpoint<Connection>({
      createServer,
      limits: sessionLimits(limits),
      log,
      openSessions: replicas?.sessionsAt(`${place} /mcp`),
      watch: registry.watch('streamable'),
      refuse: refuseAs('streamable'),
    }),
    sse: createLegacySse<Connection>({
      createServer,
      messagePath: '/message',
      streams: limits.sessions,
      watch: registry.watch('sse'),
      refuse: refuseAs('sse'),
      onWorking: () => work.begin(),
      shared: replicas?.streamsAt(`${place} /sse`),
    }),
  };
}

type ServerMaker = (connection: Connection, session: string | undefined) => Server;

/** Creates the protocol server of a connection; its calls are counted, and logged with their session. */
function serverMaker({ limited, errorKind }: Tenants, metrics: Metrics, log: Log): ServerMaker {
  return (connection, id) => {
    const session = id === undefined ? undefined : sessionLabel(id);
    const ownLog: Log = (level, message, fields) =>
      log(level, message, { session, ...fields, ...callerFields(connection) });
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

interface RouteParts extends AppParts, Pick<McpRouteParts, 'transportsOf' | 'registry' | 'work'> {
  readonly metrics: Metrics;
  readonly counts: RequestCounts | undefined;
}

function mcpRoutes(parts: RouteParts): Map<string, ExchangeHandler> {
  const { gateway, tenants, auth, metrics, counts, ...rest } = parts;
  const effects = new Map(tenants.limited.surface.tools.map(({ name, effect }) => [name, effect]));
  const resourceMetadata = auth.resourceMetadataOf?.('/mcp');
  const hasLogin = auth.pages !== undefined;
  const mcpParts: McpRouteParts = {
    ...rest,
    authenticate: auth.authenticate,
    onRevoked: auth.onRevoked,
    nameOf: createTenantNames(gateway.tenants),
    admit: createTenantLimits(gateway.tenants, { counts, onLimited: () => metrics.rateLimited('tenant') }),
    keyElsewhere: parts.replicas && tenants.keyIn,
    openTenant: tenants.open,
    leases: tenants.leases,
    messageAuth: gateway.messageAuth || hasLogin,
    refusals: tenantRefusals({
      resourceMetadata,
      canWrite: [...effects.values()].some((effect) => effect !== 'read'),
    }),
    toolsFor: hasLogin ? () => ({ effectOf: (tool) => effects.get(tool) }) : undefined,
    readJson: createJsonReader({
      timeoutMs: gateway.bodyTimeoutSeconds * 1000,
      files: {
        // A longer text could not be a string.
        bytes: Math.min(gateway.maxPostBytes, constants.MAX_STRING_LENGTH),
        takesFiles: tenants.takesFiles,
      },
    }),
  };
  const mcp = createMcpRoute(mcpParts);
  return new Map([
    ['GET /sse', createSseRoute(mcpParts)],
    ['POST /message', createMessageRoute(mcpParts)],
    ['GET /mcp', mcp],
    ['POST /mcp', mcp],
    ['DELETE /mcp', mcp],
  ]);
}

function routesOf({ gateway, tenants, auth, database, log }: AppParts, metrics: Metrics): Route[] {
  const access = metricsAccess(gateway, auth.authenticate);
  const onRefused = (token: string | undefined, remote: string) =>
    log('warn', 'unauthorized', { remote, reason: unauthorizedReason(token) });
  return [
    ...healthRoutes({
      checks: [
        ...(tenants.check ? [{ name: 'trilium', check: tenants.check }] : []),
        ...(database ? [{ name: 'database', check: () => database.check() }] : []),
      ],
      isAnonymous: authOf(gateway) !== 'none',
      log,
    }),
    ...auth.routes,
    access ? metricsRoute(metrics, access, { realm: 'quire', onRefused }) : METRICS_DISABLED,
  ];
}

const METRICS_DISABLED: Route = {
  method: 'GET',
  path: '/metrics',
  handle: async () => {
    throw new HttpRefusal(404, 'metrics_disabled');
  },
};

/** The checks that do not depend on where a request goes. */
function checksOf({
  gateway,
  origin,
  metrics,
  counts,
  log,
}: Pick<AppParts, 'gateway' | 'origin' | 'log'> & Pick<RouteParts, 'metrics' | 'counts'>): Pick<
  TenantStackParts,
  'addressOf' | 'cors' | 'hostCheck' | 'limits'
> {
  const { corsOrigins, rateLimitRps, rateLimitBurst } = gateway;
  return {
    addressOf: createAddressOf(
      trustedProxies(gateway.trustedProxies, gateway.forwardedHeader),
      warnOfForwarding({ ...gateway, origin, log }),
    ),
    cors:
      corsOrigins.length === 0
        ? undefined
        : createCors({
            allowedOrigins: corsOrigins,
            credentials: true,
            anyHeader: true,
            requestHeaders: ['X-Trilium-Url', 'X-Trilium-Token'],
          }),
    hostCheck: hostCheckOf(gateway, origin),
    limits:
      rateLimitRps > 0 && rateLimitBurst > 0
        ? createBurstLimits({
            perSecond: rateLimitRps,
            burst: rateLimitBurst,
            counts,
            onLimited: (kind) => metrics.rateLimited(kind),
          })
        : undefined,
  };
}

/** One Trilium without a token is for this machine alone; pages with a login are for the public address. */
function hostCheckOf(gateway: GatewayConfig, origin: string): HostCheck | undefined {
  const { host, allowedHosts, corsOrigins: allowedOrigins, multiTenant } = gateway;
  switch (authOf(gateway)) {
    case 'none':
      return multiTenant ? undefined : createHostCheck({ host, allowedHosts, allowedOrigins });
    case 'oauth':
      return createHostCheck({ host, publicUrl: origin, allowedHosts, allowedOrigins });
    default:
      return undefined;
  }
}
