/** Composes the server over HTTP: notebooks, authentication, endpoints and middleware. */

import type { Launch } from '../clients/client.ts';
import { exposesServers, isGoverning } from '../config/control-plane.ts';
import { type AuthConfig, authSchema, type ServeConfig, serveSchema } from '../config/http-schema.ts';
import type { Environment } from '../config/plane-file.ts';
import type { Config } from '../config/schema.ts';
import { createApp, siteErrors, siteMiddleware } from '../http/app.ts';
import { type Authenticate, withGeneralScope } from '../http/auth/authenticate.ts';
import {
  createAddressOf,
  trustedProxies,
  warnOfForwarding,
  warnOfOneAddress,
} from '../http/client-address.ts';
import { createCors } from '../http/cors.ts';
import { healthRoutes, landingRoute, metricsRoute } from '../http/health.ts';
import { createHostCheck } from '../http/host-check.ts';
import { createJsonReader } from '../http/json-body.ts';
import { countWork, type OpenApp, type RunningServer, rehearseServer, startServer } from '../http/listen.ts';
import { createMetrics, type Metrics, type MetricsOptions } from '../http/metrics.ts';
import { createRateLimits } from '../http/rate-limits.ts';
import type { Replicas } from '../mcp/http/replicas/open.ts';
import { STRICT_VERSION } from '../mcp/http/strict.ts';
import { createClosers } from '../shared/closers.ts';
import type { Route } from '../shared/exchange.ts';
import type { Log } from '../shared/log.ts';
import type { Database } from '../state/postgres/database.ts';
import { openRequestCounts } from '../state/postgres/request-counts.ts';
import { VERSION } from '../version.ts';
import {
  type AuthServices,
  appWith,
  assertAddressKnown,
  assertProtected,
  type OpenAuth,
  openAuth,
  type PublicUrlNeed,
  refused,
} from './auth.ts';
import type { BrainTools } from './brain.ts';
import { type OpenConsole, openConsole, reviewPageAt } from './console/console.ts';
import { keepWarnings, type NotebookWarnings } from './console/notebook-warnings.ts';
import { openStateDatabase } from './database.ts';
import { allWithHistoryTools, withHistoryOf } from './history-tools.ts';
import {
  endpointsOf,
  indexedNotes,
  MESSAGE_PATH,
  openEndpoints,
  SSE_PATH,
  servedAccess,
} from './mcp-endpoints.ts';
import { type NotebookServer, openAllServed, type ServerSurface } from './notebooks.ts';
import type { GovernedPlane } from './plane.ts';
import type { Services } from './services.ts';
import { historyOn, planeStateOn, replicasOn, viewKeysOn } from './shared-state.ts';
import { type OpenUsage, openUsage } from './usage.ts';
import { ViewKeys } from './view-keys.ts';

export interface HttpServices extends Services, AuthServices {
  /** Values of `${env:NAME}` in the plane's sections. */
  readonly environment?: Environment;
  readonly publicUrl?: PublicUrlNeed;
  /** Shows the operator a link that opens the console; without it, there is no way in but a login. */
  readonly showLink?: (link: string) => void;
  /** What starts Quire on this machine, for the instructions of the console. */
  readonly launch?: Launch;
}

const MINUTE_S = 60;
const MB = 1024 ** 2;
const PUBLIC_URL: PublicUrlNeed = { always: false, option: '--public-url or QUIRE_PUBLIC_URL' };

export async function openHttpApp(
  config: Config,
  services: HttpServices,
): Promise<RunningServer & { readonly notebooks: readonly string[] }> {
  const { serve, sources, links, open, close } = await prepare(config, services);
  const { notebooks, plane, brain, auth } = sources;
  try {
    const running = await startServer(serve, open);
    links.start();
    for (const { start } of notebooks.values()) start();
    plane?.tools?.start();
    brain?.start();
    warnOfOneAddress(serve, services.log);
    const { origin, host, port } = running;
    services.log('info', 'listening', { origin, host, port, auth: auth.mode });
    return {
      ...running,
      notebooks: [...notebooks.keys()],
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

/** Throws what `openHttpApp` would throw, and leaves nothing behind: the state is not looked at. */
export async function rehearseHttpApp(config: Config, services: HttpServices): Promise<void> {
  const rehearsed = { ...config, state: { dir: 'memory' } };
  const { serve, open, close } = await prepare(rehearsed, { ...services, isRehearsal: true }, config.state);
  try {
    await rehearseServer(serve, open);
  } finally {
    await close();
  }
}

/** Checks the configuration, and opens everything that is open before the server's address is known. */
async function prepare(config: Config, given: HttpServices, state = config.state) {
  const serve = config.serve ?? serveSchema.parse({});
  const auth = config.auth ?? authSchema.parse({});
  assertStartable({ ...config, state }, serve, auth);
  assertAddressKnown(serve, auth, given.publicUrl ?? PUBLIC_URL);
  const opened = createClosers();
  const links = linksAfterStart(given.showLink);
  let reviewPage: string | undefined;
  try {
    const database = await openStateDatabase(config, given.log);
    if (database) opened.add(() => database.close());
    const replicas = await replicasOn(database, given.log);
    if (replicas) opened.add(() => replicas.close());
    const history = await historyOn(database, given.history);
    const databaseUrl = config.state?.postgres;
    const viewKeys = (await viewKeysOn(database, replicas)) ?? given.viewKeys ?? new ViewKeys();
    const services = { ...given, viewKeys, database, databaseUrl, history };
    const warnings = keepWarnings(services.log);
    const withPage = { ...services, logOf: warnings.logOf, reviewPage: () => reviewPage };
    const served = await openAllServed(config, withPage);
    for (const notebook of served.values()) opened.add(() => notebook.close());
    const { allWithNoteSets } = await import('./note-sets.ts');
    const notebooks = allWithHistoryTools(await allWithNoteSets(served, config), config, services);
    const plane = await openPlane(config, services, replicas);
    if (plane) opened.add(() => plane.close());
    const brain = await openBrain(config, notebooks, services);
    if (brain) opened.add(() => brain.close());
    const sources: AppSources = {
      config,
      serve,
      auth,
      notebooks,
      warnings,
      plane,
      brain,
      database,
      replicas,
    };
    const open = (origin: string) => {
      reviewPage = reviewPageAt(origin, config);
      return openApp(sources, origin, { ...services, showLink: links.show });
    };
    return { serve, sources, links, open, close: () => opened.close() };
  } catch (error) {
    // The reason why it did not start matters more than a failure to close.
    await opened.close().catch(() => {});
    throw error;
  }
}

/** A server that does not start has no link to show. */
function linksAfterStart(showLink: HttpServices['showLink']) {
  let isStarted = false;
  let waiting: string | undefined;
  return {
    show:
      showLink &&
      ((link: string) => {
        if (isStarted) showLink(link);
        else waiting = link;
      }),
    start: () => {
      isStarted = true;
      if (waiting !== undefined) showLink?.(waiting);
    },
  };
}

function assertStartable(config: Config, serve: ServeConfig, auth: AuthConfig): void {
  if (config.gateway)
    throw refused(
      'The gateway section is for quire trilium',
      'Start quire trilium with this file, or leave the section out.',
    );
  assertProtected(serve, auth, { served: config.brain?.alone ? 'brain' : 'notebooks', state: config.state });
  if (serve.strict && (serve.protocol ?? STRICT_VERSION) !== STRICT_VERSION)
    throw refused(`serve.strict speaks ${STRICT_VERSION} only`, 'Leave serve.protocol out, or serve.strict.');
}

/** Everything that is open before the server's address is known. */
interface AppSources {
  readonly config: Config;
  readonly serve: ServeConfig;
  readonly auth: AuthConfig;
  readonly notebooks: ReadonlyMap<string, NotebookServer>;
  readonly warnings: NotebookWarnings;
  readonly plane: GovernedPlane | undefined;
  readonly brain: BrainTools | undefined;
  readonly database: Database | undefined;
  readonly replicas: Replicas | undefined;
}

async function openApp(sources: AppSources, origin: string, services: HttpServices): Promise<OpenApp> {
  const { config, auth, notebooks, plane, brain } = sources;
  const { log, showLink, history, launch } = services;
  const beside = (surface: ServerSurface) => plane?.tools?.beside(surface) ?? surface;
  const served = endpointsOf(notebooks, { brain, beside, isAlone: config.brain?.alone === true, services });
  const at = { origin, endpoints: [...served.keys()], served: servedAccess(served, notebooks.keys()) };
  const opened = await openAuth(auth, config, at, services);
  const usage = config.console === 'off' ? undefined : await openUsage({ ...sources, ...services, origin });
  return appWith(opened, () =>
    appOver(served, { ...sources, origin, opened, usage, log, showLink, history, launch }),
  );
}

interface AppParts extends AppSources {
  readonly origin: string;
  readonly opened: OpenAuth;
  /** Absent without a console. */
  readonly usage: OpenUsage | undefined;
  readonly log: Log;
  readonly showLink?: HttpServices['showLink'];
  readonly history?: HttpServices['history'];
  readonly launch?: Launch;
}

function appOver(served: ReadonlyMap<string, ServerSurface>, parts: AppParts): OpenApp {
  const { serve, origin, opened, usage, log, replicas } = parts;
  const landingOf = (hasConsole: boolean) =>
    landingRoute({
      origin,
      version: VERSION,
      needsLogin: opened.resourceMetadataOf !== undefined,
      hasConsole,
    });
  const site = openConsole({ ...parts, landing: landingOf(true).handle });
  const routes = routesOf(parts, site?.routes ?? [landingOf(false)]);
  const metrics = createMetrics({
    version: VERSION,
    routes: [...served.keys(), SSE_PATH, MESSAGE_PATH, ...routes.map(({ path }) => path)],
    tools: toolSeries(served, parts),
    sessions: () => endpoints.sessions,
    indexes: () => indexedNotes(parts.notebooks),
    upstreams: parts.plane && upstreamCounts(parts.plane),
  });
  const counts = parts.database && openRequestCounts(parts.database);
  const limits = createRateLimits({
    counts,
    perAddress: { requests: serve.requestsPerMinute, seconds: MINUTE_S },
    perPrincipal: { requests: serve.callsPerMinute, seconds: MINUTE_S },
    onLimited: (kind) => metrics.rateLimited(kind),
  });
  const bodyTimeoutMs = serve.bodyTimeoutSeconds * 1000;
  const readJson = createJsonReader({ ordinaryBytes: serve.bodyLimitMb * MB, timeoutMs: bodyTimeoutMs });
  const work = countWork();
  const endpoints = openEndpoints(served, {
    ...opened,
    serve,
    readJson,
    limits,
    metrics,
    usage,
    work,
    log,
    replicas,
  });
  const listener = createApp({
    middleware: siteMiddleware({
      origin,
      routes: [...routes, ...metricsRoutes(serve, metrics, opened.authenticate)],
      mcp: endpoints.gates,
      hostCheck: createHostCheck({ ...serve, publicUrl: origin }),
      cors: createCors({ allowedOrigins: serve.allowedOrigins }),
      tooOften: (address) => limits.byAddress(address),
      bodyTimeoutMs,
    }),
    addressOf: createAddressOf(
      trustedProxies(serve.trustedProxies, serve.forwardedHeader),
      warnOfForwarding({ ...serve, origin, log }),
    ),
    renderError: siteErrors(log),
    onAnswered: ({ request: { method = '' }, response, route, address, principal }, milliseconds) => {
      const answered = { method, route, status: response.statusCode, milliseconds };
      metrics.answered(answered);
      const rounded = { ...answered, milliseconds: Math.round(milliseconds) };
      log('info', 'request', { ...rounded, address, principal: principal?.id });
    },
  });
  const close = async () => {
    await counts?.close();
    await usage?.close();
    await opened.close();
  };
  return { listener, work, endpoints: closersOf(endpoints.closers, site), close };
}

function closersOf(endpoints: OpenApp['endpoints'], site: OpenConsole | undefined): OpenApp['endpoints'] {
  return site ? [...endpoints, site] : endpoints;
}

/** All routes but the metrics, whose labels name the others. */
function routesOf({ notebooks, auth, opened, database, log }: AppParts, pages: readonly Route[]): Route[] {
  return [
    ...healthRoutes({
      checks: [
        ...[...notebooks].map(([name, { check }]) => ({ name: `notebook ${name}`, check })),
        ...(database ? [{ name: 'database', check: () => database.check() }] : []),
      ],
      indexes: () => indexedNotes(notebooks),
      isAnonymous: auth.mode !== 'none',
      log,
    }),
    ...opened.routes,
    ...pages,
  ];
}

/** Tokens are no questions: they have a series of their own. */
function upstreamCounts({ counts }: Pick<GovernedPlane, 'counts'>): MetricsOptions['upstreams'] {
  return () =>
    counts().map(({ server, leftOut, nested }) => {
      const { sampling_input_tokens: input, sampling_output_tokens: output, ...questions } = nested;
      return { server, leftOut, nested: questions, tokens: { input, output } };
    });
}

/** Names of the tools that have a series of their own in the metrics. */
function toolSeries(served: ReadonlyMap<string, ServerSurface>, { plane }: AppParts): string[] {
  const tools = [...served.values()].flatMap(({ limited }) => limited.surface.tools.map(({ name }) => name));
  return [...tools, ...(plane?.tools?.live.series ?? [])];
}

/** Loaded only where other servers are governed, and somebody sees something of it. */
async function openPlane(
  config: Config,
  services: HttpServices,
  replicas: Replicas | undefined,
): Promise<GovernedPlane | undefined> {
  if (!exposesServers(config) && !(isGoverning(config) && config.console !== 'off')) return undefined;
  const { openGovernedPlane } = await import('./plane.ts');
  const { log, environment = {}, database } = services;
  const shared = await planeStateOn(database);
  return openGovernedPlane(config, { log, environment, shared, roundsKey: replicas?.secret });
}

/** Loaded only where there is a second brain. */
async function openBrain(
  config: Config,
  notebooks: ReadonlyMap<string, NotebookServer>,
  { log, environment = {}, cacheFolder, history, viewKeys, database }: HttpServices,
): Promise<BrainTools | undefined> {
  if (!config.brain?.enabled) return undefined;
  const { openBrainTools } = await import('./brain.ts');
  const plane = async () =>
    (await import('./plane.ts')).planeFacts(config, {
      log,
      environment,
      shared: await planeStateOn(database),
    });
  const services = { log, environment, cacheFolder, plane, withSearchTool: true };
  return withHistoryOf(await openBrainTools(config, notebooks, services), notebooks, config, {
    log,
    history,
    viewKeys,
  });
}

function metricsRoutes(serve: ServeConfig, metrics: Metrics, authenticate: Authenticate): Route[] {
  switch (serve.metrics) {
    case 'off':
      return [];
    case 'open':
      return [metricsRoute(metrics, { mode: 'open' })];
    case 'same':
      return [metricsRoute(metrics, { mode: 'same', authenticate: withGeneralScope(authenticate) })];
    case 'token':
      return [
        metricsRoute(metrics, { mode: 'token', tokens: serve.metricsToken ? [serve.metricsToken] : [] }),
      ];
  }
}
