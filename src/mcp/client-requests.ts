/** What can be asked of the client while it waits for the answer to a call: only what it said it can do. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type CreateMessageRequest,
  type CreateMessageResult,
  type ElicitRequest,
  type ElicitResult,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { saidWith } from './request.ts';

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
export function clientRequests(server: Server, context: ServerContext): ClientRequests {
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
