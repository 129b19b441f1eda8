/** Opens the database that replicas share, with its tables as this program knows them. */
import type { Config } from '../config/schema.ts';
import { AppError, isAppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { databasePlace } from '../state/postgres/address.ts';
import type { Database } from '../state/postgres/database.ts';
import { migrate } from '../state/postgres/migrate.ts';
import { STATE_MIGRATIONS, STATE_SCHEMA } from '../state/postgres/schema.ts';

/** Undefined without a database. The client library is loaded only with one. */
export async function openStateDatabase(
  { state }: Pick<Config, 'state'>,
  log: Log,
): Promise<Database | undefined> {
  if (state?.postgres === undefined) return undefined;
  const { postgres, direct, connections } = state;
  const { openDatabase } = await import('../state/postgres/database.ts');
  const database = openDatabase(postgres, { log, direct, connections });
  try {
    await migrate(database, { schema: STATE_SCHEMA, steps: STATE_MIGRATIONS });
    return database;
  } catch (error) {
    await database.close();
    throw isAppError(error, 'conflict') ? error : unusable(error, postgres);
  }
}

/** SQLSTATE, and what to do. */
const PROBLEMS: Readonly<Record<string, readonly [title: string, hint: string]>> = {
  '28P01': ['The database refuses the password', 'Give the right one in the address.'],
  '28000': ['The database refuses this user', 'Give one in the address that may log in from this machine.'],
  '3D000': ['There is no such database', 'Create it, or name another one in the address.'],
  '42501': ['The database user may not make its tables', 'Let it create a schema: grant create on database.'],
};

/** The reason why a start failed, with the address but without its password. */
function unusable(error: unknown, url: string): AppError {
  const cause = (isAppError(error) ? error.cause : error) as { code?: string; message?: string } | undefined;
  const [title, hint] = PROBLEMS[cause?.code ?? ''] ?? [
    'The database cannot be used',
    'See that PostgreSQL 13 or newer runs there.',
  ];
  return new AppError('upstream_failed', title, {
    subject: `${databasePlace(url)} (${cause?.message ?? 'no reason given'})`,
    hint: `${hint} The address is set by --state, QUIRE_STATE or state.postgres.`,
    cause: error,
  });
}
