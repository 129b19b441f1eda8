/** A failed `quire mcp` command: its kind decides the exit code, its code and details go to `--json`. */
import { type AppError, isAppError, isPolicyReason, isUpstreamReason } from '../../shared/errors.ts';
import { hintWithEnding } from '../../upstream/ending.ts';
import { EXIT_CODES, FAILURE_KINDS, type FailureKind } from '../exit-code.ts';
import { systemFailure } from '../system-failure.ts';

interface FailureParts {
  readonly message: string;
  /** Finer than the kind, where there is a finer one: `consent_required`. */
  readonly code?: string;
  readonly hint?: string;
  readonly details?: Readonly<Record<string, string | number | boolean>>;
  readonly cause?: unknown;
}

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
    return new McpFailure(kindOf(error), {
      message: error.message,
      ...publicReasonOf(error),
      cause: error,
      hint: hintWithEnding(error),
    });
  const system = systemFailure(error);
  if (system) return failureOf(system);
  return new McpFailure('internal', {
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    cause: error,
  });
}

/** A failure that the configuration file causes. */
export function asConfigFailure(error: unknown): McpFailure {
  const { message, code, hint, details, kind } = failureOf(error);
  if (kind === 'internal') return failureOf(error);
  const isNamed = kind === 'config' || (isAppError(error) && error.reason === 'invalid_plane');
  return new McpFailure('config', {
    message: isNamed ? message : `config: ${message}`,
    code,
    details,
    cause: error,
    hint,
  });
}

/** Scripts read a reason as the code, and again in the details: `reason` of a server's failure, `code` of a refusal. */
function publicReasonOf({ code, reason, details }: AppError): Pick<FailureParts, 'code' | 'details'> {
  if (isUpstreamReason(reason)) return { code: reason, details: { reason, ...details } };
  return isPolicyReason(reason) ? { code: reason, details: { code: reason, ...details } } : { code, details };
}

function kindOf({ code, reason }: AppError): FailureKind {
  // Not retryable: a person has to visit a page first.
  if (reason === 'elicitation_timeout' || reason === 'login_required') return 'approval_needed';
  return FAILURE_KINDS[code];
}
