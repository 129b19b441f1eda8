/** The operator, the model and the calling client, as a server may ask them. */
import type {
  CreateMessageRequest,
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequest,
  ElicitRequestFormParams,
  ElicitResult,
  SamplingMessage,
} from '@modelcontextprotocol/client';

export type Answer = 'accept' | 'decline' | 'cancel';

export interface FormQuestion {
  readonly server: string;
  readonly message: string;
  /** A flat JSON Schema. */
  readonly schema: unknown;
}

export type FormAnswer =
  | { readonly action: 'accept'; readonly content: Readonly<Record<string, FormValue>> }
  | { readonly action: 'decline' | 'cancel' };
export type FormValue = string | number | boolean | string[];

export interface UrlQuestion {
  readonly server: string;
  readonly message: string;
  /** To be shown whole, and opened by the person only. Never fetched by us. */
  readonly url: string;
  /** In punycode; to be shown on a line of its own. */
  readonly host: string;
}

export interface SamplingQuestion {
  readonly server: string;
  readonly systemPrompt?: string;
  readonly messages: readonly SamplingMessage[];
  readonly maxTokens: number;
}

export interface Operator {
  /** A person can answer. Otherwise no question is asked. */
  readonly isInteractive: boolean;
  askForm(question: FormQuestion, signal: AbortSignal): Promise<FormAnswer>;
  /** Asks whether fields that look like secrets may be sent. */
  confirmSecrets(
    question: { readonly server: string; readonly fields: readonly string[] },
    signal: AbortSignal,
  ): Promise<boolean>;
  askUrl(question: UrlQuestion, signal: AbortSignal): Promise<Answer>;
  askSampling(question: SamplingQuestion, signal: AbortSignal): Promise<boolean>;
  /** While pages are visited: `retry` without waiting for the server's notification, or `cancel`. */
  whileWaiting?(
    waiting: { readonly server: string; readonly urls: readonly string[] },
    signal: AbortSignal,
  ): Promise<'retry' | 'cancel'>;
}

export interface SamplingRequest extends Omit<CreateMessageRequestParams, 'includeContext' | '_meta'> {
  readonly server: string;
}

interface SamplingResult {
  readonly model: string;
  readonly text: string;
  readonly stopReason?: string;
  /** In tokens, where the model counts them. */
  readonly usage?: { readonly input: number; readonly output: number };
}

/** The configured model. */
export type SampleProvider = (request: SamplingRequest, signal: AbortSignal) => Promise<SamplingResult>;

/** Looks up the approval of exactly this prompt, for when no operator is present. */
export type SamplingApprover = (request: SamplingRequest) => Promise<{
  readonly outcome: 'accept' | 'decline' | 'pending';
  readonly approval: string;
}>;

/**
 * The client whose call a server works on, which the server may ask meanwhile. A question names the server, and warns of
 * fields that look like secrets.
 */
export interface CallClient {
  readonly can: Abilities;
  elicit(params: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult>;
  sample(params: CreateMessageRequest['params'], signal: AbortSignal): Promise<CreateMessageResult>;
}

export interface Abilities {
  readonly form: boolean;
  readonly url: boolean;
  readonly sampling: boolean;
  readonly roots: boolean;
}

/** An operator that forwards each question to the client of a call, as far as the client supports it. */
export function operatorAt(client: CallClient): Operator {
  return {
    isInteractive: true,
    async askForm({ server, message, schema }, signal): Promise<FormAnswer> {
      const requestedSchema = schema as ElicitRequestFormParams['requestedSchema'];
      const worded = formMessage(server, message, requestedSchema);
      const answer = await client.elicit({ mode: 'form', message: worded, requestedSchema }, signal);
      if (answer.action !== 'accept') return { action: answer.action };
      return { action: 'accept', content: answer.content ?? {} };
    },
    // The question has warned of secrets.
    confirmSecrets: async () => true,
    async askUrl({ server, message, url }, signal) {
      const question = { mode: 'url' as const, message: urlMessage(server, message), url };
      return (await client.elicit({ ...question, elicitationId: crypto.randomUUID() }, signal)).action;
    },
    askSampling: async () => false,
    ...(client.can.form && {
      async whileWaiting({ server, urls }, signal) {
        const message = urlMessage(server, `go on, once you have visited ${urls.join(' ')}?`);
        const requestedSchema = { type: 'object' as const, properties: {} };
        const answer = await client.elicit({ mode: 'form', message, requestedSchema }, signal);
        return answer.action === 'accept' ? 'retry' : 'cancel';
      },
    }),
  };
}

const LOOKS_SECRET =
  /pass(?:word|phrase|code|wd)?\b|secret|token|api[-_ ]?key|credential|private[-_ ]?key|\bpin\b|\bcvv\b|\bssn\b/i;

export function looksSecret(name: string, property: unknown): boolean {
  const { title = '', description = '' } = (property ?? {}) as { title?: string; description?: string };
  return [name, title, description].some((text) => LOOKS_SECRET.test(text));
}

export function formMessage(
  server: string,
  message: string,
  { properties }: ElicitRequestFormParams['requestedSchema'],
): string {
  const secrets = Object.entries(properties).flatMap(([name, property]) =>
    looksSecret(name, property) ? [name] : [],
  );
  const warning = secrets.length === 0 ? '' : ` (Careful: ${secrets.join(', ')} would be sent to ${server}.)`;
  return `${urlMessage(server, message)}${warning}`;
}

export function urlMessage(server: string, message: string): string {
  return `${server} asks: ${message}`;
}

const notAsked = () => Promise.reject(new Error('No operator is present'));

/** For a process without a terminal. */
export const NO_OPERATOR: Operator = {
  isInteractive: false,
  askForm: notAsked,
  confirmSecrets: notAsked,
  askUrl: notAsked,
  askSampling: notAsked,
};
