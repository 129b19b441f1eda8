/** The two transports: Streamable HTTP at /mcp, and HTTP+SSE at /sse and /message. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { isOfSessions, type McpEndpoint } from '../../mcp/http/endpoint.ts';
import { type LegacySse, sessionIdOf } from '../../mcp/http/legacy-sse.ts';
import { isInitialize } from '../../mcp/http/sessions.ts';
import type { Log } from '../../shared/log.ts';
import type { Principal } from '../../shared/principal.ts';
import type { GatewayAuthenticator } from './doorkeeper.ts';
import type { JsonBody, ReadJson } from './json-body.ts';
import { batchRefused, GatewayRefusal, missingSessionId } from './refusal.ts';
import { type Connection, type SessionRegistry, sessionLabel, type TenantLeases } from './sessions.ts';
import type { OpenTenant } from './tenants.ts';

export interface McpRouteParts {
  readonly doorkeeper: GatewayAuthenticator;
  readonly openTenant: OpenTenant;
  readonly leases: Pick<TenantLeases, 'borrow'>;
  readonly book: SessionRegistry;
  readonly endpoint: Pick<McpEndpoint<Connection>, 'handle'>;
  readonly sse: Pick<LegacySse<Connection>, 'open' | 'receive'>;
  readonly readJson: ReadJson;
  /** A message of a stream must bring the credentials its stream was opened with. */
  readonly messageAuth: boolean;
  readonly log: Log;
}

/** Resolves to who it was, as far as that is known; throws what is to be answered instead. */
export type GatewayRoute = (
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<Principal | undefined>;

export function createMcpRoute(parts: McpRouteParts): GatewayRoute {
  const { doorkeeper, book, endpoint } = parts;
  return async (request, response) => {
    const principal = await doorkeeper.admit(request);
    acceptBoth(request.headers);
    const { method, headers } = request;
    const id = headers['mcp-session-id'];
    if (id !== undefined) {
      const asked = { kind: 'streamable', id: String(id), principal, headers } as const;
      const connection = book.find(asked);
      const body = method === 'POST' ? await readMessage(parts, request, response, principal) : undefined;
      if (method === 'GET') doorkeeper.watchOver(request, response, principal);
      await endpoint.handle(request, response, connection, body?.value);
      return principal;
    }
    if (method !== 'POST') throw missingSessionId('streamable');
    const { value } = await readMessage(parts, request, response, principal);
    await (isOfSessions(request, value) ? beginSession : serveAlone)(parts, {
      request,
      response,
      principal,
      body: value,
    });
    return principal;
  };
}

const JSON_TYPES = ['application/json'];

/** Let go when the answer is out. */
async function readMessage(
  { readJson }: McpRouteParts,
  request: IncomingMessage,
  response: ServerResponse,
  principal: Principal,
): Promise<JsonBody> {
  const body = await readJson(request, principal, JSON_TYPES);
  if (response.destroyed) body.release();
  else response.once('close', body.release);
  return body;
}

interface GatewayRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly principal: Principal;
  readonly body: unknown;
}

async function beginSession(parts: McpRouteParts, asked: GatewayRequest): Promise<void> {
  const { request, response, principal, body } = asked;
  if (Array.isArray(body)) throw batchRefused();
  if (!isInitialize(body)) throw missingSessionId('streamable');
  const connection = { ...principal, tenant: await parts.openTenant(request.headers) };
  try {
    await parts.endpoint.handle(request, response, connection, body);
  } catch (error) {
    throw failed('streamable_init_failed', error);
  } finally {
    if (!parts.book.isOpen(connection)) connection.tenant.close();
  }
}

/** A request of 2026-07-28 brings everything with it, and leaves nothing behind. */
async function serveAlone(parts: McpRouteParts, asked: GatewayRequest): Promise<void> {
  const { request, response, principal, body } = asked;
  const { tenant, release } = await parts.leases.borrow(principal, request.headers);
  try {
    await parts.endpoint.handle(request, response, { ...principal, tenant }, body);
  } finally {
    release();
  }
}

export function createSseRoute(parts: McpRouteParts): GatewayRoute {
  return async (request, response) => {
    const principal = await parts.doorkeeper.admit(request);
    const connection = { ...principal, tenant: await parts.openTenant(request.headers) };
    try {
      await parts.sse.open(request, response, connection);
      parts.doorkeeper.watchOver(request, response, principal);
    } catch (error) {
      throw failed('sse_connect_failed', error);
    } finally {
      if (!parts.book.isOpen(connection)) connection.tenant.close();
    }
    return principal;
  };
}

export function createMessageRoute(parts: McpRouteParts): GatewayRoute {
  return async (request, response) => {
    const id = sessionIdOf(request);
    if (id === undefined || id === '') throw missingSessionId('sse');
    const { doorkeeper, book, messageAuth } = parts;
    const principal = await (messageAuth ? doorkeeper.admit(request) : doorkeeper.admitNamed(request));
    const asked = { kind: 'sse', id, principal, headers: request.headers } as const;
    const found = book.find(asked);
    if (messageAuth) found.tenant.assertNamed(request.headers);
    const { value, bytes, release } = await parts.readJson(request, found);
    parts.log('debug', 'sse_post', { session: sessionLabel(id), bytes });
    try {
      // The stream may have ended while the body came.
      const connection = book.find(asked);
      parts.sse.receive(request, response, connection, value, release);
      return connection;
    } catch (error) {
      release();
      throw error;
    }
  };
}

function failed(event: 'sse_connect_failed' | 'streamable_init_failed', error: unknown): GatewayRefusal {
  return new GatewayRefusal(500, event, {
    level: 'error',
    logged: { err: String(error) },
    counted: 'sse_connect_failed',
  });
}

/** `*` and `/` between them, as curl sends it, means both; the SDK wants them named. */
function acceptBoth(headers: IncomingHttpHeaders): void {
  if (headers.accept === undefined || /\*\/\*/.test(headers.accept))
    headers.accept = 'application/json, text/event-stream';
}
