/**
 * Adapts MCP sampling, the client's own model, to `ChatModel`, where the client offers it and the configuration
 * allows it.
 */
import type { ChatAnswer, ChatModel, ChatRequest } from '../../llm/types.ts';
import type { ClientRequests } from '../../mcp/request.ts';
import type { Call } from '../../mcp/tool.ts';
import { AppError } from '../../shared/errors.ts';
import type { BrainBackend, BrainCallOptions } from './backend.ts';

type Sample = NonNullable<ClientRequests['sample']>;

export function callOptions({ backend, client, signal, onProgress }: Call<BrainBackend>): BrainCallOptions {
  const sample = backend.usesClientSampling ? client?.sample : undefined;
  return {
    signal,
    onProgress: onProgress || undefined,
    sampling: sample ? clientModel(sample) : undefined,
  };
}

function clientModel(sample: Sample): ChatModel {
  return {
    name: 'client',
    async complete(request, signal) {
      signal?.throwIfAborted();
      const answer = await sample(paramsOf(request)).catch((cause: unknown) => {
        signal?.throwIfAborted();
        throw new AppError('upstream_failed', 'The client did not answer for its model', { cause });
      });
      return answerOf(answer);
    },
  };
}

function paramsOf({ messages, maxTokens, temperature, stop }: ChatRequest): Parameters<Sample>[0] {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const said = messages.filter(({ role }) => role !== 'system');
  return {
    messages: said.map(({ role, content }) => ({
      role: role === 'assistant' ? 'assistant' : 'user',
      content: { type: 'text', text: content },
    })),
    maxTokens,
    includeContext: 'none',
    systemPrompt: system.length > 0 ? system.join('\n\n') : undefined,
    temperature,
    stopSequences: stop ? [...stop] : undefined,
  };
}

function answerOf({ content, model, stopReason }: Awaited<ReturnType<Sample>>): ChatAnswer {
  const blocks = (Array.isArray(content) ? content : [content]) as readonly {
    type: string;
    text?: unknown;
  }[];
  const text = blocks
    .flatMap((block) => (block.type === 'text' && typeof block.text === 'string' ? [block.text] : []))
    .join('\n');
  if (text.trim() === '') throw new AppError('upstream_failed', "The client's model said nothing");
  return { text, model, stopReason: stopReason === 'maxTokens' ? 'length' : 'end' };
}
