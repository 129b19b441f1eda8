/**
 * Builds the protocol server of one connection from a surface and its backend. Cheap: everything heavy is
 * rendered once and shared. Tools that are filtered out are not listed, and say why when called all the same.
 */
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { AppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { nearest } from '../shared/nearest.ts';
import { definitionsOf } from './definitions.ts';
import type { LimitedSurface } from './limit-surface.ts';
import { callTool, refuseCall } from './pipeline.ts';
import type { Resources } from './resources.ts';
import { serveResources } from './serve-resources.ts';
import { type AuditLine, type Called, type Caller, type CallResult, callerOf, type Surface } from './tool.ts';

export interface ServerParts<Backend> extends Caller {
  readonly limited: LimitedSurface<Backend>;
  readonly backend: Backend;
  readonly resources?: Resources;
  readonly version: string;
  readonly log: Log;
  /** Told of every tool call when it is over. */
  readonly onCalled?: (called: Called) => void;
  /** False for a server of a single request, which somebody else tells of changes for. */
  readonly announces?: boolean;
}

const LIST_TTL_MS = 3_600_000;

export function createServer<Backend>(parts: ServerParts<Backend>): Server {
  const { backend, resources, log } = parts;
  const { surface, withheld } = parts.limited;
  const server = new Server(
    { name: 'quire', title: 'Quire', version: parts.version },
    {
      instructions: surface.instructions,
      capabilities: {
        tools: {},
        ...(resources && { resources: { subscribe: true, listChanged: true }, completions: {} }),
      },
      cacheHints: {
        'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
        'server/discover': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
      },
    },
  );

  const tell = (line: AuditLine | undefined) => {
    if (line) log(line.level, line.message, line.fields);
  };

  server.setRequestHandler('tools/list', async () => {
    tell(surface.listingLine?.(surface.tools.length, parts));
    return { tools: definitionsOf(surface) };
  });
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }): Promise<CallToolResult> => {
    const { name, arguments: args } = params;
    tell(surface.callingLine?.({ tool: name, args, ...callerOf(parts) }));
    const reason = withheld.get(name);
    const tool = surface.tools.find((candidate) => candidate.name === name);
    if (reason !== undefined || !tool) {
      const error = reason === undefined ? unknownTool(name, surface) : notOffered(name, reason);
      refuseCall(surface, { name, args, error }, parts);
      return refusal(surface, name, error);
    }
    const { signal, _meta, notify } = mcpReq;
    const progressToken = _meta?.progressToken;
    return callTool(surface, tool, args, {
      backend,
      signal,
      log,
      ...callerOf(parts),
      ...(parts.onCalled && { onCalled: parts.onCalled }),
      ...(progressToken !== undefined && { onProgress: progressOver(notify, progressToken) }),
    });
  });
  if (resources) serveResources(server, resources, { announces: parts.announces ?? true, log });
  return server;
}

/** Progress goes forward only, as the protocol wants it; a client that is gone does not want it at all. */
function progressOver(notify: ServerContext['mcpReq']['notify'], progressToken: string | number) {
  let last = -1;
  return (progress: number, total: number) => {
    if (progress <= last) return;
    last = progress;
    const params = { progressToken, progress, total: Math.max(progress, total) };
    notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

function refusal<Backend>(surface: Surface<Backend>, name: string, error: AppError): CallResult {
  const isUnknown = error.reason === 'unknown_tool';
  const answer = isUnknown ? surface.renderUnknownTool?.(error, name) : surface.renderError(error, name);
  if (answer) return answer;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${error.message}. ${error.hint}`);
}

function notOffered(name: string, reason: string): AppError {
  return new AppError('read_only', `${name} is not offered`, { hint: reason });
}

function unknownTool<Backend>(name: string, { tools }: Surface<Backend>): AppError {
  const offered = tools.map((tool) => tool.name);
  const suggestion = nearest(name, offered);
  return new AppError('not_found', 'Unknown tool', {
    subject: name.slice(0, 100),
    hint: suggestion ? `Did you mean ${suggestion}?` : `Tools: ${offered.join(', ')}`,
    reason: 'unknown_tool',
  });
}
