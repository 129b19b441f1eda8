/** A database with the tables that replicas share. */
import { onTestFinished } from 'vitest';
import { silentLog } from '../../src/shared/log.ts';
import { type Database, openDatabase } from '../../src/state/postgres/database.ts';
import { migrate } from '../../src/state/postgres/migrate.ts';
import { STATE_MIGRATIONS, STATE_SCHEMA } from '../../src/state/postgres/schema.ts';
import { freshDatabase } from './postgres.ts';

let shared: Promise<string> | undefined;

/** The address of the database that the tests of one file share: to make one for each takes longer than the test. */
export function sharedDatabase(): Promise<string> {
  shared ??= freshDatabase();
  return shared;
}

/** As a server opens it; closed when the test ends. */
export async function openState(url: string): Promise<Database> {
  const database = openDatabase(url, { log: silentLog, connections: 4 });
  onTestFinished(() => database.close().catch(() => {}));
  await migrate(database, { schema: STATE_SCHEMA, steps: STATE_MIGRATIONS });
  return database;
}
