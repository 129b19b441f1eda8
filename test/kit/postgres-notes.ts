/** Stores of notebooks in the PostgreSQL of the tests: each is what one server has open. */
import { onTestFinished } from 'vitest';
import { PathFilter } from '../../src/notes/path-filter.ts';
import type { NoteStore } from '../../src/notes/store.ts';
import { silentLog } from '../../src/shared/log.ts';
import { type DatabaseOptions, openDatabase } from '../../src/state/postgres/database.ts';
import { openPostgresStore, type PostgresStoreOptions } from '../../src/stores/postgres/store.ts';
import { freshDatabase } from './postgres.ts';

let schemas = 0;
let shared: Promise<string> | undefined;

export interface NotebookPlace {
  readonly url: string;
  readonly schema: string;
}

/** A schema of its own in one database, which takes less time than a database. */
export async function freshNotebook(): Promise<NotebookPlace> {
  shared ??= freshDatabase();
  return { url: await shared, schema: `notes_${++schemas}` };
}

export async function openServer(
  { url, schema }: NotebookPlace,
  options: Partial<PostgresStoreOptions & DatabaseOptions> = {},
): Promise<NoteStore> {
  const filter = new PathFilter();
  const store = await openPostgresStore(openDatabase(url, { log: silentLog, ...options }), schema, {
    log: silentLog,
    isVisible: (path) => !filter.isHidden(path),
    ...options,
  });
  onTestFinished(() => store.close());
  return store;
}
