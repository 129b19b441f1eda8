/**
 * A server behind us, over whatever transport. Made without starting anything; the first request connects, and
 * the session is kept for the next ones. Every request has an end in time and size, and can be given up.
 */
import {
  type CallToolResult,
  type Client,
  type CompleteRequestParams,
  type CompleteResult,
  type GetPromptResult,
  type Implementation,
  type LoggingLevel,
  type Progress,
  type ProgressCallback,
  type ReadResourceResult,
  type RequestOptions,
  type Result,
  SdkHttpError,
  type Tool,
} from '@modelcontextprotocol/client';
import { createSlots, type Slots } from '../../shared/slots.ts';
import type { CapabilityKind, Definition } from '../types.ts';
import { OpenCalls, type UpstreamLog } from './calls.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { asFailure } from './errors.ts';
import { failure } from './failure.ts';
import { SessionKeeper } from './keeper.ts';
import { listDefinitions } from './listing.ts';
import { answerOf, type CallParams } from './nested/answer.ts';
import { type CallClient, operatorAt } from './nested/call-client.ts';
import { createClientSampling } from './nested/client-sampling.ts';
import type { Round } from './nested/rounds.ts';
import {
  type Asked,
  askable,
  type NestedCounts,
  type NestedServices,
  noNestedRequests,
} from './nested/services.ts';
import { Completions, withRequiredPages } from './nested/url-required.ts';
import { orAbort } from './or-abort.ts';
import { createRestarts } from './restarts.ts';
import type { ListKind, Session } from './session.ts';
import { factsOf, type ServerFacts, statusOf, type UpstreamStatus } from './status.ts';
import { Subscriptions } from './subscriptions.ts';
import { openTarget, type Target } from './target.ts';

export interface UpstreamLimits {
  readonly requestTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly maxResultBytes: number;
  readonly maxConcurrent: number;
}

/** Requests of other processes to the same server count too. */
export interface ShareSlots {
  <T>(task: () => Promise<T>, options: CallOptions): Promise<T>;
  lend<T>(wait: () => Promise<T>): Promise<T>;
}

export interface UpstreamOptions {
  readonly name: string;
  /** As what we introduce ourselves. */
  readonly client: Implementation;
  readonly target: Target;
  readonly limits: UpstreamLimits;
  readonly nested: NestedServices;
  /** `auto`: 2026-07-28 where the server speaks it, else the newest older revision. */
  readonly era?: 'auto' | 'legacy' | 'modern';
  readonly share?: ShareSlots;
  /** The first wait before a crashed process is started again. */
  readonly restartUnitMs?: number;
  readonly steadyMs?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly onProgress?: ProgressCallback;
  /** Who made the call, where it may be asked meanwhile. The answer may be `Questions` then. */
  readonly client?: CallClient;
  /** The call was answered with questions before; these are the answers. */
  readonly round?: Round;
  /** Told what the server says of itself while it works on this. */
  readonly onLog?: (message: UpstreamLog) => void;
  /** From which level on; servers of 2026-07-28 are told with the call. */
  readonly logLevel?: LoggingLevel;
}

export interface ToolCallOptions extends CallOptions {
  /** As the server describes it, where that is known. */
  readonly inputSchema?: unknown;
}

const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
const MAX_WAITING = 256;
const STEADY_MS = 60_000;
/** Ours decides; the SDK's own clock must not be first. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

const NEVER = new AbortController().signal;

type Work<T> = (client: Client, options: RequestOptions) => Promise<T>;

export class Upstream {
  readonly name: string;
  readonly nestedCounts: NestedCounts = noNestedRequests();
  readonly #options: UpstreamOptions;
  readonly #keeper: SessionKeeper;
  readonly #completions = new Completions();
  readonly #deadlines = new Set<Deadline>();
  readonly #listeners = new Set<(kind: ListKind) => void>();
  readonly #logListeners = new Set<(message: UpstreamLog) => void>();
  readonly #calls: OpenCalls;
  readonly #asked: Asked;
  readonly #subscriptions: Subscriptions;
  readonly #slots: Slots;
  #waiting = 0;

  constructor(options: UpstreamOptions) {
    const { name, limits, target } = options;
    this.name = name;
    this.#options = options;
    this.#slots = createSlots(limits.maxConcurrent);
    const told = (kind: ListKind) => this.#tell(kind);
    this.#calls = new OpenCalls(target.transport !== 'stdio');
    this.#asked = this.#questions();
    this.#subscriptions = new Subscriptions(() => this.#keeper.current);
    this.#keeper = new SessionKeeper({
      name,
      client: options.client,
      era: options.era ?? 'auto',
      connectTimeoutMs: limits.connectTimeoutMs,
      completions: this.#completions,
      asked: this.#asked,
      onLog: (message) => this.#log(message),
      onResourceUpdated: (uri) => this.#subscriptions.updated(uri),
      onConnected: () => {
        this.#subscriptions.renew();
        this.#askForLogs();
      },
      apart: (work) => this.#calls.apart(work),
      isProcess: target.transport === 'stdio',
      restarts: createRestarts(() => performance.now(), options.restartUnitMs),
      steadyMs: options.steadyMs ?? STEADY_MS,
      onListChanged: told,
      onReconnected: () => (['tools', 'resources', 'prompts'] as const).forEach(told),
      open: () =>
        openTarget(target, {
          name,
          // A call may take as long as its progress allows, and the answer begins with its end.
          answerTimeoutMs: limits.requestTimeoutMs * 5 + options.nested.waitMs,
          maxMessageBytes: MAX_MESSAGE_BYTES,
        }),
    });
  }

  #questions(): Asked {
    const { name: server, nested: services } = this.#options;
    const asked: Asked = {
      server,
      services,
      counts: this.nestedCounts,
      during: (work, signal) => this.#whileAsked(work, signal),
      caller: () => this.#calls.current()?.client,
    };
    const limits = services.client?.sampling;
    return limits ? { ...asked, clientSampling: createClientSampling(asked, limits) } : asked;
  }

  async connect(signal?: AbortSignal): Promise<ServerFacts> {
    return factsOf(await this.#keeper.session(signal));
  }

  status(): UpstreamStatus {
    return statusOf(this.#keeper, this.nestedCounts);
  }

  list(kind: CapabilityKind, options: CallOptions = {}): Promise<Definition[]> {
    return this.#request((client, request) => listDefinitions(client, kind, request, this.name), options);
  }

  call(name: string, args: Record<string, unknown>, options: ToolCallOptions = {}): Promise<CallToolResult> {
    const { inputSchema } = options;
    return this.#answered<CallToolResult>(options, (client, params, request) =>
      client.callTool(
        { name, arguments: args, ...params },
        // Else an answer that is a question would be held against the schema of answers.
        request.allowInputRequired && inputSchema !== undefined
          ? { ...request, toolDefinition: { name, inputSchema } as Tool }
          : request,
      ),
    );
  }

  read(uri: string, options: CallOptions = {}): Promise<ReadResourceResult> {
    return this.#answered<ReadResourceResult>(options, (client, params, request) =>
      client.readResource({ uri, ...params }, { ...request, cacheMode: 'bypass' }),
    );
  }

  getPrompt(name: string, args: Record<string, string>, options: CallOptions = {}): Promise<GetPromptResult> {
    return this.#answered<GetPromptResult>(options, (client, params, request) =>
      client.getPrompt({ name, arguments: args, ...params }, request),
    );
  }

  /** Tells of another content of a resource until the returned function is called. */
  subscribe(uri: string, updated: () => void): Promise<() => void> {
    return this.connect().then(() => this.#subscriptions.add(uri, updated));
  }

  /** What the server says of itself and of no call in particular. */
  onLog(listener: (message: UpstreamLog) => void): () => void {
    this.#logListeners.add(listener);
    this.#askForLogs();
    return () => void this.#logListeners.delete(listener);
  }

  complete(params: CompleteRequestParams, options: CallOptions = {}): Promise<CompleteResult> {
    return this.#bounded((client, request) => client.complete(params, request), options);
  }

  /** How long the server takes to answer at all, in milliseconds. */
  async ping(options: CallOptions = {}): Promise<number> {
    await this.connect(options.signal);
    const begun = performance.now();
    await this.#request<unknown>(
      (client, request) =>
        client.getProtocolEra() === 'modern' ? client.discover(request) : client.ping(request),
      options,
    );
    return performance.now() - begun;
  }

  /** Also after a reconnect, when anything may have changed. Returns how to stop listening. */
  onListChanged(listener: (kind: ListKind) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The folders that may be named have changed. Servers of the modern era ask when they need to know. */
  async rootsChanged(): Promise<void> {
    const client = this.#keeper.current?.client;
    if (client?.getProtocolEra() === 'legacy' && this.#options.nested.roots)
      await client.sendRootsListChanged();
  }

  close(): Promise<void> {
    this.#subscriptions.close();
    return this.#keeper.close();
  }

  /** All of it: who listens chooses. Servers of 2026-07-28 are told with each call. */
  #askForLogs(): void {
    const client = this.#keeper.current?.client;
    const isTold = client?.getProtocolEra() === 'legacy' && client.getServerCapabilities()?.logging;
    if (isTold && this.#logListeners.size > 0) void client.setLoggingLevel('debug').catch(() => undefined);
  }

  #log(message: UpstreamLog): void {
    const call = this.#calls.current();
    if (call) call.onLog?.(message);
    else for (const listener of this.#logListeners) listener(message);
  }

  /** Servers of 2026-07-28 are told of the client with each call, and ask it by their answer. */
  #answered<T extends Result>(
    options: CallOptions,
    send: (client: Client, params: CallParams, request: RequestOptions) => Promise<T>,
  ): Promise<T> {
    return this.#bounded(
      (client, request) =>
        answerOf((params, how) => send(client, params, { ...request, ...how }), {
          isModern: client.getProtocolEra() === 'modern',
          asked: this.#asked,
          options,
        }),
      options,
    );
  }

  #tell(kind: ListKind): void {
    for (const listener of this.#listeners) listener(kind);
  }

  async #bounded<T>(work: Work<T>, options: CallOptions): Promise<T> {
    const { maxResultBytes } = this.#options.limits;
    const call = {
      ...(options.client && { client: options.client }),
      ...(options.onLog && { onLog: options.onLog }),
    };
    const result = await this.#request(
      (client, request) => this.#calls.during(call, () => work(client, request)),
      options,
    );
    const size = Buffer.byteLength(JSON.stringify(result));
    if (size > maxResultBytes)
      throw failure('result_too_large', {
        server: this.name,
        hint: `Its answer has ${size} bytes; the limit is ${maxResultBytes} (max_result_bytes).`,
      });
    return result;
  }

  /** Pages to be visited first are waited for without keeping others from the server. */
  #request<T>(work: Work<T>, options: CallOptions): Promise<T> {
    return withRequiredPages(() => this.#inTurn(work, options), {
      server: this.name,
      services: this.#servicesFor(options),
      completions: this.#completions,
      signal: options.signal ?? NEVER,
    });
  }

  #servicesFor({ client }: CallOptions): NestedServices {
    const { nested } = this.#options;
    return client && askable(nested, client).url ? { ...nested, operator: operatorAt(client) } : nested;
  }

  async #inTurn<T>(work: Work<T>, options: CallOptions): Promise<T> {
    if (this.#waiting >= MAX_WAITING)
      throw failure('busy', {
        server: this.name,
        hint: `${MAX_WAITING} requests are waiting for it already.`,
      });
    this.#waiting++;
    try {
      const { share } = this.#options;
      const task = () => this.#once(work, options);
      return await this.#slots(() => (share ? share(task, options) : task()));
    } finally {
      this.#waiting--;
    }
  }

  async #once<T>(work: Work<T>, options: CallOptions): Promise<T> {
    const session = await this.#keeper.session(options.signal);
    try {
      return await this.#send(session, work, options);
    } catch (error) {
      if (!isRefusedAsLost(error, session)) throw error;
      return await this.#send(await this.#keeper.session(options.signal), work, options);
    }
  }

  async #send<T>(session: Session, work: Work<T>, options: CallOptions): Promise<T> {
    const { limits, nested } = this.#options;
    const deadline = startDeadline({
      timeoutMs: options.timeoutMs ?? limits.requestTimeoutMs,
      maxPauseMs: nested.waitMs,
      ...(options.signal && { signal: options.signal }),
    });
    this.#deadlines.add(deadline);
    const request = {
      signal: deadline.signal,
      timeout: NO_TIMEOUT_MS,
      onprogress: (progress: Progress) => {
        deadline.progress();
        options.onProgress?.(progress);
      },
    };
    try {
      return await work(session.client, request);
    } catch (error) {
      const cause = deadline.verdict() ? error : (session.opened.fault() ?? error);
      throw asFailure(cause, this.name, deadline.verdict());
    } finally {
      deadline.stop();
      this.#deadlines.delete(deadline);
    }
  }

  /** While the operator or the model is asked on behalf of the server, its requests do not run out of time. */
  async #whileAsked<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const paused = [...this.#deadlines];
    for (const deadline of paused) deadline.pause();
    const limit = AbortSignal.any([signal, AbortSignal.timeout(this.#options.nested.waitMs)]);
    const answer = () => orAbort(work(limit), limit);
    const { share } = this.#options;
    try {
      // People take their time, and others have calls to make.
      if (paused.length === 0) return await answer();
      return await this.#slots.lend(() => (share ? share.lend(answer) : answer()));
    } finally {
      for (const deadline of paused) deadline.resume();
    }
  }
}

/** The server has not even looked at the request: it may be sent again. */
function isRefusedAsLost(error: unknown, { opened }: Session): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return opened.isSessionLost() && cause instanceof SdkHttpError && cause.status === 404;
}
