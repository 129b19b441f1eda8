/** What a server offers as MCP resources, whatever stands behind them. */
import type { Complete } from './completion.ts';
import type { Questions, Requested } from './requested.ts';
import type { Caller } from './tool.ts';

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
  read(uri: string, request: Requested): Promise<readonly ResourceContent[] | Questions>;
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
