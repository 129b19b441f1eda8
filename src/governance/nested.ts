/**
 * The plane's part in nested requests of servers: audit records, sampling by the configured model, and the approval of
 * each prompt where no terminal is attached. One record is written for each request up to a rate limit, and counts of all,
 * so that a server that asks without end does not fill the log.
 */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import type { LlmSettings } from '../config/control-plane.ts';
import { type Environment, resolveReferences } from '../config/plane-file.ts';
import type { ChatAnswer, ChatMessage, ChatModel, ChatRequest } from '../llm/types.ts';
import { AppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { printable } from '../shared/printable.ts';
import { createSlidingCounter } from '../shared/rate-limit.ts';
import type { SampleProvider, SamplingApprover, SamplingRequest } from '../upstream/nested/operator.ts';
import type { NestedRecord } from '../upstream/nested/request.ts';
import type { Approvals } from './approvals/approvals.ts';
import type { Audit, AuditEvent } from './audit/audit.ts';
import { showHidden } from './catalog/scan/hidden-text.ts';
import { maskSecrets } from './catalog/scan/shadowing.ts';
import type { NestedCounts } from './counts.ts';
import { digestOf } from './digest.ts';

const COUNT_MS = 2_000;
const MINUTE_MS = 60_000;
const LINES_A_MINUTE = 30;
const MAX_MESSAGE = 200;
const MAX_NAMES = 20;

const NONE: NestedCounts = {
  roots: 0,
  sampling: 0,
  accepted: 0,
  declined: 0,
  cancelled: 0,
  refused: 0,
  inputTokens: 0,
  outputTokens: 0,
};

export function openNestedRecorder(audit: Audit, server: string, log: Log) {
  let counts = { ...NONE };
  const total = { ...NONE };
  let timer: NodeJS.Timeout | undefined;
  const lines = createSlidingCounter(MINUTE_MS, () => performance.now());

  const flush = async () => {
    clearTimeout(timer);
    timer = undefined;
    const written = counts;
    if (Object.values(written).every((count) => count === 0)) return;
    counts = { ...NONE };
    await audit.record({ event: 'nested', server, ...written }).catch((error) => {
      log('error', 'the requests of a server could not be written to the audit log', {
        server,
        error: String(error),
      });
    });
  };
  const mayWrite = () => {
    if (lines.count(server) >= LINES_A_MINUTE) return false;
    lines.add(server, performance.now());
    return true;
  };

  return {
    async note(asked: NestedRecord): Promise<void> {
      count(counts, asked);
      count(total, asked);
      timer ??= setTimeout(() => void flush(), COUNT_MS).unref();
      const line = lineOf(server, asked);
      // A prompt that goes to the model is always recorded, and before it goes.
      const isSent = asked.asked === 'sampling' && asked.outcome === 'accept';
      if (line && (isSent || mayWrite())) await audit.record(line);
    },
    /** Since it was opened. */
    total: total as Readonly<NestedCounts>,
    /** Resolves once the counts are written. */
    flush,
  };
}

function count(counts: NestedCounts, asked: NestedRecord): void {
  switch (asked.asked) {
    case 'roots':
      counts.roots++;
      break;
    case 'tokens':
      counts.inputTokens += asked.input;
      counts.outputTokens += asked.output;
      break;
    case 'sampling':
      counts[asked.outcome === 'accept' ? 'sampling' : 'refused']++;
      break;
    case 'elicitation':
      counts[ELICITED[asked.outcome]]++;
  }
}

const ELICITED = { accept: 'accepted', decline: 'declined', cancel: 'cancelled' } as const;

function lineOf(server: string, asked: NestedRecord): AuditEvent | undefined {
  switch (asked.asked) {
    case 'elicitation':
      return {
        event: 'asked',
        server,
        asked: 'elicitation',
        outcome: asked.outcome,
        message: printable(maskSecrets(asked.message), MAX_MESSAGE),
        wanted: asked.wanted.slice(0, MAX_NAMES).map((name) => printable(name, MAX_MESSAGE)),
      };
    case 'sampling':
      return {
        event: 'asked',
        server,
        asked: 'sampling',
        outcome: asked.outcome,
        digest: digestOf(asked.prompt),
        approval: asked.approval,
      };
    default:
      return undefined;
  }
}

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
    stop: stopSequences,
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
  return { model, text, stopReason: STOP_REASONS[stopReason], usage };
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
