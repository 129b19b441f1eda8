/** A request of a client, beside what it says. */
import {
  CLIENT_CAPABILITIES_META_KEY,
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
import type { Caller } from '../shared/principal.ts';
import { type ClientLogLevel, isLoud, type LogMessage } from './logs.ts';

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface ClientRequest extends Caller {
  readonly signal: AbortSignal;
  /** What the client can be asked meanwhile. */
  readonly client?: ClientRequests;
  /** The request was answered with questions before; this is what the client says to them. */
  readonly round?: RequestRound;
  /** Tells a client that asked for it how far the request is. */
  readonly onProgress?: (progress: Progress) => void;
  /** Tells the client, if it wants to hear it, what happens meanwhile. */
  readonly onLog?: (message: LogMessage) => void;
  /** From where on it wants to hear it. */
  readonly logLevel?: ClientLogLevel;
}

interface RequestRound {
  readonly responses?: InputResponses;
  /** As the client gave it back: it could have been changed. */
  readonly state?: string;
}

/** What has to be asked of the client before there is an answer. In the era of sessions the SDK asks it. */
export type Questions = InputRequiredResult;

/** What clients of 2026-07-28 say of themselves with each request. */

function saidWith({ mcpReq }: ServerContext, key: string): unknown {
  return (mcpReq.envelope as Readonly<Record<string, unknown>> | undefined)?.[key];
}

/** From a request on a protocol server to what is handed on with it. */

export interface ClientRequestParts {
  readonly caller: Caller;
  /** What the client of a session chose last; undefined where nothing is told. */
  readonly level?: () => ClientLogLevel;
}

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
    signal,
    client: clientRequests(server, context),
    ...roundOf(context),
    onProgress: progressToken !== undefined ? progressOver(notify, progressToken) : undefined,
    logLevel,
    onLog: logLevel !== undefined ? logOver(notify, logLevel) : undefined,
  };
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

/** Clients of 2026-07-28 say with each request what they want to hear, or that they want to hear nothing. */
function levelOf(
  server: Server,
  context: ServerContext,
  level: () => ClientLogLevel,
): ClientLogLevel | undefined {
  if (server.getNegotiatedProtocolVersion() !== '2026-07-28') return level();
  return saidWith(context, LOG_LEVEL_META_KEY) as ClientLogLevel | undefined;
}

function logOver(notify: Notify, least: ClientLogLevel) {
  return ({ level, logger, data }: LogMessage) => {
    if (!isLoud(level, least)) return;
    const params = { level, data, logger };
    notify({ method: 'notifications/message', params }).catch(() => {});
  };
}

/** Progress goes forward only, as the protocol wants it; a client that is gone does not want it at all. */
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

/** What can be asked of the client while it waits for the answer to a call: only what it said it can do. */

/** People take their time. */
const PATIENCE_MS = 600_000;

export interface ClientRequests {
  /** What it can be asked at all, in whatever way. */
  readonly can?: ClientAbilities;
  /** Only by an answer that is a question (2026-07-28). */
  readonly isAskedByAnswer?: true;
  readonly sample?: (
    params: CreateMessageRequest['params'],
    signal?: AbortSignal,
  ) => Promise<CreateMessageResult>;
  /** What comes back is of the right shape; whether it fits the form is for who asked. */
  readonly elicit?: (params: ElicitRequest['params'], signal?: AbortSignal) => Promise<ElicitResult>;
}

export interface ClientAbilities {
  readonly form: boolean;
  readonly url: boolean;
  readonly sampling: boolean;
  readonly roots: boolean;
}

/** Clients of 2026-07-28 are asked by the answer alone. */
function clientRequests(server: Server, context: ServerContext): ClientRequests {
  const { mcpReq } = context;
  if (server.getNegotiatedProtocolVersion() === '2026-07-28') {
    // They say with each request what they can do.
    const said = saidWith(context, CLIENT_CAPABILITIES_META_KEY);
    return said ? { can: abilitiesOf(said as ClientCapabilities), isAskedByAnswer: true } : {};
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

/** Who says nothing of forms and pages means forms. */
function abilitiesOf({ elicitation, sampling, roots }: ClientCapabilities): ClientAbilities {
  const url = elicitation?.url !== undefined;
  return {
    form: elicitation !== undefined && (elicitation.form !== undefined || !url),
    url,
    sampling: sampling !== undefined,
    roots: roots !== undefined,
  };
}

/**
 * The ids of requests of one connection that have no answer yet. A second request with the id of one that is still
 * running cannot be told from it: its answer would be lost, and its client would wait for ever. So it is refused.
 */

const INVALID_REQUEST = -32_600;

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

  /** What a client gives up gets no answer. */
  hear(message: JSONRPCMessage): void {
    if ('method' in message && message.method === 'notifications/cancelled')
      this.end((message.params as { requestId?: unknown } | undefined)?.requestId);
  }
}

export function repeatedId(id: RequestId): { readonly code: number; readonly message: string } {
  return {
    code: INVALID_REQUEST,
    message: `Invalid request: the id ${JSON.stringify(id).slice(0, 80)} belongs to a request that is still being answered. Give every request an id of its own; this one was not carried out.`,
  };
}
