/** Why a database cannot be used at a start, and what to do about it. */
import { AppError, isAppError } from '../../shared/errors.ts';
import { databasePlace } from './address.ts';

type Problem = readonly [title: string, hint: string];

const STANDBY: Problem = [
  'The database is a standby, and takes no changes',
  'Give the address of the primary server.',
];
const OTHER_TABLES: Problem = [
  'The schema holds tables of something else',
  'Choose another schema, or another database.',
];

/** SQLSTATE, and what to do. */
const PROBLEMS: Readonly<Record<string, Problem>> = {
  '28P01': ['The database refuses the password', 'Give the right one in the address.'],
  '28000': ['The database refuses this user', 'Give one in the address that may log in from this machine.'],
  '3D000': ['There is no such database', 'Create it, or name another one in the address.'],
  '42501': ['The database user may not make its tables', 'Let it create a schema: grant create on database.'],
  '25006': STANDBY,
  '42P07': OTHER_TABLES,
  '42P01': OTHER_TABLES,
  '42703': OTHER_TABLES,
  '42723': OTHER_TABLES,
};

/** With the address but without its password. What already says what to do is passed on. */
export function unusable(error: unknown, url: string, setBy: string): AppError {
  if (isAppError(error) && (error.code !== 'upstream_failed' || error.cause === undefined)) return error;
  const cause = (isAppError(error) ? error.cause : error) as { code?: string; message?: string };
  const [title, hint] = PROBLEMS[cause.code ?? ''] ?? [
    'The database cannot be used',
    'See that PostgreSQL 13 or newer runs there.',
  ];
  return new AppError('upstream_failed', title, {
    subject: `${databasePlace(url)} (${cause.message ?? 'no reason given'})`,
    hint: `${hint} The address is set by ${setBy}.`,
    cause: error,
  });
}
