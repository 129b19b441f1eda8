/** What the SDK throws, as failures of a server that the rooms above can tell apart. */
import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { type AppError, isAppError } from '../../shared/errors.ts';
import type { Deadline } from './deadline.ts';
import { failure } from './failure.ts';
import { isStreamEnd } from './in-flight.ts';

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
  if (isStreamEnd(error)) return failure('closed', { server, hint: printable(error.message), cause: error });
  if (error instanceof ProtocolError)
    return failure('rpc_error', { server, hint: printable(error.message), rpc: error.code, cause: error });
  if (error instanceof SdkError) return sdkFailure(error, server);
  const hint = printable(error instanceof Error ? error.message : String(error));
  return failure('closed', { server, hint, cause: error });
}

/** What our own way out has refused comes back inside the SDK's errors. */
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
  const hint = printable(error.message);
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

/** A server's own words are shown to people: on one line, short, without anything that steers a terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').slice(0, MAX_HINT);
}
