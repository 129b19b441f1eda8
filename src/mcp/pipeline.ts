/**
 * The one way a tool is called: validate, run, shape. Whatever goes wrong becomes a result the surface
 * words; nothing a tool throws can end the server.
 */
import { randomUUID } from 'node:crypto';
import type * as z from 'zod';
import { AppError, isAppError } from '../shared/errors.ts';
import { nearest } from '../shared/nearest.ts';
import { ArgumentIssues } from './errors.ts';
import {
  type AuditedCall,
  type Call,
  type Caller,
  type CallResult,
  callerOf,
  type Output,
  type Surface,
  type Tool,
  type ToolCallRecord,
} from './tool.ts';

/** A last bound behind each tool's own paging; clients cut or refuse longer answers. */
const MAX_ANSWER_CHARACTERS = 400_000;
const MAX_NESTING = 64;

export async function callTool<Backend>(
  surface: Surface<Backend>,
  tool: Tool<Backend>,
  args: unknown,
  call: Call<Backend>,
): Promise<CallResult> {
  const begun = performance.now();
  const { name, effect } = tool;
  const audited = { tool: name, effect, args, ...callerOf(call) };
  const lineOf = tool.auditLine ?? surface.auditLine;
  const over = (
    outcome: ToolCallRecord['outcome'],
    end: Pick<AuditedCall, 'facts' | 'error' | 'cancelled'> = {},
  ) => {
    const milliseconds = performance.now() - begun;
    const line = lineOf?.({ ...audited, ...end, milliseconds });
    call.onCalled?.({
      tool: name,
      effect,
      outcome,
      milliseconds,
      ...subjectOf(args),
      ...kindOf(surface, end.error),
      line,
    });
  };
  try {
    const { result, error, facts } = await attempt(surface, tool, args, call);
    over(error ? 'error' : 'ok', { error, facts: facts || undefined });
    return result;
  } catch (error) {
    if (call.signal.aborted) over('cancelled', { cancelled: true });
    else over('error', { error: asAppError(error, tool, call) });
    throw error;
  }
}

/** A tool that is not offered, or that there is not: nothing runs, and the operator is told all the same. */
export function refuseCall<Backend>(
  surface: Surface<Backend>,
  refused: { readonly name: string; readonly args: unknown; readonly error: AppError },
  call: Caller & Pick<Call<Backend>, 'onCalled'>,
): void {
  const { name: tool, args, error } = refused;
  const about = { tool, effect: 'read', milliseconds: 0 } as const;
  const line = surface.auditLine?.({ ...about, ...callerOf(call), args, error });
  if (line)
    call.onCalled?.({
      ...about,
      ...kindOf(surface, error),
      outcome: 'error',
      line,
    });
}

function kindOf<Backend>(
  surface: Surface<Backend>,
  error: AppError | undefined,
): Pick<ToolCallRecord, 'error'> {
  const kind = error && surface.errorKind?.(error);
  return kind === undefined ? {} : { error: kind };
}

/** Which note a call is about, as far as its arguments say. */
function subjectOf(args: unknown): { path?: string } {
  const { path, oldPath } = (args ?? {}) as { path?: unknown; oldPath?: unknown };
  const named = typeof path === 'string' ? path : oldPath;
  return typeof named === 'string' ? { path: named.slice(0, 300) } : {};
}

async function attempt<Backend>(
  surface: Surface<Backend>,
  tool: Tool<Backend>,
  args: unknown,
  call: Call<Backend>,
): Promise<{ result: CallResult; error?: AppError; facts?: Output['facts'] }> {
  try {
    const input = validate(tool, args ?? {});
    call.signal.throwIfAborted();
    const output = await tool.run(input as never, call);
    const result = shape(tool, output, input.prettyPrint === true);
    return { result, facts: output.facts || undefined };
  } catch (error) {
    if (call.signal.aborted) throw error;
    const render = tool.renderError ?? surface.renderError;
    const failure = asAppError(error, tool, call);
    return { result: render(failure), error: failure };
  }
}

function shape<Backend>(tool: Tool<Backend>, output: Output, pretty: boolean): CallResult {
  if (output.content) return { content: [...output.content] };
  const text = output.rendered ?? JSON.stringify(output.text ?? output.value, null, pretty ? 2 : undefined);
  if (text.length > MAX_ANSWER_CHARACTERS) {
    throw new AppError('unsupported', 'Answer too large', {
      hint: 'Ask for less: a smaller limit, fewer paths or one note at a time.',
    });
  }
  return {
    content: [{ type: 'text', text }, ...(output.blocks ?? [])],
    structuredContent: tool.output ? (output.value as Record<string, unknown>) : undefined,
  };
}

function asAppError<Backend>(error: unknown, tool: Tool<Backend>, call: Call<Backend>): AppError {
  if (isAppError(error) && error.code !== 'internal') return error;
  const id = randomUUID().slice(0, 8);
  call.log('error', 'tool failed', { tool: tool.name, id, error: describe(error) });
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
  if (unusable !== undefined)
    throw new AppError('invalid_input', `Invalid arguments for ${tool.name}: ${unusable}`, {
      details: { parameter: /^[^.:]*/.exec(unusable)?.[0] ?? '' },
      cause: new ArgumentIssues(tool.name, [unusableIssue(unusable)]),
    });
  const result = tool.input().safeParse(args, { reportInput: true });
  if (!result.success)
    throw new AppError('invalid_input', problemsOf(tool, result.error), {
      hint: usageOf(tool),
      details: { parameter: String(result.error.issues[0]?.path[0] ?? '') },
      cause: new ArgumentIssues(tool.name, result.error.issues),
    });
  return result.data;
}

function problemsOf<Backend>(tool: Tool<Backend>, error: z.ZodError): string {
  const problems = error.issues.slice(0, 3).map((issue) => {
    const path = issue.path.map(String).join('.');
    if (issue.code === 'unrecognized_keys' && path !== '')
      return `${path}: unknown key "${String(issue.keys[0]).slice(0, 60)}"`;
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => unknownParameter(tool, key)).join('; ');
    if (issue.message.startsWith('Invalid frontmatter')) return issue.message;
    const message = issue.message.endsWith('received undefined') ? 'is required' : issue.message;
    return path === '' ? message : `${path}: ${message}`;
  });
  const invalidFrontmatter = problems.find((problem) => problem.startsWith('Invalid frontmatter'));
  return invalidFrontmatter ?? `Invalid arguments for ${tool.name}: ${problems.join('; ')}`;
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

function unusableIssue(problem: string): z.core.$ZodIssue {
  const colon = problem.indexOf(': ');
  const path = problem.slice(0, colon).split('.');
  return { code: 'custom', path, message: problem.slice(colon + 2), input: undefined };
}

/** What schemas would let pass or drop in silence, and no file or object can hold. */
function findUnusable(value: unknown, path: readonly string[]): string | undefined {
  if (path.length > MAX_NESTING) return `${path[0]}: nested more than ${MAX_NESTING} levels deep`;
  if (typeof value === 'string') {
    return value.isWellFormed()
      ? undefined
      : `${path.join('.')}: holds half a character (an unpaired surrogate)`;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') return `${[...path, key].join('.')}: this name cannot be used as a key`;
    const found = findUnusable(item, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}
