/** The context of a client's request: the caller, progress, log messages, and requests back to the client. */
import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type CreateMessageRequest,
  type CreateMessageResult,
  type ElicitRequest,
  type ElicitResult,
  type InputRequiredResult,
  type InputResponses,
  type JSONRPCMessage,
  LOG_LEVEL_META_KEY,
  type RequestId,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Caller, Principal, Scope } from '../shared/principal.ts';
import { markUnprintable } from '../shared/printable.ts';
import { type ClientLogLevel, isLoud, type LogMessage } from './logs.ts';

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface ClientRequest extends Caller {
  readonly signal: AbortSignal;
  /** False for a client of a time before structured content. */
  readonly readsStructure?: boolean;
  /** Requests that can be made of the client meanwhile. */
  readonly client?: ClientRequests;
  /** The client's responses, where the request was answered with questions before. */
  readonly round?: RequestRound;
  /** Reports progress to a client that asked for it. */
  readonly onProgress?: (progress: Progress) => void;
  /** Sends a log message to a client that wants them. */
  readonly onLog?: (message: LogMessage) => void;
  /** The least level that the client wants. */
  readonly logLevel?: ClientLogLevel;
}

interface RequestRound {
  readonly responses?: InputResponses;
  /** As the client returned it: it may have been tampered with. */
  readonly state?: string;
}

/** An answer that asks the client for input (`input_required`). In the era of sessions the SDK makes requests of it. */
export type Questions = InputRequiredResult;

/** A value of the envelope that clients of 2026-07-28 send with each request. */
function inEnvelope({ mcpReq }: ServerContext, key: string): unknown {
  return (mcpReq.envelope as Readonly<Record<string, unknown>> | undefined)?.[key];
}

export interface ClientRequestParts {
  readonly caller: Caller;
  /** The level that the client of a session chose last; undefined where there are no log messages. */
  readonly level?: () => ClientLogLevel;
}

/** The version of the protocol that brought structured content. */
const STRUCTURE_SINCE = '2025-06-18';

export function clientRequestOf(
  server: Server,
  context: ServerContext,
  { caller, level }: ClientRequestParts,
): ClientRequest {
  const { signal, _meta, notify } = context.mcpReq;
  const progressToken = _meta?.progressToken;
  const logLevel = level && levelOf(server, context, level);
  return {
    ...caller,
    principal: caller.principal && withScopesOf(context, caller.principal),
    program: programOf(server, context),
    signal,
    readsStructure: (server.getNegotiatedProtocolVersion() ?? STRUCTURE_SINCE) >= STRUCTURE_SINCE,
    client: clientRequests(server, context),
    ...roundOf(context),
    onProgress: progressToken !== undefined ? progressOver(notify, progressToken) : undefined,
    logLevel,
    onLog: logLevel !== undefined ? logOver(notify, logLevel) : undefined,
  };
}

/** The caller of a session may be allowed more or less than when the session began. */
function withScopesOf({ http }: ServerContext, principal: Principal): Principal {
  const now = http?.authInfo?.scopes as readonly Scope[] | undefined;
  return now ? { ...principal, scopes: now } : principal;
}

/** The caller of a request, in the form of the SDK. */
export function authInfoOf({ id, clientId, scopes, expiresAt }: Principal): AuthInfo {
  return { token: '', clientId: clientId ?? id, scopes: [...scopes], expiresAt };
}

const LONGEST_PROGRAM = 100;

/** By what the client said of itself: the same for all requests of a session. */
const programs = new WeakMap<object, string>();

/** Clients of sessions introduce themselves once, those of 2026-07-28 with each request. */
function programOf(server: Server, context: ServerContext): string | undefined {
  const info = (inEnvelope(context, CLIENT_INFO_META_KEY) ?? server.getClientVersion()) as
    | { readonly name?: unknown; readonly version?: unknown }
    | undefined;
  if (typeof info?.name !== 'string') return undefined;
  const known = programs.get(info);
  if (known !== undefined) return known;
  const version = typeof info.version === 'string' ? ` ${info.version}` : '';
  const program = markUnprintable(`${info.name}${version}`, LONGEST_PROGRAM);
  programs.set(info, program);
  return program;
}

type Notify = ServerContext['mcpReq']['notify'];

function roundOf({ mcpReq }: ServerContext): Pick<ClientRequest, 'round'> {
  const state: unknown = mcpReq.requestState();
  const responses = mcpReq.inputResponses as InputResponses | undefined;
  if (state === undefined && responses === undefined) return {};
  return {
    round: { responses, state: typeof state === 'string' ? state : undefined },
  };
}

/** Clients of 2026-07-28 send the level with each request; without one they want no messages. */
function levelOf(
  server: Server,
  context: ServerContext,
  level: () => ClientLogLevel,
): ClientLogLevel | undefined {
  if (server.getNegotiatedProtocolVersion() !== '2026-07-28') return level();
  return inEnvelope(context, LOG_LEVEL_META_KEY) as ClientLogLevel | undefined;
}

function logOver(notify: Notify, least: ClientLogLevel) {
  return ({ level, logger, data }: LogMessage) => {
    if (!isLoud(level, least)) return;
    const params = { level, data, logger };
    notify({ method: 'notifications/message', params }).catch(() => {});
  };
}

/** The protocol demands that progress only increases. */
function progressOver(notify: Notify, progressToken: string | number) {
  let last = -1;
  return ({ progress, total, message }: Progress) => {
    if (progress <= last) return;
    last = progress;
    const params = {
      progressToken,
      progress,
      total: total !== undefined ? Math.max(progress, total) : undefined,
      message,
    };
    notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

/** Time for a person to answer. */
const PATIENCE_MS = 600_000;

/** Requests to the client while it waits for an answer: only those that its capabilities allow. */
export interface ClientRequests {
  readonly can?: ClientAbilities;
  /** Only by an answer with questions (2026-07-28). */
  readonly isAskedByAnswer?: true;
  readonly sample?: (
    params: CreateMessageRequest['params'],
    signal?: AbortSignal,
  ) => Promise<CreateMessageResult>;
  /** The result has the right shape; that it fits the form is for the caller to check. */
  readonly elicit?: (params: ElicitRequest['params'], signal?: AbortSignal) => Promise<ElicitResult>;
}

export interface ClientAbilities {
  readonly form: boolean;
  readonly url: boolean;
  readonly sampling: boolean;
  readonly roots: boolean;
  /** Shows views of MCP Apps. */
  readonly apps: boolean;
}

function clientRequests(server: Server, context: ServerContext): ClientRequests {
  const { mcpReq } = context;
  if (server.getNegotiatedProtocolVersion() === '2026-07-28') {
    const capabilities = inEnvelope(context, CLIENT_CAPABILITIES_META_KEY);
    return capabilities
      ? { can: abilitiesOf(capabilities as ClientCapabilities), isAskedByAnswer: true }
      : {};
  }
  const capabilities = server.getClientCapabilities();
  if (!capabilities) return {};
  const can = abilitiesOf(capabilities);
  const how = (signal?: AbortSignal) => ({
    signal: signal ? AbortSignal.any([signal, mcpReq.signal]) : mcpReq.signal,
    timeout: PATIENCE_MS,
  });
  return {
    can,
    sample: can.sampling
      ? async (params, signal) => (await mcpReq.requestSampling(params, how(signal))) as CreateMessageResult
      : undefined,
    elicit:
      can.form || can.url
        ? (params, signal) => mcpReq.send({ method: 'elicitation/create', params }, how(signal))
        : undefined,
  };
}

/** Elicitation without further detail means forms. */
function abilitiesOf({ elicitation, sampling, roots, extensions }: ClientCapabilities): ClientAbilities {
  const url = elicitation?.url !== undefined;
  return {
    form: elicitation !== undefined && (elicitation.form !== undefined || !url),
    url,
    sampling: sampling !== undefined,
    roots: roots !== undefined,
    apps: hasAppViews(extensions?.[APPS]),
  };
}

const APPS = 'io.modelcontextprotocol/ui';
/** The type of views, by which clients declare that they show them. */
export const VIEW_TYPE = 'text/html;profile=mcp-app';

function hasAppViews(settings: unknown): boolean {
  const { mimeTypes } = (settings ?? {}) as { readonly mimeTypes?: unknown };
  return Array.isArray(mimeTypes) && mimeTypes.includes(VIEW_TYPE);
}

const INVALID_REQUEST = -32_600;

/**
 * The ids of one connection's requests that have no answer yet. A second request with such an id is refused: the two
 * answers could not be told apart, and the client would wait for ever.
 */
export class RunningRequests {
  readonly #ids = new Set<RequestId>();

  get size(): number {
    return this.#ids.size;
  }

  /** False when a request with that id is running. */
  begin(id: RequestId): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    return true;
  }

  end(id: unknown): void {
    this.#ids.delete(id as RequestId);
  }

  /** A cancelled request gets no answer. */
  hear(message: JSONRPCMessage): void {
    if ('method' in message && message.method === 'notifications/cancelled')
      this.end((message.params as { requestId?: unknown } | undefined)?.requestId);
  }
}

/** Of an id as JSON: it is a key of the requests that replicas share. */
const MOST_ID_BYTES = 1_000;

export function idProblem(
  ids: readonly RequestId[],
): { readonly code: number; readonly message: string } | undefined {
  if (ids.every((id) => Buffer.byteLength(JSON.stringify(id)) <= MOST_ID_BYTES)) return undefined;
  const message = `Invalid request: the id is longer than ${MOST_ID_BYTES} bytes. Give the request a shorter one; it was not carried out.`;
  return { code: INVALID_REQUEST, message };
}

export function repeatedId(id: RequestId): { readonly code: number; readonly message: string } {
  return {
    code: INVALID_REQUEST,
    message: `Invalid request: the id ${JSON.stringify(id).slice(0, 80)} belongs to a request that is still being answered. Give every request an id of its own; this one was not carried out.`,
  };
}
