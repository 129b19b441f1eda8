/** The checks of `quire doctor` for a notebook in a PostgreSQL database. They change nothing in it but what is missing. */
import { type CheckResult, resultsFor } from '../../shared/checks.ts';
import { silentLog } from '../../shared/log.ts';
import type { Database } from '../../state/postgres/database.ts';
import { quoted } from '../../state/postgres/migrate.ts';
import { startProblem } from '../../state/postgres/start-problem.ts';
import type { ExaminedNotebook } from '../kind.ts';

type Results = ReturnType<typeof resultsFor>;

const SEE_ADDRESS = 'Check the address, the password, and that the database allows connections from here.';
const LISTEN_MS = 3_000;
/** PostgreSQL 13 has made what Quire needs of identifiers and transactions. */
const OLDEST = 130_000;

export async function examinePostgres(
  notebook: string,
  url: string,
  schema: string,
  { open, readOnly }: ExaminedNotebook,
): Promise<readonly CheckResult[]> {
  const plain = resultsFor(notebook);
  const explained = (error: unknown) => startProblem(error, url, 'the key postgres of the notebook');
  const results: Results = {
    ...plain,
    failWith: (check, error, fix) => plain.failWith(check, explained(error), fix),
  };
  const { openDatabase } = await import('../../state/postgres/database.ts');
  const database = openDatabase(url, { log: silentLog, connections: 2, patienceMs: 0 });
  try {
    const version = await versionCheck(database, results);
    if (version.status === 'fail') return [version];
    try {
      await open();
    } catch (error) {
      return [version, results.failWith('schema', error, `May this user create the schema ${schema}?`)];
    }
    return [
      version,
      await notesCheck(database, schema, results),
      await writableCheck(database, schema, results, readOnly),
      await watchCheck(database, results),
    ];
  } catch (error) {
    return [results.failWith('notes', error, SEE_ADDRESS)];
  } finally {
    await database.close();
  }
}

async function versionCheck(database: Database, { ok, fail, failWith }: Results): Promise<CheckResult> {
  try {
    const [row] = await database.repeatable<{ number: number; text: string; encoding: string }>(
      `select current_setting('server_version_num')::int as number, current_setting('server_version') as text,
          current_setting('server_encoding') as encoding`,
    );
    if (!row || row.number < OLDEST)
      return fail('version', `PostgreSQL ${row?.text} is too old.`, 'Upgrade it to PostgreSQL 13 or newer.');
    return ok('version', `PostgreSQL ${row.text}, encoding ${row.encoding}`);
  } catch (error) {
    return failWith('reach', error, SEE_ADDRESS);
  }
}

async function notesCheck(database: Database, schema: string, { ok }: Results): Promise<CheckResult> {
  const [row] = await database.repeatable<{ notes: number; bytes: number; position: number }>(
    `select (select count(*) from ${quoted(schema)}.note) as notes, position,
        pg_total_relation_size('${quoted(schema)}.content') as bytes from ${quoted(schema)}.head`,
  );
  const { notes = 0, bytes = 0, position = 0 } = row ?? {};
  return ok(
    'notes',
    `${notes} note${notes === 1 ? '' : 's'} in schema ${schema}, ${(bytes / 1e6).toFixed(1)} MB of text, ${position} change${position === 1 ? '' : 's'} so far.`,
  );
}

async function writableCheck(
  database: Database,
  schema: string,
  { ok, warn, skip }: Results,
  readOnly: boolean,
): Promise<CheckResult> {
  if (readOnly) return skip('writable', 'Read-only: nothing is written there.');
  const [row] = await database.repeatable<{ may: boolean; standby: boolean }>(
    `select has_table_privilege($1, 'insert, update, delete') as may, pg_is_in_recovery() as standby`,
    [`${quoted(schema)}.note`],
  );
  if (row?.may && !row.standby) return ok('writable', 'Notes can be written.');
  return warn(
    'writable',
    row?.standby ? 'The database is a standby: every change is refused.' : 'This user may not change notes.',
    row?.standby
      ? 'Give the address of the primary server.'
      : `Grant it insert, update and delete on all tables in schema ${schema}.`,
  );
}

/** A pooler in transaction mode forgets who listens. */
async function watchCheck(database: Database, { ok, warn }: Results): Promise<CheckResult> {
  const channel = `quire_doctor_${process.pid}`;
  let timer: NodeJS.Timeout | undefined;
  const isHeard = await new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), LISTEN_MS);
    const listening = database.listen(
      channel,
      () => {
        listening.stop();
        resolve(true);
      },
      () => void database.repeatable('select pg_notify($1, $2)', [channel, '']).catch(() => {}),
    );
  });
  clearTimeout(timer);
  return isHeard
    ? ok('watch', 'Changes of other servers are heard as they happen.')
    : warn(
        'watch',
        'Notifications do not arrive; changes of other servers are looked for every few seconds, and before each search.',
        'A pooler in transaction mode drops them: give the address of the database itself.',
      );
}
