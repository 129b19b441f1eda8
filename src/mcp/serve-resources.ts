/** Puts resources on a protocol server: listing, reading, subscriptions, for both eras. */
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
} from '@modelcontextprotocol/server';
import { isAppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { problemOf } from './problem-of.ts';
import { type RequestedParts, requestedOf } from './requested-of.ts';
import type { ResourceContent, Resources } from './resources.ts';
import type { Caller } from './tool.ts';

const MAX_SUBSCRIPTIONS = 1_000;

interface Subscription {
  /** The URI the client gave, which is the one it expects to hear of. */
  readonly given: string;
  readonly stop: () => void;
}

/** `announces` when the server lives long enough to tell of changes itself. */
export function serveResources(
  server: Server,
  resources: Resources,
  { announces, log, ...parts }: RequestedParts & { announces: boolean; log: Log },
): void {
  /** By canonical URI. */
  const subscribed = new Map<string, Subscription>();

  server.setRequestHandler('resources/list', async ({ params }) => {
    const page = await resources.list(params?.cursor).catch((error: unknown) => {
      throw problemOf(error);
    });
    return {
      resources: [...page.entries],
      ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
    };
  });

  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [...(await resources.templates())],
  }));

  server.setRequestHandler('resources/read', async ({ params }, context) => {
    try {
      const answer = await resources.read(params.uri, requestedOf(server, context, parts));
      return isContents(answer) ? { contents: [...answer] } : answer;
    } catch (error) {
      throw aboutResource(error, params.uri);
    }
  });

  if (!resources.isUnwatched) serveSubscriptions(server, resources, { subscribed, caller: parts.caller });
  if (!announces) return;
  const quietly = (sent: Promise<void>) =>
    void sent.catch((error: unknown) => log('debug', 'notification not sent', { error: String(error) }));
  const isModern = () => server.getNegotiatedProtocolVersion() === '2026-07-28';
  const stop = resources.watch({
    // A modern client names its resources when it listens; the connection filters for it.
    updated: (uri) => {
      const given = subscribed.get(uri)?.given ?? (isModern() ? uri : undefined);
      if (given !== undefined) quietly(server.sendResourceUpdated({ uri: given }));
    },
    listChanged: () => quietly(server.sendResourceListChanged()),
  });
  const before = server.onclose;
  server.onclose = () => {
    stop();
    for (const one of subscribed.values()) one.stop();
    before?.();
  };
}

interface Subscribing {
  readonly subscribed: Map<string, Subscription>;
  readonly caller: Caller;
}

function serveSubscriptions(server: Server, resources: Resources, { subscribed, caller }: Subscribing): void {
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

function isContents(answer: Awaited<ReturnType<Resources['read']>>): answer is readonly ResourceContent[] {
  return Array.isArray(answer);
}

function aboutResource(error: unknown, uri: string): unknown {
  return isAppError(error, 'not_found') ? new ResourceNotFoundError(uri, error.message) : problemOf(error);
}
