/** Exit codes, and the name of the program in its messages: `quire`, `sb` or `npx quire-mcp`, as it was called. */
import { basename } from 'node:path';
import { type AppError, type ErrorCode, isAppError } from '../shared/errors.ts';

/** The exit codes of `quire mcp`, one for each reaction of a script. The other commands end with 1, 2 or 3. */
export const EXIT_CODES = {
  internal: 1,
  usage: 2,
  config: 3,
  unknown: 4,
  retryable: 10,
  blocked: 11,
  approval_needed: 12,
  tool_error: 13,
  untold: 14,
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

/** Failures that the caller can fix. */
const FIXABLE: readonly FailureKind[] = ['usage', 'unknown', 'blocked'];

/** Outside `quire mcp`: 3 for the plane's sections of the file, 2 for a failure that the caller can fix. */
export function exitCodeFor({ code, reason }: AppError): number {
  if (reason === 'invalid_plane') return EXIT_CODES.config;
  return FIXABLE.includes(FAILURE_KINDS[code]) ? EXIT_CODES.usage : EXIT_CODES.internal;
}

/** A failure of a command that has one exit code for all failures. */
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

/** What a person types to run this program: after a start through npx there is no `quire` on the PATH. */
export function commandOf(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string {
  const name = nameOf(argv);
  const isFetched = env.npm_command === 'exec' || /[\\/](?:_npx|dlx|bunx-[^\\/]*)[\\/]/.test(argv[1] ?? '');
  return isFetched && name === 'quire' ? NPX : name;
}

const NPX = 'npx quire-mcp';

/** The name before a message. */
export function prefixOf(command: string): string {
  return command === NPX ? 'quire' : command;
}

/** Replaces the command only: `quire.yaml` stays, and so does the name before a message under npx. */
export function inNameOf(command: string, text: string): string {
  if (command === 'quire') return text;
  const pattern = command === NPX ? /(?<![\w./\\-])quire(?=\s)/g : /(?<![\w./\\-])quire(?=[\s:])/g;
  return text.replace(pattern, command);
}
