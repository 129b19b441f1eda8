/**
 * The one error type. Codes are a closed set; every edge (a surface, HTTP, the CLI) maps them once.
 *
 * A message is made of three parts so that each edge can show what it needs:
 * `title` says what happened ("File not found"), `subject` names the thing ("a/b.md"),
 * `hint` says what to do next. Neither part may ever hold an absolute path of the host.
 */
export type ErrorCode =
  | 'not_found'
  | 'already_exists'
  | 'conflict'
  | 'invalid_input'
  | 'unsupported'
  | 'read_only'
  | 'unauthorized'
  | 'forbidden'
  | 'approval_required'
  | 'rate_limited'
  | 'upstream_failed'
  | 'timeout'
  | 'internal';

/** What a code alone does not tell, for edges that have a code of their own for it. */
export type ErrorReason =
  | 'text_not_found'
  | 'text_not_unique'
  | 'invalid_range'
  | 'too_large'
  | 'invalid_path'
  | 'unknown_tool'
  | 'invalid_plane';

/** How a server behind us put it, for edges that pass that on. */
export interface UpstreamDetail {
  readonly status: number;
  /** The server's own name for it, where it has one. */
  readonly code?: string;
}

export interface ErrorParts {
  readonly subject?: string;
  readonly hint?: string;
  readonly reason?: ErrorReason;
  /** Facts an edge may show beside the message, such as a size and its limit. */
  readonly details?: Readonly<Record<string, string | number | boolean>>;
  readonly upstream?: UpstreamDetail;
  readonly cause?: unknown;
}

/** The program is bundled in parts; an error of one is an error of the others too. */
const BRAND = Symbol.for('quire.AppError');

export class AppError extends Error {
  readonly [BRAND] = true;
  readonly code: ErrorCode;
  readonly title: string;
  readonly subject: string | undefined;
  readonly hint: string | undefined;
  readonly reason: ErrorReason | undefined;
  readonly details: NonNullable<ErrorParts['details']>;
  readonly upstream: UpstreamDetail | undefined;

  constructor(code: ErrorCode, title: string, parts: ErrorParts = {}) {
    super(parts.subject === undefined ? title : `${title}: ${parts.subject}`, { cause: parts.cause });
    this.name = 'AppError';
    this.code = code;
    this.title = title;
    this.subject = parts.subject;
    this.hint = parts.hint;
    this.reason = parts.reason;
    this.details = parts.details ?? {};
    this.upstream = parts.upstream;
  }
}

export function isAppError(error: unknown, code?: ErrorCode): error is AppError {
  const isOurs = typeof error === 'object' && error !== null && BRAND in error;
  return isOurs && (code === undefined || (error as AppError).code === code);
}
