import { onTestFinished } from 'vitest';
import { silentLog } from '../../src/shared/log.ts';
import { openDatabase } from '../../src/state/postgres/database.ts';
import { openPostgresStore } from '../../src/stores/postgres/store.ts';
import { describeWith } from '../kit/needs.ts';
import { freshDatabase, postgresNeed } from '../kit/postgres.ts';
import { testStoreContract } from './store.ts';

let schemas = 0;
let url: Promise<string> | undefined;

/** A schema of its own for each test. */
async function open() {
  url ??= freshDatabase();
  const database = openDatabase(await url, { log: silentLog });
  const store = await openPostgresStore(database, `notes_${++schemas}`, {
    log: silentLog,
    isVisible: () => true,
  });
  onTestFinished(() => store.close());
  return store;
}

describeWith(postgresNeed, 'PostgreSQL store', () => testStoreContract(open));
