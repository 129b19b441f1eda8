/** The warning about an incomplete answer: why the server was not asked, how old the answer is, how many notes were not read. */
import { AppError } from '../shared/errors.ts';

export interface Coverage {
  /** Why the server could not be asked; undefined when it could. */
  readonly problem?: AppError | undefined;
  /** When the server last confirmed the index, in milliseconds since 1970. */
  readonly asOf?: number | undefined;
  /** Notes that exist and were not searched. */
  readonly unread: number;
}

/** Undefined for a complete answer. */
export function warningOf({ problem, asOf, unread }: Coverage): string | undefined {
  const left =
    unread === 0
      ? ''
      : `${countOf(unread)} could not be read yet and ${unread === 1 ? 'is' : 'are'} left out`;
  if (!problem) return unread === 0 ? undefined : `${left}; they are tried again.`;
  return `The server of the notes cannot be reached (${problem.title}): this answer is from the index${ageOf(asOf)}. ${
    left === '' ? 'Texts and excerpts may be missing' : left
  }; try again later for a complete one.`;
}

/** The error instead of an empty answer that may be wrong. */
export function nothingCertain(coverage: Coverage): AppError {
  const { problem, asOf, unread } = coverage;
  if (!problem)
    return new AppError('upstream_failed', 'Not all notes could be searched', {
      hint: `Nothing was found, but ${countOf(unread)} could not be read just now. They are tried again; ask once more in a moment.`,
      cause: problem,
    });
  return new AppError('upstream_failed', 'The server of the notes cannot be reached', {
    hint: `${problem.title}. Nothing in the index${ageOf(asOf)} fits, but what is on the server now is not known. Try again later.`,
    cause: problem,
  });
}

function countOf(notes: number): string {
  return amountOf(notes, 'note');
}

function amountOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const MINUTE_S = 60;
const HOUR_S = 3_600;

function ageOf(asOf: number | undefined): string {
  if (asOf === undefined) return '';
  const seconds = Math.max(0, Math.round((Date.now() - asOf) / 1000));
  const age =
    seconds < MINUTE_S
      ? amountOf(seconds, 'second')
      : seconds < 2 * HOUR_S
        ? amountOf(Math.round(seconds / MINUTE_S), 'minute')
        : amountOf(Math.round(seconds / HOUR_S), 'hour');
  return ` as of ${new Date(asOf).toISOString().slice(0, 19)}Z, ${age} ago`;
}
