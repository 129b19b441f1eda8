/** Prompts, resources and completion of a server, whatever is behind them. */
import type { GetPromptResult } from '@modelcontextprotocol/server';
import type { Caller } from '../shared/principal.ts';
import type { ClientRequest, Questions } from './request.ts';

/** A request to complete an argument while a person types it. */
export interface CompletionRequest extends ClientRequest {
  /** The name of a prompt, or the URI template of a resource template. */
  readonly of: string;
  readonly argument: string;
  readonly value: string;
  /** The arguments that are known already. */
  readonly known: Readonly<Record<string, string>>;
}

export interface Completion {
  /** At most 100. */
  readonly values: readonly string[];
  /** Counts those not returned too; undefined when it is not known. */
  readonly total?: number;
  readonly hasMore?: boolean;
}

/** Undefined when nothing of that name has such an argument. */
export type Complete = (request: CompletionRequest) => Promise<Completion | undefined>;

/** An entry of `prompts/list`. */
export interface PromptDefinition {
  readonly [key: string]: unknown;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: { name: string; description?: string; required?: boolean }[];
}

export interface PromptRequest extends ClientRequest {
  readonly name: string;
  readonly args: Readonly<Record<string, string>>;
  /** The names of the tools that the client is offered, for a prompt that says which to use. */
  readonly tools?: readonly string[];
  /** What stands in front of the names of the tools that work on the same notes. */
  readonly prefix?: string;
}

export interface Prompts {
  list(): Promise<readonly PromptDefinition[]>;
  /** Undefined when no such prompt is offered. */
  get(request: PromptRequest): Promise<GetPromptResult | Questions | undefined>;
  readonly complete: Complete;
  /** Calls `changed` when the list has changed, until the returned function is called. */
  watch(changed: () => void): () => void;
}

/** An entry of `resources/list`. */
export interface ResourceEntry {
  readonly [key: string]: unknown;
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
}

/** An entry of `resources/templates/list`. */
export interface ResourceTemplate {
  readonly [key: string]: unknown;
  readonly uriTemplate: string;
  readonly name: string;
}

export interface ResourcePage {
  readonly entries: readonly ResourceEntry[];
  readonly nextCursor?: string;
}

export type ResourceContent =
  | { uri: string; mimeType?: string; text: string; _meta?: Record<string, unknown> }
  | { uri: string; mimeType?: string; blob: string };

export interface ResourceEvents {
  /** One resource has other content. */
  updated(uri: string): void;
  /** Resources came or went. */
  listChanged(): void;
}

export interface Resources {
  /** Subscriptions are not supported. */
  readonly isUnwatched?: true;
  list(cursor: string | undefined): Promise<ResourcePage>;
  templates(): Promise<readonly ResourceTemplate[]>;
  /** Whether a URI is of this kind, offered or not. */
  owns(uri: string): boolean;
  /** Throws `not_found`. */
  read(uri: string, request: ClientRequest): Promise<readonly ResourceContent[] | Questions>;
  /** One spelling for all spellings of a URI, as in the events of `watch`. */
  canonical(uri: string): string;
  /** Completes the variables of templates. */
  readonly complete: Complete;
  /**
   * For resources whose changes have to be subscribed to elsewhere before `watch` reports them. Returns a function that
   * ends the subscription. Throws `not_found`.
   */
  subscribe?(uri: string, caller: Caller): Promise<() => void>;
  /** Reports changes until the returned function is called; to a known caller, only what is of theirs. */
  watch(events: ResourceEvents, caller?: Caller): () => void;
}

export function isContents(
  answer: Awaited<ReturnType<Resources['read']>>,
): answer is readonly ResourceContent[] {
  return Array.isArray(answer);
}
