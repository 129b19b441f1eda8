/**
 * Builds the protocol server of one connection from a surface and its backend. Cheap: everything heavy is
 * rendered once and shared. Tools that are filtered out are not listed, and say why when called all the same.
 */
import { type CallToolResult, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { AppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { nearest } from '../shared/nearest.ts';
import type { Logs } from './logs.ts';
import type { Prompts, Resources } from './offers.ts';
import { callTool, refuseCall } from './pipeline.ts';
import { type ClientRequestParts, clientRequestOf, type Questions } from './request.ts';
import { serveCompletion, serveLogging, servePrompts, serveResources } from './serve-offers.ts';
import {
  type AuditLine,
  type Caller,
  type CallResult,
  callerOf,
  type LiveCall,
  type LiveDefinition,
  type LiveTools,
  type Surface,
  type ToolCallRecord,
} from './tool.ts';
import { definitionsOf, type LimitedSurface } from './tool-list.ts';

export interface ServerParts<Backend> extends Caller {
  readonly limited: LimitedSurface<Backend>;
  readonly backend: Backend;
  readonly resources?: Resources;
  readonly prompts?: Prompts;
  readonly logs?: Logs;
  /** Further tools, which come and go. */
  readonly live?: LiveTools;
  readonly version: string;
  readonly log: Log;
  /** Told of every tool call when it is over. */
  readonly onCalled?: (called: ToolCallRecord) => void;
  /** False for a server of a single request, which somebody else tells of changes for. */
  readonly announces?: boolean;
}

const LIST_TTL_MS = 3_600_000;
/** Whoever keeps a list that may change asks again. */
const LIVE_LIST_TTL_MS = 0;

export function createServer<Backend>(parts: ServerParts<Backend>): Server {
  const { backend, resources, prompts, logs, live, log } = parts;
  const { surface, withheld } = parts.limited;
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
  const tell = (line: AuditLine | undefined) => {
    if (line) log(line.level, line.message, line.fields);
  };

  server.setRequestHandler('tools/list', async () => {
    const tools = [...definitionsOf(surface), ...(await liveDefinitions(parts))];
    tell(surface.listingLine?.(tools.length, parts));
    return { tools };
  });
  server.setRequestHandler('tools/call', async ({ params }, context): Promise<CallToolResult | Questions> => {
    const { name, arguments: args } = params;
    tell(surface.callingLine?.({ tool: name, args, ...callerOf(parts) }));
    const reason = withheld.get(name);
    const tool = surface.tools.find((candidate) => candidate.name === name);
    const requested = clientRequestOf(server, context, about);
    const { signal, client, onProgress } = requested;
    if (reason === undefined && !tool && live?.owns(name)) {
      const result = await callLive(live, { ...requested, name, args: args ?? {} }, parts);
      if (result) return result;
    }
    if (reason !== undefined || !tool) {
      const error =
        reason === undefined ? unknownTool(name, await offeredNames(parts)) : notOffered(name, reason);
      refuseCall(surface, { name, args, error }, parts);
      return refusal(surface, name, error);
    }
    return callTool(surface, tool, args, {
      backend,
      signal,
      client,
      log,
      ...callerOf(parts),
      onCalled: parts.onCalled,
      onProgress: onProgress ? (progress, total) => onProgress({ progress, total }) : undefined,
    });
  });
  if (resources) serveResources(server, resources, { announces, log, ...about });
  if (prompts) servePrompts(server, prompts, about);
  if (resources || prompts)
    serveCompletion(
      server,
      {
        prompt: prompts ? prompts.complete : undefined,
        resource: resources ? resources.complete : undefined,
      },
      caller,
    );
  const announce = (watched: { watch(changed: () => void): () => void }, tell: () => Promise<void>) =>
    tellOfChanges(server, watched, { tell, log });
  if (live && announces) announce(live, () => server.sendToolListChanged());
  if (prompts && announces) announce(prompts, () => server.sendPromptListChanged());
  return server;
}

type WithLive = Pick<ServerParts<never>, 'live' | 'onCalled'> & {
  readonly limited: Pick<LimitedSurface<never>, 'surface' | 'withheld'>;
};

/** A name that is taken stays with who has it. */
async function liveDefinitions({ live, limited }: WithLive): Promise<LiveDefinition[]> {
  if (!live) return [];
  const { surface, withheld } = limited;
  const taken = new Set([...surface.tools.map(({ name }) => name), ...withheld.keys()]);
  return (await live.list()).filter(({ name }) => !taken.has(name));
}

async function offeredNames(parts: WithLive): Promise<string[]> {
  const own = parts.limited.surface.tools.map(({ name }) => name);
  return [...own, ...(await liveDefinitions(parts)).map(({ name }) => name)];
}

async function callLive(
  live: LiveTools,
  call: LiveCall,
  { onCalled }: Pick<ServerParts<never>, 'onCalled'>,
): Promise<CallResult | Questions | undefined> {
  const begun = performance.now();
  const over = (outcome: ToolCallRecord['outcome']) =>
    onCalled?.({
      tool: call.name,
      effect: live.effectOf(call.name) ?? 'read',
      outcome,
      milliseconds: performance.now() - begun,
    });
  try {
    const result = await live.call(call);
    over(result && result.isError !== true ? 'ok' : 'error');
    return result;
  } catch (error) {
    over(call.signal.aborted ? 'cancelled' : 'error');
    throw error;
  }
}

interface ProgressReporter {
  readonly tell: () => Promise<void>;
  readonly log: Log;
}

/** Until the connection is closed. */
function tellOfChanges(
  server: Server,
  watched: { watch(changed: () => void): () => void },
  { tell, log }: ProgressReporter,
): void {
  const stop = watched.watch(() => {
    tell().catch((error: unknown) => log('debug', 'notification not sent', { error: String(error) }));
  });
  const before = server.onclose;
  server.onclose = () => {
    stop();
    before?.();
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

function unknownTool(name: string, offered: readonly string[]): AppError {
  const suggestion = nearest(name, offered);
  return new AppError('not_found', 'Unknown tool', {
    subject: name.slice(0, 100),
    hint: suggestion ? `Did you mean ${suggestion}?` : `Tools: ${offered.join(', ')}`,
    reason: 'unknown_tool',
  });
}
