/** The endpoint on a port of its own, with the test surface behind it and as little as possible before it. */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { McpServer, Server } from '@modelcontextprotocol/server';
import { createEndpoint, type EndpointOptions, type McpEndpoint } from '../../src/mcp/http/endpoint.ts';
import { answerError } from '../../src/mcp/http/refusals.ts';
import type { Prompts, ResourceEvents, Resources } from '../../src/mcp/offers.ts';
import type { LiveTools } from '../../src/mcp/tool.ts';
import { silentLog } from '../../src/shared/log.ts';
import { ANONYMOUS, type Principal } from '../../src/shared/principal.ts';
import { createLists } from './changing-lists.ts';
import type { Changes } from './resources.ts';
import { createSurface } from './surface.ts';

export interface TestServer {
  readonly url: string;
  readonly endpoint: McpEndpoint;
  /** Notifies the subscribers that a resource has changed. */
  changed(uri: string): void;
  close(): Promise<void>;
}

export interface TestServerOptions {
  readonly limits?: Partial<EndpointOptions['limits']>;
  readonly protocol?: string;
  readonly strict?: EndpointOptions['strict'];
  /** Instead of the suite's. */
  readonly createServer?: () => Server;
  /** Adds tools to those of the suite. */
  readonly extend?: (mcp: McpServer) => void;
  /** Sessions that are shared with other servers. */
  readonly openSessions?: EndpointOptions['openSessions'];
  /** Delays a request before the endpoint gets it, as a check of its token does. */
  readonly admit?: () => Promise<void>;
}

/** Names the caller; it is not checked here. */
export const PRINCIPAL_HEADER = 'x-test-principal';

const MOST_BODY_BYTES = 1_000_000;
const LOCAL_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { limits, protocol, strict, extend, admit, openSessions } = options;
  const watchers = new Set<ResourceEvents>();
  const changes: Changes = {
    watch(events) {
      watchers.add(events);
      return () => {
        watchers.delete(events);
      };
    },
  };
  const lists = createLists();
  const endpoint = createEndpoint({
    createServer(_principal, session) {
      if (options.createServer) return options.createServer();
      const mcp = createSurface(session === undefined ? 'modern' : 'legacy', changes, lists);
      extend?.(mcp);
      // The endpoint connects and closes it, as it would its own kind; the SDK checks more for this kind.
      return mcp as unknown as Server;
    },
    // The endpoint watches these, and asks for a tool's schema, which the SDK does for this kind of server.
    resources: changes as Resources,
    prompts: { watch: (changed) => lists.watch('prompt', changed) } as Prompts,
    live: {
      watch: (changed) => lists.watch('tool', changed),
      find: async () => undefined,
    } as Partial<LiveTools> as LiveTools,
    limits: {
      sessions: 100,
      idleMs: 60_000,
      bufferedBytes: 1_000_000,
      subscriptions: 100,
      ...limits,
    },
    ...(protocol !== undefined && { protocol }),
    ...(strict && { strict }),
    openSessions,
    log: silentLog,
  });
  const http = createHttpServer(async (request, response) => {
    if (!isLocal(request)) return answerError(response, 403, -32000, 'Not for this host or origin');
    const read = await readBody(request, response);
    if (!read) return;
    await admit?.();
    await endpoint.handle({ request, response, caller: principalOf(request), body: read.body });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    endpoint,
    changed: (uri) => {
      for (const { updated } of watchers) updated(uri);
    },
    async close() {
      await endpoint.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** Against pages that give this address another name: none of ours is asked for by it. */
function isLocal({ headers: { host, origin } }: IncomingMessage): boolean {
  const names = [`http://${host}`, ...(origin === undefined ? [] : [origin])];
  return names.every((name) => URL.canParse(name) && LOCAL_NAMES.includes(new URL(name).hostname));
}

function principalOf({ headers }: IncomingMessage): Principal {
  const id = headers[PRINCIPAL_HEADER];
  return typeof id === 'string' ? { ...ANONYMOUS, id } : ANONYMOUS;
}

/** The JSON of a POST; undefined when it was refused. */
async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<{ body: unknown } | undefined> {
  if (request.method !== 'POST') return { body: undefined };
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > MOST_BODY_BYTES) {
      answerError(response, 413, -32000, 'Too large');
      return undefined;
    }
    chunks.push(chunk as Buffer);
  }
  try {
    return { body: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch {
    answerError(response, 400, -32700, 'Not JSON');
    return undefined;
  }
}
