/** A tool is data. Everything derived from it (annotations, filtering, scopes, docs) is derived in one place each. */
import type * as z from 'zod';
import type { AppError } from '../shared/errors.ts';
import type { Log, LogLevel } from '../shared/log.ts';
import { memoize } from '../shared/memoize.ts';
import { type Caller, callerOf } from '../shared/principal.ts';
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
  | { type: 'resource'; resource: { uri: string; mimeType: string; blob: string } }
  | { type: 'resource_link'; uri: string; name: string; title?: string };

/** A call that is over, without its arguments and its answer. */
export interface ToolCallRecord {
  readonly tool: string;
  readonly effect: Effect;
  readonly outcome: 'ok' | 'error' | 'cancelled';
  readonly milliseconds: number;
  /** The note it was about, if it named one. */
  readonly path?: string;
  /** The id of the change in the history, if it changed anything. */
  readonly change?: string;
  /** How it failed, for metrics that tell kinds of failure apart. */
  readonly error?: AppError;
  /** The length of the answer. */
  readonly characters?: number;
  /** The program that called, by the name that it gave itself. */
  readonly program?: string;
  /** The log line about it, where the surface has a form of its own. */
  readonly line?: AuditLine;
}

/** A line for the operator's log, without the content of notes. */
export interface AuditLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** An event that a surface may log in a form of its own. */
export type ToolEvent = Caller &
  (
    | { readonly type: 'listed'; readonly count: number }
    | { readonly type: 'started'; readonly tool: string; readonly args: unknown }
    | CallEnd
  );

export interface CallEnd extends Omit<ToolCallRecord, 'path' | 'line' | 'characters'> {
  readonly type: 'ended';
  readonly args: unknown;
  readonly facts?: CallFacts;
}

type CallFacts = Readonly<Record<string, string | number | boolean>>;

/** The context of a call: everything beside its input. */
export interface Call<Backend> extends Omit<ClientRequest, 'onProgress'> {
  readonly backend: Backend;
  readonly log: Log;
  /** Reports the progress of a long call to a client that asked for it. */
  readonly onProgress?: (done: number, total: number) => void;
}

export interface Output {
  /** The whole answer, sent as JSON in the first text block. */
  readonly value?: Readonly<Record<string, unknown>>;
  /** The first text block, where it is not the JSON of `value`. */
  readonly text?: string;
  /** Further blocks: images, blobs, a sentence on how to continue. */
  readonly blocks?: readonly ContentBlock[];
  /** All blocks of the answer, where the first one is not text. */
  readonly content?: readonly ContentBlock[];
  /** The note that the answer shows: its version is for clients without sessions. */
  readonly note?: { readonly version: string };
  /** Sentences for the assistant, each in a block of its own at the end. */
  readonly notices?: readonly string[];
  /** The proposal that the call's changes became. */
  readonly proposal?: string;
  /** The client is asked this instead of being answered. */
  readonly questions?: Questions;
  /** For the view alone, where the client shows one: hosts do not pass it to the model. */
  readonly viewData?: Readonly<Record<string, unknown>>;
  /** Fields of the log line about a change beside the tool and the note, without the content. */
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
  /** Deletes for good what was deleted; only offered where the settings allow it. */
  readonly purges?: true;
  /** Beside those that follow from the effect, where the surface's document promises them. */
  readonly annotations?: { readonly title?: string; readonly idempotentHint?: boolean };
  /** The view of an MCP App, for clients that show them. */
  readonly view?: ToolView;
  /** Built at the first call and kept: schemas are the costliest part of a start. */
  readonly input: () => z.ZodObject;
  /** The JSON of the answer, for the documentation and the tests: clients are not sent it (decision 025). */
  readonly output?: () => z.ZodType;
  /** The text of an answer, in a line; only of a tool whose JSON is promised as structured content. */
  readonly line?: (value: Readonly<Record<string, unknown>>) => string;
  run(input: never, call: Call<Backend>): Promise<Output>;
}

export interface ToolView {
  /** Of the resource that is shown with the tool's answers. */
  readonly uri: string;
  /** Only the view may call the tool: hosts keep it from the model, and other clients are not offered it. */
  readonly isOnlyCaller?: true;
}

/** Keeps the input's type for `run`; the table of tools forgets it again. */
export type DefineTool<Backend> = <Input extends z.ZodObject>(
  tool: Omit<Tool<Backend>, 'input' | 'run'> & {
    readonly input: () => Input;
    run(input: z.infer<Input>, call: Call<Backend>): Promise<Output>;
  },
) => Tool<Backend>;

/** What a call has done beside its answer. */
export interface CallEffects {
  /** The id of the change in the history, if the call has changed anything. */
  changeId?(): string | undefined;
  /** Called when the call has succeeded. */
  finish?(call: ClientRequest, answer: Output): Promise<CallOutcome>;
  /** The answer to a call that asked the client something, and is made again with the response. */
  resume?(call: ClientRequest): Promise<Output>;
}

export interface CallOutcome {
  /** Sentences for the assistant, after the answer. */
  readonly notices: readonly string[];
  /** What the client is asked first; its call comes again, and is resumed. */
  readonly questions?: Questions;
  /** The id of the change in the history, if one was made when the call was over. */
  readonly change?: string;
  /** The id of the proposal, if the changes of the call wait for review. */
  readonly proposal?: string;
}

/** A backend for one call, which knows who calls. */
export interface CallScope<Backend> extends CallEffects {
  readonly backend: Backend;
}

/** The origin of a call, as the history records it. */
export interface CallOrigin extends Caller {
  readonly tool: string;
  readonly effect: Effect;
}

/** A backend that makes another one for each call. */
export interface ScopedBackend<Backend> {
  forCall?(origin: CallOrigin): CallScope<Backend>;
}

/** The log line of a change names its id in the history. */
async function withEffects(
  answering: Promise<Output>,
  scope: CallEffects,
  call: ClientRequest,
): Promise<Output> {
  const answer = await answering;
  const outcome = await scope.finish?.(call, answer);
  return withOutcome(answer, outcome, scope.changeId?.());
}

export function withOutcome(
  answer: Output,
  outcome: CallOutcome | undefined,
  made: string | undefined,
): Output {
  const change = made ?? outcome?.change ?? outcome?.proposal;
  const { notices, proposal, questions } = outcome ?? {};
  const told = outcome ? { ...answer, notices, proposal, questions } : answer;
  return change === undefined ? told : { ...told, facts: { ...answer.facts, change } };
}

/** Each surface calls it once, so that its tools need not name the backend. */
export function defineToolFor<Backend>(): DefineTool<Backend> {
  return ({ output, ...tool }) => ({
    ...tool,
    input: memoize(tool.input),
    output: output && memoize(output),
    run(input, call) {
      const scoped = call.backend as ScopedBackend<Backend> | undefined;
      if (!scoped?.forCall) return tool.run(input, call);
      const scope = scoped.forCall({ ...callerOf(call), tool: tool.name, effect: tool.effect });
      const request = { ...call, onProgress: undefined };
      if (call.round && scope.resume) return scope.resume(request);
      const answer = tool.run(input, { ...call, backend: scope.backend });
      return tool.effect === 'read' && !scope.finish ? answer : withEffects(answer, scope, request);
    },
  });
}

export interface Surface<Backend> {
  readonly id: string;
  /** For the model, once, at the start. */
  readonly instructions: string;
  readonly tools: readonly Tool<Backend>[];
  /** Announces that the list may change, where the surface's document promises it. */
  readonly toolsMayChange?: true;
  /** The answer to a call of `tool` that failed or was not run; the seeds differ in this on purpose. */
  renderError(error: AppError, tool: string): CallResult;
  /** Answers a call of an unknown tool; without an answer, that is an error of the protocol. */
  renderUnknownTool?(error: AppError, tool: string): CallResult | undefined;
  /** The line of the operator's log, where the surface has a form of its own. */
  logLine?(event: ToolEvent): AuditLine | undefined;
}

export interface CallResult {
  [key: string]: unknown;
  content: ContentBlock[];
  /** The answers of tools with a `line`, and of governed servers, have it. */
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** An entry of `tools/list`. */
export interface LiveDefinition {
  readonly [key: string]: unknown;
  readonly name: string;
  readonly inputSchema: { readonly [key: string]: unknown; readonly type: 'object' };
}

export interface ToolRequest extends ClientRequest {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Tools that come and go while they are served, such as those of governed servers. */
export interface LiveTools {
  /** For the model, once, at the start. */
  readonly instructions: string;
  /** By name. Does not wait long for any server. */
  list(): Promise<readonly LiveDefinition[]>;
  /** One of them, if it is offered. */
  find(name: string): Promise<LiveDefinition | undefined>;
  /** Whether a name is of this kind, offered or not. */
  owns(name: string): boolean;
  /** Undefined for a tool that is not offered. */
  effectOf(name: string): Effect | undefined;
  /** Undefined when no such tool is offered. Its failures are rendered by `renderError`. */
  call(request: ToolRequest): Promise<CallResult | Questions | undefined>;
  renderError(error: AppError): CallResult;
  /** The label that a tool's calls are counted under: few, however many tools there are. */
  seriesOf(name: string): string;
  readonly series: readonly string[];
  /** Calls `changed` for every other list until the returned function is called. */
  watch(changed: () => void): () => void;
}
