/** The human behind us, and the model, as servers may ask for them. Both are handed in. */
import type { CreateMessageRequestParams, SamplingMessage } from '@modelcontextprotocol/client';

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
  /** Complete, to be shown as it is and opened only after a yes. Never fetched by us. */
  readonly url: string;
  /** On a line of its own; names in other scripts as punycode. */
  readonly host: string;
}

export interface SamplingQuestion {
  readonly server: string;
  readonly systemPrompt?: string;
  readonly messages: readonly SamplingMessage[];
  readonly maxTokens: number;
}

export interface Operator {
  /** Whether somebody is there to answer. Nothing is asked otherwise. */
  readonly isInteractive: boolean;
  askForm(question: FormQuestion, signal: AbortSignal): Promise<FormAnswer>;
  /** Whether these fields, which look like secrets, may really be sent. */
  confirmSecrets(
    question: { readonly server: string; readonly fields: readonly string[] },
    signal: AbortSignal,
  ): Promise<boolean>;
  askUrl(question: UrlQuestion, signal: AbortSignal): Promise<Answer>;
  askSampling(question: SamplingQuestion, signal: AbortSignal): Promise<boolean>;
  /** While pages are visited: to go on without waiting for the server's word, or to stop. */
  whileWaiting?(
    waiting: { readonly server: string; readonly urls: readonly string[] },
    signal: AbortSignal,
  ): Promise<'retry' | 'cancel'>;
}

export interface SamplingRequest extends Omit<CreateMessageRequestParams, 'includeContext' | '_meta'> {
  readonly server: string;
}

export interface Sampled {
  readonly model: string;
  readonly text: string;
  readonly stopReason?: string;
  /** In tokens, where the model counts them. */
  readonly usage?: { readonly input: number; readonly output: number };
}

/** The configured model. */
export type SampleProvider = (request: SamplingRequest, signal: AbortSignal) => Promise<Sampled>;

/** Where nobody is there to be asked: what somebody has said of exactly this prompt before. */
export type SamplingApprover = (request: SamplingRequest) => Promise<{
  readonly outcome: 'accept' | 'decline' | 'pending';
  readonly approval: string;
}>;
