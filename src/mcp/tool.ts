/** A tool is data. Everything derived from it (annotations, filtering, scopes, docs) is derived in one place each. */
import type * as z from 'zod';
import type { AppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { once } from '../shared/once.ts';

/**
 * `read` changes nothing; `write` adds or changes what the caller names;
 * `destroy` can discard text the caller has not named (a whole note).
 */
export type Effect = 'read' | 'write' | 'destroy';

export type ContentBlock =
  | { type: 'text'; text: string }
  | { type: 'image'; data: string; mimeType: string }
  | { type: 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType: string; blob: string } };

/** A call that is over, without anything that was said in it. */
export interface Called {
  readonly tool: string;
  readonly effect: Effect;
  readonly outcome: 'ok' | 'error' | 'cancelled';
  readonly milliseconds: number;
  /** The note it was about, if it named one. */
  readonly path?: string;
}

/** What a call has beside its input. */
export interface Call<Backend> {
  readonly backend: Backend;
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Told of every call when it is over. */
  readonly onCalled?: (called: Called) => void;
  /** Tells a client that asked for it how far a long call is. */
  readonly onProgress?: (done: number, total: number) => void;
}

export interface Output {
  /** The whole answer; sent as structured content and, as JSON, in the first text block. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The first text block's JSON, where the documented answer is not an object. */
  readonly text?: unknown;
  /** Further blocks: images, blobs, a sentence on how to continue. */
  readonly blocks?: readonly ContentBlock[];
}

export interface Tool<Backend> {
  readonly name: string;
  readonly title: string;
  /** For a model: what it does, when another tool fits better, an example. */
  readonly description: string;
  readonly effect: Effect;
  /** Takes a note out of the notebook; left out when deleting is switched off. */
  readonly deletes?: true;
  /** Built at the first call and kept: schemas are the costliest part of a start. */
  readonly input: () => z.ZodObject;
  readonly output: () => z.ZodObject;
  run(input: never, call: Call<Backend>): Promise<Output>;
  /** How its errors are worded, where that is not how the surface does it. */
  readonly renderError?: (error: AppError) => CallResult;
}

/** Keeps the input's type for `run`; the table of tools forgets it again. */
export function defineTool<Backend, Input extends z.ZodObject>(
  tool: Omit<Tool<Backend>, 'input' | 'run'> & {
    readonly input: () => Input;
    run(input: z.infer<Input>, call: Call<Backend>): Promise<Output>;
  },
): Tool<Backend> {
  return { ...tool, input: once(tool.input), output: once(tool.output) };
}

export interface Surface<Backend> {
  readonly id: string;
  /** Told to the model once, at the start. */
  readonly instructions: string;
  readonly tools: readonly Tool<Backend>[];
  /** The text of an error result; the seeds differ in this on purpose. */
  renderError(error: AppError): CallResult;
}

export interface CallResult {
  [key: string]: unknown;
  content: ContentBlock[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}
