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
import { batchRefused, missingSessionId } from './refusal.ts';
import { type Connection, type SessionRegistry, sessionLabel, type TenantLeases } from './sessions.ts';
import type { OpenTenant } from './tenants.ts';

export interface McpRouteParts extends Omit<McpGateOptions<unknown>, 'tenants'> {
  readonly openTenant: OpenTenant;
  readonly leases: Pick<TenantLeases, 'borrow'>;
  readonly registry: SessionRegistry;
  readonly endpoint: Pick<McpEndpoint<Connection>, 'handle'>;
  readonly sse: Pick<LegacySse<Connection>, 'open' | 'receive'>;
  /** A message of a stream must bring the credentials its stream was opened with. */
  readonly messageAuth: boolean;
  readonly log: Log;
}

/** Each request of Streamable HTTP has a Trilium: its session's, or the one its headers name. */
export function createMcpRoute(parts: McpRouteParts): ExchangeHandler {
  const { registry, endpoint } = parts;
  const tenants: TenantResolver<Connection | undefined> = {
    find({ method, headers }, principal) {
      acceptBoth(headers);
      const id = headers['mcp-session-id'];
      if (id !== undefined) return registry.find({ kind: 'streamable', id: String(id), principal, headers });
      if (method !== 'POST') throw missingSessionId('streamable');
      return undefined;
    },
    serve(exchange, session) {
      if (session) return endpoint.handle({ ...exchange, caller: session });
      const isOld = isOfSessions(exchange.request, exchange.body);
      return isOld ? beginSession(parts, exchange) : serveAlone(parts, exchange);
    },
  };
  return createMcpGate({ ...parts, tenants });
}

async function beginSession(parts: McpRouteParts, exchange: McpExchange): Promise<void> {
  if (Array.isArray(exchange.body)) throw batchRefused();
  if (!isInitialize(exchange.body)) throw missingSessionId('streamable');
  await connect(parts, exchange, 'streamable_init_failed', parts.endpoint.handle);
}

/** Opens the caller's Trilium; it is closed again unless a session keeps it. */
async function connect(
  { openTenant, registry }: McpRouteParts,
  exchange: McpExchange,
  event: 'sse_connect_failed' | 'streamable_init_failed',
  open: (exchange: McpExchange<Connection>) => Promise<void>,
): Promise<void> {
  const caller = { ...exchange.caller, tenant: await openTenant(exchange.request.headers) };
  try {
    await open({ ...exchange, caller });
  } catch (error) {
    throw new HttpRefusal(500, event, {
      level: 'error',
      logged: { err: String(error) },
      counted: 'sse_connect_failed',
    });
  } finally {
    if (!registry.isOpen(caller)) caller.tenant.close();
  }
}

/** A request of 2026-07-28 brings its credentials and needs no session. */
async function serveAlone({ leases, endpoint }: McpRouteParts, exchange: McpExchange): Promise<void> {
  const { caller, request } = exchange;
  const { tenant, release } = await leases.borrow(caller, request.headers);
  try {
    await endpoint.handle({ ...exchange, caller: { ...caller, tenant } });
  } finally {
    release();
  }
}

export function createSseRoute(parts: McpRouteParts): ExchangeHandler {
  const tenants: TenantResolver<undefined> = {
    find: () => undefined,
    serve: (exchange) => connect(parts, exchange, 'sse_connect_failed', parts.sse.open),
  };
  return createMcpGate({ ...parts, tenants });
}

export function createMessageRoute(parts: McpRouteParts): ExchangeHandler {
  const { registry, messageAuth, refusals, toolsFor } = parts;
  return async (exchange) => {
    const { request, response } = exchange;
    response.once('close', parts.work.begin());
    const id = sessionIdOf(request);
    if (id === undefined || id === '') throw missingSessionId('sse');
    // The id, which cannot be guessed, is enough, unless the client sends a token or the operator demands one.
    const isAnonymous = !messageAuth && request.headers.authorization === undefined;
    const presented = presentedToken(request, exchange.path);
    const principal = isAnonymous ? undefined : await authenticated(request, presented, parts);
    if (!isAnonymous && !principal) throw refusals.unauthorized(request, presented.token);
    const asked = { kind: 'sse', id, principal, headers: request.headers } as const;
    const found = registry.find(asked);
    if (messageAuth) found.tenant.assertNamed(request.headers);
    const read = await parts.readJson(request, found);
    if ('status' in read) throw refusals.unreadableBody(read);
    const { value, bytes, release } = read;
    parts.log('debug', 'sse_post', { session: sessionLabel(id), bytes });
    try {
      const caller = principal ?? found;
      const missing = toolsFor && missingScope(caller, value, toolsFor(caller));
      if (missing) throw refusals.missingScope(missing);
      // The stream may have ended while the body came.
      const tenant = registry.find(asked);
      exchange.principal = tenant;
      parts.sse.receive({ request, response, caller: tenant, body: value }, release);
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
