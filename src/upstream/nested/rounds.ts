/**
 * Rounds of a call: in the revision of 2026-07-28 a server may answer a call with questions, and is called again with
 * the answers. The questions are checked on their way to the calling client; `roots/list` may be answered by us.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ElicitRequestFormParams,
  type InputRequest,
  type InputRequests,
  type InputResponses,
  isInputRequiredResult,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  type ProgressCallback,
  type Result,
} from '@modelcontextprotocol/client';
import type { UpstreamLog } from '../calls.ts';
import { failure } from '../failure.ts';
import { MAX_SCHEMA_LENGTH, urlQuestion } from './elicitation.ts';
import { type CallClient, formMessage, urlMessage } from './operator.ts';
import type { ClientSampling, NestedRequest } from './request.ts';
import { advertisedFor, askable, listRoots } from './services.ts';

/** Options of a request to an upstream server. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly onProgress?: ProgressCallback;
  /** The client that made the call, if it may be asked meanwhile. The answer may then be `Questions`. */
  readonly client?: CallClient;
  /** The call was answered with questions before; these are the answers. */
  readonly round?: Round;
  /** Receives the server's log messages while it works on this call. */
  readonly onLog?: (message: UpstreamLog) => void;
  /** Minimum level; servers of 2026-07-28 get it with the call. */
  readonly logLevel?: LoggingLevel;
}

export interface ToolCallOptions extends CallOptions {
  readonly inputSchema?: unknown;
}

/** Questions of a server that must be answered before its result. */
export interface Questions {
  readonly resultType: 'input_required';
  readonly inputRequests: InputRequests;
  /** Opaque; goes back to the server. */
  readonly requestState?: string;
  /** Keys of the requests that we answer ourselves in the next round. */
  readonly own: readonly string[];
  readonly asked: Readonly<Record<string, FormSummary>>;
}

interface FormSummary {
  readonly message: string;
  readonly wanted: readonly string[];
}

/** A call that is made again with answers. */
export interface Round extends Partial<Pick<Questions, 'own' | 'asked'>> {
  readonly responses?: InputResponses;
  readonly state?: string;
}

type RoundParams = { inputResponses?: InputResponses; requestState?: string };

const MAX_ROUNDS = 8;
const MAX_QUESTIONS = 16;
const MAX_NOTED = 200;

interface RoundParts {
  readonly asked: NestedRequest;
  readonly client: CallClient;
  readonly sampling: ClientSampling | undefined;
}

export function isQuestions(result: unknown): result is Questions {
  return isInputRequiredResult(result);
}

/** The server's result, or the questions for the client. */
async function inRounds(
  send: (params: RoundParams) => Promise<Result>,
  round: Round,
  parts: RoundParts,
): Promise<Result | Questions> {
  const { asked } = parts;
  await noteAnswers(round, asked);
  const given = { ...round.responses, ...(await ownAnswers(round.own ?? [], asked)) };
  let params = paramsOf(given, round.state);
  for (let at = 0; at < MAX_ROUNDS; at++) {
    const result = await send(params);
    if (!isInputRequiredResult(result)) return result;
    const { inputRequests = {}, requestState } = result;
    const own = Object.keys(inputRequests).filter((key) => isOwn(inputRequests[key], parts));
    const theirs = Object.entries(inputRequests).filter(([key]) => !own.includes(key));
    if (theirs.length > 0 || own.length === 0) return questionsOf(theirs, { own, requestState }, parts);
    params = paramsOf(await ownAnswers(own, asked), requestState);
  }
  throw failure('elicitation_loop', { server: asked.server, hint: 'It asks again and again.' });
}

function paramsOf(responses: InputResponses, state: string | undefined): RoundParams {
  return {
    inputResponses: Object.keys(responses).length > 0 ? responses : undefined,
    requestState: state,
  };
}

function isOwn(request: InputRequest | undefined, { asked, client }: RoundParts): boolean {
  return request?.method === 'roots/list' && !askable(asked.services, client).roots;
}

async function ownAnswers(
  keys: readonly string[],
  { services, counts }: NestedRequest,
): Promise<InputResponses> {
  if (keys.length === 0) return {};
  counts.roots++;
  await services.note?.({ asked: 'roots' });
  const roots = await listRoots(services.roots ?? []);
  return Object.fromEntries(keys.map((key) => [key, roots]));
}

async function questionsOf(
  requests: readonly (readonly [string, InputRequest])[],
  rest: Pick<Questions, 'own' | 'requestState'>,
  parts: RoundParts,
): Promise<Questions> {
  if (requests.length > MAX_QUESTIONS) throw notAsked(parts, `${requests.length} things at once`);
  const asked: Record<string, FormSummary> = {};
  const inputRequests: InputRequests = {};
  for (const [key, request] of requests) {
    inputRequests[key] = await admitted(request, parts);
    const form = formOf(request);
    if (form) asked[key] = form;
  }
  return { resultType: 'input_required', inputRequests, asked, ...rest };
}

async function admitted(request: InputRequest, parts: RoundParts): Promise<InputRequest> {
  const { asked, client, sampling } = parts;
  const may = askable(asked.services, client);
  switch (request.method) {
    case 'roots/list':
      return request;
    case 'sampling/createMessage':
      if (!may.sampling || !sampling) throw notAsked(parts, 'for a model');
      return { ...request, params: await sampling.admit(request.params) };
    case 'elicitation/create':
      return { ...request, params: elicitation(request.params, parts) };
  }
}

function elicitation(
  params: Extract<InputRequest, { method: 'elicitation/create' }>['params'],
  parts: RoundParts,
): typeof params {
  const { asked, client } = parts;
  const may = askable(asked.services, client);
  if (params.mode === 'url') {
    const isFine = may.url && urlQuestion(asked.server, params.message, params.url);
    if (!isFine) throw notAsked(parts, 'for a page to be visited');
    return { ...params, message: urlMessage(asked.server, params.message) };
  }
  if (!may.form || JSON.stringify(params.requestedSchema).length > MAX_SCHEMA_LENGTH)
    throw notAsked(parts, 'for a form to be filled in');
  return { ...params, message: formMessage(asked.server, params.message, params.requestedSchema) };
}

function notAsked({ asked }: RoundParts, what: string): Error {
  const hint = `It asks ${what}, which the client of this call is not asked.`;
  return failure('elicitation_declined', { server: asked.server, hint });
}

function formOf(request: InputRequest): FormSummary | undefined {
  if (request.method !== 'elicitation/create') return undefined;
  const { params } = request;
  const wanted =
    params.mode === 'url'
      ? []
      : Object.keys((params as ElicitRequestFormParams).requestedSchema.properties).slice(0, MAX_QUESTIONS);
  return { message: params.message.slice(0, MAX_NOTED), wanted };
}

async function noteAnswers(
  { responses, asked: forms }: Round,
  { services, counts }: NestedRequest,
): Promise<void> {
  for (const [key, response] of Object.entries(responses ?? {})) {
    if (!('action' in response)) continue;
    const { action } = response as { action: 'accept' | 'decline' | 'cancel' };
    counts.elicitation[action]++;
    const { message = '', wanted = [] } = forms?.[key] ?? {};
    await services.note?.({ asked: 'elicitation', outcome: action, message, wanted });
  }
}

export type CallParams = RoundParams & { _meta?: Record<string, unknown> };

interface AnswerParts {
  readonly isModern: boolean;
  readonly asked: NestedRequest;
  readonly options: CallOptions;
}

type Send<T> = (params: CallParams, how: { allowInputRequired?: true }) => Promise<T>;

/** Servers of 2026-07-28 get the client's capabilities with each call, and ask it through their answer. */
export async function answerOf<T extends Result>(send: Send<T>, parts: AnswerParts): Promise<T> {
  const { isModern, asked, options } = parts;
  if (!isModern) return send({}, {});
  const { client, round = {}, logLevel } = options;
  const asksClient = client !== undefined && asked.services.client !== undefined;
  const _meta = {
    ...(asksClient && { [CLIENT_CAPABILITIES_META_KEY]: advertisedFor(asked.services, client) }),
    ...(logLevel !== undefined && { [LOG_LEVEL_META_KEY]: logLevel }),
  };
  const metadata = Object.keys(_meta).length > 0 ? { _meta } : {};
  if (!asksClient) return send(metadata, {});
  const once = (params: RoundParams) => send({ ...params, ...metadata }, { allowInputRequired: true });
  // A caller that passes a client expects `Questions` as a result.
  return inRounds(once, round, { asked, client, sampling: asked.clientSampling }) as Promise<T>;
}
