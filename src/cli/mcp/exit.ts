/** What the shell sees of `quire mcp`: one number for each kind of end, so that a script can tell what to do next. */
import { type ErrorCode, isAppError } from '../../shared/errors.ts';

const EXIT_CODES = {
  internal: 1,
  usage: 2,
  config: 3,
  unknown: 4,
  retryable: 10,
  blocked: 11,
  approval_needed: 12,
  tool_error: 13,
  cancelled: 130,
} as const;

export type FailureKind = keyof typeof EXIT_CODES;

interface FailureParts {
  readonly message: string;
  /** Finer than the kind, where there is something finer: `consent_required`, `apr_…` and the like. */
  readonly code?: string;
  readonly hint?: string;
  readonly details?: Readonly<Record<string, string | number | boolean>>;
  readonly cause?: unknown;
}

/** An end that is not a good one. */
export class McpFailure extends Error {
  readonly kind: FailureKind;
  readonly code: string;
  readonly hint: string | undefined;
  readonly details: NonNullable<FailureParts['details']>;

  constructor(kind: FailureKind, { message, code = kind, hint, details = {}, cause }: FailureParts) {
    super(message, { cause });
    this.kind = kind;
    this.code = code;
    this.hint = hint;
    this.details = details;
  }

  get exitCode(): number {
    return EXIT_CODES[this.kind];
  }
}

export function failureOf(error: unknown): McpFailure {
  if (error instanceof McpFailure) return error;
  if (isAppError(error))
    return new McpFailure(kindOf(error.code, error.details.reason), {
      message: error.message,
      code: finerCode(error.details) ?? error.code,
      details: error.details,
      cause: error,
      hint: error.hint,
    });
  return new McpFailure('internal', {
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    cause: error,
  });
}

/** The same end, but the file is to blame for it. */
export function asConfigFailure(error: unknown): McpFailure {
  const { message, code, hint, details, kind } = failureOf(error);
  if (kind === 'internal') return failureOf(error);
  return new McpFailure('config', {
    message: message.startsWith('config: ') ? message : `config: ${message}`,
    code,
    details,
    cause: error,
    hint,
  });
}

function finerCode({ code, reason }: FailureParts['details'] & object): string | undefined {
  if (typeof code === 'string') return code;
  return typeof reason === 'string' ? reason : undefined;
}

function kindOf(code: ErrorCode, reason: unknown): FailureKind {
  // Somebody has to visit the page, however long that takes.
  if (reason === 'elicitation_timeout' || reason === 'login_required') return 'approval_needed';
  switch (code) {
    case 'invalid_input':
    case 'already_exists':
    case 'unsupported':
      return 'usage';
    case 'not_found':
      return 'unknown';
    case 'unauthorized':
    case 'forbidden':
    case 'read_only':
      return 'blocked';
    case 'approval_required':
      return 'approval_needed';
    case 'conflict':
    case 'rate_limited':
    case 'upstream_failed':
    case 'timeout':
      return 'retryable';
    case 'internal':
      return 'internal';
  }
}
