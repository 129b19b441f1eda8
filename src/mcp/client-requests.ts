/** What can be asked of the client while it waits for the answer to a call: only what it said it can do. */
import type {
  ClientCapabilities,
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server';

export interface ClientRequests {
  /** What it can be asked at all, in whatever way. */
  readonly can?: ClientAbilities;
  readonly sample?: (params: CreateMessageRequest['params']) => Promise<CreateMessageResult>;
  readonly elicit?: (params: ElicitRequest['params']) => Promise<ElicitResult>;
}

export interface ClientAbilities {
  readonly form: boolean;
  readonly url: boolean;
  readonly sampling: boolean;
  readonly roots: boolean;
}

/** Clients of 2026-07-28 are asked by the answer alone. */
export function clientRequests(server: Server, { mcpReq }: ServerContext): ClientRequests {
  const capabilities = server.getClientCapabilities();
  if (!capabilities) return {};
  const can = abilitiesOf(capabilities);
  if (server.getNegotiatedProtocolVersion() === '2026-07-28') return { can };
  const { signal } = mcpReq;
  return {
    can,
    ...(can.sampling && {
      sample: async (params) => (await mcpReq.requestSampling(params, { signal })) as CreateMessageResult,
    }),
    ...((can.form || can.url) && { elicit: (params) => mcpReq.elicitInput(params, { signal }) }),
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
