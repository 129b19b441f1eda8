/** Turns what the file system says into our errors. The host's absolute paths stay behind in `cause`. */
import { AppError, isAppError } from '../../shared/errors.ts';

/** Runs one file operation on `path`, as the caller named it, and translates its failures. */
export async function onPath<T>(path: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw isAppError(error) ? error : fromFileSystem(error, path);
  }
}

function fromFileSystem(cause: unknown, subject: string): unknown {
  if (!(cause instanceof Error) || !('code' in cause)) return cause;
  switch (cause.code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new AppError('not_found', 'File not found', { subject, cause });
    case 'EACCES':
    case 'EPERM':
      return new AppError('forbidden', 'Permission denied', {
        subject,
        hint: 'The file system refuses it to the user this server runs as.',
        cause,
      });
    case 'EROFS':
      return new AppError('read_only', 'Read-only file system', { subject, cause });
    case 'ELOOP':
      return new AppError('forbidden', 'Access denied', {
        subject,
        hint: 'It is a link that leads in a circle.',
        cause,
      });
    case 'EISDIR':
      return new AppError('invalid_input', 'Not a note', { subject, hint: 'It is a folder.', cause });
    case 'ENAMETOOLONG':
      return new AppError('invalid_input', 'Path too long', { subject, cause });
    case 'ENOSPC':
    case 'EDQUOT':
      return new AppError('internal', 'No space left', {
        subject,
        hint: 'Nothing was changed. Free some space and try again.',
        cause,
      });
    case 'EMFILE':
    case 'ENFILE':
      return new AppError('internal', 'Too many open files', {
        subject,
        hint: 'Try again in a moment.',
        cause,
      });
    default:
      return new AppError('internal', `File system error ${String(cause.code)}`, {
        subject,
        hint: 'Nothing was changed.',
        cause,
      });
  }
}
