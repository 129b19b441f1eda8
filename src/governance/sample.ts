/** Sampling for upstream servers: the configured model, and the approval of each prompt where no terminal is attached. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import type { LlmSettings } from '../config/control-plane.ts';
import { type Environment, resolveReferences } from '../config/plane-file.ts';
import type { ChatAnswer, ChatMessage, ChatModel, ChatRequest } from '../llm/types.ts';
import { AppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import type { SampleProvider, SamplingApprover, SamplingRequest } from '../upstream/nested/operator.ts';
import type { Approvals } from './approvals/approvals.ts';
import { showHidden } from './catalog/scan/hidden-text.ts';
import { digestOf } from './digest.ts';

/** Undefined where no model is configured. */
export function sampleFrom(
  settings: LlmSettings | undefined,
  environment: Environment,
  log: Log,
): SampleProvider | undefined {
  if (!settings?.baseUrl || !settings.model) return undefined;
  let opened: Promise<ChatModel> | undefined;
  return async (request, signal) => {
    try {
      opened ??= openModel(settings, environment);
      return sampledOf(await (await opened).complete(chatRequest(request), signal));
    } catch (error) {
      opened = undefined;
      // The address and the error of our model are not disclosed to a server.
      log('warn', 'the model did not answer the prompt of a server', {
        server: request.server,
        error: String(error),
      });
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'The model did not answer');
    }
  };
}

async function openModel(settings: LlmSettings, environment: Environment): Promise<ChatModel> {
  const { baseUrl, model, timeoutMs } = settings;
  const { values, missing } = resolveReferences({ apiKey: settings.apiKey }, environment);
  if (missing.length > 0)
    throw new AppError('invalid_input', 'The key of the model is not set', {
      subject: missing.join(', '),
      hint: `Set ${missing.join(', ')} in the environment, or leave it out of llm.api_key.`,
    });
  const { openChatModel } = await import('../llm/openai-chat.ts');
  return openChatModel({ baseUrl, model, timeoutMs, apiKey: values.apiKey || undefined });
}

function chatRequest(request: SamplingRequest): ChatRequest {
  const { systemPrompt, messages, maxTokens, temperature, stopSequences } = request;
  const system: ChatMessage[] = systemPrompt ? [{ role: 'system', content: systemPrompt }] : [];
  return {
    messages: [...system, ...messages.map(({ role, content }) => ({ role, content: textIn(content) }))],
    maxTokens,
    temperature,
    stop: stopSequences || undefined,
  };
}

function textIn(content: SamplingRequest['messages'][number]['content']): string {
  return [content]
    .flat()
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('\n\n');
}

const STOP_REASONS = { end: 'endTurn', length: 'maxTokens', stop: 'stopSequence' } as const;

function sampledOf({ model, text, stopReason, usage }: ChatAnswer) {
  return { model, text, stopReason: STOP_REASONS[stopReason], usage: usage || undefined };
}

interface ApproverParts {
  readonly approvals: Approvals;
  readonly policyVersion: string;
  readonly session: string;
  readonly llm: LlmSettings | undefined;
}

/** A person must be able to read the whole prompt. */
const MAX_PROMPT = 20_000;

/** Each prompt is approved once, as it was shown, and for one model. */
export function approverFor({ approvals, policyVersion, session, llm }: ApproverParts): SamplingApprover {
  const fingerprint = digestOf({ baseUrl: llm?.baseUrl ?? '', model: llm?.model ?? '' });
  return async ({ server, ...prompt }) => {
    const preview = promptPreview(prompt);
    if (preview.length > MAX_PROMPT)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `The prompt is too long to be approved: ${preview.length} characters, at most ${MAX_PROMPT}`,
      );
    const claim = await approvals.claim(
      {
        kind: 'sampling',
        server,
        capability: 'sampling/createMessage',
        class: 'external',
        args: prompt,
        preview,
        fingerprint,
        policyVersion,
        requestedBy: `server:${server}`,
        session,
      },
      async () => undefined,
    );
    const outcome =
      claim.outcome === 'started' ? 'accept' : claim.outcome === 'pending' ? 'pending' : 'decline';
    return { outcome, approval: claim.approval.id };
  };
}

/** The whole prompt as JSON, with hidden characters spelled out. */
function promptPreview(prompt: Omit<SamplingRequest, 'server'>): string {
  return JSON.stringify(prompt, (_, value: unknown) =>
    typeof value === 'string' ? showHidden(value) : value,
  );
}
