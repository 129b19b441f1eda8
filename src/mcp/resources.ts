/** What a server offers as MCP resources, whatever stands behind them. */
export interface ResourceEntry {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
  readonly lastModified: number;
}

export interface ResourcePage {
  readonly entries: readonly ResourceEntry[];
  readonly nextCursor?: string;
}

export type ResourceContent =
  | { readonly uri: string; readonly mimeType: string; readonly text: string }
  | { readonly uri: string; readonly mimeType: string; readonly blob: string };

export interface ResourceEvents {
  /** One resource has other content. */
  updated(uri: string): void;
  /** Resources came or went. */
  listChanged(): void;
}

export interface Resources {
  readonly template: { readonly uriTemplate: string; readonly name: string; readonly description: string };
  list(cursor: string | undefined): Promise<ResourcePage>;
  read(uri: string): Promise<ResourceContent>;
  /** One spelling for all spellings of a URI; those of changes have it. */
  canonical(uri: string): string;
  /** Values for the template's variable that begin like `value`; `total` counts those not returned too. */
  complete(value: string): Promise<{ values: string[]; total: number }>;
  /** Tells of changes until the returned function is called. */
  watch(events: ResourceEvents): () => void;
}
