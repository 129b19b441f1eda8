/** Tools that come and go while they are served: a list that is a function of now, and calls that are passed on. */
import type { ClientRequest, Questions } from './request.ts';
import type { CallResult, Effect } from './tool.ts';

/** As it is listed. */
export interface LiveDefinition {
  readonly [key: string]: unknown;
  readonly name: string;
  readonly inputSchema: { readonly [key: string]: unknown; readonly type: 'object' };
}

export interface LiveProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface LiveCall extends ClientRequest {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface LiveTools {
  /** Told to the model once, at the start. */
  readonly instructions: string;
  /** By name. Waits for nobody for long. */
  list(): Promise<readonly LiveDefinition[]>;
  /** One of them, if it is offered. */
  find(name: string): Promise<LiveDefinition | undefined>;
  /** Whether a name is of this kind, offered or not. */
  owns(name: string): boolean;
  /** Undefined for a tool that is not offered. */
  effectOf(name: string): Effect | undefined;
  /** The answer, worded where it is a failure; undefined when no such tool is offered. */
  call(call: LiveCall): Promise<CallResult | Questions | undefined>;
  /** One of a few names for whoever counts calls, however many tools there are. */
  seriesOf(name: string): string;
  readonly series: readonly string[];
  /** Tells of another list until the returned function is called. */
  watch(changed: () => void): () => void;
}
