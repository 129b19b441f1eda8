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
import type { Resources } from './resources.ts';
import type { Caller } from './tool.ts';

const MAX_SUBSCRIPTIONS = 1_000;

/** `announces` when the server lives long enough to tell of changes itself. */
export function serveResources(
  server: Server,
  resources: Resources,
  { announces, log, caller }: { announces: boolean; log: Log; caller: Caller },
): void {
  /** Canonical URI to the one the client gave, which is the one it expects to hear of. */
  const subscribed = new Map<string, string>();

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

  server.setRequestHandler('resources/read', async ({ params }, { mcpReq }) => {
    try {
      return { contents: [...(await resources.read(params.uri, { ...caller, signal: mcpReq.signal }))] };
    } catch (error) {
      throw aboutResource(error, params.uri);
    }
  });

  if (!resources.isUnwatched) serveSubscriptions(server, resources, subscribed);
  if (!announces) return;
  const quietly = (sent: Promise<void>) =>
    void sent.catch((error: unknown) => log('debug', 'notification not sent', { error: String(error) }));
  const isModern = () => server.getNegotiatedProtocolVersion() === '2026-07-28';
  const stop = resources.watch({
    // A modern client names its resources when it listens; the connection filters for it.
    updated: (uri) => {
      const given = subscribed.get(uri) ?? (isModern() ? uri : undefined);
      if (given !== undefined) quietly(server.sendResourceUpdated({ uri: given }));
    },
    listChanged: () => quietly(server.sendResourceListChanged()),
  });
  const before = server.onclose;
  server.onclose = () => {
    stop();
    before?.();
  };
}

function serveSubscriptions(server: Server, resources: Resources, subscribed: Map<string, string>): void {
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
    subscribed.set(canonical(params.uri), params.uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', async ({ params }) => {
    subscribed.delete(canonical(params.uri));
    return {};
  });
}

function aboutResource(error: unknown, uri: string): unknown {
  return isAppError(error, 'not_found') ? new ResourceNotFoundError(uri, error.message) : problemOf(error);
}
