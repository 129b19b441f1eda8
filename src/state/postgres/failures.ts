/** Failures of a database, by what can be done about them. */
import { AppError } from '../../shared/errors.ts';

/** Of the connection: Node's codes, and messages of the client library, which have none. */
const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOTFOUND',
  'ENOENT',
]);
const CONNECTION_MESSAGES =
  /Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|Client was closed/;

/** A standby has nothing of tables that are not logged. */
const NOT_LOGGED_STATE = '0A000';

/**
 * SQLSTATE: class 08 is about connections; the server shuts down, has crashed, or starts; it has become a standby; a
 * pooler has lost its server.
 */
const LOST_STATES = /^(?:08...|57P0[1-5]|25006)$/;
const READ_ONLY_STATE = '25006';
/** Of a connection that was broken before. */
const UNSENT_MESSAGES = /not queryable|Client was closed/;
/** No connection is free in the database. */
const OVERLOAD_STATES = /^53...$/;
/** Two transactions stood in each other's way, and this one was undone. */
const UNDONE_STATES = /^40(?:001|P01)$/;

/** The database ended a statement that took longer than it allows. */
const CANCELLED_STATE = '57014';

export function isLost(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string };
  return (
    CONNECTION_CODES.has(code ?? '') ||
    LOST_STATES.test(code ?? '') ||
    code === NOT_LOGGED_STATE ||
    CONNECTION_MESSAGES.test(message)
  );
}

/** Of a statement: whether it may have been carried out, although no answer came. A standby carries none out. */
export function mayHaveRun(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string };
  return isLost(error) && code !== READ_ONLY_STATE && !UNSENT_MESSAGES.test(message);
}

export function isOverloaded(error: unknown): boolean {
  return OVERLOAD_STATES.test((error as { code?: string }).code ?? '');
}

export function isCancelled(error: unknown): boolean {
  return (error as { code?: string }).code === CANCELLED_STATE;
}

/** Whether what failed so may be tried again, if it may run twice or is known not to have run. */
export function isRepeatable(error: unknown): boolean {
  return isLost(error) || isOverloaded(error) || UNDONE_STATES.test((error as { code?: string }).code ?? '');
}

const FIRST_MS = 25;
const LONGEST_MS = 1_000;

/** Exponential, with a random part, so that many servers do not come back in the same moment. */
export function backoffMs(tries: number): number {
  return Math.min(FIRST_MS * 2 ** tries, LONGEST_MS) * (0.5 + Math.random() / 2);
}

export function unreachable(cause: unknown): AppError {
  return new AppError('upstream_failed', 'The database cannot be reached', {
    hint: 'Nothing was changed. Try again in a moment; the operator finds the reason in the log of this server.',
    reason: 'closed',
    cause,
  });
}

export function busy(cause: unknown): AppError {
  return new AppError('upstream_failed', 'Too many calls wait for the database', {
    hint: 'Nothing was changed. Try again in a moment; more connections are allowed by state.connections.',
    reason: 'busy',
    cause,
  });
}

export function cancelled(cause: unknown): AppError {
  return new AppError('upstream_failed', 'The database ended a statement that took too long', {
    hint: 'Nothing was changed. Ask for less, or try again; the operator allows more by statement_timeout.',
    reason: 'timeout',
    cause,
  });
}

export function unknownOutcome(cause: unknown): AppError {
  return new AppError('upstream_failed', 'The database went away before it confirmed the change', {
    hint: 'Whether the change was made is not known: look before you repeat it.',
    reason: 'closed',
    cause,
  });
}
