/** Failures of upstream servers, as errors with a typed reason that callers decide by. */
import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { AppError, isAppError, type UpstreamReason } from '../shared/errors.ts';
import { printable } from '../shared/printable.ts';
import { isStreamEnd, isUnwalkable } from './calls.ts';
import type { Deadline } from './deadline.ts';

/** The usual JSON-RPC codes of these reasons. */
const RPC_CODE: Readonly<Partial<Record<UpstreamReason, number>>> = { timeout: -32001, cancelled: -32800 };

interface FailureParts {
  readonly server: string;
  readonly hint: string;
  /** Code of the server's own error. */
  readonly rpc?: number;
  /** For the operator alone. */
  readonly details?: AppError['details'] | undefined;
  readonly cause?: unknown;
}

/** `details.rpc` is the JSON-RPC code, where there is one. */
export function failure(reason: UpstreamReason, parts: FailureParts): AppError {
  const { server, hint, rpc, details, cause } = parts;
  const code = rpc ?? RPC_CODE[reason];
  return new AppError(ERROR_CODES[reason] ?? 'upstream_failed', `Upstream server failed (${reason})`, {
    subject: server,
    hint,
    reason,
    details: { ...details, ...(code !== undefined && { rpc: code }) },
    cause,
  });
}

/** Every other reason is `upstream_failed`. */
const ERROR_CODES: Readonly<Partial<Record<UpstreamReason, AppError['code']>>> = {
  timeout: 'timeout',
  connect_timeout: 'timeout',
  elicitation_timeout: 'timeout',
  unsupported: 'unsupported',
  login_required: 'unauthorized',
  elicitation_not_interactive: 'approval_required',
  elicitation_declined: 'forbidden',
};

const MAX_HINT = 300;
const MAX_DEPTH = 5;

export function asFailure(
  error: unknown,
  server: string,
  verdict?: ReturnType<Deadline['verdict']>,
): unknown {
  const failed = (reason: UpstreamReason, hint: string, rpc?: number) =>
    failure(reason, { server, hint, rpc, cause: error });
  if (verdict === 'timeout')
    return failed('timeout', 'It did not answer in time. The request was cancelled.');
  if (verdict === 'cancelled') return failed('cancelled', 'The request was cancelled.');
  const own = ownErrorIn(error);
  if (own) return own;
  if (isRefusedLogin(error))
    return failed(
      'login_required',
      `It refused the credentials. If it has a login, run quire mcp login ${server} on a terminal; else look at its headers in the configuration.`,
    );
  if (error instanceof SdkHttpError)
    return failed('http_error', `It answered with the HTTP status ${error.status ?? 'unknown'}.`);
  const hint = printable(error instanceof Error ? error.message : String(error), MAX_HINT);
  if (isUnwalkable(error))
    return failed(
      'result_too_large',
      `${error.message}. Nothing of it is passed on; ask its makers for a smaller or flatter answer.`,
    );
  if (isStreamEnd(error)) return failed('closed', hint);
  if (error instanceof ProtocolError) return failed('rpc_error', hint, error.code);
  if (error instanceof SdkError) return failed(SDK_REASONS[error.code] ?? 'rpc_error', hint);
  return failed('closed', hint);
}

/** Errors of our own fetch come back as causes of the SDK's errors. */
function ownErrorIn(error: unknown): AppError | undefined {
  let inner = error;
  for (let depth = 0; depth < MAX_DEPTH && inner !== undefined; depth++) {
    if (isAppError(inner)) return inner;
    inner = inner instanceof Error ? inner.cause : undefined;
  }
  return undefined;
}

function isRefusedLogin(error: unknown): boolean {
  if (error instanceof UnauthorizedError || error instanceof InsufficientScopeError) return true;
  return error instanceof SdkHttpError && error.status === 401;
}

/** Every other error of the SDK is an `rpc_error`. */
const SDK_REASONS: Readonly<Partial<Record<SdkErrorCode, UpstreamReason>>> = {
  [SdkErrorCode.RequestTimeout]: 'timeout',
  [SdkErrorCode.CapabilityNotSupported]: 'unsupported',
  [SdkErrorCode.MethodNotSupportedByProtocolVersion]: 'unsupported',
  [SdkErrorCode.ConnectionClosed]: 'closed',
  [SdkErrorCode.NotConnected]: 'closed',
};
