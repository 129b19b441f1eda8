/** What a server offers as MCP prompts, whatever stands behind them. */

import type { GetPromptResult } from '@modelcontextprotocol/server';
import type { Caller } from '../shared/principal.ts';
import type { ClientRequest, Questions } from './request.ts';

/** What a client may ask for while somebody still types an argument. */

export interface CompletionRequest extends ClientRequest {
  /** Of a prompt its name, of a template of resources its URI template. */
  readonly of: string;
  readonly argument: string;
  readonly value: string;
  /** The arguments that are known already. */
  readonly known: Readonly<Record<string, string>>;
}

export interface Completion {
  /** At most 100. */
  readonly values: readonly string[];
  /** Counts those not returned too; undefined when nobody knows. */
  readonly total?: number;
  readonly hasMore?: boolean;
}

/** Undefined when nothing of that name has such an argument. */
export type Complete = (request: CompletionRequest) => Promise<Completion | undefined>;

/** As it is listed. */
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
}

export interface Prompts {
  list(): Promise<readonly PromptDefinition[]>;
  /** Undefined when no such prompt is offered. */
  get(request: PromptRequest): Promise<GetPromptResult | Questions | undefined>;
  readonly complete: Complete;
  /** Tells of another list until the returned function is called. */
  watch(changed: () => void): () => void;
}

/** What a server offers as MCP resources, whatever stands behind them. */

/** As it is listed. */
export interface ResourceEntry {
  readonly [key: string]: unknown;
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
}

/** As it is listed. */
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
  | { uri: string; mimeType?: string; text: string }
  | { uri: string; mimeType?: string; blob: string };

export interface ResourceEvents {
  /** One resource has other content. */
  updated(uri: string): void;
  /** Resources came or went. */
  listChanged(): void;
}

export interface Resources {
  /** Nobody can subscribe to one of them. */
  readonly isUnwatched?: true;
  list(cursor: string | undefined): Promise<ResourcePage>;
  templates(): Promise<readonly ResourceTemplate[]>;
  /** Whether a URI is of this kind, offered or not. */
  owns(uri: string): boolean;
  /** Throws `not_found`. */
  read(uri: string, request: ClientRequest): Promise<readonly ResourceContent[] | Questions>;
  /** One spelling for all spellings of a URI; those of changes have it. */
  canonical(uri: string): string;
  /** Of the variables of templates. */
  readonly complete: Complete;
  /**
   * Somebody wants to hear of one. For those that have to be asked for elsewhere first; `watch` tells of it. Returns
   * how to end that. Throws `not_found`.
   */
  subscribe?(uri: string, caller: Caller): Promise<() => void>;
  /** Tells of changes until the returned function is called. */
  watch(events: ResourceEvents): () => void;
}
