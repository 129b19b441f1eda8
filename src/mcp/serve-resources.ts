/** Puts resources on a protocol server: listing, reading, completion, subscriptions, for both eras. */
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
} from '@modelcontextprotocol/server';
import { isAppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import type { Resources } from './resources.ts';

const MAX_SUBSCRIPTIONS = 1_000;

/** `announces` when the server lives long enough to tell of changes itself. */
export function serveResources(
  server: Server,
  resources: Resources,
  { announces, log }: { announces: boolean; log: Log },
): void {
  /** Canonical URI to the one the client gave, which is the one it expects to hear of. */
  const subscribed = new Map<string, string>();

  server.setRequestHandler('resources/list', async ({ params }) => {
    const page = await resources.list(params?.cursor).catch((error: unknown) => {
      throw protocolErrorOf(error, '');
    });
    return {
      resources: page.entries.map(({ lastModified, ...entry }) => ({
        ...entry,
        annotations: { lastModified: new Date(lastModified).toISOString() },
      })),
      ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
    };
  });

  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [{ ...resources.template, mimeType: 'text/markdown' }],
  }));

  server.setRequestHandler('resources/read', async ({ params }) => {
    try {
      return { contents: [await resources.read(params.uri)] };
    } catch (error) {
      throw protocolErrorOf(error, params.uri);
    }
  });

  server.setRequestHandler('completion/complete', async ({ params }) => {
    if (params.ref.type !== 'ref/resource' || params.argument.name !== 'path') {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Only the path of ${resources.template.uriTemplate} can be completed`,
      );
    }
    const { values, total } = await resources.complete(params.argument.value);
    return { completion: { values, total, hasMore: total > values.length } };
  });

  const canonical = (uri: string): string => {
    try {
      return resources.canonical(uri);
    } catch (error) {
      throw protocolErrorOf(error, uri);
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
  server.onclose = stop;
}

function protocolErrorOf(error: unknown, uri: string): unknown {
  if (!isAppError(error)) return error;
  if (error.code === 'not_found') return new ResourceNotFoundError(uri, error.message);
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    error.hint ? `${error.message}. ${error.hint}` : error.message,
  );
}
