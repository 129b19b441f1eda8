/** Tools that answer questions, with the configured model, the client's model, or none. */
import * as z from 'zod';
import type { ChatAnswer, ChatModel, ChatRequest } from '../../llm/types.ts';
import type { ClientRequests } from '../../mcp/request.ts';
import type { Call } from '../../mcp/tool.ts';
import { AppError } from '../../shared/errors.ts';
import { type BrainBackend, type BrainCallOptions, defineTool } from './backend.ts';
import { citation, lineOf, omitted, outputOf, warnings } from './output.ts';
import { question, scope, scopeOf, whole } from './parameters.ts';

export const sbAsk = defineTool({
  name: 'sb_ask',
  title: 'Ask the notes',
  description:
    'Answer a question from the notes in a few sentences, with numbered citations. Without a configured model it quotes the best sentences; sentences without support are marked. For an answer with nothing beyond the notes, use sb_grounded_answer; to read passages yourself, sb_recall. Example: {"question":"When does the lease end?"}',
  effect: 'read',
  input: () =>
    z.strictObject({
      question: question('In words, as a person would ask it'),
      top_k: whole(1, 50, 8).describe('Passages to answer from'),
      scope: scope(),
      mode: z
        .enum(['auto', 'extractive', 'generate'])
        .default('auto')
        .describe(
          'auto: a model if there is one; extractive: sentences of the notes only; generate: a model',
        ),
    }),
  output: () =>
    z.object({
      answer: z.string(),
      mode_used: z.enum(['extractive', 'provider', 'sampling']),
      insufficient_evidence: z.boolean(),
      confidence: z.number(),
      citations: z.array(citation()),
      model: z.string().optional(),
      warnings: warnings(),
      omitted: omitted(),
    }),
  line: lineOf,
  async run({ question: asked, top_k: topK, scope: given, mode }, call) {
    const request = { question: asked, topK, scope: scopeOf(given), mode };
    const answer = await call.backend.ask(request, callOptions(call));
    return outputOf(answer, ['citations'], 'Ask with a smaller top_k.');
  },
});

export const sbGroundedAnswer = defineTool({
  name: 'sb_grounded_answer',
  title: 'Grounded answer',
  description:
    'Answer a question only as far as the notes back it: every claim carries citations, what has none is dropped, and a question the notes cannot answer gives answer null with refused_reason (no_evidence, below_threshold, conflict). Do not fill the gap yourself. For a quick answer use sb_ask. Example: {"question":"Who signed the contract?","min_support":0.6}',
  effect: 'read',
  input: () =>
    z.strictObject({
      question: question('In words, as a person would ask it'),
      top_k: whole(1, 50, 8).describe('Passages to answer from'),
      min_support: z
        .number()
        .min(0, 'must be at least 0')
        .max(1, 'at most 1')
        .default(0.45)
        .describe('How well the notes must carry a claim'),
      scope: scope(),
    }),
  output: () =>
    z.object({
      grounded: z.boolean(),
      answer: z.string().nullable(),
      claims: z.array(z.object({ text: z.string(), citations: z.array(z.number()), support: z.number() })),
      dropped_claims: z.number(),
      refused_reason: z.enum(['no_evidence', 'below_threshold', 'conflict']).optional(),
      citations: z.array(citation()),
      trajectory_id: z.string(),
      warnings: warnings().optional(),
      omitted: omitted(),
    }),
  line: lineOf,
  async run({ question: asked, top_k: topK, min_support: minSupport, scope: given }, call) {
    const request = { question: asked, topK, minSupport, scope: scopeOf(given) };
    const answer = await call.backend.groundedAnswer(request, callOptions(call));
    return outputOf(answer, ['claims', 'citations'], 'Ask with a smaller top_k.');
  },
});

type Sample = NonNullable<ClientRequests['sample']>;

/** Offers the client's own model (MCP sampling) where the client has it and the configuration allows it. */
function callOptions({ backend, client, signal, onProgress }: Call<BrainBackend>): BrainCallOptions {
  const sample = backend.usesClientSampling ? client?.sample : undefined;
  return { signal, onProgress, sampling: sample ? clientModel(sample) : undefined };
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
