/** The program has two names, `quire` and `sb`, and speaks of itself by the one it was called by. */

import { basename } from 'node:path';
import { type AppError, type ErrorCode, isAppError } from '../shared/errors.ts';

/** The exit codes of `quire mcp`, one for each thing that a script does next. The other commands end with 1, 2 or 3. */
export const EXIT_CODES = {
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

export const FAILURE_KINDS: Readonly<Record<ErrorCode, FailureKind>> = {
  invalid_input: 'usage',
  already_exists: 'usage',
  unsupported: 'usage',
  not_found: 'unknown',
  unauthorized: 'blocked',
  forbidden: 'blocked',
  read_only: 'blocked',
  approval_required: 'approval_needed',
  conflict: 'retryable',
  rate_limited: 'retryable',
  upstream_failed: 'retryable',
  timeout: 'retryable',
  internal: 'internal',
};

/** Failures that the caller can mend, whatever the command. */
const MENDABLE: readonly FailureKind[] = ['usage', 'unknown', 'blocked'];

/** Outside `quire mcp`: 3 for the plane's sections of the file, as its document promises, 2 for what the caller can mend. */
export function exitCodeFor({ code, reason }: AppError): number {
  if (reason === 'invalid_plane') return EXIT_CODES.config;
  return MENDABLE.includes(FAILURE_KINDS[code]) ? EXIT_CODES.usage : EXIT_CODES.internal;
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
