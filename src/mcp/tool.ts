/** A tool is data. Everything derived from it (annotations, filtering, scopes, docs) is derived in one place each. */
import type * as z from 'zod';
import type { AppError } from '../shared/errors.ts';
import type { Log, LogLevel } from '../shared/log.ts';
import { memoize } from '../shared/memoize.ts';
import type { Principal } from '../shared/principal.ts';
import type { ClientRequests } from './client-requests.ts';
import type { ClientRequest, Questions } from './request.ts';

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

/** How a call failed, as far as it can be counted. */
export type ErrorKind = 'trilium' | 'zod' | 'diff' | 'unknown_tool' | 'unknown';

/** A call that is over, without anything that was said in it. */
export interface ToolCallRecord {
  readonly tool: string;
  readonly effect: Effect;
  readonly outcome: 'ok' | 'error' | 'cancelled';
  readonly milliseconds: number;
  /** The note it was about, if it named one. */
  readonly path?: string;
  /** How it failed, where the surface tells kinds of failure apart. */
  readonly error?: ErrorKind;
  /** How the operator is to be told of it, where the surface has words of its own. */
  readonly line?: AuditLine;
}

/** A line for the operator about a call; never what notes say. */
export interface AuditLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Where a call comes from, for the log. */
export interface Caller {
  /** Absent where there is one caller only. */
  readonly principal?: Principal;
  /** The connection; called the same from its first line to its last. */
  readonly session?: string;
}

/** A call as a surface sees it when it words the operator's line: it has failed if there is an error. */
export interface AuditedCall extends Caller {
  readonly tool: string;
  readonly effect: Effect;
  readonly args: unknown;
  readonly milliseconds: number;
  readonly facts?: CallFacts;
  readonly error?: AppError;
  /** The caller did not wait for the end. */
  readonly cancelled?: true;
}

/** The same before it is made. */
export type AnnouncedCall = Pick<AuditedCall, 'tool' | 'args' | keyof Caller>;

type CallFacts = Readonly<Record<string, string | number | boolean>>;

/** What a call has beside its input. */
export interface Call<Backend> extends Caller {
  readonly backend: Backend;
  readonly signal: AbortSignal;
  /** What the client can be asked meanwhile. */
  readonly client?: ClientRequests;
  readonly log: Log;
  /** Told of every call when it is over. */
  readonly onCalled?: (called: ToolCallRecord) => void;
  /** Tells a client that asked for it how far a long call is. */
  readonly onProgress?: (done: number, total: number) => void;
}

export interface Output {
  /** The whole answer; sent as structured content and, as JSON, in the first text block. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The first text block's JSON, where the documented answer is not an object. */
  readonly text?: unknown;
  /** The first text block as it is to be read, instead of JSON. */
  readonly rendered?: string;
  /** Further blocks: images, blobs, a sentence on how to continue. */
  readonly blocks?: readonly ContentBlock[];
  /** The blocks of the answer as they are, instead of all that, where the documented answer is no JSON. */
  readonly content?: readonly ContentBlock[];
  /** What the operator is told of a change beside the tool and the note; never what was written. */
  readonly facts?: CallFacts;
}

export interface Tool<Backend> {
  readonly name: string;
  readonly title: string;
  /** For a model: what it does, when another tool fits better, an example. */
  readonly description: string;
  readonly effect: Effect;
  /** Takes a note out of the notebook; left out when deleting is switched off. */
  readonly deletes?: true;
  /** Its arguments may hold whole files, and be as large as these. */
  readonly takesFiles?: true;
  /** What is left of it where nothing may be changed: a tool of the same name that only reads. */
  readonly whenReadOnly?: Tool<Backend>;
  /** Tells the title among the annotations too, where the surface's document promises it. */
  readonly annotatesTitle?: true;
  /** Whether the same call again changes nothing more; told to clients where the surface's document promises it. */
  readonly idempotent?: boolean;
  /** Built at the first call and kept: schemas are the costliest part of a start. */
  readonly input: () => z.ZodObject;
  /** Without it the answer is its content blocks alone. */
  readonly output?: () => z.ZodObject;
  run(input: never, call: Call<Backend>): Promise<Output>;
  /** How its errors are worded, where that is not how the surface does it. */
  readonly renderError?: (error: AppError) => CallResult;
  /** How the operator is told of its calls, where that is not how the surface does it. */
  readonly auditLine?: (call: AuditedCall) => AuditLine | undefined;
}

/** Keeps the input's type for `run`; the table of tools forgets it again. */
export function defineTool<Backend, Input extends z.ZodObject>(
  tool: Omit<Tool<Backend>, 'input' | 'run'> & {
    readonly input: () => Input;
    run(input: z.infer<Input>, call: Call<Backend>): Promise<Output>;
  },
): Tool<Backend> {
  const { output, ...rest } = tool;
  return { ...rest, input: memoize(tool.input), output: output ? memoize(output) : undefined };
}

export interface Surface<Backend> {
  readonly id: string;
  /** Told to the model once, at the start. */
  readonly instructions: string;
  readonly tools: readonly Tool<Backend>[];
  /** Clients are told that there may be others later, where the surface's document promises it. */
  readonly toolsMayChange?: true;
  /** The text of an error result; the seeds differ in this on purpose. `tool` is one that was not run. */
  renderError(error: AppError, tool?: string): CallResult;
  /** Answers a call of a tool that there is not; without an answer, that is an error of the protocol. */
  renderUnknownTool?(error: AppError, tool: string): CallResult | undefined;
  /** The operator's line about a call that is over, where the surface has a form of its own. */
  auditLine?(call: AuditedCall): AuditLine | undefined;
  /** The same of a call that is about to be made. */
  callingLine?(call: AnnouncedCall): AuditLine | undefined;
  /** The same when somebody asked which tools there are. */
  listingLine?(count: number, caller: Caller): AuditLine | undefined;
  /** For whoever counts. */
  errorKind?(error: AppError): ErrorKind;
}

export interface CallResult {
  [key: string]: unknown;
  content: ContentBlock[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

export function callerOf({ principal, session }: Caller): Caller {
  return { principal, session };
}

/** Tools that come and go while they are served: a list that is a function of now, and calls that are passed on. */

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
