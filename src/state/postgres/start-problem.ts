/** Why a server could not begin to use a database: what is wrong with it or with its address, and what to do. */
import { AppError, isAppError } from '../../shared/errors.ts';
import { databasePlace } from './address.ts';
import { isLost } from './failures.ts';

type Words = readonly [title: string, hint: string];

const NO_RIGHTS: Words = [
  'The database user may not make or use its tables',
  'For an empty database: grant create on database. For tables that another user made: log in as that user, or grant usage on their schema and on its sequences, and select, insert, update and delete on its tables.',
];
const UNTRUSTED: Words = [
  'The certificate of the database is not trusted',
  'Name the file with the certificate of its authority in the address: sslrootcert=/path/ca.pem, beside sslmode=verify-full. With sslmode=no-verify it is not looked at.',
];
const AWAY: Words = [
  'The database cannot be reached',
  'See that PostgreSQL runs there, and that this machine may connect.',
];
const UNKNOWN: Words = ['The database cannot be used', 'See that PostgreSQL 13 or newer runs there.'];

/** By SQLSTATE, or the code of Node. */
const PROBLEMS: Readonly<Record<string, Words>> = {
  '28P01': ['The database refuses the password', 'Give the right one in the address.'],
  '28000': [
    'The database refuses this user',
    'Give one in the address that may log in from this machine, and add sslmode=verify-full where only encrypted connections are let in.',
  ],
  '3D000': ['There is no such database', 'Create it, or name another one in the address.'],
  '42501': NO_RIGHTS,
  '42P01': [
    'The database does not have all its tables',
    'Restore them from a backup, or take another database or schema.',
  ],
  '42P07': [
    'The database has other tables by the names of ours',
    'Take a database or a schema of its own, or remove them.',
  ],
  '42703': [
    'The database has other tables by the names of ours',
    'Take a database or a schema of its own, or remove them.',
  ],
  '53300': [
    'The database has no connection left',
    'Let it have more: max_connections, or the limit of the user or database; state.connections is how many each server takes.',
  ],
  '57014': [
    'The database ended a statement of ours',
    'Its statement_timeout is too short for this: allow some seconds.',
  ],
  '25006': [
    'The database can only be read',
    'It is a standby, or set to default_transaction_read_only: give the address of the one that is written to.',
  ],
  CERT_HAS_EXPIRED: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
};

/** `place` says where the address is set. The message has the address without its password. */
export function startProblem(error: unknown, address: string, place: string): AppError {
  const cause = causeOf(error);
  if (isAppError(cause)) return cause;
  const { code = '', message = 'no reason given' } = (cause ?? {}) as { code?: string; message?: string };
  const [title, hint] = PROBLEMS[code] ?? (isLost(cause) ? AWAY : UNKNOWN);
  return new AppError('upstream_failed', title, {
    subject: `${databasePlace(address)} (${message})`,
    hint: `${hint} The address is set by ${place}.`,
    cause: error,
  });
}

function causeOf(error: unknown): unknown {
  return isAppError(error, 'upstream_failed') && error.cause !== undefined ? error.cause : error;
}
