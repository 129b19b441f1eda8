/** What the operating system refused, as a sentence with a next step instead of a stack trace. */
import { AppError } from '../shared/errors.ts';

/** Undefined for an error that is not of the operating system: a stack trace helps to mend that. */
export function systemFailure(error: unknown): AppError | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined;
  const {
    code = '',
    path,
    address,
    port,
  } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  const place =
    path ?? (address === undefined ? undefined : `${address}${port === undefined ? '' : `:${port}`}`);
  if (place === undefined) return undefined;
  const [title, hint] = SYSTEM_ERRORS[code] ?? [
    'The operating system refused this',
    `It said: ${error.message.split('\n', 1)[0]}. Put that right, then run the command again.`,
  ];
  return new AppError('internal', title, { subject: place, hint, cause: error });
}

const NOT_ALLOWED = [
  'Permission is denied',
  'Let the user that runs Quire read and write there, or name another place, then run the command again.',
] as const;
const SYSTEM_ERRORS: Readonly<Record<string, readonly [title: string, hint: string]>> = {
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EROFS: ['The disk cannot be written', 'It is mounted for reading only. Name a place on another disk.'],
  ENOENT: ['There is no such file or folder', 'Check the path, then run the command again.'],
  ENOTDIR: ['A part of the path is a file, not a folder', 'Check the path, then run the command again.'],
  EISDIR: ['This is a folder, not a file', 'Check the path, then run the command again.'],
  ENOSPC: ['The disk is full', 'Make room there, then run the command again.'],
  EMFILE: [
    'Too many files are open',
    'Raise the limit of open files (ulimit -n), then run the command again.',
  ],
};
