/** How a server behind us can fail us, in words that the rooms above decide by. */
import { AppError, isAppError } from '../../shared/errors.ts';

export type FailureReason =
  | 'launch_failed'
  | 'connect_timeout'
  | 'handshake_invalid'
  | 'restart_limit'
  | 'closed'
  | 'timeout'
  | 'cancelled'
  | 'result_too_large'
  | 'too_many_pages'
  | 'rpc_error'
  | 'http_error'
  | 'busy'
  | 'unsupported'
  | 'login_required'
  | 'elicitation_declined'
  | 'elicitation_timeout'
  | 'elicitation_loop'
  | 'elicitation_not_interactive';

/** The numbers that JSON-RPC clients know for them, where there are any. */
const RPC_CODE: Readonly<Partial<Record<FailureReason, number>>> = { timeout: -32001, cancelled: -32800 };

export interface FailureParts {
  readonly server: string;
  readonly hint: string;
  /** Of the server's own answer. */
  readonly rpc?: number;
  readonly cause?: unknown;
}

/** Its `details.reason` is the reason, its `details.rpc` the JSON-RPC code where there is one. */
export function failure(reason: FailureReason, { server, hint, rpc, cause }: FailureParts): AppError {
  const code = rpc ?? RPC_CODE[reason];
  return new AppError(codeOf(reason), `Upstream server failed (${reason})`, {
    subject: server,
    hint,
    details: { reason, ...(code !== undefined && { rpc: code }) },
    cause,
  });
}

export function reasonOf(error: unknown): FailureReason | undefined {
  const reason = isAppError(error) ? error.details.reason : undefined;
  return typeof reason === 'string' ? (reason as FailureReason) : undefined;
}

function codeOf(reason: FailureReason): AppError['code'] {
  switch (reason) {
    case 'timeout':
    case 'connect_timeout':
    case 'elicitation_timeout':
      return 'timeout';
    case 'unsupported':
      return 'unsupported';
    case 'login_required':
      return 'unauthorized';
    case 'elicitation_not_interactive':
      return 'approval_required';
    case 'elicitation_declined':
      return 'forbidden';
    default:
      return 'upstream_failed';
  }
}
