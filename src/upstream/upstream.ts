/**
 * The client of one upstream server, over any transport. The first request connects, and the session is kept for the next
 * ones. Every request has limits of time and size, and can be cancelled.
 */
import {
  type CallToolResult,
  type Client,
  type CompleteRequestParams,
  type CompleteResult,
  type GetPromptResult,
  type Implementation,
  type ReadResourceResult,
  type RequestOptions,
  type Result,
  specTypeSchemas,
  type Tool,
} from '@modelcontextprotocol/client';
import { OpenCalls, type UpstreamLog } from './calls.ts';
import { Connection, createRestarts } from './connection.ts';
import type { CapabilityKind, Definition } from './definition.ts';
import { failure } from './failure.ts';
import { type LoadCounts, noLoad } from './incoming.ts';
import { listDefinitions, Subscriptions } from './listing.ts';
import { operatorAt } from './nested/operator.ts';
import {
  type NestedCounts,
  type NestedRequest,
  type NestedServices,
  noNestedRequests,
} from './nested/request.ts';
import { answerOf, type CallOptions, type CallParams, type ToolCallOptions } from './nested/rounds.ts';
import { createClientSampling } from './nested/sampling.ts';
import { askable } from './nested/services.ts';
import { Completions, withRequiredPages } from './nested/url-required.ts';
import { RequestQueue, type SharedSlots, type Work } from './request-queue.ts';
import { type EgressCounts, noEgress } from './sandbox/egress.ts';
import { factsOf, type ListKind } from './session.ts';
import { openTarget, type Target } from './target.ts';

interface UpstreamLimits {
  readonly requestTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly maxResultBytes: number;
  readonly maxConcurrent: number;
}

export interface UpstreamOptions {
  readonly name: string;
  readonly client: Implementation;
  readonly target: Target;
  readonly limits: UpstreamLimits;
  readonly nested: NestedServices;
  /** `auto`: 2026-07-28 where the server speaks it, else the newest older revision. */
  readonly era?: 'auto' | 'legacy' | 'modern';
  readonly share?: SharedSlots;
  /** The first wait before a crashed process is started again. */
  readonly restartUnitMs?: number;
  readonly steadyMs?: number;
}

type AnnouncementListener = (what: 'list_changed' | 'resource_updated', detail: string) => void;

/** Of a message, which is parsed in one go. A result may take twice its bytes, where it is escaped. */
const MESSAGE_BYTES = { least: 2 * 1024 * 1024, most: 4 * 1024 * 1024 };
const STEADY_MS = 60_000;

export class Upstream {
  readonly name: string;
  readonly nestedCounts: NestedCounts = noNestedRequests();
  /** Messages of the server that were not passed on, since the start. */
  readonly load: LoadCounts = noLoad();
  /** Its connections out of a sandbox that reaches some hosts, since the start. */
  readonly egress: EgressCounts = noEgress();
  readonly #options: UpstreamOptions;
  readonly #connection: Connection;
  readonly #completions = new Completions();
  readonly #listeners = new Set<(kind: ListKind) => void>();
  readonly #announced = new Set<AnnouncementListener>();
  readonly #logListeners = new Set<(message: UpstreamLog) => void>();
  readonly #calls: OpenCalls;
  readonly #asked: NestedRequest;
  readonly #subscriptions: Subscriptions;
  readonly #queue: RequestQueue;

  constructor(options: UpstreamOptions) {
    const { name, limits, target } = options;
    this.name = name;
    this.#options = options;
    this.#queue = new RequestQueue({
      name,
      limits,
      waitMs: options.nested.waitMs,
      share: options.share,
      session: (signal) => this.#connection.session(signal),
    });
    const notify = (kind: ListKind) => this.#notify(kind);
    this.#calls = new OpenCalls(target.transport !== 'stdio');
    this.#asked = this.#questions();
    this.#subscriptions = new Subscriptions(() => this.#connection.current);
    this.#connection = new Connection({
      name,
      client: options.client,
      era: options.era ?? 'auto',
      connectTimeoutMs: limits.connectTimeoutMs,
      completions: this.#completions,
      asked: this.#asked,
      onLog: (message) => this.#log(message),
      onResourceUpdated: (uri) => {
        this.#announce('resource_updated', uri);
        this.#subscriptions.updated(uri);
      },
      isWatched: (uri) => this.#subscriptions.has(uri),
      load: this.load,
      onConnected: () => {
        this.#subscriptions.renew();
        this.#askForLogs();
      },
      apart: (work) => this.#calls.apart(work),
      isProcess: target.transport === 'stdio',
      restarts: createRestarts(() => performance.now(), options.restartUnitMs),
      steadyMs: options.steadyMs ?? STEADY_MS,
      onListChanged: (kind) => {
        this.#announce('list_changed', kind);
        notify(kind);
      },
      onReconnected: () => (['tools', 'resources', 'prompts'] as const).forEach(notify),
      open: () =>
        openTarget(target, {
          name,
          // The headers of an answer may come with its end, and progress prolongs a call.
          answerTimeoutMs: limits.requestTimeoutMs * 5 + options.nested.waitMs,
          maxMessageBytes: Math.min(
            MESSAGE_BYTES.most,
            Math.max(MESSAGE_BYTES.least, 2 * limits.maxResultBytes),
          ),
          egress: this.egress,
        }),
    });
  }

  #questions(): NestedRequest {
    const { name: server, nested: services } = this.#options;
    const asked: NestedRequest = {
      server,
      services,
      counts: this.nestedCounts,
      during: (work, signal) => this.#queue.whileAsked(work, signal),
      caller: () => this.#calls.current()?.client,
    };
    const limits = services.client?.sampling;
    return limits ? { ...asked, clientSampling: createClientSampling(asked, limits) } : asked;
  }

  get isConnected(): boolean {
    return this.#connection.current !== undefined;
  }

  async connect(signal?: AbortSignal) {
    return factsOf(await this.#connection.session(signal));
  }

  /** The state of the server, without a request to it. */
  status() {
    const { state, lastError, current } = this.#connection;
    return {
      state,
      facts: current && factsOf(current),
      /** Answers that came after their request was cancelled. */
      lateAnswers: current?.lateAnswers() ?? 0,
      /** Lines on stdout that are not JSON-RPC messages. */
      strayLines: current?.opened.process?.strayLines ?? 0,
      /** The end of the process's stderr. */
      stderr: current?.opened.process?.stderr ?? '',
      lastError,
      nested: this.nestedCounts,
      load: this.load,
      egress: this.egress,
    };
  }

  list(kind: CapabilityKind, options: CallOptions = {}): Promise<Definition[]> {
    return this.#request((client, request) => listDefinitions(client, kind, request, this.name), options);
  }

  call(name: string, args: Record<string, unknown>, options: ToolCallOptions = {}): Promise<CallToolResult> {
    const { inputSchema } = options;
    return this.#answered<CallToolResult>(options, (client, given, request) => {
      const params = { name, arguments: args, ...given };
      // `callTool` repeats arguments in headers, which only the modern era has, and its check of an answer takes twice as long.
      if (client.getProtocolEra() === 'legacy')
        return client.request({ method: 'tools/call', params }, specTypeSchemas.CallToolResult, request);
      // Without a definition, an answer with questions would be validated as a tool result, and any other one by the server's
      // own output schema, whose expressions may take forever. The calling client gets the schema, and may do so.
      const withTool =
        inputSchema === undefined ? request : { ...request, toolDefinition: { name, inputSchema } as Tool };
      return client.callTool(params, withTool);
    });
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

  /** Calls `updated` when the resource changes, until the returned function is called. */
  subscribe(uri: string, updated: () => void): Promise<() => void> {
    return this.connect().then(() => this.#subscriptions.add(uri, updated));
  }

  /** Log messages that belong to no call. */
  onLog(listener: (message: UpstreamLog) => void): () => void {
    this.#logListeners.add(listener);
    this.#askForLogs();
    return () => void this.#logListeners.delete(listener);
  }

  complete(params: CompleteRequestParams, options: CallOptions = {}): Promise<CompleteResult> {
    return this.#bounded((client, request) => client.complete(params, request), options);
  }

  /** Round-trip time in milliseconds. */
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

  /** Also called after a reconnect, when anything may have changed. Returns a function that removes the listener. */
  onListChanged(listener: (kind: ListKind) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** What the server itself announces, for those who watch what a call does. */
  onAnnounced(listener: AnnouncementListener): () => void {
    this.#announced.add(listener);
    return () => void this.#announced.delete(listener);
  }

  close(): Promise<void> {
    this.#subscriptions.close();
    return this.#connection.close();
  }

  /** At level debug: listeners filter. Servers of 2026-07-28 get the level with each call. */
  #askForLogs(): void {
    const client = this.#connection.current?.client;
    const takesLevel = client?.getProtocolEra() === 'legacy' && client.getServerCapabilities()?.logging;
    if (takesLevel && this.#logListeners.size > 0)
      void client.setLoggingLevel('debug').catch(() => undefined);
  }

  #log(message: UpstreamLog): void {
    const call = this.#calls.current();
    if (call) call.onLog?.(message);
    else for (const listener of this.#logListeners) listener(message);
  }

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

  #announce(what: 'list_changed' | 'resource_updated', detail: string): void {
    for (const listener of this.#announced) listener(what, detail);
  }

  #notify(kind: ListKind): void {
    for (const listener of this.#listeners) listener(kind);
  }

  async #bounded<T>(work: Work<T>, options: CallOptions): Promise<T> {
    const { maxResultBytes } = this.#options.limits;
    const call = { client: options.client, onLog: options.onLog };
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

  /** Waits for required pages outside the queue, so that other requests can run. */
  #request<T>(work: Work<T>, options: CallOptions): Promise<T> {
    return withRequiredPages(() => this.#queue.run(work, options), {
      server: this.name,
      services: this.#servicesFor(options),
      completions: this.#completions,
      signal: options.signal,
    });
  }

  #servicesFor({ client }: CallOptions): NestedServices {
    const { nested } = this.#options;
    return client && askable(nested, client).url ? { ...nested, operator: operatorAt(client) } : nested;
  }
}
