/**
 * The one MCP endpoint over HTTP, for clients of both eras: those of 2026-07-28, where every request stands
 * alone, and older ones with their sessions. The caller is authenticated and the body parsed before.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type AuthInfo,
  classifyInboundRequest,
  createMcpHandler,
  type InboundClassificationOutcome,
  type Server,
} from '@modelcontextprotocol/server';
import type { Principal } from '../../shared/principal.ts';
import { protocolProblem } from '../errors.ts';
import type { Prompts, Resources } from '../offers.ts';
import { authInfoOf } from '../request.ts';
import { subscribeForListener } from '../serve-offers.ts';
import type { LiveTools } from '../tool.ts';
import { type Place, placeToFree } from './fair-share.ts';
import { paramHeaderProblem } from './param-headers.ts';
import { answerError, type McpExchange } from './refusals.ts';
import { type SessionHost, type SessionLimits, type SessionOptions, Sessions } from './sessions.ts';
import { answeredBeforeSession } from './strict.ts';
import { serveThrough } from './web-bridge.ts';

const MODERN = '2026-07-28';
const UNSUPPORTED_VERSION = -32022;
const HEADER_MISMATCH = -32020;
/** The code of the SDK where there is no room for another listener. */
const INTERNAL_ERROR = -32603;

export interface EndpointOptions<Caller extends Principal = Principal> extends SessionOptions<Caller> {
  /** A server for one request, or for the session of that id. */
  readonly createServer: (caller: Caller, session: string | undefined) => Server;
  readonly resources?: Resources;
  readonly prompts?: Prompts;
  readonly live?: LiveTools;
  readonly limits: SessionLimits & { readonly subscriptions: number };
  /** The only protocol version. Default: all. */
  readonly protocol?: string;
  /** Opens sessions that are shared with other servers. Default: they are kept in memory. */
  readonly openSessions?: (options: EndpointOptions<Caller>) => SessionHost<Caller>;
}

interface OpeningMessage {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly protocolVersion?: string;
    readonly name?: unknown;
    readonly arguments?: unknown;
  };
}

export interface McpEndpoint<Caller extends Principal = Principal> {
  handle(exchange: McpExchange<Caller>): Promise<void>;
  readonly sessions: number;
  close(): Promise<void>;
}

export function createEndpoint<Caller extends Principal = Principal>(
  options: EndpointOptions<Caller>,
): McpEndpoint<Caller> {
  const { createServer, resources, prompts, live, limits, protocol, strict, log } = options;
  const callers = new WeakMap<AuthInfo, Caller>();
  const modern = createMcpHandler(
    ({ authInfo }) => {
      const caller = authInfo && callers.get(authInfo);
      if (!caller) throw new Error('a request without a principal');
      return createServer(caller, undefined);
    },
    {
      legacy: 'reject',
      // A listener that was ended to make room counts in the SDK until its connection is closed.
      maxSubscriptions: 2 * limits.subscriptions,
      onerror: (error) => log('debug', 'protocol', { error: protocolProblem(error) }),
    },
  );
  const sessions = options.openSessions?.(options) ?? new Sessions<Caller>(options);
  const listens = createListens(limits.subscriptions);
  const watches = [
    resources?.watch({
      updated: (uri) => modern.notify.resourceUpdated(uri),
      listChanged: () => modern.notify.resourcesChanged(),
    }),
    prompts?.watch(() => modern.notify.promptsChanged()),
    live?.watch(() => modern.notify.toolsChanged()),
  ];

  const serveModern = async (exchange: McpExchange<Caller>) => {
    const { request, response, caller, body } = exchange;
    // The server of a request gets its caller by this object.
    const auth = authInfoOf(caller);
    callers.set(auth, caller);
    const problem = live && (await headerProblem(live, request, body));
    if (problem) return answerError(response, 400, HEADER_MISMATCH, problem.message, { id: problem.id });
    if (isListen(body) && !listens.enter(response, caller.id))
      return answerError(response, 200, INTERNAL_ERROR, 'Subscription limit reached', {
        id: (body as OpeningMessage).id ?? null,
      });
    if (resources?.subscribe) {
      const stop = await subscribeForListener(body, { resources, caller: { principal: caller }, log });
      if (response.destroyed) stop();
      else response.once('close', stop);
    }
    await serveThrough(modern.fetch, exchange, auth);
  };

  return {
    get sessions() {
      return sessions.size;
    },
    async handle(exchange) {
      const { request, response, body } = exchange;
      if (strict) {
        if (!answeredBeforeSession(exchange)) await sessions.handle(exchange);
        return;
      }
      const inbound = classifyInboundRequest(inboundOf(request, body));
      const refusal = protocol === undefined ? undefined : pinnedRefusal(protocol, inbound, body);
      if (refusal)
        return answerError(response, 400, UNSUPPORTED_VERSION, 'Unsupported protocol version', refusal);
      const isOld = inbound.kind === 'legacy' && protocol !== MODERN;
      await (isOld ? sessions.handle(exchange) : serveModern(exchange));
    },
    async close() {
      for (const stop of watches) stop?.();
      await Promise.all([modern.close(), sessions.close()]);
    },
  };
}

interface OpenListen extends Place {
  readonly response: ServerResponse;
}

/** Bounds the streams of `subscriptions/listen`, which are open for as long as their clients like. */
function createListens(most: number): { enter(response: ServerResponse, owner: string): boolean } {
  const open = new Set<OpenListen>();
  return {
    enter(response, owner) {
      const oneToEnd = open.size >= most ? placeToFree(open, owner) : undefined;
      if (open.size >= most && !oneToEnd) return false;
      if (oneToEnd) {
        open.delete(oneToEnd);
        oneToEnd.response.destroy();
      }
      if (response.destroyed) return true;
      const listen = { response, owner, isBusy: true, usedAt: Date.now() };
      open.add(listen);
      response.once('close', () => open.delete(listen));
      return true;
    },
  };
}

function isListen(body: unknown): boolean {
  return (body as OpeningMessage | null | undefined)?.method === 'subscriptions/listen';
}

/** The SDK checks these headers only for tools that are registered with its own server class. */
async function headerProblem(
  live: LiveTools,
  { headers }: IncomingMessage,
  body: unknown,
): Promise<{ message: string; id: string | number | null } | undefined> {
  const { id = null, method, params } = (body ?? {}) as OpeningMessage;
  if (method !== 'tools/call' || typeof params?.name !== 'string') return undefined;
  const tool = await live.find(params.name);
  const message = tool && paramHeaderProblem(tool.inputSchema, params.arguments, headers);
  return message === undefined ? undefined : { message, id };
}

/** Whether a request is of the era of sessions. */
export function isOfSessions(request: IncomingMessage, body: unknown): boolean {
  return classifyInboundRequest(inboundOf(request, body)).kind === 'legacy';
}

function inboundOf({ method, headers }: IncomingMessage, body: unknown) {
  const header = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    httpMethod: method ?? 'GET',
    protocolVersionHeader: header('mcp-protocol-version'),
    mcpMethodHeader: header('mcp-method'),
    mcpNameHeader: header('mcp-name'),
    body,
  };
}

/** The refusal of a request in another version than the only one; undefined also where the request names none. */
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
