/**
 * A failure as three lines of markdown: what happened, how Trilium put it, what to do. Messages are ours, or those of
 * the user's own Trilium.
 */
import { argumentIssuesOf } from '../../mcp/argument-issues.ts';
import type { CallResult, ErrorKind } from '../../mcp/tool.ts';
import type { AppError, ErrorCode } from '../../shared/errors.ts';
import { invalidInput } from './invalid-input.ts';

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
