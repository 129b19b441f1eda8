/** Puts the server over HTTP together: notebooks, who may call them, and the way a request takes. */
import type { RequestListener } from 'node:http';
import type { Server } from '@modelcontextprotocol/server';
import { exposesServers } from '../config/control-plane.ts';
import type { Environment } from '../config/plane-file.ts';
import { type AuthConfig, authSchema, type Config, type ServeConfig, serveSchema } from '../config/schema.ts';
import { createApp, type ExchangeHandler, siteErrors, siteMiddleware } from '../http/app.ts';
import type { Authenticate } from '../http/auth/authenticate.ts';
import { createAddressOf, trustedProxies, warnOfOneAddress } from '../http/client-address.ts';
import { createCors } from '../http/cors.ts';
import { healthRoutes, landingRoute, metricsRoute } from '../http/health.ts';
import { createHostCheck } from '../http/host-check.ts';
import {
  countWork,
  endServing,
  freePort,
  type ListeningServer,
  listen,
  localOrigin,
  type WorkCounter,
} from '../http/listen.ts';
import { createMetrics, type Metrics } from '../http/metrics.ts';
import { createRateLimits } from '../http/rate-limits.ts';
import { createEndpoint, type McpEndpoint } from '../mcp/http/endpoint.ts';
import { createLegacySse } from '../mcp/http/legacy-sse.ts';
import { STRICT_VERSION } from '../mcp/http/strict.ts';
import { STREAM_LIMITS } from '../mcp/http/unasked-stream.ts';
import type { ToolCallRecord } from '../mcp/tool.ts';
import { createClosers } from '../shared/closers.ts';
import { AppError } from '../shared/errors.ts';
import type { Route } from '../shared/exchange.ts';
import type { Log } from '../shared/log.ts';
import type { Principal } from '../shared/principal.ts';
import { VERSION } from '../version.ts';
import {
  type AuthServices,
  assertAddressKnown,
  assertProtected,
  openAuth,
  type PublicUrlNeed,
} from './auth.ts';
import type { BrainTools } from './brain.ts';
import { endpointsOf, indexedNotes, MCP_PATH } from './endpoints.ts';
import { type GateParts, gateOver } from './http-gate.ts';
import { type NotebookServer, openAllServed, type ServerSurface, serverOf } from './notebooks.ts';
import type { PlaneTools } from './plane.ts';
import type { Services } from './services.ts';

export interface HttpServices extends Services, AuthServices {
  /** What the plane's `${env:NAME}` stand for. */
  readonly environment?: Environment;
  readonly publicUrl?: PublicUrlNeed;
}

interface RunningServer {
  readonly origin: string;
  readonly notebooks: readonly string[];
  readonly port: number;
  /** Answers what was asked, then ends. */
  close(): Promise<void>;
}

const SSE_PATH = '/sse';
const MESSAGE_PATH = '/message';
const MINUTE_S = 60;
const PUBLIC_URL: PublicUrlNeed = { always: false, option: '--public-url or QUIRE_PUBLIC_URL' };
const BUFFERED_BYTES = 16 * 1024 * 1024;

export async function openHttpApp(config: Config, services: HttpServices): Promise<RunningServer> {
  const serve = config.serve ?? serveSchema.parse({});
  const auth = config.auth ?? authSchema.parse({});
  assertStartable(config, serve, auth);
  assertAddressKnown(serve, auth, services.publicUrl ?? PUBLIC_URL);
  const opened = createClosers();
  try {
    const notebooks = await openAllServed(config, services);
    for (const notebook of notebooks.values()) opened.add(() => notebook.close());
    const plane = await openPlane(config, services);
    if (plane) opened.add(() => plane.close());
    const brain = await openBrain(config, notebooks, services);
    if (brain) opened.add(() => brain.close());
    const parts: AppSources = { config, serve, auth, notebooks, plane, brain };
    const { app, listening, origin } = await listenLast(parts, services);
    for (const { start } of notebooks.values()) start();
    plane?.start();
    brain?.start();
    warnOfOneAddress(serve, services.log);
    services.log('info', 'listening', {
      origin,
      host: listening.host,
      port: listening.port,
      auth: auth.mode,
    });
    return {
      origin,
      notebooks: [...notebooks.keys()],
      port: listening.port,
      close: async () => {
        await app.end(listening);
        await opened.close();
      },
    };
  } catch (error) {
    // Why it did not start matters more than why something did not close.
    await opened.close().catch(() => {});
    throw error;
  }
}

function assertStartable(config: Config, serve: ServeConfig, auth: AuthConfig): void {
  if (config.gateway)
    throw new AppError('invalid_input', 'The gateway section is for quire trilium', {
      hint: 'Start quire trilium with this file, or leave the section out.',
    });
  assertProtected(serve, auth);
  if (serve.strict && (serve.protocol ?? STRICT_VERSION) !== STRICT_VERSION)
    throw new AppError('invalid_input', `serve.strict speaks ${STRICT_VERSION} only`, {
      hint: 'Leave serve.protocol out, or serve.strict.',
    });
}

/** What is open before the address is known. */
interface AppSources {
  readonly config: Config;
  readonly serve: ServeConfig;
  readonly auth: AuthConfig;
  readonly notebooks: ReadonlyMap<string, NotebookServer>;
  readonly plane: PlaneTools | undefined;
  readonly brain: BrainTools | undefined;
}

/** A server that answers requests until it is closed. */
interface OpenApp {
  readonly listener: RequestListener;
  /** Answers what was asked, then ends. */
  end(listening: ListeningServer): Promise<void>;
  /** Of an app that nobody has been able to call. */
  close(): Promise<void>;
}

/** How often a port that was free a moment ago may turn out to be taken. */
const PORT_TRIES = 3;

/**
 * Nobody can connect before everything is open: whatever fails, fails with nobody waiting. Tokens and pages name the
 * server's address, so a server that may choose its port chooses it first.
 */
async function listenLast(
  sources: AppSources,
  services: HttpServices,
): Promise<{ app: OpenApp; listening: ListeningServer; origin: string }> {
  const { serve } = sources;
  for (let tries = 1; ; tries++) {
    const place = serve.port === 0 ? { ...serve, port: await freePort(serve) } : serve;
    const origin = serve.publicUrl ?? localOrigin(serve, place);
    const app = await openApp(sources, origin, services);
    try {
      return { app, listening: await listen(app.listener, place), origin };
    } catch (error) {
      await app.close().catch(() => {});
      if (serve.port !== 0 || tries === PORT_TRIES) throw error;
    }
  }
}

async function openApp(sources: AppSources, origin: string, services: HttpServices): Promise<OpenApp> {
  const { config, serve, auth, notebooks, plane, brain } = sources;
  const { log } = services;
  const beside = (surface: ServerSurface) => plane?.beside(surface) ?? surface;
  const served = endpointsOf(notebooks, { brain, beside, isAlone: config.brain?.alone === true });
  const opened = await openAuth(auth, config, { origin, endpoints: [...served.keys()] }, services);
  try {
    const { authenticate, resourceMetadataOf } = opened;
    const endpoints: McpEndpoint[] = [];
    const indexes = () => indexedNotes(notebooks);
    const routes: Route[] = [
      ...healthRoutes({
        checks: readyChecks(notebooks),
        indexes,
        isAnonymous: auth.mode !== 'none',
        log,
      }).map((route): Route => ({ ...route, unlimited: true })),
      ...opened.routes,
      landingRoute({
        origin,
        version: VERSION,
        notebooks: auth.mode === 'none' ? [...notebooks.keys()] : undefined,
        needsLogin: resourceMetadataOf !== undefined,
      }),
    ];
    const metrics = createMetrics({
      version: VERSION,
      routes: [...served.keys(), SSE_PATH, MESSAGE_PATH, ...routes.map(({ path }) => path)],
      tools: [
        ...[...served.values()].flatMap(({ limited }) => limited.surface.tools.map(({ name }) => name)),
        ...(plane?.live.series ?? []),
      ],
      sessions: () => endpoints.reduce((sum, { sessions }) => sum + sessions, 0),
      indexes,
    });
    routes.push(...metricsRoutes(serve, metrics, authenticate));
    const limits = createRateLimits({
      perAddress: { requests: serve.requestsPerMinute, seconds: MINUTE_S },
      perPrincipal: { requests: serve.callsPerMinute, seconds: MINUTE_S },
      onLimited: (kind) => metrics.rateLimited(kind),
    });
    const work = countWork();
    const gateParts: GateParts = { serve, authenticate, resourceMetadataOf, limits, metrics, work };
    const gates = new Map<string, ExchangeHandler>();
    for (const [path, one] of served) {
      const endpoint = endpointOver(one, { serve, log, metrics });
      endpoints.push(endpoint);
      gates.set(path, gateOver(endpoint, { ...one, path }, gateParts));
    }
    const main = served.get(MCP_PATH);
    const sse = serve.legacySse && main ? legacySseOver(main, { serve, log, metrics, work }) : undefined;
    if (sse && main)
      for (const [path, endpoint] of sse.endpoints)
        gates.set(path, gateOver(endpoint, { ...main, path: MCP_PATH }, gateParts));
    let listener = createApp({
      middleware: siteMiddleware({
        origin,
        routes,
        mcp: gates,
        strangerProblem: createHostCheck({
          host: serve.host,
          publicUrl: origin,
          allowedHosts: serve.allowedHosts,
          allowedOrigins: serve.allowedOrigins,
        }),
        cors: createCors({ allowedOrigins: serve.allowedOrigins }),
        tooOften: (address) => limits.byAddress(address),
        bodyTimeoutMs: serve.bodyTimeoutSeconds * 1000,
      }),
      addressOf: createAddressOf(trustedProxies(serve.trustedProxies, serve.forwardedHeader)),
      renderError: siteErrors(log),
      onAnswered: ({ request: { method = '' }, response, route, address, principal }, milliseconds) => {
        const answered = { method, route, status: response.statusCode, milliseconds };
        metrics.answered(answered);
        log('info', 'request', {
          ...answered,
          milliseconds: Math.round(milliseconds),
          address,
          principal: principal?.id,
        });
      },
    });
    const ending = [...endpoints, ...(sse ? [sse] : [])];
    return {
      listener: (request, response) => listener(request, response),
      end: async (listening) => {
        listener = (_request, response) => response.writeHead(503, { Connection: 'close' }).end();
        await endServing(listening, work, ending);
        await opened.close();
      },
      close: async () => {
        await Promise.all(ending.map((one) => one.close()));
        await opened.close();
      },
    };
  } catch (error) {
    // Why it did not start matters more than why something did not close.
    await opened.close().catch(() => {});
    throw error;
  }
}

/** Nobody who governs no other server loads what it takes. */
async function openPlane(config: Config, services: HttpServices): Promise<PlaneTools | undefined> {
  if (!exposesServers(config)) return undefined;
  const { openPlaneTools } = await import('./plane.ts');
  return openPlaneTools(config, { log: services.log, environment: services.environment ?? {} });
}

/** Nobody who has no second brain loads what it takes. */
async function openBrain(
  config: Config,
  notebooks: ReadonlyMap<string, NotebookServer>,
  { log, environment = {}, cacheFolder, embedThread }: HttpServices,
): Promise<BrainTools | undefined> {
  if (!config.brain?.enabled) return undefined;
  const { openBrainTools } = await import('./brain.ts');
  const plane = async () => (await import('./plane.ts')).planeFacts(config, { log, environment });
  const services = { log, environment, cacheFolder, embedThread, plane, withSearchTool: true };
  return openBrainTools(config, notebooks, services);
}

function endpointOver(
  served: ServerSurface,
  { serve, log, metrics }: { serve: ServeConfig; log: Log; metrics: Metrics },
): McpEndpoint {
  return createEndpoint({
    createServer: (principal, session) =>
      watchedServer(served, principal, session !== undefined, { log, metrics }),
    resources: served.resources,
    prompts: served.prompts,
    live: served.live,
    limits: {
      sessions: serve.sessions,
      subscriptions: serve.sessions,
      idleMs: serve.sessionIdleMinutes * 60_000,
      bufferedBytes: BUFFERED_BYTES,
    },
    protocol: serve.protocol,
    strict: serve.strict ? STREAM_LIMITS : undefined,
    log,
  });
}

function legacySseOver(
  served: ServerSurface,
  { serve, log, metrics, work }: { serve: ServeConfig; log: Log; metrics: Metrics; work: WorkCounter },
): { endpoints: Map<string, Pick<McpEndpoint, 'handle'>>; close(): Promise<void> } {
  const sse = createLegacySse({
    createServer: (principal) => watchedServer(served, principal, true, { log, metrics }),
    messagePath: MESSAGE_PATH,
    streams: serve.sessions,
    onWorking: () => work.begin(),
  });
  const endpoints = new Map([
    [SSE_PATH, { handle: async (request, response, principal) => sse.open(request, response, principal) }],
    [MESSAGE_PATH, { handle: async (...exchange) => sse.receive(...exchange) }],
  ] satisfies [string, Pick<McpEndpoint, 'handle'>][]);
  return { endpoints, close: () => sse.close() };
}

/** A protocol server whose calls are counted, and whose writes are told to the log. */
function watchedServer(
  served: ServerSurface,
  principal: Principal,
  announces: boolean,
  { log, metrics }: { log: Log; metrics: Metrics },
): Server {
  return serverOf(served, {
    log,
    announces,
    principal,
    onCalled: (called) => {
      metrics.called({ ...called, tool: seriesOf(served, called.tool) });
      audit(log, principal, called);
    },
  });
}

function seriesOf({ live }: ServerSurface, tool: string): string {
  return live?.owns(tool) ? live.seriesOf(tool) : tool;
}

/** Who changed what, and whether it worked; never what was written. A surface may have words of its own for it. */
function audit(log: Log, principal: Principal, { tool, effect, outcome, path, line }: ToolCallRecord): void {
  if (line) log(line.level, line.message, { ...line.fields, principal: principal.id });
  else if (effect !== 'read') log('info', 'audit', { principal: principal.id, tool, outcome, path });
}

function metricsRoutes(serve: ServeConfig, metrics: Metrics, authenticate: Authenticate): Route[] {
  switch (serve.metrics) {
    case 'off':
      return [];
    case 'open':
      return [metricsRoute(metrics, { mode: 'open' })];
    case 'same':
      return [metricsRoute(metrics, { mode: 'same', authenticate })];
    case 'token':
      return [
        metricsRoute(metrics, { mode: 'token', tokens: serve.metricsToken ? [serve.metricsToken] : [] }),
      ];
  }
}

function readyChecks(notebooks: ReadonlyMap<string, NotebookServer>) {
  return [...notebooks].map(([name, { check }]) => ({ name: `notebook ${name}`, check }));
}
