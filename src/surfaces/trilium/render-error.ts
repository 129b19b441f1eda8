/**
 * A failure as three lines of markdown: what happened, how Trilium put it, what to do. Messages are ours, or those of
 * the user's own Trilium.
 */
import type * as z from 'zod';
import { type ArgumentIssues, argumentIssuesOf } from '../../mcp/errors.ts';
import type { AnnouncedCall, AuditedCall, AuditLine, Caller, CallResult, ErrorKind } from '../../mcp/tool.ts';
import type { AppError, ErrorCode } from '../../shared/errors.ts';
import { isSecretName, summarizeArguments } from '../../shared/redact.ts';

/** What is wrong with each field of a call, in a few words. */

const MOST_FIELDS = 10;

function invalidInput({ tool, issues }: ArgumentIssues): { message: string; suggestion: string } {
  const fields = issues.slice(0, MOST_FIELDS).map((issue) => `  - ${fieldOf(issue)}: ${reasonOf(issue)}`);
  return {
    message: `Invalid input for tool "${tool}"`,
    suggestion: ['Check the following fields and correct them:', ...fields].join('\n'),
  };
}

function fieldOf({ path }: z.core.$ZodIssue): string {
  return path.length === 0 ? 'input' : path.map(String).join('.').slice(0, 100);
}

function reasonOf(issue: z.core.$ZodIssue): string {
  const isMissing = issue.input === undefined && ['invalid_type', 'invalid_value'].includes(issue.code);
  if (isMissing) return 'Required field is missing';
  switch (issue.code) {
    case 'invalid_type':
      return `Must be of type ${issue.expected}`;
    case 'invalid_value':
      return `Invalid value. Allowed values: ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `Must be at least ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `Must be at most ${issue.maximum}${unitOf(issue.origin)}`;
    case 'invalid_format':
      return `Invalid format${issue.format === 'regex' ? `, expected ${issue.pattern}` : ''}`;
    default:
      return issue.message;
  }
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters';
  return origin === 'array' ? ' items' : '';
}

/** Of failures that are ours and not Trilium's. */
const OWN_STATUS: Readonly<Partial<Record<ErrorCode, string>>> = {
  not_found: '404 (NOT_FOUND)',
  already_exists: '409 (ALREADY_EXISTS)',
  conflict: '409 (CONFLICT)',
  forbidden: '403 (FORBIDDEN)',
  read_only: '403 (READ_ONLY)',
  unauthorized: '401 (NOT_AUTHENTICATED)',
  rate_limited: '429 (TOO_MANY_REQUESTS)',
  upstream_failed: '502 (TRILIUM_UNREACHABLE)',
  timeout: '504 (TIMEOUT)',
};

/** Trilium's too, though it gave no answer. */
const OF_TRILIUM: readonly ErrorCode[] = ['upstream_failed', 'timeout'];

/** Where the error itself names no next step. */
const SUGGESTIONS: Readonly<Record<ErrorCode, string>> = {
  not_found: 'Check the id; search_notes finds notes.',
  already_exists: 'Choose another id, or change the one that is there.',
  conflict: 'Read it again and work from what stands there now.',
  invalid_input: 'Correct the arguments and call the tool again.',
  unsupported: 'This cannot be done with that note; read it to see what it is.',
  read_only: 'Nothing may be changed here.',
  unauthorized: 'Check the ETAPI token; it is made in Trilium under Options, ETAPI.',
  forbidden: 'This is not allowed here; choose another note.',
  approval_required: 'Somebody has to approve this first.',
  rate_limited: 'Wait a moment and try again.',
  upstream_failed: 'Check that Trilium runs and can be reached, then try again.',
  timeout: 'Trilium took too long. Try again, or ask for less. A change may have been made: look first.',
  internal: 'Try again, or go on without this call; the log of the server has the details.',
};

export function renderError(error: AppError): CallResult {
  const issues = argumentIssuesOf(error);
  const { message, suggestion } = issues
    ? invalidInput(issues)
    : { message: error.message, suggestion: error.hint ?? SUGGESTIONS[error.code] };
  const lines = [`**Error**: ${message}`, ...statusOf(error), '', `**Suggestion**: ${suggestion}`];
  return { content: [{ type: 'text', text: lines.join('\n') }], isError: true };
}

export function renderUnknownTool(_: AppError, tool: string): CallResult {
  return { content: [{ type: 'text', text: `Unknown tool: ${tool.slice(0, 100)}` }], isError: true };
}

/** What a log and the counts call it. */
export function classOf(error: AppError): ErrorKind {
  if (error.reason === 'unknown_tool') return 'unknown_tool';
  if (isDiff(error)) return 'diff';
  if (error.upstream || OF_TRILIUM.includes(error.code)) return 'trilium';
  return error.code === 'invalid_input' ? 'zod' : 'unknown';
}

function isDiff({ reason }: AppError): boolean {
  return reason === 'text_not_found' || reason === 'text_not_unique';
}

function statusOf(error: AppError): string[] {
  if (isDiff(error)) return ['**Code**: DIFF_APPLICATION_FAILED'];
  const { upstream } = error;
  if (upstream) return [`**Status**: ${upstream.status}${upstream.code ? ` (${upstream.code})` : ''}`];
  const own = OWN_STATUS[error.code];
  return own === undefined ? [] : [`**Status**: ${own}`];
}

/** The operator's lines: which tool, how long, and how it ended; for debugging also the shape of what it was given. */

const LONGEST_NAME = 100;

export function auditLine({ tool, milliseconds, error, cancelled, ...caller }: AuditedCall): AuditLine {
  const kind = error ? classOf(error) : cancelled && 'unknown';
  return {
    level: 'info',
    message: 'tool_call',
    fields: {
      ...sessionOf(caller),
      tool: tool.slice(0, LONGEST_NAME),
      duration_ms: Math.round(milliseconds),
      ok: kind === undefined,
      error: kind,
      status: error?.upstream ? error.upstream.status : undefined,
      code: error?.upstream?.code !== undefined ? error.upstream.code : undefined,
      ...principalOf(caller),
    },
  };
}

export function callingLine({ tool, args, ...caller }: AnnouncedCall): AuditLine {
  return {
    level: 'debug',
    message: 'tool_call_args',
    fields: {
      ...sessionOf(caller),
      tool: tool.slice(0, LONGEST_NAME),
      args: summarizeArguments(withoutSecretValue(args)),
      ...principalOf(caller),
    },
  };
}

export function listingLine(count: number, caller: Caller): AuditLine {
  const fields = { ...sessionOf(caller), count, ...principalOf(caller) };
  return { level: 'info', message: 'list_tools', fields };
}

function sessionOf({ session }: Caller): { session?: string } {
  return session === undefined ? {} : { session };
}

/** Where everybody may call, nobody is known. */
function principalOf({ principal }: Caller): { principal?: string } {
  return principal === undefined || principal.kind === 'anonymous' ? {} : { principal: principal.id };
}

/** An attribute can be a secret too: then its name says so, and its value is one. */
function withoutSecretValue(args: unknown): unknown {
  const { name, value, ...rest } = (args ?? {}) as Record<string, unknown>;
  return typeof name === 'string' && value !== undefined && isSecretName(name) ? { ...rest, name } : args;
}
