/** What a server offers as MCP resources, whatever stands behind them. */
import type { Complete } from './completion.ts';
import type { Requested } from './requested.ts';

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
  read(uri: string, request: Requested): Promise<readonly ResourceContent[]>;
  /** One spelling for all spellings of a URI; those of changes have it. */
  canonical(uri: string): string;
  /** Of the variables of templates. */
  readonly complete: Complete;
  /** Tells of changes until the returned function is called. */
  watch(events: ResourceEvents): () => void;
}
