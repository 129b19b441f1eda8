/** The tenant resolver in front of the two transports: Streamable HTTP at /mcp, and HTTP+SSE at /sse and /message. */
import type { IncomingHttpHeaders } from 'node:http';
import { isOfSessions, type McpEndpoint } from '../../mcp/http/endpoint.ts';
import { type LegacySse, sessionIdOf } from '../../mcp/http/legacy-sse.ts';
import type { McpExchange } from '../../mcp/http/refusals.ts';
import { isInitialize } from '../../mcp/http/sessions.ts';
import type { Log } from '../../shared/log.ts';
import type { ExchangeHandler } from '../app.ts';
import { presentedToken } from '../auth/authenticate.ts';
import {
  authenticated,
  createMcpGate,
  type McpGateOptions,
  missingScope,
  type TenantResolver,
} from '../mcp-gate.ts';
import { HttpRefusal } from '../refusal.ts';
import type { AdmitToTenant, TenantName } from './named.ts';
import { batchRefused, missingSessionId } from './refusal.ts';
import { type Connection, type SessionRegistry, sessionLabel, type TenantLeases } from './sessions.ts';
import { type OpenTenant, type Tenant, tenantElsewhere } from './tenants.ts';

export interface McpRouteParts extends Omit<McpGateOptions<unknown>, 'tenants'> {
  readonly openTenant: OpenTenant;
  readonly leases: Pick<TenantLeases, 'borrow'>;
  readonly registry: SessionRegistry;
  readonly nameOf: TenantName;
  readonly admit: AdmitToTenant;
  /** Of a tenant, by its name. */
  readonly transportsOf: (tenantName: string | undefined) => {
    readonly endpoint: Pick<McpEndpoint<Connection>, 'handle'>;
    readonly sse: Pick<LegacySse<Connection>, 'open' | 'receive'>;
  };
  /** Of the tenant that a request names; undefined where sessions are not shared with other servers. */
  readonly keyElsewhere?: (headers: IncomingHttpHeaders) => string;
  /** A message of a stream must bring the credentials its stream was opened with. */
  readonly messageAuth: boolean;
  readonly log: Log;
}

/** Each request of Streamable HTTP has a Trilium: its session's, or the one its headers name. */
export function createMcpRoute(parts: McpRouteParts): ExchangeHandler {
  const { registry, admit, transportsOf } = parts;
  const tenants: TenantResolver<Connection | 'elsewhere' | undefined> = {
    find({ method, headers }, principal) {
      acceptBoth(headers);
      const id = headers['mcp-session-id'];
      if (id !== undefined && parts.keyElsewhere && !registry.has(String(id))) return 'elsewhere';
      if (id !== undefined) return registry.find({ kind: 'streamable', id: String(id), principal, headers });
      if (method !== 'POST') throw missingSessionId('streamable');
      return undefined;
    },
    async serve(exchange, session) {
      if (session === 'elsewhere') return joinSession(parts, exchange);
      if (session) {
        await admit(session);
        return transportsOf(session.tenantName).endpoint.handle({ ...exchange, caller: session });
      }
      const isOld = isOfSessions(exchange.request, exchange.body);
      return isOld ? beginSession(parts, exchange) : serveAlone(parts, exchange);
    },
  };
  return createMcpGate({ ...parts, tenants });
}

/** A session that another server has begun: its Trilium is opened here by the headers of the request. */
function joinSession(parts: McpRouteParts, exchange: McpExchange): Promise<void> {
  return connect(parts, exchange, 'streamable_init_failed', ({ endpoint }, joining) =>
    endpoint.handle(joining),
  );
}

async function beginSession(parts: McpRouteParts, exchange: McpExchange): Promise<void> {
  if (Array.isArray(exchange.body)) throw batchRefused();
  if (!isInitialize(exchange.body)) throw missingSessionId('streamable');
  await joinSession(parts, exchange);
}

/** Opens the caller's Trilium; it is closed again unless a session keeps it. */
async function connect(
  parts: McpRouteParts,
  exchange: McpExchange,
  event: 'sse_connect_failed' | 'streamable_init_failed',
  open: (
    transports: ReturnType<McpRouteParts['transportsOf']>,
    exchange: McpExchange<Connection>,
  ) => Promise<void>,
): Promise<void> {
  const { openTenant, registry, admit, transportsOf } = parts;
  const { headers } = exchange.request;
  const caller = connectionOf(parts, exchange, await openTenant(headers));
  try {
    await admit(caller);
    await open(transportsOf(caller.tenantName), { ...exchange, caller });
  } catch (error) {
    if (error instanceof HttpRefusal) throw error;
    throw new HttpRefusal(500, event, {
      level: 'error',
      logged: { err: String(error) },
      counted: 'sse_connect_failed',
    });
  } finally {
    if (!registry.isOpen(caller)) caller.tenant.close();
  }
}

function connectionOf(
  { nameOf, keyElsewhere }: McpRouteParts,
  { caller, request: { headers } }: Pick<McpExchange, 'caller' | 'request'>,
  tenant: Tenant,
): Connection {
  // Where a session is found by its owner alone, that is the caller with one Trilium.
  const owner = keyElsewhere ? `${caller.id} ${tenant.key}` : caller.id;
  return { ...caller, owner, tenant, tenantName: nameOf(caller, headers) };
}

/** A request of 2026-07-28 brings its credentials and needs no session. */
async function serveAlone(parts: McpRouteParts, exchange: McpExchange): Promise<void> {
  const { leases, admit, transportsOf } = parts;
  const { tenant, release } = await leases.borrow(exchange.caller, exchange.request.headers);
  const caller = connectionOf(parts, exchange, tenant);
  try {
    await admit(caller);
    await transportsOf(caller.tenantName).endpoint.handle({ ...exchange, caller });
  } finally {
    release();
  }
}

export function createSseRoute(parts: McpRouteParts): ExchangeHandler {
  const tenants: TenantResolver<undefined> = {
    find: () => undefined,
    serve: (exchange) =>
      connect(parts, exchange, 'sse_connect_failed', ({ sse }, opening) => sse.open(opening)),
  };
  return createMcpGate({ ...parts, tenants });
}

/** A message for a stream of another server goes there through the database. */
const MOST_SENT_BYTES = 16 * 1024 * 1024;

function tooLargeToSend(): HttpRefusal {
  return new HttpRefusal(413, 'payload_too_large', {
    answer: { message: 'Its stream is open on another server, which takes 16 MB. Use /mcp for files.' },
  });
}

export function createMessageRoute(parts: McpRouteParts): ExchangeHandler {
  const { registry, messageAuth, refusals, toolsFor, admit, transportsOf } = parts;
  return async (exchange) => {
    const { request, response } = exchange;
    response.once('close', parts.work.begin());
    const id = sessionIdOf(request);
    if (id === undefined || id === '') throw missingSessionId('sse');
    const isElsewhere = parts.keyElsewhere !== undefined && !registry.has(id);
    // The id, which cannot be guessed, is enough, unless the client sends a token or the operator demands one.
    const isAnonymous = !messageAuth && !isElsewhere && request.headers.authorization === undefined;
    const presented = presentedToken(request, exchange.path);
    const principal = isAnonymous ? undefined : await authenticated(request, presented, parts);
    if (!isAnonymous && !principal) throw refusals.unauthorized(request, presented.token);
    const asked = { kind: 'sse', id, principal, headers: request.headers } as const;
    const find = () =>
      isElsewhere && principal
        ? connectionOf(
            parts,
            { caller: principal, request },
            tenantElsewhere(parts.keyElsewhere?.(request.headers) ?? ''),
          )
        : registry.find(asked);
    const found = find();
    if (messageAuth) found.tenant.assertNamed(request.headers);
    await admit(found);
    const read = await parts.readJson(request, found);
    if ('status' in read) throw refusals.unreadableBody(read);
    const { value, bytes, release } = read;
    if (isElsewhere && bytes > MOST_SENT_BYTES) {
      release();
      throw tooLargeToSend();
    }
    parts.log('debug', 'sse_post', { session: sessionLabel(id), bytes });
    try {
      const caller = principal ?? found;
      const missing = toolsFor && missingScope(caller, value, toolsFor(caller));
      if (missing) throw refusals.missingScope(missing);
      // The stream may have ended while the body came.
      const tenant = find();
      exchange.principal = tenant;
      await transportsOf(tenant.tenantName).sse.receive(
        { request, response, caller: tenant, body: value },
        release,
      );
    } catch (error) {
      release();
      throw error;
    }
  };
}

/** A missing or wildcard Accept, as of curl, includes both types; the SDK wants them named. */
function acceptBoth(headers: IncomingHttpHeaders): void {
  if (headers.accept === undefined || /\*\/\*/.test(headers.accept))
    headers.accept = 'application/json, text/event-stream';
}
