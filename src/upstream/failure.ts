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
import { isStreamEnd } from './calls.ts';
import type { Deadline } from './deadline.ts';

/** The usual JSON-RPC codes of these reasons. */
const RPC_CODE: Readonly<Partial<Record<UpstreamReason, number>>> = { timeout: -32001, cancelled: -32800 };

interface FailureParts {
  readonly server: string;
  readonly hint: string;
  /** Code of the server's own error. */
  readonly rpc?: number;
  readonly cause?: unknown;
}

/** `details.rpc` is the JSON-RPC code, where there is one. */
export function failure(reason: UpstreamReason, { server, hint, rpc, cause }: FailureParts): AppError {
  const code = rpc ?? RPC_CODE[reason];
  return new AppError(codeOf(reason), `Upstream server failed (${reason})`, {
    subject: server,
    hint,
    reason,
    details: code === undefined ? undefined : { rpc: code },
    cause,
  });
}

function codeOf(reason: UpstreamReason): AppError['code'] {
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

const MAX_HINT = 300;
const MAX_DEPTH = 5;

export function asFailure(
  error: unknown,
  server: string,
  verdict?: ReturnType<Deadline['verdict']>,
): unknown {
  if (verdict === 'timeout')
    return failure('timeout', {
      server,
      hint: 'It did not answer in time. The request was cancelled.',
      cause: error,
    });
  if (verdict === 'cancelled')
    return failure('cancelled', { server, hint: 'The request was cancelled.', cause: error });
  const own = ownErrorIn(error);
  if (own) return own;
  if (error instanceof UnauthorizedError || error instanceof InsufficientScopeError)
    return refusedLogin(server, error);
  if (error instanceof SdkHttpError) return httpFailure(error, server);
  if (isStreamEnd(error))
    return failure('closed', { server, hint: printable(error.message, MAX_HINT), cause: error });
  if (error instanceof ProtocolError)
    return failure('rpc_error', {
      server,
      hint: printable(error.message, MAX_HINT),
      rpc: error.code,
      cause: error,
    });
  if (error instanceof SdkError) return sdkFailure(error, server);
  const hint = printable(error instanceof Error ? error.message : String(error), MAX_HINT);
  return failure('closed', { server, hint, cause: error });
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

function refusedLogin(server: string, cause: unknown): AppError {
  return failure('login_required', {
    server,
    hint: `It refuses what it was shown. If it has a login, run quire mcp login ${server} on a terminal; else look at its headers in the configuration.`,
    cause,
  });
}

function httpFailure(error: SdkHttpError, server: string): unknown {
  if (error.status === 401) return refusedLogin(server, error);
  return failure('http_error', {
    server,
    hint: `It answered with the HTTP status ${error.status ?? 'unknown'}.`,
    cause: error,
  });
}

function sdkFailure(error: SdkError, server: string): unknown {
  const hint = printable(error.message, MAX_HINT);
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return failure('timeout', { server, hint, cause: error });
    case SdkErrorCode.CapabilityNotSupported:
    case SdkErrorCode.MethodNotSupportedByProtocolVersion:
      return failure('unsupported', { server, hint, cause: error });
    case SdkErrorCode.ConnectionClosed:
    case SdkErrorCode.NotConnected:
      return failure('closed', { server, hint, cause: error });
    default:
      return failure('rpc_error', { server, hint, cause: error });
  }
}
