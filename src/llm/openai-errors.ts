/** What can be wrong with a model's server, in our own words: neither key nor prompt, nor anything the server said. */
import { AppError, isAppError } from '../shared/errors.ts';
import type { WholeAnswer } from '../shared/safe-fetch.ts';

/** For whose server an error is told. */
interface Asked {
  readonly model: string;
  readonly apiKey?: string;
}

export function failureOf({ status, bytes }: WholeAnswer, { model, apiKey = '' }: Asked): AppError {
  const code = errorCode(bytes);
  const fail = (title: string, hint: string, subject?: string) =>
    new AppError(status === 429 ? 'rate_limited' : 'upstream_failed', title, {
      hint,
      upstream: { status, ...(code !== undefined && { code }) },
      ...(subject !== undefined && { subject }),
    });
  if (status === 401 || status === 403)
    return apiKey === ''
      ? fail("The model's server asks for a key", 'Set llm.api_key.')
      : fail("The model's server refused the key", 'Check llm.api_key.');
  if (status === 404 || code === 'model_not_found')
    return fail('Unknown model', 'Check llm.model and llm.base_url.', model);
  if (status === 429)
    return fail("Too many requests for the model's server", 'Wait a little, then try again.', model);
  if (status >= 500)
    return fail("The model's server failed", `It answered ${status}. Look at its log, or try again.`, model);
  return fail("The model's server refused the request", `It answered ${status}.`, model);
}

const KNOWN_CODES = ['model_not_found', 'unsupported_parameter', 'unsupported_value'] as const;

/** The server's own name for it, where it is one we know. */
function errorCode(bytes: Uint8Array): string | undefined {
  try {
    const { error } = JSON.parse(new TextDecoder().decode(bytes)) as { error?: { code?: unknown } | null };
    const code = error?.code;
    return KNOWN_CODES.find((known) => known === code);
  } catch {
    // Its status says enough.
    return undefined;
  }
}

export function unreachable(error: unknown): AppError {
  if (isAppError(error) && error.reason === 'too_large')
    return new AppError('upstream_failed', "The model's answer is too long", {
      reason: 'too_large',
      ...(error.hint !== undefined && { hint: error.hint }),
    });
  const hint = isAppError(error)
    ? [error.title, error.hint].filter(Boolean).join('. ')
    : 'The connection failed.';
  const subject = isAppError(error) ? error.subject : undefined;
  return new AppError('upstream_failed', 'Cannot reach the model', {
    hint: `${hint} Check llm.base_url.`,
    ...(subject !== undefined && { subject }),
  });
}

export function noTimeLeft(host: string, timeoutMs: number): AppError {
  return new AppError('timeout', 'The model took too long', {
    subject: host,
    hint: `The limit is ${timeoutMs} ms (llm.timeout_ms).`,
  });
}

export function notEncrypted(host: string): AppError {
  return new AppError('forbidden', 'Address refused', {
    subject: host,
    hint: 'Plain http is for models on this machine or in your own network. Use https in llm.base_url.',
  });
}

export function notJson(model: string): AppError {
  return new AppError('upstream_failed', "The model's server did not answer with JSON", {
    subject: model,
    hint: 'The answer broke off, or something else answers at llm.base_url.',
  });
}
