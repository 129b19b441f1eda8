/**
 * The one way a tool is called, whether it is a surface's or a governed server's: find, validate, run, shape, record.
 * Whatever goes wrong becomes a result that the surface words; nothing a tool throws can end the server.
 */
import { randomUUID } from 'node:crypto';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import { AppError, isAppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { nearest } from '../shared/nearest.ts';
import { type Caller, callerOf } from '../shared/principal.ts';
import { ArgumentIssues } from './errors.ts';
import type { ClientRequest, Questions } from './request.ts';
import type {
  AuditLine,
  CallEnd,
  CallResult,
  Effect,
  LiveDefinition,
  LiveTools,
  Output,
  Surface,
  Tool,
  ToolCallRecord,
  ToolRequest,
} from './tool.ts';
import { definitionsOf, isOnlyForViews, type LimitedSurface } from './tool-list.ts';

/** A last bound behind each tool's own paging; clients cut or refuse longer answers. */
const MAX_ANSWER_CHARACTERS = 400_000;
const MAX_NESTING = 64;

export interface ToolParts<Backend> extends Caller {
  readonly limited: LimitedSurface<Backend>;
  readonly backend: Backend;
  /** Tools of governed servers. */
  readonly live?: LiveTools;
  readonly log: Log;
  /** Called with every tool call when it is over. */
  readonly onCalled?: (called: ToolCallRecord) => void;
}

export async function listTools<Backend>(parts: ToolParts<Backend>, request: Pick<ClientRequest, 'client'>) {
  const { surface } = parts.limited;
  const tools = [...definitionsOf(surface, hasApps(request)), ...(await liveDefinitions(parts))];
  writeLine(parts.log, surface.logLine?.({ type: 'listed', count: tools.length, ...callerOf(parts) }));
  return { tools };
}

function hasApps({ client }: Pick<ClientRequest, 'client'>): boolean {
  return client?.can?.apps === true;
}

export async function callTool<Backend>(
  parts: ToolParts<Backend>,
  request: ToolRequest,
): Promise<CallResult | Questions> {
  const { log, onCalled, limited } = parts;
  const { name: tool, args, signal } = request;
  const { logLine } = limited.surface;
  const caller = callerOf(parts);
  writeLine(log, logLine?.({ type: 'started', tool, args, ...caller }));
  const { run, render, effect, path, isLive, isRefused } = findTool(parts, request);
  const begun = performance.now();
  const record = (
    outcome: ToolCallRecord['outcome'],
    { error, facts, result }: Pick<CallEnd, 'error' | 'facts'> & { readonly result?: CallResult | Questions },
  ) => {
    const end = { tool, effect: effect(), outcome, milliseconds: performance.now() - begun, error };
    // A surface logs its own tools, and the names that no tool has.
    const isOwn = !isLive || error?.reason === 'unknown_tool';
    const line = isOwn ? logLine?.({ type: 'ended', ...end, ...caller, args, facts }) : undefined;
    const change = facts?.change === undefined ? undefined : String(facts.change);
    if (!onCalled || (!line && isRefused)) return;
    const { program } = request;
    onCalled({ ...end, path, change, line, program, characters: lengthOf(result) });
  };
  const attempt = await run().catch((thrown: unknown) => ({ thrown }));
  if ('result' in attempt) {
    record(attempt.result.isError === true ? 'error' : 'ok', attempt);
    return attempt.result;
  }
  const { thrown } = attempt;
  const isPassedOn = signal.aborted || (isLive && !isAppError(thrown));
  const error = isPassedOn ? undefined : asAppError(thrown, tool, log);
  record(signal.aborted ? 'cancelled' : 'error', { error });
  if (!error) throw thrown;
  return render(error);
}

/** A tool ready to be run, or the refusal of one. */
interface CheckedCall {
  run(): Promise<{ readonly result: CallResult | Questions; readonly facts?: Output['facts'] }>;
  render(error: AppError): CallResult;
  effect(): Effect;
  /** The note that the call is about. */
  readonly path?: string;
  readonly isLive?: true;
  /** Recorded only where the surface logs it: names of no tool are not counted. */
  readonly isRefused?: true;
}

function findTool<Backend>(parts: ToolParts<Backend>, request: ToolRequest): CheckedCall {
  const { live, backend, log } = parts;
  const { surface, withheld } = parts.limited;
  const { name, args, onProgress } = request;
  const reason = withheld.get(name);
  const tool = surface.tools.find((candidate) => candidate.name === name);
  const refuse = (error: AppError) => refusal(surface, name, error);
  if (reason === undefined && !tool && live?.owns(name))
    return {
      async run() {
        const result = await live.call(request);
        if (result) return { result };
        throw await unknownTool(parts, name);
      },
      render: (error) => (error.reason === 'unknown_tool' ? refuse(error) : live.renderError(error)),
      effect: () => live.effectOf(name) ?? 'read',
      isLive: true,
    };
  if (reason !== undefined || !tool)
    return {
      async run() {
        if (reason === undefined) throw await unknownTool(parts, name);
        throw new AppError('read_only', `${name} is not offered`, { hint: reason });
      },
      render: refuse,
      effect: () => 'read',
      isRefused: true,
    };
  return {
    async run() {
      const input = validate(tool, args);
      request.signal.throwIfAborted();
      const output = await tool.run(input as never, {
        ...request,
        backend,
        log,
        onProgress: onProgress && ((progress, total) => onProgress({ progress, total })),
      });
      const result = output.questions ?? shape(tool, output, request);
      return { result, facts: output.facts };
    },
    render: (error) => surface.renderError(error, name),
    effect: () => tool.effect,
    path: subjectOf(args),
  };
}

function refusal<Backend>(surface: Surface<Backend>, name: string, error: AppError): CallResult {
  const isUnknown = error.reason === 'unknown_tool';
  const answer = isUnknown ? surface.renderUnknownTool?.(error, name) : surface.renderError(error, name);
  if (answer) return answer;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${error.message}. ${error.hint}`);
}

async function unknownTool<Backend>(parts: ToolParts<Backend>, name: string): Promise<AppError> {
  const own = parts.limited.surface.tools.filter((tool) => !isOnlyForViews(tool));
  const offered = [...own, ...(await liveDefinitions(parts))].map((tool) => tool.name);
  const suggestion = nearest(name, offered);
  return new AppError('not_found', 'Unknown tool', {
    subject: name.slice(0, 100),
    hint: suggestion ? `Did you mean ${suggestion}?` : `Tools: ${offered.join(', ')}`,
    reason: 'unknown_tool',
  });
}

/** A surface's tool hides a live one of the same name. */
async function liveDefinitions<Backend>({ live, limited }: ToolParts<Backend>): Promise<LiveDefinition[]> {
  if (!live) return [];
  const { surface, withheld } = limited;
  const taken = new Set([...surface.tools.map(({ name }) => name), ...withheld.keys()]);
  return (await live.list()).filter(({ name }) => !taken.has(name));
}

function writeLine(log: Log, line: AuditLine | undefined): void {
  if (line) log(line.level, line.message, line.fields);
}

/** The note that a call names in its arguments. */
function subjectOf(args: ToolRequest['args']): string | undefined {
  const { path, oldPath } = args;
  const named = typeof path === 'string' ? path : oldPath;
  return typeof named === 'string' ? named.slice(0, 300) : undefined;
}

/**
 * The one form of all answers, which no client gives to the model twice (decision 025): content blocks; or structured
 * content, and its text is a line.
 */
function shape<Backend>(tool: Tool<Backend>, output: Output, request: ToolRequest): CallResult {
  // A client without a session gives the version back with its write; for a session the server remembers it.
  const note = request.session === undefined ? output.note : undefined;
  const meta = metaOf({
    'quire/version': note?.version,
    'quire/proposal': output.proposal,
    'quire/view': hasApps(request) ? output.viewData : undefined,
  });
  const notices = (output.notices ?? []).map((text) => ({ type: 'text' as const, text }));
  if (output.content) return { content: [...output.content, ...notices], ...meta };
  const { value = {} } = output;
  const json = JSON.stringify(value);
  const line = request.readsStructure === false ? undefined : tool.line?.(value);
  const text = output.text ?? line ?? json;
  if (Math.max(text.length, json.length) > MAX_ANSWER_CHARACTERS) {
    throw new AppError('unsupported', 'Answer too large', {
      hint: 'Ask for less: a smaller limit, fewer paths or one note at a time.',
    });
  }
  return {
    content: [{ type: 'text', text }, ...(output.blocks ?? []), ...notices],
    ...(line !== undefined && { structuredContent: value }),
    ...meta,
  };
}

function metaOf(values: Readonly<Record<string, unknown>>): { readonly _meta?: object } {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return given.length === 0 ? {} : { _meta: Object.fromEntries(given) };
}

/** The number of characters in the blocks of an answer. */
function lengthOf(result: CallResult | Questions | undefined): number {
  let length = 0;
  for (const block of (result as Partial<CallResult> | undefined)?.content ?? [])
    length += 'text' in block ? block.text.length : 'data' in block ? block.data.length : 0;
  return length;
}

function asAppError(error: unknown, tool: string, log: Log): AppError {
  if (isAppError(error) && error.code !== 'internal') return error;
  const id = randomUUID().slice(0, 8);
  log('error', 'tool failed', { tool, id, error: describe(error) });
  if (isAppError(error)) return error;
  return new AppError('internal', `Internal error ${id}`, {
    hint: 'The server goes on; its log has the details under this number.',
  });
}

function describe(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error
    ? `${String(error)}; ${cause.message}`
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
}

function validate<Backend>(tool: Tool<Backend>, args: unknown): Record<string, unknown> {
  const unusable = findUnusable(args, []);
  if (unusable) {
    const { path, message } = unusable;
    throw new AppError('invalid_input', `Invalid arguments for ${tool.name}: ${path.join('.')}: ${message}`, {
      details: { parameter: path[0] ?? '' },
      cause: new ArgumentIssues(tool.name, [{ code: 'custom', path: [...path], message, input: undefined }]),
    });
  }
  const result = tool.input().safeParse(args, { reportInput: true });
  if (!result.success)
    throw new AppError('invalid_input', problemsOf(tool, result.error), {
      hint: usageOf(tool),
      details: { parameter: String(result.error.issues[0]?.path[0] ?? '') },
      cause: new ArgumentIssues(tool.name, result.error.issues),
    });
  return result.data;
}

function problemsOf<Backend>(tool: Tool<Backend>, { issues }: z.ZodError): string {
  const problems = issues.slice(0, 3).map((issue) => {
    const path = issue.path.map(String).join('.');
    if (issue.code === 'unrecognized_keys' && path !== '')
      return `${path}: unknown key "${String(issue.keys[0]).slice(0, 60)}"`;
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => unknownParameter(tool, key)).join('; ');
    const isMissing = issue.code === 'invalid_type' && issue.input === undefined;
    const message = isMissing ? 'is required' : issue.message;
    return path === '' ? message : `${path}: ${message}`;
  });
  return `Invalid arguments for ${tool.name}: ${problems.join('; ')}`;
}

function unknownParameter<Backend>(tool: Tool<Backend>, key: string): string {
  const suggestion = nearest(key, Object.keys(tool.input().shape));
  return `unknown parameter "${key.slice(0, 60)}"${suggestion ? `, did you mean "${suggestion}"?` : ''}`;
}

function usageOf<Backend>(tool: Tool<Backend>): string {
  const parameters = Object.entries(tool.input().shape).map(([name, schema]) =>
    schema.safeParse(undefined).success ? `${name}?` : name,
  );
  return `${tool.name} takes: ${parameters.join(', ')}.`;
}

interface UnusableValue {
  readonly path: readonly string[];
  readonly message: string;
}

/** Values that schemas would accept or drop in silence, and that no file or object can hold. */
function findUnusable(value: unknown, path: readonly string[]): UnusableValue | undefined {
  if (path.length > MAX_NESTING)
    return { path: path.slice(0, 1), message: `nested more than ${MAX_NESTING} levels deep` };
  if (typeof value === 'string' && !value.isWellFormed())
    return { path, message: 'holds half a character (an unpaired surrogate)' };
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const at = [...path, key];
    if (key === '__proto__') return { path: at, message: 'this name cannot be used as a key' };
    const found = findUnusable(item, at);
    if (found) return found;
  }
  return undefined;
}
