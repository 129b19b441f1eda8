/**
 * Brings the tables of a schema to the form this program knows: numbered steps, forward only, each once, whichever of
 * several servers comes first.
 */
import { AppError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { Database, Queries } from './database.ts';

export interface Migration {
  /** Counted from 1. */
  readonly version: number;
  readonly name: string;
  /** `{{schema}}` stands for the schema. */
  readonly sql: string;
}

interface MigrationOptions {
  readonly schema: string;
  readonly steps: readonly Migration[];
  readonly log?: Log;
}

/** Any number, as long as nobody else locks by it. */
const LOCK = 7_140_223_811;
/** A step may rewrite a table of many million rows, and the other servers wait for it. */
const STEP_MS = 6 * 3_600_000;
const SLOW_MS = 5_000;

export async function migrate(database: Database, options: MigrationOptions): Promise<void> {
  const { schema, steps, log } = options;
  const named = quoted(schema);
  const newest = steps.at(-1)?.version ?? 0;
  const found = await versionIn(database, named);
  if (found > newest) throw tooNew(schema, found, newest);
  if (found < newest) {
    const slow = setTimeout(() => log?.('info', 'tables are being upgraded', { schema }), SLOW_MS).unref();
    await applySteps(database, options).finally(() => clearTimeout(slow));
  }
  database.knowCrashesBy(`${named}.epoch`);
}

/** Throws where `migrate` would be refused. Changes nothing. */
export async function assertMigratable(
  database: Database,
  { schema, steps }: Pick<MigrationOptions, 'schema' | 'steps'>,
): Promise<void> {
  await assertEncoding({ query: database.repeatable });
  const newest = steps.at(-1)?.version ?? 0;
  const found = await versionIn(database, quoted(schema));
  if (found > newest) throw tooNew(schema, found, newest);
  if (found === newest) return assertUsable(database, schema);
  const [row] = await database.repeatable<{ may: boolean }>(
    `select case when to_regnamespace($1) is null then has_database_privilege(current_database(), 'create')
       else has_schema_privilege($2, 'create') end as may`,
    [quoted(schema), schema],
  );
  if (!row?.may) throw Object.assign(new Error(`no right to make tables in ${schema}`), { code: '42501' });
}

async function applySteps(database: Database, { schema, steps }: MigrationOptions): Promise<void> {
  const named = quoted(schema);
  const newest = steps.at(-1)?.version ?? 0;
  const apply = async (queries: Queries) => {
    // The database's own bounds are for statements of every day.
    await queries.query('set local statement_timeout = 0');
    await queries.query('set local lock_timeout = 0');
    await assertEncoding(queries);
    await queries.query('select pg_advisory_xact_lock($1)', [LOCK]);
    // A connection that has looked for the schema before takes it for missing until it reads a table anew.
    await queries.query('select from pg_namespace limit 1');
    await queries.query(`create schema if not exists ${named}`);
    await queries.query(
      `create table if not exists ${named}.migration (
        version integer primary key, name text not null, applied_at timestamptz not null default now())`,
    );
    await queries.query(
      `create unlogged table if not exists ${named}.epoch (
        is_only boolean primary key default true check (is_only), id uuid not null default gen_random_uuid())`,
    );
    const done = await highest(queries, named);
    if (done > newest) throw tooNew(schema, done, newest);
    for (const { version, name, sql } of steps.filter((step) => step.version > done)) {
      await queries.query(sql.replaceAll('{{schema}}', named));
      await queries.query(`insert into ${named}.migration (version, name) values ($1, $2)`, [version, name]);
    }
  };
  await database.transaction(apply, { statementMs: STEP_MS });
}

/** Notes are Unicode. */
async function assertEncoding({ query }: Queries): Promise<void> {
  const [row] = await query<{ encoding: string }>("select current_setting('server_encoding') as encoding");
  if (row?.encoding === 'UTF8') return;
  throw new AppError('unsupported', 'The database does not keep its texts in UTF-8', {
    subject: `its encoding is ${row?.encoding}`,
    hint: 'Make another one: createdb --encoding=UTF8 --template=template0.',
  });
}

/** Throws where the tables can be read but not changed, with the SQLSTATE that a change would have. */
export async function assertUsable(database: Database, schema: string): Promise<void> {
  const [row] = await database.repeatable<{ reading: boolean; closed: string | null }>(
    `select current_setting('transaction_read_only') = 'on' as reading,
       (select min(relname) from pg_class c where relnamespace = to_regnamespace($1) and case relkind
         when 'r' then not (has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert')
           and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete'))
         -- Sequences of identity columns need no right of their own.
         when 'S' then not has_sequence_privilege(c.oid, 'usage') and not exists (
           select from pg_depend where objid = c.oid and deptype = 'i')
         else false end) as closed`,
    [quoted(schema)],
  );
  if (row?.reading) throw Object.assign(new Error('changes are not taken'), { code: '25006' });
  if (typeof row?.closed === 'string')
    throw Object.assign(new Error(`no right to change ${schema}.${row.closed}`), { code: '42501' });
}

/** 0 when nothing was made yet. A schema that is as it should be is found out without a right to change it. */
async function versionIn(database: Database, named: string): Promise<number> {
  const [row] = await database.repeatable<{ found: boolean }>(
    'select to_regclass($1) is not null and to_regclass($2) is not null as found',
    [`${named}.migration`, `${named}.epoch`],
  );
  return row?.found ? highest({ query: database.repeatable }, named) : 0;
}

async function highest(queries: Queries, named: string): Promise<number> {
  const [row] = await queries.query<{ version: number | null }>(
    `select max(version) as version from ${named}.migration`,
  );
  return row?.version ?? 0;
}

function tooNew(schema: string, found: number, known: number): AppError {
  return new AppError('conflict', 'The database was used by a newer Quire', {
    subject: `schema ${schema} has version ${found}, this program knows ${known}`,
    hint: 'Start the newer version, or restore a backup from before the upgrade.',
  });
}

/** An identifier of SQL, whatever it holds. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
