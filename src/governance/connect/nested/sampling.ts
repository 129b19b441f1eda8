/** A server borrows the model: after the operator has seen the whole prompt, within limits, without our context. */
import {
  type CreateMessageRequest,
  type CreateMessageResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/client';
import type { Asked, NestedServices } from './services.ts';

const REJECTED = -1;
const HOUR_MS = 3_600_000;

type Handler = (
  request: CreateMessageRequest,
  context: { readonly mcpReq: { readonly signal: AbortSignal } },
) => Promise<CreateMessageResult>;

export function createSampling(asked: Asked, limits: NonNullable<NestedServices['sampling']>): Handler {
  const { server, services, counts, during } = asked;
  const isWithinHour = hourly(limits.perHour);
  return async ({ params }, { mcpReq }) => {
    // What surrounds the conversation is ours, whatever a server asks for.
    const { includeContext: _, _meta: __, ...rest } = params;
    const wanted = { ...rest, maxTokens: Math.min(params.maxTokens, limits.maxTokens) };
    if (!services.operator.isInteractive) throw rejected();
    if (!isWithinHour()) throw tooMany(limits.perHour);
    const { systemPrompt, messages, maxTokens } = wanted;
    const question = { server, messages, maxTokens, ...(systemPrompt !== undefined && { systemPrompt }) };
    const isAllowed = await during(
      (signal) => services.operator.askSampling(question, signal),
      mcpReq.signal,
    );
    if (!isAllowed) throw rejected();
    counts.sampling++;
    const {
      model,
      text,
      stopReason = 'endTurn',
    } = await during((signal) => limits.provider({ ...wanted, server }, signal), mcpReq.signal);
    return { role: 'assistant', model, stopReason, content: { type: 'text', text } };
  };
}

function rejected(): ProtocolError {
  return new ProtocolError(REJECTED, 'User rejected sampling request');
}

function tooMany(perHour: number): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidRequest,
    `Too many sampling requests: ${perHour} an hour are allowed`,
  );
}

/** Whether one more fits into the hour that ends now. */
function hourly(most: number): () => boolean {
  let times: number[] = [];
  return () => {
    const now = performance.now();
    times = times.filter((time) => now - time < HOUR_MS);
    if (times.length >= most) return false;
    times.push(now);
    return true;
  };
}
