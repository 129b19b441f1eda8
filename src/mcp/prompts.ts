/** What a server offers as MCP prompts, whatever stands behind them. */
import type { GetPromptResult } from '@modelcontextprotocol/server';
import type { Complete } from './completion.ts';
import type { Questions, Requested } from './requested.ts';

/** As it is listed. */
export interface PromptDefinition {
  readonly [key: string]: unknown;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: { name: string; description?: string; required?: boolean }[];
}

export interface PromptRequest extends Requested {
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
