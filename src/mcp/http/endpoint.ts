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
import { protocolProblem } from '../errors.ts';
import { listenedUris } from '../listened-uris.ts';
import type { Prompts, Resources } from '../offers.ts';
import type { LiveTools } from '../tool.ts';
import { type Place, placeToFree } from './fair-share.ts';
import { paramHeaderProblem } from './param-headers.ts';
import { answerError, type Refuse } from './refusals.ts';
import { type SessionLimits, Sessions, type SessionWatch } from './sessions.ts';
import { answeredAtDoor } from './strict.ts';
import type { StreamLimits } from './unasked-stream.ts';
import { serveThrough } from './web-bridge.ts';

const MODERN = '2026-07-28';
const UNSUPPORTED_VERSION = -32022;
const HEADER_MISMATCH = -32020;
/** What the SDK answers when there is no room for one who listens. */
const INTERNAL_ERROR = -32603;

export interface EndpointOptions<Caller extends Principal = Principal> {
  /** A server for one request, or for the session of that id. */
  readonly createServer: (caller: Caller, session: string | undefined) => Server;
  readonly resources?: Resources;
  readonly prompts?: Prompts;
  readonly live?: LiveTools;
  readonly limits: SessionLimits & { readonly subscriptions: number };
  /** The only version that is spoken; all, unless said. */
  readonly protocol?: string;
  /** Speaks 2025-11-25 alone, to the letter; what is told unasked is kept within these limits. */
  readonly strict?: StreamLimits;
  readonly log: Log;
  readonly watch?: SessionWatch<Caller>;
  /** How sessions that are missing or too many are spoken of. */
  readonly refuse?: Refuse;
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
  handle(request: IncomingMessage, response: ServerResponse, caller: Caller, body: unknown): Promise<void>;
  readonly sessions: number;
  close(): Promise<void>;
}

export function createEndpoint<Caller extends Principal = Principal>(
  options: EndpointOptions<Caller>,
): McpEndpoint<Caller> {
  const { createServer, resources, prompts, live, limits, protocol, strict, log, watch, refuse } = options;
  const callers = new WeakMap<AuthInfo, Caller>();
  const modern = createMcpHandler(
    ({ authInfo }) => {
      const caller = authInfo && callers.get(authInfo);
      if (!caller) throw new Error('a request without a principal');
      return createServer(caller, undefined);
    },
    {
      legacy: 'reject',
      // One that was ended to make room counts there until its connection is closed.
      maxSubscriptions: 2 * limits.subscriptions,
      onerror: (error) => log('debug', 'protocol', { error: protocolProblem(error) }),
    },
  );
  const sessions = new Sessions<Caller>({
    createServer,
    limits,
    log,
    watch,
    refuse,
    strict,
  });
  const listens = createListens(limits.subscriptions);
  const watches = [
    resources?.watch({
      updated: (uri) => modern.notify.resourceUpdated(uri),
      listChanged: () => modern.notify.resourcesChanged(),
    }),
    prompts?.watch(() => modern.notify.promptsChanged()),
    live?.watch(() => modern.notify.toolsChanged()),
  ];

  const serveModern = async (
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller,
    body: unknown,
  ) => {
    const auth = authInfoOf(caller);
    callers.set(auth, caller);
    const problem = live && (await headerProblem(live, request, body));
    if (problem) return answerError(response, 400, HEADER_MISMATCH, problem.message, { id: problem.id });
    if (isListen(body) && !listens.enter(response, caller.id))
      return answerError(response, 200, INTERNAL_ERROR, 'Subscription limit reached', {
        id: (body as OpeningMessage).id ?? null,
      });
    if (resources?.subscribe) await subscribeFor(response, { resources, caller, body, log });
    await serveThrough(modern.fetch, { request, response }, auth, body);
  };

  return {
    get sessions() {
      return sessions.size;
    },
    async handle(request, response, caller, body) {
      if (strict) {
        if (!answeredAtDoor(request, response, body)) await sessions.handle(request, response, caller, body);
        return;
      }
      const inbound = classifyInboundRequest(inboundOf(request, body));
      const refusal = protocol === undefined ? undefined : pinnedRefusal(protocol, inbound, body);
      if (refusal)
        return answerError(response, 400, UNSUPPORTED_VERSION, 'Unsupported protocol version', refusal);
      if (inbound.kind === 'legacy' && protocol !== MODERN)
        await sessions.handle(request, response, caller, body);
      else await serveModern(request, response, caller, body);
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

/** Who listens for changes, each with a stream of its own that is open for as long as they like. */
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

/** The SDK looks at this for its own kind of server only. */
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

interface SubscriptionStream {
  readonly resources: Resources;
  readonly caller: Principal;
  readonly body: unknown;
  readonly log: Log;
}

/** Clients of 2026-07-28 name what they want to hear of when they listen, for as long as they do. */
async function subscribeFor(
  response: ServerResponse,
  { resources, caller, body, log }: SubscriptionStream,
): Promise<void> {
  const stops = await Promise.all(
    listenedUris(body).map((uri) =>
      // The list may be of some that are not there: nothing will be heard of them.
      resources.subscribe?.(uri, { principal: caller }).catch((error: unknown) => {
        log('debug', 'not subscribed', { error: String(error) });
      }),
    ),
  );
  const stop = () => {
    for (const one of stops) one?.();
  };
  if (response.destroyed) stop();
  else response.once('close', stop);
}

/** Whether a request is of the era of sessions. */
export function isOfSessions(request: IncomingMessage, body: unknown): boolean {
  return classifyInboundRequest(inboundOf(request, body)).kind === 'legacy';
}

/** What the SDK hands through to the server of a request; what it means is looked up, not read from it. */
function authInfoOf({ id, clientId, scopes, expiresAt }: Principal): AuthInfo {
  return {
    token: '',
    clientId: clientId ?? id,
    scopes: [...scopes],
    expiresAt,
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
    protocolVersionHeader: version,
    mcpMethodHeader: mcpMethod,
    mcpNameHeader: name,
    body,
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
