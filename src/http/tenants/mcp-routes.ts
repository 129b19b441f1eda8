/** The tenant resolver in front of the two transports: Streamable HTTP at /mcp, and HTTP+SSE at /sse and /message. */
import type { IncomingHttpHeaders } from 'node:http';
import { isOfSessions, type McpEndpoint } from '../../mcp/http/endpoint.ts';
import { type LegacySse, sessionIdOf } from '../../mcp/http/legacy-sse.ts';
import { isInitialize } from '../../mcp/http/sessions.ts';
import type { Log } from '../../shared/log.ts';
import type { ExchangeHandler } from '../app.ts';
import { type Authenticate, bearerTokenOf } from '../auth/authenticate.ts';
import type { JsonReader } from '../json-body.ts';
import type { WorkCounter } from '../listen.ts';
import {
  createMcpGate,
  type EffectOf,
  type GateRefusals,
  missingScope,
  type TenantRequest,
  type TenantResolver,
} from '../mcp-gate.ts';
import { HttpRefusal } from '../refusal.ts';
import { batchRefused, missingSessionId } from './refusal.ts';
import { type Connection, type SessionRegistry, sessionLabel, type TenantLeases } from './sessions.ts';
import type { OpenTenant } from './tenants.ts';

export interface McpRouteParts {
  readonly authenticate: Authenticate;
  readonly openTenant: OpenTenant;
  readonly leases: Pick<TenantLeases, 'borrow'>;
  readonly registry: SessionRegistry;
  readonly endpoint: Pick<McpEndpoint<Connection>, 'handle'>;
  readonly sse: Pick<LegacySse<Connection>, 'open' | 'receive'>;
  readonly readJson: JsonReader;
  readonly refusals: GateRefusals;
  /** Without it, scopes are not checked. */
  readonly effectOf?: EffectOf;
  /** A message of a stream must bring the credentials its stream was opened with. */
  readonly messageAuth: boolean;
  readonly work: WorkCounter;
  readonly log: Log;
}

/** Each request of Streamable HTTP has a Trilium: its session's, or the one its headers name. */
export function createMcpRoute(parts: McpRouteParts): ExchangeHandler {
  return gateBefore(parts, tenantResolver(parts));
}

function gateBefore<Session>(
  { authenticate, readJson, refusals, effectOf, work }: McpRouteParts,
  tenants: TenantResolver<Session>,
): ExchangeHandler {
  return createMcpGate({
    authenticate,
    tenants,
    readJson,
    refusals,
    effectOf,
    onWorking: () => work.begin(),
  });
}

function tenantResolver(parts: McpRouteParts): TenantResolver<Connection | undefined> {
  const { registry, endpoint } = parts;
  return {
    find({ method, headers }, principal) {
      acceptBoth(headers);
      const id = headers['mcp-session-id'];
      if (id !== undefined) return registry.find({ kind: 'streamable', id: String(id), principal, headers });
      if (method !== 'POST') throw missingSessionId('streamable');
      return undefined;
    },
    serve(asked, session) {
      const { request, response, body } = asked;
      if (session) return endpoint.handle(request, response, session, body);
      return isOfSessions(request, body) ? beginSession(parts, asked) : serveAlone(parts, asked);
    },
  };
}

async function beginSession(parts: McpRouteParts, asked: TenantRequest): Promise<void> {
  const { request, response, principal, body } = asked;
  if (Array.isArray(body)) throw batchRefused();
  if (!isInitialize(body)) throw missingSessionId('streamable');
  const connection = { ...principal, tenant: await parts.openTenant(request.headers) };
  try {
    await parts.endpoint.handle(request, response, connection, body);
  } catch (error) {
    throw failed('streamable_init_failed', error);
  } finally {
    if (!parts.registry.isOpen(connection)) connection.tenant.close();
  }
}

/** A request of 2026-07-28 brings its credentials and needs no session. */
async function serveAlone(parts: McpRouteParts, asked: TenantRequest): Promise<void> {
  const { request, response, principal, body } = asked;
  const { tenant, release } = await parts.leases.borrow(principal, request.headers);
  try {
    await parts.endpoint.handle(request, response, { ...principal, tenant }, body);
  } finally {
    release();
  }
}

export function createSseRoute(parts: McpRouteParts): ExchangeHandler {
  return gateBefore(parts, {
    find: () => undefined,
    async serve({ request, response, principal }) {
      const connection = { ...principal, tenant: await parts.openTenant(request.headers) };
      try {
        await parts.sse.open(request, response, connection);
      } catch (error) {
        throw failed('sse_connect_failed', error);
      } finally {
        if (!parts.registry.isOpen(connection)) connection.tenant.close();
      }
    },
  });
}

export function createMessageRoute(parts: McpRouteParts): ExchangeHandler {
  const { registry, messageAuth, refusals, effectOf } = parts;
  return async (exchange) => {
    const { request, response } = exchange;
    response.once('close', parts.work.begin());
    const id = sessionIdOf(request);
    if (id === undefined || id === '') throw missingSessionId('sse');
    // The id, which cannot be guessed, is enough, unless the client sends a token or the operator demands one.
    const isAnonymous = !messageAuth && request.headers.authorization === undefined;
    const token = bearerTokenOf(request.headers.authorization);
    const principal = isAnonymous ? undefined : await parts.authenticate(token);
    if (!isAnonymous && !principal) throw refusals.unauthorized(request, token);
    const asked = { kind: 'sse', id, principal, headers: request.headers } as const;
    const found = registry.find(asked);
    if (messageAuth) found.tenant.assertNamed(request.headers);
    const read = await parts.readJson(request, found);
    if ('status' in read) throw refusals.unreadableBody(read);
    const { value, bytes, release } = read;
    parts.log('debug', 'sse_post', { session: sessionLabel(id), bytes });
    try {
      const missing = effectOf && missingScope(principal ?? found, value, effectOf);
      if (missing) throw refusals.missingScope(missing);
      // The stream may have ended while the body came.
      const connection = registry.find(asked);
      exchange.principal = connection;
      parts.sse.receive(request, response, connection, value, release);
    } catch (error) {
      release();
      throw error;
    }
  };
}

function failed(event: 'sse_connect_failed' | 'streamable_init_failed', error: unknown): HttpRefusal {
  return new HttpRefusal(500, event, {
    level: 'error',
    logged: { err: String(error) },
    counted: 'sse_connect_failed',
  });
}

/** A missing or wildcard Accept, as of curl, includes both types; the SDK wants them named. */
function acceptBoth(headers: IncomingHttpHeaders): void {
  if (headers.accept === undefined || /\*\/\*/.test(headers.accept))
    headers.accept = 'application/json, text/event-stream';
}
