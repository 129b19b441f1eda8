/** Opens the database that replicas share, with its tables as this program knows them. */
import type { Config } from '../config/schema.ts';
import { type Log, silentLog } from '../shared/log.ts';
import type { Database } from '../state/postgres/database.ts';
import { assertMigratable, assertUsable, migrate } from '../state/postgres/migrate.ts';
import { STATE_MIGRATIONS, STATE_SCHEMA } from '../state/postgres/schema.ts';
import { startProblem } from '../state/postgres/start-problem.ts';

const ADDRESS = '--state, QUIRE_STATE or state.postgres';

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
    await migrate(database, { schema: STATE_SCHEMA, steps: STATE_MIGRATIONS, log });
    await assertUsable(database, STATE_SCHEMA);
    return database;
  } catch (error) {
    await database.close();
    throw startProblem(error, postgres, ADDRESS);
  }
}

/** Throws as a start would where it could not use the database. Changes nothing in it. */
export async function assertStateDatabase(postgres: string): Promise<void> {
  const { openDatabase } = await import('../state/postgres/database.ts');
  const database = openDatabase(postgres, { log: silentLog, connections: 1, patienceMs: 0 });
  try {
    await assertMigratable(database, { schema: STATE_SCHEMA, steps: STATE_MIGRATIONS });
  } catch (error) {
    throw startProblem(error, postgres, ADDRESS);
  } finally {
    await database.close();
  }
}
