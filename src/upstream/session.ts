/** One connected session with a server: the SDK's client on one of our transports, in the newest era both speak. */
import {
  Client,
  type Implementation,
  type PriorDiscovery,
  SdkError,
  SdkErrorCode,
} from '@modelcontextprotocol/client';
import { memoize } from '../shared/memoize.ts';
import { type UpstreamLog, watchInFlight } from './calls.ts';
import { failure } from './failure.ts';
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
  readonly onClose: () => void;
}

export interface Session {
  readonly client: Client;
  readonly opened: OpenedTransport;
  lateAnswers(): number;
  close(): Promise<void>;
}

const MODERN = '2026-07-28';
const MAX_PAGES = 50;
/** A probe that takes longer than this is not answered at all; old servers ignore what they do not know. */
const MAX_PROBE_MS = 5_000;
const RELISTEN_MS = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000];

export async function openSession(opened: OpenedTransport, options: SessionOptions): Promise<Session> {
  const { name, connectTimeoutMs } = options;
  const lateAnswers = watchInFlight(opened.transport);
  const client = newClient(options);
  let isOver = false;
  client.onclose = () => {
    isOver = true;
    options.onClose();
  };
  client.onerror = () => undefined;
  const close = memoize(async () => {
    isOver = true;
    // A transport calls onclose while it closes, which closes the session again: let `close` be memoized first.
    await Promise.resolve();
    await opened.transport.close().catch(() => undefined);
    await opened.dispose();
  });
  const timer = startTimer(connectTimeoutMs);
  try {
    const connecting = client.connect(opened.transport, { timeout: connectTimeoutMs, prior: options.prior });
    connecting.catch(() => undefined);
    await Promise.race([connecting, timer.over]);
  } catch (cause) {
    // The caller need not wait until the process is gone; `fault` has the reason later.
    void close();
    throw timer.isOver() ? tooSlow(name, connectTimeoutMs) : (opened.fault() ?? connectFailure(name, cause));
  } finally {
    timer.stop();
  }
  if (client.autoOpenedSubscription) void keepListening(client, () => isOver);
  return { client, opened, lateAnswers, close };
}

function newClient({
  name,
  client: info,
  era,
  connectTimeoutMs,
  isProcess,
  asked,
  completions,
  onListChanged,
  onLog,
  onResourceUpdated,
}: SessionOptions): Client {
  // At once: until it is known, what has changed would be called as what it was.
  const changed = (kind: ListKind) => ({
    autoRefresh: false,
    debounceMs: 0,
    onChanged: () => onListChanged(kind),
  });
  const client = new Client(info, {
    capabilities: advertised(asked.services),
    versionNegotiation: {
      mode: era === 'modern' ? { pin: MODERN } : era,
      // An HTTP server always answers a probe; silence means an outage, not an old protocol revision.
      probe: { timeoutMs: isProcess ? Math.min(MAX_PROBE_MS, connectTimeoutMs / 2) : connectTimeoutMs },
    },
    inputRequired: { maxRounds: 8 },
    listMaxPages: MAX_PAGES,
    listChanged: { tools: changed('tools'), resources: changed('resources'), prompts: changed('prompts') },
  });
  serveNested(client, asked);
  client.setNotificationHandler('notifications/elicitation/complete', ({ params }) =>
    completions.complete(params.elicitationId),
  );
  client.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) =>
    onLog({ server: name, level, data, logger }),
  );
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    onResourceUpdated(params.uri),
  );
  return client;
}

/** In the modern era news comes on a stream of its own, which may break while the server is fine. */
async function keepListening(client: Client, isOver: () => boolean): Promise<void> {
  let subscription = client.autoOpenedSubscription;
  for (const delay of RELISTEN_MS) {
    if (!subscription || (await subscription.closed) === 'local' || isOver()) return;
    await new Promise<void>((resolve) => void setTimeout(resolve, delay).unref());
    if (isOver()) return;
    subscription = await client.listen(subscription.honoredFilter).catch(() => subscription);
  }
}

function startTimer(ms: number): { over: Promise<never>; isOver(): boolean; stop(): void } {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isOver = true;
      reject(new Error('connect timeout'));
    }, ms);
  });
  over.catch(() => undefined);
  return { over, isOver: () => isOver, stop: () => clearTimeout(timer) };
}

function tooSlow(server: string, ms: number): Error {
  return failure('connect_timeout', {
    server,
    hint: `It did not say hello within ${ms} ms. Look at its log, or raise connect_timeout_ms.`,
  });
}

function connectFailure(server: string, cause: unknown): unknown {
  if (cause instanceof SdkError && cause.code === SdkErrorCode.RequestTimeout)
    return failure('connect_timeout', { server, hint: 'It did not answer the handshake in time.', cause });
  return cause;
}
