/** Where a list goes on: everything that is needed is in the cursor itself, so that it outlives the server. */
import { createHash } from 'node:crypto';
import { AppError } from '../../../shared/errors.ts';
import { isDay } from '../dates/calendar.ts';

export interface Cursor {
  /** The day that decided what is overdue. */
  readonly asOf: string;
  /** Of the last one shown. */
  readonly after: string;
}

const VERSION = 1;

export function writeCursor(cursor: Cursor, filters: unknown): string {
  return Buffer.from(JSON.stringify([VERSION, digest(filters), cursor.asOf, cursor.after])).toString(
    'base64url',
  );
}

export function readCursor(text: string, filters: unknown): Cursor {
  const [version, forFilters, asOf, after] = partsOf(text);
  if (version !== VERSION || typeof asOf !== 'string' || !isDay(asOf) || typeof after !== 'string')
    throw invalid('it is not one of ours');
  if (forFilters !== digest(filters)) throw invalid('it belongs to a call with other filters');
  return { asOf, after };
}

function partsOf(text: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text.slice(0, 2_000), 'base64url').toString('utf8'));
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

function invalid(problem: string): AppError {
  return new AppError('invalid_input', 'Invalid cursor', {
    subject: problem,
    hint: 'Leave cursor out to begin again, and keep the other arguments as they are while you page.',
  });
}

function digest(filters: unknown): string {
  return createHash('sha256').update(JSON.stringify(filters)).digest('hex').slice(0, 16);
}
