/** An error of ours as one of the protocol, where a request is not the call of a tool. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isAppError } from '../shared/errors.ts';

export function problemOf(error: unknown): unknown {
  if (!isAppError(error)) return error;
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    error.hint ? `${error.message}. ${error.hint}` : error.message,
  );
}
