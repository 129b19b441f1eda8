/**
 * The one MCP endpoint over HTTP, for clients of both eras: those of 2026-07-28, where every request stands
 * alone, and older ones with their sessions. Who calls has been found out before; so has the body.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type AuthInfo,
  classifyInboundRequest,
  createMcpHandler,
  type InboundClassificationOutcome,
  type Server,
} from '@modelcontextprotocol/server';
import type { Log } from '../../shared/log.ts';
import type { Principal } from '../../shared/principal.ts';
import { protocolProblem } from '../protocol-problem.ts';
import type { Resources } from '../resources.ts';
import { answerError } from './refusals.ts';
import { type SessionLimits, Sessions } from './sessions.ts';
import { serveThrough } from './web-bridge.ts';

export const MODERN = '2026-07-28';
const UNSUPPORTED_VERSION = -32022;

export interface EndpointOptions {
  /** A server for one request, or for one session. */
  readonly createServer: (principal: Principal, era: 'modern' | 'legacy') => Server;
  readonly resources?: Resources;
  readonly limits: SessionLimits & { readonly subscriptions: number };
  /** The only version that is spoken; all, unless said. */
  readonly protocol?: string;
  readonly log: Log;
}

interface OpeningMessage {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string };
}

export interface McpEndpoint {
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    principal: Principal,
    body: unknown,
  ): Promise<void>;
  readonly sessions: number;
  close(): Promise<void>;
}

export function createEndpoint(options: EndpointOptions): McpEndpoint {
  const { createServer, resources, limits, protocol, log } = options;
  const principals = new WeakMap<AuthInfo, Principal>();
  const modern = createMcpHandler(
    ({ authInfo }) => {
      const principal = authInfo && principals.get(authInfo);
      if (!principal) throw new Error('a request without a principal');
      return createServer(principal, 'modern');
    },
    {
      legacy: 'reject',
      maxSubscriptions: limits.subscriptions,
      onerror: (error) => log('debug', 'protocol', { error: protocolProblem(error) }),
    },
  );
  const sessions = new Sessions({
    createServer: (principal) => createServer(principal, 'legacy'),
    limits,
    log,
  });
  const stopWatching = resources?.watch({
    updated: (uri) => modern.notify.resourceUpdated(uri),
    listChanged: () => modern.notify.resourcesChanged(),
  });

  const serveModern = async (
    request: IncomingMessage,
    response: ServerResponse,
    principal: Principal,
    body: unknown,
  ) => {
    const auth = authInfoOf(principal);
    principals.set(auth, principal);
    await serveThrough(modern.fetch, { request, response }, auth, body);
  };

  return {
    get sessions() {
      return sessions.size;
    },
    async handle(request, response, principal, body) {
      const inbound = classifyInboundRequest(inboundOf(request, body));
      const refusal = protocol === undefined ? undefined : pinnedRefusal(protocol, inbound, body);
      if (refusal)
        return answerError(response, 400, UNSUPPORTED_VERSION, 'Unsupported protocol version', refusal);
      if (inbound.kind === 'legacy' && protocol !== MODERN)
        await sessions.handle(request, response, principal, body);
      else await serveModern(request, response, principal, body);
    },
    async close() {
      stopWatching?.();
      await Promise.all([modern.close(), sessions.close()]);
    },
  };
}

/** What the SDK hands through to the server of a request; what it means is looked up, not read from it. */
function authInfoOf({ id, clientId, scopes, expiresAt }: Principal): AuthInfo {
  return {
    token: '',
    clientId: clientId ?? id,
    scopes: [...scopes],
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

function inboundOf({ method, headers }: IncomingMessage, body: unknown) {
  const header = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const version = header('mcp-protocol-version');
  const mcpMethod = header('mcp-method');
  const name = header('mcp-name');
  return {
    httpMethod: method ?? 'GET',
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(mcpMethod !== undefined && { mcpMethodHeader: mcpMethod }),
    ...(name !== undefined && { mcpNameHeader: name }),
    ...(body !== undefined && { body }),
  };
}

/** Why a request is not in the one version that is spoken; undefined when it is, or does not say. */
function pinnedRefusal(
  protocol: string,
  inbound: InboundClassificationOutcome,
  body: unknown,
): { id: string | number | null; data: unknown } | undefined {
  const refused = (id: string | number | undefined, requested: string | undefined) =>
    requested === protocol ? undefined : { id: id ?? null, data: { supported: [protocol], requested } };
  const messages = (Array.isArray(body) ? body : [body]) as readonly (OpeningMessage | undefined)[];
  if (inbound.kind === 'modern')
    return protocol === MODERN ? undefined : refused(messages[0]?.id, inbound.classification.revision);
  const opening = messages.find((message) => message?.method === 'initialize');
  return inbound.kind === 'legacy' && opening
    ? refused(opening.id, opening.params?.protocolVersion)
    : undefined;
}
