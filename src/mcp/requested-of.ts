/** From a request on a protocol server to what is handed on with it. */
import {
  type InputResponses,
  LOG_LEVEL_META_KEY,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { clientRequests } from './client-requests.ts';
import { saidWith } from './envelope.ts';
import type { LiveProgress } from './live-tools.ts';
import { type ClientLogLevel, isLoud, type LogMessage } from './logs.ts';
import type { Requested } from './requested.ts';
import type { Caller } from './tool.ts';

export interface RequestedParts {
  readonly caller: Caller;
  /** What the client of a session chose last; undefined where nothing is told. */
  readonly level?: () => ClientLogLevel;
}

export function requestedOf(
  server: Server,
  context: ServerContext,
  { caller, level }: RequestedParts,
): Requested {
  const { signal, _meta, notify } = context.mcpReq;
  const progressToken = _meta?.progressToken;
  const logLevel = level && levelOf(server, context, level);
  return {
    ...caller,
    signal,
    client: clientRequests(server, context),
    ...roundOf(context),
    ...(progressToken !== undefined && { onProgress: progressOver(notify, progressToken) }),
    ...(logLevel !== undefined && { logLevel, onLog: logOver(notify, logLevel) }),
  };
}

type Notify = ServerContext['mcpReq']['notify'];

function roundOf({ mcpReq }: ServerContext): Pick<Requested, 'round'> {
  const state: unknown = mcpReq.requestState();
  const responses = mcpReq.inputResponses as InputResponses | undefined;
  if (state === undefined && responses === undefined) return {};
  return {
    round: { ...(responses && { responses }), ...(typeof state === 'string' && { state }) },
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
    const params = { level, data, ...(logger !== undefined && { logger }) };
    notify({ method: 'notifications/message', params }).catch(() => {});
  };
}

/** Progress goes forward only, as the protocol wants it; a client that is gone does not want it at all. */
function progressOver(notify: Notify, progressToken: string | number) {
  let last = -1;
  return ({ progress, total, message }: LiveProgress) => {
    if (progress <= last) return;
    last = progress;
    const params = {
      progressToken,
      progress,
      ...(total !== undefined && { total: Math.max(progress, total) }),
      ...(message !== undefined && { message }),
    };
    notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}
