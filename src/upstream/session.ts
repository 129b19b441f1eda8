/** One connected session with a server: the SDK's client on one of our transports, in the newest era that both support. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Client,
  type Implementation,
  type PriorDiscovery,
  SdkError,
  SdkErrorCode,
} from '@modelcontextprotocol/client';
import { type AppError, isAppError } from '../shared/errors.ts';
import { memoize } from '../shared/memoize.ts';
import { boundChecks } from './bounded-checks.ts';
import { type UpstreamLog, watchInFlight } from './calls.ts';
import { orAbort } from './deadline.ts';
import { failure } from './failure.ts';
import { boundIncoming, type LoadCounts } from './incoming.ts';
import type { NestedRequest } from './nested/request.ts';
import { advertised, serveNested } from './nested/services.ts';
import type { Completions } from './nested/url-required.ts';
import type { OpenedTransport } from './target.ts';

export type ListKind = 'tools' | 'resources' | 'prompts';

export interface SessionOptions {
  readonly name: string;
  readonly client: Implementation;
  readonly era: 'auto' | 'legacy' | 'modern';
  readonly prior: PriorDiscovery | undefined;
  readonly connectTimeoutMs: number;
  readonly isProcess: boolean;
  readonly asked: NestedRequest;
  readonly completions: Completions;
  readonly onListChanged: (kind: ListKind) => void;
  readonly onLog: (message: UpstreamLog) => void;
  readonly onResourceUpdated: (uri: string) => void;
  readonly isWatched: (uri: string) => boolean;
  /** Messages that were not passed on are added to it. */
  readonly load: LoadCounts;
  readonly onClose: () => void;
}

export interface Session {
  readonly client: Client;
  readonly opened: OpenedTransport;
  lateAnswers(): number;
  close(): Promise<void>;
}

const MODERN = '2026-07-28';
const LAST_WORDS_MS = 1_000;
/** Old servers ignore the probe, so an answer is not awaited for longer. */
const MAX_PROBE_MS = 5_000;
const RELISTEN_MS = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000];

export async function openSession(opened: OpenedTransport, options: SessionOptions): Promise<Session> {
  const { name, connectTimeoutMs } = options;
  boundChecks(opened.transport, name);
  const lateAnswers = watchInFlight(opened.transport, { hasStreams: !options.isProcess });
  const unbind = boundIncoming(opened.transport, {
    counts: options.load,
    isWatched: options.isWatched,
    onLogsLeftOut: (count) =>
      options.onLog({ server: name, level: 'warning', data: `${count} messages of ${name} were left out` }),
  });
  const client = newClient(options);
  let isOver = false;
  client.onclose = () => {
    isOver = true;
    options.onClose();
  };
  client.onerror = () => undefined;
  const close = memoize(async () => {
    isOver = true;
    unbind();
    // A transport calls onclose while it closes, which calls `close` again: it must be memoized by then.
    await Promise.resolve();
    await opened.transport.close().catch(() => undefined);
    await opened.dispose?.();
  });
  const limit = AbortSignal.timeout(connectTimeoutMs);
  try {
    const connecting = client.connect(opened.transport, { timeout: connectTimeoutMs, prior: options.prior });
    await orAbort(connecting, limit, () => limit.reason);
  } catch (cause) {
    await lastWords(opened, cause);
    // The caller does not wait for the process to exit; `fault` has the reason later.
    void close();
    throw limit.aborted
      ? tooSlow(name, connectTimeoutMs, opened.process?.ending)
      : (opened.process?.fault ?? connectFailure(name, cause));
  }
  if (client.autoOpenedSubscription) void keepListening(client, () => isOver);
  return { client, opened, lateAnswers, close };
}

/** A process that is about to end closes its input first; why it ends is known a moment later. */
async function lastWords({ process }: OpenedTransport, cause: unknown): Promise<void> {
  if (!process || !isAppError(cause) || cause.reason !== 'closed') return;
  await Promise.race([process.gone, sleep(LAST_WORDS_MS, undefined, { ref: false })]);
}

function newClient(options: SessionOptions): Client {
  const { name, era, connectTimeoutMs, isProcess, asked } = options;
  // Without a debounce: until the change is known, calls would use the outdated definition.
  const changed = (kind: ListKind) => ({
    autoRefresh: false,
    debounceMs: 0,
    onChanged: () => options.onListChanged(kind),
  });
  const client = new Client(options.client, {
    capabilities: advertised(asked.services),
    versionNegotiation: {
      mode: era === 'modern' ? { pin: MODERN } : era,
      // An HTTP server always answers a probe; silence means an outage, not an old protocol revision.
      probe: { timeoutMs: isProcess ? Math.min(MAX_PROBE_MS, connectTimeoutMs / 2) : connectTimeoutMs },
    },
    inputRequired: { maxRounds: 8 },
    // `boundChecks` counts the pages.
    listMaxPages: 0,
    listChanged: { tools: changed('tools'), resources: changed('resources'), prompts: changed('prompts') },
  });
  serveNested(client, asked);
  client.setNotificationHandler('notifications/elicitation/complete', ({ params }) =>
    options.completions.complete(params.elicitationId),
  );
  client.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) =>
    options.onLog({ server: name, level, data, logger }),
  );
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    options.onResourceUpdated(params.uri),
  );
  return client;
}

/** In the modern era notifications come on a stream of their own, which may break while the server works. */
async function keepListening(client: Client, isOver: () => boolean): Promise<void> {
  let subscription = client.autoOpenedSubscription;
  for (const delay of RELISTEN_MS) {
    if (!subscription || (await subscription.closed) === 'local' || isOver()) return;
    await new Promise<void>((resolve) => void setTimeout(resolve, delay).unref());
    if (isOver()) return;
    subscription = await client.listen(subscription.honoredFilter).catch(() => subscription);
  }
}

function tooSlow(server: string, ms: number, details: AppError['details'] | undefined): Error {
  return failure('connect_timeout', {
    server,
    details,
    hint: `It did not answer the handshake within ${ms} ms. See what it says, or raise connect_timeout_ms.`,
  });
}

function connectFailure(server: string, cause: unknown): unknown {
  if (cause instanceof SdkError && cause.code === SdkErrorCode.RequestTimeout)
    return failure('connect_timeout', { server, hint: 'It did not answer the handshake in time.', cause });
  return cause;
}

export function factsOf({ client, opened }: Session) {
  return {
    era: client.getProtocolEra(),
    protocolVersion: client.getNegotiatedProtocolVersion(),
    server: client.getServerVersion(),
    instructions: client.getInstructions(),
    capabilities: client.getServerCapabilities(),
    /** Only for stdio. */
    sandbox: opened.sandbox,
    warnings: opened.warnings,
  };
}
