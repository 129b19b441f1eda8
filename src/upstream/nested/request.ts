/** A request that a server makes back to us while it works: which of them are served, by whom, and what is kept of them. */
import type { CreateMessageRequest, CreateMessageResult } from '@modelcontextprotocol/client';
import type { Answer, CallClient, Operator, SampleProvider, SamplingApprover } from './operator.ts';

export interface NestedServices {
  readonly operator: Operator;
  /** Folders that may be named to servers; undefined when this server may not ask. */
  readonly roots?: readonly string[];
  readonly sampling?: {
    readonly provider: SampleProvider;
    readonly maxTokens: number;
    readonly perHour: number;
    /** Without it nothing is sampled where nobody is there. */
    readonly approved?: SamplingApprover;
  };
  readonly elicitation?: { readonly form: boolean; readonly url: boolean };
  /** What of it goes to the client of a call, if that can answer. */
  readonly client?: {
    readonly elicitation: boolean;
    readonly sampling?: SamplingLimits;
    readonly roots: boolean;
  };
  /** How long the operator may take. */
  readonly waitMs: number;
  /** Told of everything before it is answered; what it throws keeps a prompt from the model. */
  readonly note?: (asked: NestedRecord) => Promise<void>;
}

/** What a server asked back, for whoever looks later. No values: a prompt is told by its digest. */
export type NestedRecord =
  | { readonly asked: 'roots' }
  | {
      readonly asked: 'elicitation';
      readonly outcome: Answer;
      /** In the server's own words. */
      readonly message: string;
      /** Of a form, by name; of a page, where it is. */
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

export interface NestedRequest {
  readonly server: string;
  readonly services: NestedServices;
  readonly counts: NestedCounts;
  /** Runs while somebody is asked, so that clocks stand still. */
  during<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** The client whose call is being worked on, as far as that is clear. */
  caller?(): CallClient | undefined;
  readonly clientSampling?: ClientSampling;
}

type SamplingParams = CreateMessageRequest['params'];

export interface SamplingLimits {
  readonly maxTokens: number;
  readonly perHour: number;
}

export interface ClientSampling {
  /** What may be asked, after it was written down; throws for what may not. */
  admit(params: SamplingParams): Promise<SamplingParams>;
  ask(client: CallClient, params: SamplingParams, signal: AbortSignal): Promise<CreateMessageResult>;
}
