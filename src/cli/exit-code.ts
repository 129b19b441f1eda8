/** The program has two names, `quire` and `sb`, and speaks of itself by the one it was called by. */

import { basename } from 'node:path';
import { type AppError, type ErrorCode, isAppError } from '../shared/errors.ts';

/** What the shell sees: 2 for what the caller can mend, 1 for the rest. */
function exitCodeOf(code: ErrorCode): number {
  switch (code) {
    case 'invalid_input':
    case 'not_found':
    case 'already_exists':
    case 'unsupported':
    case 'unauthorized':
    case 'forbidden':
    case 'read_only':
      return 2;
    case 'conflict':
    case 'approval_required':
    case 'rate_limited':
    case 'upstream_failed':
    case 'timeout':
    case 'internal':
      return 1;
  }
}

/** The governed plane's document promises 3 for what is wrong in its sections of the file. */
export function exitCodeFor({ code, reason }: AppError): number {
  return reason === 'invalid_plane' ? 3 : exitCodeOf(code);
}

/** A failure of a command whose document promises one code for all of them. */
export class CommandFailure extends Error {
  readonly failure: AppError;
  readonly exitCode: number;

  constructor(failure: AppError, exitCode: number) {
    super(failure.message, { cause: failure });
    this.failure = failure;
    this.exitCode = exitCode;
  }
}

export async function failingWith<T>(exitCode: number, command: () => Promise<T>): Promise<T> {
  try {
    return await command();
  } catch (error) {
    throw isAppError(error) ? new CommandFailure(error, exitCode) : error;
  }
}

export function nameOf(argv: readonly string[]): 'quire' | 'sb' {
  const called = basename(argv[1] ?? '').replace(/\.\w+$/, '');
  return called === 'sb' ? 'sb' : 'quire';
}

/** Only where it is the command: `quire.yaml` stays what it is. */
export function inNameOf(name: string, text: string): string {
  return name === 'quire' ? text : text.replace(/\bquire(?=[\s:])/g, name);
}
