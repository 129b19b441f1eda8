/** Nested requests of a server: the services that answer them, their records and their counts. */
import {
  type CreateMessageRequest,
  type CreateMessageResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/client';
import type { Answer, CallClient, Operator, SampleProvider, SamplingApprover } from './operator.ts';

export interface NestedServices {
  readonly operator: Operator;
  /** Folders that may be named to servers; undefined when this server may not ask. */
  readonly roots?: readonly string[];
  readonly sampling?: {
    readonly provider: SampleProvider;
    readonly maxTokens: number;
    readonly perHour: number;
    /** Without it no prompt is sampled without an operator. */
    readonly approved?: SamplingApprover;
  };
  readonly elicitation?: { readonly form: boolean; readonly url: boolean };
  /** The requests that are forwarded to the client of a call, if it supports them. */
  readonly client?: {
    readonly elicitation: boolean;
    readonly sampling?: SamplingLimits;
    readonly roots: boolean;
  };
  /** How long the operator may take. */
  readonly waitMs: number;
  /** The prompts of this server in the last hour, of all processes; without it each process counts its own. */
  readonly prompts?: PromptCount;
  /** Records every request before it is answered; if it throws, a prompt does not reach the model. */
  readonly note?: (asked: NestedRecord) => Promise<void>;
}

export interface PromptCount {
  /** One more, unless there are `most` already. Resolves to a function that gives it back, or to undefined. */
  reserve(most: number): Promise<(() => Promise<void>) | undefined>;
}

/** A nested request for the audit log. Answers are not part of it. */
export type NestedRecord =
  | { readonly asked: 'roots' }
  | {
      readonly asked: 'elicitation';
      readonly outcome: Answer;
      /** In the server's own words. */
      readonly message: string;
      /** The fields of a form, or the address of a page. */
      readonly wanted: readonly string[];
    }
  | {
      readonly asked: 'sampling';
      readonly outcome: 'accept' | 'decline' | 'pending';
      readonly prompt: unknown;
      readonly approval?: string;
    }
  | { readonly asked: 'tokens'; readonly input: number; readonly output: number };

export interface NestedCounts {
  roots: number;
  sampling: number;
  elicitation: { accept: number; decline: number; cancel: number };
}

export function noNestedRequests(): NestedCounts {
  return { roots: 0, sampling: 0, elicitation: { accept: 0, decline: 0, cancel: 0 } };
}

/** The answer to a request that is not as it should be. */
export function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

export interface NestedRequest {
  readonly server: string;
  readonly services: NestedServices;
  readonly counts: NestedCounts;
  /** Runs `work` while the deadlines of the server's requests are paused. */
  during<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** The client whose call the server works on; undefined when it is ambiguous. */
  caller?(): CallClient | undefined;
  readonly clientSampling?: ClientSampling;
}

type SamplingParams = CreateMessageRequest['params'];

export interface SamplingLimits {
  readonly maxTokens: number;
  readonly perHour: number;
}

export interface ClientSampling {
  /** The bounded prompt, recorded; throws for a prompt that is not allowed. */
  admit(params: SamplingParams): Promise<SamplingParams>;
  ask(client: CallClient, params: SamplingParams, signal: AbortSignal): Promise<CreateMessageResult>;
}
