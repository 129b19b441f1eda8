/** Where a list goes on: the last thing shown, so that what comes or goes meanwhile shifts nothing. */
import { AppError } from '../../shared/errors.ts';

export function encodeCursor(last: string): string {
  return Buffer.from(last).toString('base64url');
}

export function decodeCursor(cursor: string): string {
  if (!/^[\w-]{1,4096}$/.test(cursor)) throw new AppError('invalid_input', 'Invalid cursor');
  return Buffer.from(cursor, 'base64url').toString();
}
