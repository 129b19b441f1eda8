/**
 * Builds the protocol server of one connection from a surface and its backend. Cheap: everything heavy is
 * rendered once and shared. Tools that are filtered out are not listed, and calls of them get the reason.
 */
import { type CallToolResult, Server } from '@modelcontextprotocol/server';
import { callerOf } from '../shared/principal.ts';
import type { Logs } from './logs.ts';
import type { Prompts, Resources } from './offers.ts';
import { callTool, listTools, type ToolParts } from './pipeline.ts';
import { type ClientRequestParts, clientRequestOf, type Questions } from './request.ts';
import {
  onClose,
  sendQuietly,
  serveCompletion,
  serveLogging,
  servePrompts,
  serveResources,
} from './serve-offers.ts';

export interface ServerParts<Backend> extends ToolParts<Backend> {
  readonly resources?: Resources;
  readonly prompts?: Prompts;
  readonly logs?: Logs;
  readonly version: string;
  /** False for a server of a single request, whose endpoint announces changes. */
  readonly announces?: boolean;
}

const LIST_TTL_MS = 3_600_000;
/** A list that may change must not be cached. */
const LIVE_LIST_TTL_MS = 0;

export function createServer<Backend>(parts: ServerParts<Backend>): Server {
  const { resources, prompts, logs, live, log } = parts;
  const { surface } = parts.limited;
  const isWatched = resources?.isUnwatched !== true;
  const server = new Server(
    { name: 'quire', title: 'Quire', version: parts.version },
    {
      instructions: live ? `${surface.instructions}\n\n${live.instructions}`.trim() : surface.instructions,
      capabilities: {
        tools: live || surface.toolsMayChange ? { listChanged: true } : {},
        ...(resources && { resources: { ...(isWatched && { subscribe: true }), listChanged: true } }),
        ...(prompts && { prompts: { listChanged: true } }),
        ...((resources || prompts) && { completions: {} }),
        ...(logs && { logging: {} }),
      },
      cacheHints: {
        'tools/list': { ttlMs: live ? LIVE_LIST_TTL_MS : LIST_TTL_MS, cacheScope: 'private' },
        'server/discover': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
      },
    },
  );

  const announces = parts.announces ?? true;
  const caller = callerOf(parts);
  const about: ClientRequestParts = {
    caller,
    level: logs ? serveLogging(server, logs, { announces, log, caller }) : undefined,
  };
  server.setRequestHandler('tools/list', (_, context) =>
    listTools(parts, clientRequestOf(server, context, about)),
  );
  server.setRequestHandler('tools/call', ({ params }, context): Promise<CallToolResult | Questions> => {
    const { name, arguments: args = {} } = params;
    return callTool(parts, { ...clientRequestOf(server, context, about), name, args });
  });
  if (resources) serveResources(server, resources, { announces, log, ...about });
  if (prompts) servePrompts(server, prompts, { ...about, tools: surface.tools.map(({ name }) => name) });
  if (resources || prompts)
    serveCompletion(server, { prompt: prompts?.complete, resource: resources?.complete }, caller);
  const announce = (watched: Pick<Prompts, 'watch'>, send: () => Promise<void>) =>
    onClose(
      server,
      watched.watch(() => sendQuietly(send(), log)),
    );
  if (live && announces) announce(live, () => server.sendToolListChanged());
  if (prompts && announces) announce(prompts, () => server.sendPromptListChanged());
  return server;
}
