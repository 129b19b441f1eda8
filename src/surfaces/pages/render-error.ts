/**
 * Renders a failure as ordinary content without `isError`, because some clients hide results with that flag from the
 * model. The first eight codes are documented; `invalid_arguments` is ours, for arguments that the documented server
 * left to its library to refuse.
 */
import type { AuditLine, CallResult, ToolEvent } from '../../mcp/tool.ts';
import type { AppError, ErrorCode } from '../../shared/errors.ts';

/** The next step, where the error itself names none. */
const REMEDIATION = {
  conflict: 'Call read_page again and work from what it says now.',
  not_found: 'Check the name with list_pages.',
  already_exists: 'Choose another name.',
  too_large: 'Make the text shorter, or split it into several pages.',
  forbidden_path: 'Choose a page outside _trash/ that may be written. To delete a page use delete_page.',
  invalid_path:
    'Give a relative name such as "projects/foo" or "index": no "..", "." or empty segment, no hidden one, no double ".md".',
  upstream:
    'The notes could not be reached or did not answer as they should. Check the page name and try again.',
  internal:
    'Something went wrong inside the server; its log says what. Try again, or go on without this call.',
  invalid_arguments: 'Correct the arguments and call the tool again.',
} as const;

interface Kind {
  readonly error: keyof typeof REMEDIATION;
  /** The closest HTTP status. */
  readonly status: number;
  /** Whether the same call may succeed later. */
  readonly transient?: boolean;
}

const PAGE_PARAMETERS: readonly unknown[] = ['page', 'from', 'to', 'path'];

export function renderError(failure: AppError): CallResult {
  const { error, status, ...more } = kindOf(failure);
  const { status: _, transient: __, ...details } = failure.details;
  const payload = {
    error,
    status,
    message: failure.message,
    ...details,
    ...more,
    remediation: failure.hint ?? REMEDIATION[error],
  };
  return { content: [{ type: 'text', text: JSON.stringify(payload) }] };
}

const KINDS: Readonly<Record<ErrorCode, Kind>> = {
  not_found: { error: 'not_found', status: 404 },
  already_exists: { error: 'already_exists', status: 409 },
  conflict: { error: 'conflict', status: 409 },
  invalid_input: { error: 'invalid_arguments', status: 400 },
  read_only: { error: 'forbidden_path', status: 403 },
  forbidden: { error: 'forbidden_path', status: 403 },
  approval_required: { error: 'forbidden_path', status: 403 },
  unsupported: { error: 'upstream', status: 415, transient: false },
  unauthorized: { error: 'upstream', status: 401, transient: false },
  rate_limited: { error: 'upstream', status: 429, transient: true },
  timeout: { error: 'upstream', status: 504, transient: true },
  upstream_failed: { error: 'upstream', status: 502, transient: true },
  internal: { error: 'internal', status: 500 },
};

function kindOf({ code, reason, details: { parameter, status, transient } }: AppError): Kind {
  if (reason === 'too_large') return { error: 'too_large', status: 413 };
  if (code === 'invalid_input' && (reason === 'invalid_path' || PAGE_PARAMETERS.includes(parameter)))
    return { error: 'invalid_path', status: 422 };
  const kind = KINDS[code];
  if (code !== 'upstream_failed') return kind;
  return {
    ...kind,
    status: typeof status === 'number' ? status : kind.status,
    transient: transient !== false,
  };
}

const LONGEST_NAME = 200;

/** The operator's audit lines: `[WRITE] tool=… page=…` for changes, `[ERROR] tool=… code=… page=…` for failures. */
export function logLine(event: ToolEvent): AuditLine | undefined {
  if (event.type !== 'ended') return undefined;
  const { tool, effect, args, facts, error } = event;
  if (error)
    return {
      level: 'warn',
      message: '[ERROR]',
      fields: { tool, code: kindOf(error).error, page: pageIn(args) },
    };
  if (effect === 'read' || facts === undefined) return undefined;
  return { level: 'info', message: '[WRITE]', fields: { tool, ...facts } };
}

/** The raw argument, of whatever type the caller sent. */
function pageIn(args: unknown): string {
  const { page, from, path } = (args ?? {}) as Record<string, unknown>;
  const name = [page, from, path].find((value) => typeof value === 'string');
  return typeof name === 'string' ? name.slice(0, LONGEST_NAME).toWellFormed() : '-';
}
