/** The MCP endpoints of the server over HTTP: which tools are at which path, and the gate in front of each. */
import { randomUUID } from 'node:crypto';
import type { Server } from '@modelcontextprotocol/server';
import type { ServeConfig } from '../config/http-schema.ts';
import type { ExchangeHandler } from '../http/app.ts';
import type { JsonReader } from '../http/json-body.ts';
import type { WorkCounter } from '../http/listen.ts';
import {
  createMcpGate,
  type GateRefusals,
  jsonRpcRefusals,
  type TenantResolver,
  type ToolScopes,
} from '../http/mcp-gate.ts';
import type { Metrics } from '../http/metrics.ts';
import type { RateLimits } from '../http/rate-limits.ts';
import { sessionLabel } from '../http/tenants/sessions.ts';
import { createEndpoint, type McpEndpoint } from '../mcp/http/endpoint.ts';
import { createLegacySse, type LegacySse } from '../mcp/http/legacy-sse.ts';
import { STREAM_LIMITS } from '../mcp/http/notification-stream.ts';
import type { McpExchange } from '../mcp/http/refusals.ts';
import type { Replicas } from '../mcp/http/replicas/open.ts';
import type { ToolCallRecord } from '../mcp/tool.ts';
import type { ServedAccess } from '../oauth/served-access.ts';
import { AppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { confinesTo, type Principal } from '../shared/principal.ts';
import type { OpenAuth } from './auth.ts';
import { BRAIN, joined } from './joined-notebooks.ts';
import { type NotebookServer, type ServerSurface, serverOf } from './notebooks.ts';
import { withReviewOffers } from './review-offers.ts';
import type { Services } from './services.ts';
import type { OpenUsage } from './usage.ts';

const MCP_PATH = '/mcp';
export const SSE_PATH = '/sse';
export const MESSAGE_PATH = '/message';
const BUFFERED_BYTES = 16 * 1024 * 1024;

interface ExtraSurfaces {
  readonly brain: ServerSurface | undefined;
  /** Serve the second brain alone. */
  readonly isAlone: boolean;
  /** Adds the capabilities of governed servers. */
  readonly beside: (surface: ServerSurface) => ServerSurface;
  readonly services: Pick<Services, 'log' | 'viewKeys'>;
}

export function endpointsOf(
  notebooks: ReadonlyMap<string, NotebookServer>,
  { brain, isAlone, beside, services }: ExtraSurfaces,
): Map<string, ServerSurface> {
  const all = (surface: ServerSurface) => withReviewOffers(surface, notebooks.values(), services);
  if (brain && isAlone) return new Map([[MCP_PATH, beside(all(brain))]]);
  if (brain && notebooks.has(BRAIN))
    throw new AppError('invalid_input', `No notebook can be called ${BRAIN} beside the second brain`, {
      hint: `Its tools are at ${MCP_PATH}/${BRAIN}. Give the notebook another name.`,
    });
  const [only, ...others] = notebooks;
  const isOne = notebooks.size === 1;
  if (only && others.length === 0 && !brain)
    return new Map([[MCP_PATH, { ...beside(all(only[1])), ...ofNotebook(only[0], all(only[1])) }]]);
  /** Without what works on all notebooks: the second brain and other servers. */
  const confinedTo = (names: ReadonlySet<string>): ServerSurface | undefined => {
    const some = new Map([...notebooks].filter(([name]) => names.has(name)));
    if (some.size === 0) return undefined;
    return withReviewOffers(joined(some, undefined, isOne), some.values(), services);
  };
  const each = isOne
    ? []
    : [...notebooks].map(([name, served]) => {
        const own = withReviewOffers<ServerSurface>(served, [served], services);
        return [`${MCP_PATH}/${name}`, { ...own, ...ofNotebook(name, own) }] as const;
      });
  return new Map<string, ServerSurface>([
    [MCP_PATH, { ...beside(all(joined(notebooks, brain))), confinedTo }],
    ...each,
    ...(brain ? [[`${MCP_PATH}/${BRAIN}`, all(brain)] as const] : []),
  ]);
}

/** All tools work on the one notebook. */
function ofNotebook(name: string, own: ServerSurface): Pick<ServerSurface, 'notebookOf' | 'confinedTo'> {
  const tools = new Set(own.limited.surface.tools.map((tool) => tool.name));
  const notebookOf = (tool: string) => (tools.has(tool) ? name : undefined);
  const confined = { ...own, notebookOf };
  return { notebookOf, confinedTo: (names) => (names.has(name) ? confined : undefined) };
}

/** What the tools of all endpoints can do. */
export function servedAccess(
  served: ReadonlyMap<string, ServerSurface>,
  notebooks: Iterable<string> = [],
): ServedAccess {
  const surfaces = [...served.values()];
  const tools = surfaces.flatMap(({ limited }) => limited.surface.tools);
  return {
    canWrite: tools.some(({ effect }) => effect !== 'read'),
    canDelete: tools.some(({ deletes }) => deletes === true),
    canPropose: surfaces.some(({ canPropose }) => canPropose !== undefined),
    governs: surfaces.some(({ live }) => live !== undefined),
    notebooks: [...notebooks],
  };
}

/** The state of each search index. */
export function indexedNotes(notebooks: ReadonlyMap<string, NotebookServer>) {
  return [...notebooks].flatMap(([notebook, { indexStatus }]) => {
    const status = indexStatus();
    return status ? [{ notebook, ...status }] : [];
  });
}

interface EndpointParts extends Pick<OpenAuth, 'authenticate' | 'onRevoked' | 'resourceMetadataOf'> {
  readonly serve: ServeConfig;
  readonly readJson: JsonReader;
  readonly limits: RateLimits;
  readonly metrics: Metrics;
  /** Absent where nobody looks at it. */
  readonly usage?: OpenUsage;
  readonly work: WorkCounter;
  readonly log: Log;
  /** Other servers with which sessions are shared. */
  readonly replicas?: Replicas;
}

/** The endpoints at their paths. */
export function openEndpoints(served: ReadonlyMap<string, ServerSurface>, parts: EndpointParts) {
  const gates = new Map<string, ExchangeHandler>();
  const opened: ScopedEndpoint[] = [];
  for (const [path, surface] of served) {
    const endpoint = scopedEndpoint(path, surface, parts);
    opened.push(endpoint);
    const tenants = {
      find: (_: unknown, principal: Principal) => endpoint.of(principal),
      serve: (exchange: McpExchange, { handle }: McpEndpoint) => handle(exchange),
    };
    gates.set(path, gateOver(tenants, endpoint, parts));
  }
  const main = opened.find(({ path }) => path === MCP_PATH);
  const sse = parts.serve.legacySse && main ? legacySseOver(main, parts) : undefined;
  if (main && sse)
    for (const [path, handle] of [
      [SSE_PATH, sse.open],
      [MESSAGE_PATH, async (exchange) => sse.receive(exchange)],
    ] satisfies [string, McpEndpoint['handle']][])
      gates.set(
        path,
        gateOver(
          {
            find: () => undefined,
            serve: (exchange) => handle({ ...exchange, caller: inNotebooks(exchange.caller) }),
          },
          main,
          parts,
        ),
      );
  return {
    gates,
    get sessions() {
      return opened.reduce((sum, { sessions }) => sum + sessions(), 0);
    },
    closers: sse ? [...opened, sse] : opened,
  };
}

interface ScopedEndpoint extends ReturnType<typeof scopedEndpoint> {}

/**
 * The endpoint of a path, and one of its own for callers who are confined to the same notebooks: sessions, lists and
 * notifications of one are never those of another.
 */
function scopedEndpoint(path: string, surface: ServerSurface, parts: EndpointParts) {
  const wide = { surface, endpoint: endpointOver(surface, path, parts) };
  const confined = new Map<string, typeof wide>();
  const all = () => [wide, ...confined.values()];
  const find = ({ scopes }: Principal): typeof wide | undefined => {
    const names = confinesTo(scopes);
    if (names === undefined) return wide;
    const key = placeOf(names);
    const known = confined.get(key);
    if (known) return known;
    const own = surface.confinedTo?.(names);
    if (!own) return undefined;
    const opened = { surface: own, endpoint: endpointOver(own, `${path} ${key}`, parts) };
    confined.set(key, opened);
    return opened;
  };
  const scoped = (principal: Principal) => {
    const found = find(principal);
    if (found) return found;
    throw refusalsAt(path, surface, parts).missingScope('notes:read');
  };
  return {
    path,
    surface,
    of: (principal: Principal) => scoped(principal).endpoint,
    surfaceOf: (principal: Principal) => scoped(principal).surface,
    sessions: () => all().reduce((sum, { endpoint }) => sum + endpoint.sessions, 0),
    close: async () => void (await Promise.all(all().map(({ endpoint }) => endpoint.close()))),
  };
}

/** A stream belongs to its caller with access to the same notebooks: the tools at its end are for those. */
function inNotebooks(caller: Principal): Principal {
  const names = confinesTo(caller.scopes);
  return names === undefined ? caller : { ...caller, owner: `${caller.id} ${placeOf(names)}` };
}

function placeOf(names: ReadonlySet<string>): string {
  return [...names].sort().join(' ');
}

function refusalsAt(
  path: string,
  { limited, live }: ServerSurface,
  { resourceMetadataOf, metrics }: EndpointParts,
): GateRefusals {
  return jsonRpcRefusals({
    resourceMetadata: resourceMetadataOf?.(path),
    canWrite: live !== undefined || limited.surface.tools.some(({ effect }) => effect !== 'read'),
    onAuthFailure: (reason) => metrics.authFailed(reason),
  });
}

function gateOver<Session>(
  tenants: TenantResolver<Session>,
  { path, surface, surfaceOf }: ScopedEndpoint,
  parts: EndpointParts,
): ExchangeHandler {
  const { authenticate, onRevoked, readJson, limits, work } = parts;
  const known = new WeakMap<ServerSurface, ToolScopes>();
  const toolsFor = (principal: Principal): ToolScopes => {
    const own = surfaceOf(principal);
    const tools = known.get(own) ?? { ...toolScopesOf(own), isConfined: own !== surface };
    known.set(own, tools);
    return tools;
  };
  return createMcpGate({
    tenants,
    authenticate,
    onRevoked,
    readJson,
    refusals: refusalsAt(path, surface, parts),
    toolsFor,
    tooOften: (principal) => limits.byPrincipal(principal),
    work,
  });
}

function toolScopesOf({ limited, live, canPropose, notebookOf }: ServerSurface): ToolScopes {
  const effects = new Map(limited.surface.tools.map(({ name, effect }) => [name, effect]));
  return { effectOf: (name) => effects.get(name) ?? live?.effectOf(name), canPropose, notebookOf };
}

type ServerParts = Pick<EndpointParts, 'serve' | 'log' | 'metrics' | 'usage' | 'work' | 'replicas'>;

/** `place` tells its sessions from those of other endpoints. */
function endpointOver(surface: ServerSurface, place: string, parts: ServerParts): McpEndpoint {
  const { serve, log, replicas } = parts;
  return createEndpoint({
    createServer: (principal, session) =>
      watchedServer(surface, { principal, session: session && sessionLabel(session) }, parts),
    ...surface,
    limits: sessionLimits(serve),
    protocol: serve.protocol,
    strict: serve.strict ? STREAM_LIMITS : undefined,
    openSessions: replicas?.sessionsAt(place),
    log,
  });
}

export function sessionLimits(config: Pick<ServeConfig, 'sessions' | 'sessionIdleMinutes'>) {
  const { sessions, sessionIdleMinutes } = config;
  return {
    sessions,
    subscriptions: sessions,
    idleMs: sessionIdleMinutes * 60_000,
    bufferedBytes: BUFFERED_BYTES,
  };
}

function legacySseOver({ surfaceOf }: ScopedEndpoint, parts: ServerParts): LegacySse {
  return createLegacySse({
    createServer: (principal) =>
      watchedServer(surfaceOf(principal), { principal, session: randomUUID() }, parts),
    messagePath: MESSAGE_PATH,
    streams: parts.serve.sessions,
    onWorking: () => parts.work.begin(),
    shared: parts.replicas?.streamsAt(SSE_PATH),
  });
}

/** A protocol server whose calls are counted, and whose writes are logged. */
function watchedServer(
  served: ServerSurface,
  { principal, session }: { readonly principal: Principal; readonly session: string | undefined },
  { log, metrics, usage }: ServerParts,
): Server {
  return serverOf(served, {
    log,
    announces: session !== undefined,
    principal,
    session,
    onCalled: (called) => {
      const { tool } = called;
      const series = served.live?.owns(tool) ? served.live.seriesOf(tool) : tool;
      metrics.called({ ...called, tool: series });
      usage?.called(called, series, principal);
      audit(log, principal, called);
    },
  });
}

/** The caller, the tool, the path and the outcome of a change, never its content. A surface may word the line itself. */
function audit(log: Log, principal: Principal, called: ToolCallRecord): void {
  const { tool, effect, outcome, path, change, line } = called;
  if (line) log(line.level, line.message, { ...line.fields, principal: principal.id });
  else if (effect !== 'read') log('info', 'audit', { principal: principal.id, tool, outcome, path, change });
}
