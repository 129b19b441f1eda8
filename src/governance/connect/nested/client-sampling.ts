/** A server borrows the model of the client that called it: within limits, and without our context. */
import {
  type CreateMessageRequest,
  type CreateMessageResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/client';
import type { CallClient } from './call-client.ts';
import { hourly } from './sampling.ts';
import type { Asked } from './services.ts';

export interface SamplingLimits {
  readonly maxTokens: number;
  readonly perHour: number;
}

type Params = CreateMessageRequest['params'];

export interface ClientSampling {
  /** What may be asked, after it was written down; throws for what may not. */
  admit(params: Params): Promise<Params>;
  ask(client: CallClient, params: Params, signal: AbortSignal): Promise<CreateMessageResult>;
}

export function createClientSampling(asked: Asked, limits: SamplingLimits): ClientSampling {
  const { counts, services, during } = asked;
  const hour = hourly(limits.perHour);
  const admit = async (params: Params): Promise<Params> => {
    if (params.tools !== undefined || params.toolChoice !== undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'Tools are not offered to the model here: the capability sampling.tools was not advertised',
      );
    if (!hour.take())
      throw new ProtocolError(
        ProtocolErrorCode.InvalidRequest,
        `Too many sampling requests: ${limits.perHour} an hour are allowed`,
      );
    const { includeContext: _, _meta: __, ...rest } = params;
    const prompt = { ...rest, maxTokens: Math.min(params.maxTokens, limits.maxTokens) };
    await services.note?.({ asked: 'sampling', outcome: 'accept', prompt });
    counts.sampling++;
    return prompt;
  };
  return {
    admit,
    ask: async (client, params, outer) => {
      const prompt = await admit(params);
      return during((signal) => client.sample(prompt, signal), outer);
    },
  };
}
