/**
 * Renders a failure as three lines of markdown: the error, Trilium's own message, the next step. Messages are ours
 * or those of the user's own Trilium.
 */
import type * as z from 'zod';
import { type ArgumentIssues, argumentIssuesOf } from '../../mcp/errors.ts';
import type { AuditLine, CallResult, ToolEvent } from '../../mcp/tool.ts';
import type { AppError, ErrorCode } from '../../shared/errors.ts';
import type { Caller } from '../../shared/principal.ts';
import { isSecretName, summarizeArguments } from '../../shared/redact.ts';

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

/** Status lines for errors raised by us rather than by Trilium. */
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

/** Failures to reach Trilium also count as Trilium's. */
const OF_TRILIUM: readonly ErrorCode[] = ['upstream_failed', 'timeout'];

/** The next step, where the error itself names none. */
const SUGGESTIONS: Readonly<Record<ErrorCode, string>> = {
  not_found: 'Check the id; search_notes finds notes.',
  already_exists: 'Choose another id, or change the one that is there.',
  conflict: 'Read it again and work from what is there now.',
  invalid_input: 'Correct the arguments and call the tool again.',
  unsupported: 'This cannot be done with that note; read it to see what it is.',
  read_only: 'Nothing may be changed here.',
  unauthorized: 'Check the ETAPI token; it is made in Trilium under Options, ETAPI.',
  forbidden: 'This is not allowed here; choose another note.',
  approval_required: 'A person must approve this first.',
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

type ErrorKind = 'trilium' | 'zod' | 'diff' | 'unknown_tool' | 'unknown';

/** The kind of failure in the log and the metrics; a cancelled call has no error. */
export function classOf(error: AppError | undefined): ErrorKind {
  if (!error) return 'unknown';
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

const LONGEST_NAME = 100;

/** The operator's log lines: tool, duration and outcome; at debug level also the shape of the arguments. */
export function logLine(event: ToolEvent): AuditLine {
  const about = (fields: AuditLine['fields']) => ({
    ...(event.session !== undefined && { session: event.session }),
    ...('tool' in event && { tool: event.tool.slice(0, LONGEST_NAME) }),
    ...fields,
    ...principalOf(event),
  });
  switch (event.type) {
    case 'listed':
      return { level: 'info', message: 'list_tools', fields: about({ count: event.count }) };
    case 'started': {
      const args = summarizeArguments(withoutSecretValue(event.args));
      return { level: 'debug', message: 'tool_call_args', fields: about({ args }) };
    }
    case 'ended': {
      const { outcome, error, milliseconds, facts } = event;
      const fields = {
        duration_ms: Math.round(milliseconds),
        ok: outcome === 'ok',
        error: outcome === 'ok' ? undefined : classOf(error),
        status: error?.upstream?.status,
        code: error?.upstream?.code,
        // Its id in the history.
        change: facts?.change,
      };
      return { level: 'info', message: 'tool_call', fields: about(fields) };
    }
  }
}

/** Anonymous callers have no principal to log. */
function principalOf({ principal }: Caller): { principal?: string } {
  return principal === undefined || principal.kind === 'anonymous' ? {} : { principal: principal.id };
}

/** The value of an attribute whose name looks like that of a secret is redacted. */
function withoutSecretValue(args: unknown): unknown {
  const { name, value, ...rest } = (args ?? {}) as Record<string, unknown>;
  return typeof name === 'string' && value !== undefined && isSecretName(name) ? { ...rest, name } : args;
}
