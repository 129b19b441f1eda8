/** A chat model behind any OpenAI-compatible `/chat/completions` endpoint: Ollama, llama.cpp, vLLM, or a hosted one. */
import { AppError, isAppError } from '../shared/errors.ts';
import { printable } from '../shared/printable.ts';
import { createOpenAiPost, type ModelRole, type OpenAiOptions } from './openai-request.ts';
import type { ChatAnswer, ChatModel, ChatRequest } from './types.ts';

const ROLE: ModelRole = { name: 'model', section: 'llm', slowFix: ' (llm.timeout_ms)' };

export function openChatModel(options: OpenAiOptions): ChatModel {
  const { model } = options;
  if (model === '')
    throw new AppError('invalid_input', 'No model is named', {
      hint: 'Set llm.model to a model of the server.',
    });
  const post = createOpenAiPost({ ...options, role: ROLE });
  let limitName: LimitName = 'max_tokens';
  const ask = async (request: ChatRequest, limit: LimitName, signal?: AbortSignal) =>
    answerIn(await post('/chat/completions', bodyOf(model, request, limit), signal), model);
  return {
    name: model,
    async complete(request, signal) {
      try {
        return await ask(request, limitName, signal);
      } catch (error) {
        const isAboutParameters = isAppError(error) && error.reason === 'unsupported_parameter';
        if (limitName !== 'max_tokens' || !isAboutParameters) throw error;
        const answer = await ask(request, 'max_completion_tokens', signal);
        limitName = 'max_completion_tokens';
        return answer;
      }
    },
  };
}

/** Reasoning models have another name for the limit and accept no temperature. */
type LimitName = 'max_tokens' | 'max_completion_tokens';

function bodyOf(
  model: string,
  { messages, maxTokens, temperature, stop }: ChatRequest,
  limit: LimitName,
): object {
  return {
    model,
    messages,
    stream: false,
    [limit]: maxTokens,
    ...(temperature !== undefined && limit === 'max_tokens' && { temperature }),
    ...(stop !== undefined && stop.length > 0 && { stop }),
  };
}

function answerIn(body: unknown, model: string): ChatAnswer {
  const { choices, model: named, usage } = fieldsOf(body);
  const [choice] = Array.isArray(choices) ? choices : [];
  if (choice === undefined)
    throw unusable(
      'The model gave no answer',
      model,
      `The server may speak another protocol at ${ROLE.section}.base_url.`,
    );
  const { message, finish_reason: reason } = fieldsOf(choice);
  const text = withoutThoughts(textOf(fieldsOf(message).content)).trim();
  if (text === '') throw unusable('The model gave an empty answer', model, emptinessOf(reason));
  return {
    text,
    model: (typeof named === 'string' && printable(named, MAX_NAME)) || model,
    stopReason: reason === 'length' ? 'length' : 'end',
    usage: usageOf(usage),
  };
}

const MAX_NAME = 200;

function emptinessOf(reason: unknown): string {
  if (reason === 'length') return 'It had no tokens left for it: a model that thinks less may do.';
  if (reason === 'content_filter') return "The server's filter held it back.";
  return 'Try again, or try another model.';
}

/** Message content is text, or a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => fieldsOf(part).text)
    .filter((text) => typeof text === 'string')
    .join('');
}

/** Some servers put the model's reasoning, in tags, before its answer. */
function withoutThoughts(text: string): string {
  const start = text.trimStart();
  if (!start.startsWith('<think>')) return text;
  const end = start.indexOf('</think>');
  return end < 0 ? '' : start.slice(end + '</think>'.length);
}

function usageOf(usage: unknown): ChatAnswer['usage'] {
  const { prompt_tokens: input, completion_tokens: output } = fieldsOf(usage);
  return typeof input === 'number' && typeof output === 'number' ? { input, output } : undefined;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function unusable(title: string, model: string, hint: string): AppError {
  return new AppError('upstream_failed', title, { subject: model, hint });
}
