/** Request handlers of a protocol server for prompts, resources, completion and log messages. */
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
} from '@modelcontextprotocol/server';
import { isAppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { nearest } from '../shared/nearest.ts';
import type { Caller } from '../shared/principal.ts';
import { type ClientLogLevel, isLoud, type LogMessage, type Logs } from './logs.ts';
import { type Complete, isContents, type Prompts, type ResourceEvents, type Resources } from './offers.ts';
import { type ClientRequestParts, clientRequestOf } from './request.ts';

/** Runs `stop` when the connection is closed, before the handlers that are there already. */
export function onClose(server: Server, stop: () => void): void {
  const before = server.onclose;
  server.onclose = () => {
    stop();
    before?.();
  };
}

/** A notification that cannot be sent is no reason to fail. */
export function sendQuietly(sent: Promise<void>, log: Log): void {
  sent.catch((error: unknown) => log('debug', 'notification not sent', { error: String(error) }));
}

export function servePrompts(
  server: Server,
  prompts: Prompts,
  { tools, ...parts }: ClientRequestParts & { readonly tools: readonly string[] },
): void {
  server.setRequestHandler('prompts/list', async () => ({ prompts: [...(await prompts.list())] }));

  server.setRequestHandler('prompts/get', async ({ params }, context) => {
    const { name, arguments: args = {} } = params;
    const request = { ...clientRequestOf(server, context, parts), name, args, tools };
    const result = await prompts.get(request).catch((error) => {
      throw protocolErrorOf(error);
    });
    return result ?? refuse(name, prompts);
  });
}

async function refuse(name: string, prompts: Prompts): Promise<never> {
  const names = (await prompts.list()).map((prompt) => prompt.name);
  const suggestion = nearest(name, names);
  const help = suggestion ? `Did you mean ${suggestion}?` : `Prompts: ${names.join(', ')}`;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown prompt: ${name.slice(0, 100)}. ${help}`.trim(),
  );
}

const MAX_SUBSCRIPTIONS = 1_000;

interface Subscription {
  /** The URI as the client wrote it, which it expects in notifications. */
  readonly given: string;
  readonly stop: () => void;
}

/** `announces` when the server lives long enough to send notifications itself. */
export function serveResources(
  server: Server,
  resources: Resources,
  { announces, log, ...parts }: ClientRequestParts & { announces: boolean; log: Log },
): void {
  /** By canonical URI. */
  const subscribed = new Map<string, Subscription>();

  server.setRequestHandler('resources/list', async ({ params }) => {
    const page = await resources.list(params?.cursor).catch((error: unknown) => {
      throw protocolErrorOf(error);
    });
    return {
      resources: [...page.entries],
      nextCursor: page.nextCursor,
    };
  });

  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [...(await resources.templates())],
  }));

  server.setRequestHandler('resources/read', async ({ params }, context) => {
    try {
      const answer = await resources.read(params.uri, clientRequestOf(server, context, parts));
      return isContents(answer) ? { contents: [...answer] } : answer;
    } catch (error) {
      throw aboutResource(error, params.uri);
    }
  });

  if (!resources.isUnwatched) serveSubscriptions(server, resources, { subscribed, caller: parts.caller });
  if (!announces) return;
  const isModern = () => server.getNegotiatedProtocolVersion() === '2026-07-28';
  const events: ResourceEvents = {
    // A modern client names its resources when it listens; the connection filters for it.
    updated: (uri) => {
      const given = subscribed.get(uri)?.given ?? (isModern() ? uri : undefined);
      if (given !== undefined) sendQuietly(server.sendResourceUpdated({ uri: given }), log);
    },
    listChanged: () => sendQuietly(server.sendResourceListChanged(), log),
  };
  const stop = resources.watch(events, parts.caller);
  onClose(server, () => {
    stop();
    for (const one of subscribed.values()) one.stop();
  });
}

interface SubscriptionChange {
  readonly subscribed: Map<string, Subscription>;
  readonly caller: Caller;
}

function serveSubscriptions(
  server: Server,
  resources: Resources,
  { subscribed, caller }: SubscriptionChange,
): void {
  const canonical = (uri: string): string => {
    try {
      return resources.canonical(uri);
    } catch (error) {
      throw aboutResource(error, uri);
    }
  };
  server.setRequestHandler('resources/subscribe', async ({ params }) => {
    if (subscribed.size >= MAX_SUBSCRIPTIONS)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Too many subscriptions');
    const { uri: given } = params;
    const uri = canonical(given);
    const stop = await Promise.resolve(resources.subscribe?.(given, caller)).catch((error: unknown) => {
      throw aboutResource(error, given);
    });
    subscribed.get(uri)?.stop();
    subscribed.set(uri, { given, stop: stop ?? (() => {}) });
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', async ({ params }) => {
    const uri = canonical(params.uri);
    subscribed.get(uri)?.stop();
    subscribed.delete(uri);
    return {};
  });
}

function protocolErrorOf(error: unknown): unknown {
  if (!isAppError(error)) return error;
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    error.hint ? `${error.message}. ${error.hint}` : error.message,
  );
}

function aboutResource(error: unknown, uri: string): unknown {
  return isAppError(error, 'not_found')
    ? new ResourceNotFoundError(uri, error.message)
    : protocolErrorOf(error);
}

interface Completers {
  readonly prompt?: Complete;
  readonly resource?: Complete;
}

const MOST_VALUES = 100;

export function serveCompletion(server: Server, { prompt, resource }: Completers, caller: Caller): void {
  server.setRequestHandler('completion/complete', async ({ params }, { mcpReq }) => {
    const { ref, argument, context } = params;
    const [complete, of] = ref.type === 'ref/prompt' ? [prompt, ref.name] : [resource, ref.uri];
    const { name, value } = argument;
    const request = { ...caller, of, argument: name, value, signal: mcpReq.signal };
    const completion = await complete?.({ ...request, known: context?.arguments ?? {} }).catch((error) => {
      throw protocolErrorOf(error);
    });
    if (!completion) throw unknownArgument(of, name);
    const { values, total } = completion;
    const shown = values.slice(0, MOST_VALUES);
    const hasMore = completion.hasMore ?? (total ?? values.length) > shown.length;
    return { completion: { values: shown, total, hasMore } };
  });
}

function unknownArgument(of: string, name: string): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Nothing to complete: ${of.slice(0, 100)} is not offered, or has no argument ${name.slice(0, 100)}`,
  );
}

/** The logger of messages about the session itself. */
const SESSION = 'session';

/** `announces` when the server lives long enough to send messages. Returns a function that reads the client's level. */
export function serveLogging(
  server: Server,
  logs: Logs,
  { announces, log, caller }: { announces: boolean; log: Log; caller: Caller },
): () => ClientLogLevel {
  let least: ClientLogLevel = 'debug';
  const send = ({ level, logger, data }: LogMessage) => {
    if (!isLoud(level, least)) return;
    const params = { level, logger, data };
    sendQuietly(server.notification({ method: 'notifications/message', params }), log);
  };
  server.setRequestHandler('logging/setLevel', async ({ params: { level } }) => {
    least = level;
    // After the answer, which the client expects first.
    if (announces && !logs.isQuiet)
      setImmediate(send, { level, logger: SESSION, data: { event: 'level_changed', level } });
    return {};
  });
  if (!announces) return () => least;
  server.oninitialized = () => {
    if (logs.isQuiet) return;
    const protocolVersion = server.getNegotiatedProtocolVersion();
    send({ level: 'info', logger: SESSION, data: { event: 'session_ready', protocolVersion } });
  };
  onClose(server, logs.watch(send, caller));
  return () => least;
}

const MAX_URIS = 100;

interface SubscriptionParts {
  readonly resources: Resources;
  readonly caller: Caller;
  readonly log: Log;
}

/**
 * Subscribes to the resources that a client of 2026-07-28 names in `subscriptions/listen`. Resolves to a function that
 * ends the subscriptions.
 */
export async function subscribeForListener(
  message: unknown,
  { resources, caller, log }: SubscriptionParts,
): Promise<() => void> {
  const stops = await Promise.all(
    listenedUris(message).map((uri) =>
      // A resource that does not exist has no changes to report.
      resources.subscribe?.(uri, caller).catch((error: unknown) => {
        log('debug', 'not subscribed', { error: String(error) });
      }),
    ),
  );
  return () => {
    for (const stop of stops) stop?.();
  };
}

export function listenedUris(message: unknown): readonly string[] {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { notifications?: unknown } };
  if (method !== 'subscriptions/listen') return [];
  const { resourceSubscriptions: uris } = (params?.notifications ?? {}) as {
    resourceSubscriptions?: unknown;
  };
  if (!Array.isArray(uris)) return [];
  return uris.slice(0, MAX_URIS).filter((uri): uri is string => typeof uri === 'string');
}
