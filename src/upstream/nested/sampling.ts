/**
 * Sampling with the configured model: only after the operator has seen the whole prompt or approved exactly this one,
 * within limits, and without our context. Text only, because the operator cannot review anything else.
 */
import {
  type CreateMessageRequest,
  type CreateMessageResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/client';
import type { SamplingRequest } from './operator.ts';
import {
  type ClientSampling,
  invalid,
  type NestedRequest,
  type NestedServices,
  type PromptCount,
  type SamplingLimits,
} from './request.ts';

const REJECTED = -1;
const HOUR_MS = 3_600_000;

type Params = CreateMessageRequest['params'];

type Handler = (
  request: CreateMessageRequest,
  context: { readonly mcpReq: { readonly signal: AbortSignal } },
) => Promise<CreateMessageResult>;

export function createSampling(
  asked: NestedRequest,
  limits: NonNullable<NestedServices['sampling']>,
): Handler {
  const { server, counts, during } = asked;
  const inLastHour = createHourlyLimit(limits.perHour, asked.services.prompts);
  return async ({ params }, { mcpReq }) => {
    assertNoTools(params);
    assertText(params);
    // Our own context is never shared, whatever `includeContext` says.
    const { includeContext: _, _meta: __, ...rest } = params;
    const maxTokens = Math.min(params.maxTokens, limits.maxTokens);
    const wanted: SamplingRequest = { ...rest, maxTokens, server };
    await inLastHour(() => assertAllowed(wanted, { asked, limits, signal: mcpReq.signal }));
    counts.sampling++;
    const sampled = await during((signal) => limits.provider(wanted, signal), mcpReq.signal);
    if (sampled.usage) await asked.services.note?.({ asked: 'tokens', ...sampled.usage });
    const { model, text, stopReason = 'endTurn' } = sampled;
    return { role: 'assistant', model, stopReason, content: { type: 'text', text } };
  };
}

interface SamplingCheck {
  readonly asked: NestedRequest;
  readonly limits: NonNullable<NestedServices['sampling']>;
  readonly signal: AbortSignal;
}

async function assertAllowed(wanted: SamplingRequest, question: SamplingCheck): Promise<void> {
  const { server: _, ...prompt } = wanted;
  const said = await answerFor(wanted, question);
  await question.asked.services.note?.({ asked: 'sampling', prompt, ...said });
  if (said.outcome !== 'accept') throw new ProtocolError(REJECTED, 'User rejected sampling request');
}

async function answerFor(
  wanted: SamplingRequest,
  { asked: { services, during }, limits, signal: outer }: SamplingCheck,
): Promise<{ outcome: 'accept' | 'decline' | 'pending'; approval?: string }> {
  const { server, systemPrompt, messages, maxTokens } = wanted;
  if (!services.operator.isInteractive) return limits.approved?.(wanted) ?? { outcome: 'decline' };
  const question = { server, messages, maxTokens, systemPrompt };
  const isAllowed = await during((signal) => services.operator.askSampling(question, signal), outer);
  return { outcome: isAllowed ? 'accept' : 'decline' };
}

function assertNoTools({ tools, toolChoice }: Params): void {
  if (tools !== undefined || toolChoice !== undefined)
    throw invalid(
      'Tools are not offered to the model here: the capability sampling.tools was not advertised',
    );
}

function assertText({ messages }: Params): void {
  const other = messages.flatMap(({ content }) => content).find(({ type }) => type !== 'text');
  if (other) throw invalid(`The model here takes text only, and the prompt holds ${other.type}`);
}

function tooMany(perHour: number): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidRequest,
    `Too many sampling requests: ${perHour} an hour are allowed`,
  );
}

/** Runs `admit` unless `most` prompts were admitted in the last hour or are being decided; a refused prompt does not count. */
function createHourlyLimit(
  most: number,
  prompts: PromptCount = ownCount(),
): (admit: () => Promise<void>) => Promise<void> {
  return async (admit) => {
    const giveBack = await prompts.reserve(most);
    if (!giveBack) throw tooMany(most);
    try {
      await admit();
    } catch (error) {
      await giveBack();
      throw error;
    }
  };
}

/** Of this process alone. */
function ownCount(): PromptCount {
  let times: number[] = [];
  return {
    async reserve(most) {
      const now = performance.now();
      times = times.filter((time) => time > now - HOUR_MS);
      if (times.length >= most) return undefined;
      times.push(now);
      return async () => void times.splice(times.indexOf(now), 1);
    },
  };
}

/** Sampling by the model of the calling client: within limits, and without our context. */
export function createClientSampling(asked: NestedRequest, limits: SamplingLimits): ClientSampling {
  const { counts, services, during } = asked;
  const inLastHour = createHourlyLimit(limits.perHour, asked.services.prompts);
  const admit = async (params: Params): Promise<Params> => {
    assertNoTools(params);
    const { includeContext: _, _meta: __, ...rest } = params;
    const prompt = { ...rest, maxTokens: Math.min(params.maxTokens, limits.maxTokens) };
    await inLastHour(async () => services.note?.({ asked: 'sampling', outcome: 'accept', prompt }));
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
