/**
 * One request to an OpenAI-compatible server through the guarded fetch: no redirects, bounded in bytes and time,
 * retried while the server is busy. Plain http is allowed for local and private addresses only, so that notes and
 * keys do not cross the internet unencrypted. Responses are never quoted in errors, since they may repeat the key or
 * the prompt.
 */

import { isIP } from 'node:net';
import { setTimeout as waitFor } from 'node:timers/promises';
import { AppError, isAppError } from '../shared/errors.ts';
import { reachOf } from '../shared/ip-ranges.ts';
import { type SafeFetchOptions, safeRead, type WholeAnswer } from '../shared/safe-fetch.ts';

/** What a model is for: messages name it, and the settings to look at. */
export interface ModelRole {
  readonly name: string;
  /** The section of the configuration file that has the settings of this server. */
  readonly section: string;
  /** What to do when answers take too long. */
  readonly slowFix: string;
}

function failureOf({ status, bytes }: WholeAnswer, { model, apiKey = '', role }: RequestOptions): AppError {
  const { name, section } = role;
  const code = errorCode(bytes);
  const reason = code?.startsWith('unsupported_') ? 'unsupported_parameter' : undefined;
  const fail = (title: string, hint: string, subject?: string) =>
    new AppError(status === 429 ? 'rate_limited' : 'upstream_failed', title, {
      hint,
      upstream: { status },
      reason,
      subject,
    });
  if (status === 401 || status === 403)
    return apiKey === ''
      ? fail(`The ${name}'s server asks for a key`, `Set ${section}.api_key.`)
      : fail(`The ${name}'s server refused the key`, `Check ${section}.api_key.`);
  if (status === 404 || code === 'model_not_found')
    return fail(`Unknown ${name}`, `Check ${section}.model and ${section}.base_url.`, model);
  if (status === 429)
    return fail(`Too many requests for the ${name}'s server`, 'Wait a little, then try again.', model);
  if (status >= 500)
    return fail(
      `The ${name}'s server failed`,
      `It answered ${status}. Look at its log, or try again.`,
      model,
    );
  return fail(`The ${name}'s server refused the request`, `It answered ${status}.`, model);
}

const KNOWN_CODES = ['model_not_found', 'unsupported_parameter', 'unsupported_value'];

/** The server's own name for it, where it is one we know. */
function errorCode(bytes: Uint8Array): string | undefined {
  try {
    const { error } = JSON.parse(new TextDecoder().decode(bytes)) as { error?: { code?: unknown } | null };
    return KNOWN_CODES.find((known) => known === error?.code);
  } catch {
    // The status alone decides when the body is not JSON.
    return undefined;
  }
}

function unreachable(error: unknown, { name, section }: ModelRole): AppError {
  if (isAppError(error) && error.reason === 'too_large')
    return new AppError('upstream_failed', `The ${name}'s answer is too long`, {
      reason: 'too_large',
      hint: error.hint,
    });
  const hint = isAppError(error)
    ? [error.title, error.hint].filter(Boolean).join('. ')
    : 'The connection failed.';
  const subject = isAppError(error) ? error.subject : undefined;
  return new AppError('upstream_failed', `Cannot reach the ${name}`, {
    hint: `${hint} Check ${section}.base_url.`,
    subject,
  });
}

function noTimeLeft(host: string, { timeoutMs, role }: RequestOptions): AppError {
  return new AppError('timeout', `The ${role.name} took too long`, {
    subject: host,
    hint: `The limit is ${timeoutMs} ms${role.slowFix}.`,
  });
}

function notEncrypted(host: string, { section }: ModelRole): AppError {
  return new AppError('forbidden', 'Address refused', {
    subject: host,
    hint: `Plain http is for models on this machine or in your own network. Use https in ${section}.base_url.`,
  });
}

function notJson(model: string, { name, section }: ModelRole): AppError {
  return new AppError('upstream_failed', `The ${name}'s server did not answer with JSON`, {
    subject: model,
    hint: `The answer broke off, or something else answers at ${section}.base_url.`,
  });
}

export interface OpenAiOptions {
  /** The address before `/chat/completions`, such as http://127.0.0.1:11434/v1. */
  readonly baseUrl: string;
  readonly model: string;
  /** Not needed by local models. */
  readonly apiKey?: string;
  /** For one request, including its retries. */
  readonly timeoutMs: number;
  readonly maxAnswerBytes?: number;
  /** DNS resolver, for tests. */
  readonly resolve?: NonNullable<SafeFetchOptions['resolve']>;
  /** Delay between retries, for tests. */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

type RequestOptions = OpenAiOptions & { readonly role: ModelRole };

/** Returns the parsed response; throws an `AppError`. */
type OpenAiPost = (path: string, body: object, signal?: AbortSignal) => Promise<unknown>;

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const PAUSES_MS = [500, 2_000];

export function createOpenAiPost(options: RequestOptions): OpenAiPost {
  const base = baseOf(options.baseUrl, options.role);
  return async (path, body, signal) => {
    const deadline = performance.now() + options.timeoutMs;
    const sending = { ...options, deadline, signal };
    const answer = await answered(new URL(`${base}${path}`), JSON.stringify(body), sending);
    if (answer.status !== 200) throw failureOf(answer, options);
    return parsed(answer, options);
  };
}

type RequestAttempt = RequestOptions & { readonly deadline: number; readonly signal?: AbortSignal };

/** Retries while the server answers that it is busy. */
async function answered(address: URL, body: string, sending: RequestAttempt): Promise<WholeAnswer> {
  const { deadline, wait = pause, signal } = sending;
  for (const ownPause of PAUSES_MS) {
    const answer = await send(address, body, sending);
    if (!isPassing(answer.status)) return answer;
    const pauseMs = askedPauseMs(answer.headers) ?? ownPause;
    if (performance.now() + pauseMs >= deadline) return answer;
    await wait(pauseMs, signal);
  }
  return send(address, body, sending);
}

async function send(address: URL, body: string, sending: RequestAttempt): Promise<WholeAnswer> {
  const { apiKey = '', deadline, maxAnswerBytes = MAX_ANSWER_BYTES, signal } = sending;
  const timeoutMs = Math.ceil(deadline - performance.now());
  if (timeoutMs <= 0) throw noTimeLeft(address.host, sending);
  const near = nearness(address, sending);
  try {
    near.assert();
    return await safeRead(address, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(apiKey !== '' && { authorization: `Bearer ${apiKey}` }),
      },
      allow: 'private',
      schemes: ['http', 'https'],
      timeoutMs,
      maxBytes: maxAnswerBytes,
      ...near.options,
      signal,
    });
  } catch (error) {
    signal?.throwIfAborted();
    near.assert();
    throw isAppError(error, 'timeout') ? noTimeLeft(address.host, sending) : unreachable(error, sending.role);
  }
}

/** Checks the addresses that the connection will be made to. */
function nearness(address: URL, { resolve, role }: RequestOptions) {
  const host = address.hostname.replace(/^\[(.*)\]$/, '$1');
  const isPlain = address.protocol === 'http:';
  let isFar = isPlain && isIP(host) !== 0 && reachOf(host) === 'public';
  const watched = async (name: string) => {
    const addresses = await (resolve ?? systemResolve)(name);
    isFar ||= isPlain && addresses.some((one) => reachOf(one) === 'public');
    return isFar ? [] : addresses;
  };
  return {
    options: { resolve: watched },
    assert() {
      if (isFar) throw notEncrypted(address.host, role);
    },
  };
}

async function systemResolve(name: string): Promise<readonly string[]> {
  const { lookup } = await import('node:dns/promises');
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

function baseOf(text: string, { section }: ModelRole): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!isPlain || url.search !== '' || url.hash !== '')
    throw new AppError('invalid_input', "Not a model's address", {
      hint: `Set ${section}.base_url to one such as http://127.0.0.1:11434/v1, without a user name, a query or a fragment.`,
    });
  return url.href.replace(/\/+$/, '');
}

function isPassing(status: number): boolean {
  return status === 429 || status >= 500;
}

/** Parses `Retry-After` (RFC 9110, section 10.2.3): seconds or a date. */
function askedPauseMs(headers: Headers): number | undefined {
  const header = headers.get('retry-after') ?? '';
  const ms = /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return waitFor(ms, undefined, { signal });
}

function parsed({ bytes }: WholeAnswer, { model, role }: RequestOptions): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // The parser's message quotes the response, so it is not passed on.
    throw notJson(model, role);
  }
}
