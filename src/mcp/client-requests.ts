/** What can be asked of the client while it waits for the answer to a call: only what it said it can do. */
import type {
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server';

export interface ClientRequests {
  readonly sample?: (params: CreateMessageRequest['params']) => Promise<CreateMessageResult>;
  readonly elicit?: (params: ElicitRequest['params']) => Promise<ElicitResult>;
}

/** Clients of 2026-07-28 are not asked: they have no way to be. */
export function clientRequests(server: Server, { mcpReq }: ServerContext): ClientRequests {
  const can = server.getClientCapabilities();
  if (!can || server.getNegotiatedProtocolVersion() === '2026-07-28') return {};
  const { signal } = mcpReq;
  return {
    ...(can.sampling && {
      sample: async (params) => (await mcpReq.requestSampling(params, { signal })) as CreateMessageResult,
    }),
    ...(can.elicitation && { elicit: (params) => mcpReq.elicitInput(params, { signal }) }),
  };
}
