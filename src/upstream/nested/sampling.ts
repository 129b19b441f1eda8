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
import type { ClientSampling, NestedRequest, NestedServices, SamplingLimits } from './request.ts';

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
  const hour = hourly(limits.perHour);
  return async ({ params }, { mcpReq }) => {
    assertNoTools(params);
    assertText(params);
    // Our own context is never shared, whatever `includeContext` says.
    const { includeContext: _, _meta: __, ...rest } = params;
    const maxTokens = Math.min(params.maxTokens, limits.maxTokens);
    const wanted: SamplingRequest = { ...rest, maxTokens, server };
    const place = hour.take();
    if (!place) throw tooMany(limits.perHour);
    await assertAllowed(wanted, { asked, limits, signal: mcpReq.signal }).catch((error: unknown) => {
      place.giveBack();
      throw error;
    });
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

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function tooMany(perHour: number): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidRequest,
    `Too many sampling requests: ${perHour} an hour are allowed`,
  );
}

/** Places in the hour that ends now; what was not let through gives its place back. */
function hourly(most: number): { take(): { giveBack(): void } | undefined } {
  let taken: { at: number }[] = [];
  return {
    take() {
      const now = performance.now();
      taken = taken.filter(({ at }) => now - at < HOUR_MS);
      if (taken.length >= most) return undefined;
      const place = { at: now };
      taken.push(place);
      return {
        giveBack() {
          taken = taken.filter((one) => one !== place);
        },
      };
    },
  };
}

/** A server borrows the model of the client that called it: within limits, and without our context. */
export function createClientSampling(asked: NestedRequest, limits: SamplingLimits): ClientSampling {
  const { counts, services, during } = asked;
  const hour = hourly(limits.perHour);
  const admit = async (params: Params): Promise<Params> => {
    assertNoTools(params);
    if (!hour.take()) throw tooMany(limits.perHour);
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
