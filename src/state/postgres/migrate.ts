/**
 * Brings the tables of a schema to the form this program knows: numbered steps, forward only, each once, whichever of
 * several servers comes first.
 */
import { AppError } from '../../shared/errors.ts';
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
}

/** Any number, as long as nobody else locks by it. */
const LOCK = 7_140_223_811;

export async function migrate(database: Database, { schema, steps }: MigrationOptions): Promise<void> {
  const named = quoted(schema);
  const newest = steps.at(-1)?.version ?? 0;
  const isCurrent = (await versionIn(database, named)) === newest;
  if (!isCurrent) await applySteps(database, { schema, steps });
  database.knowCrashesBy(`${named}.epoch`);
}

async function applySteps(database: Database, { schema, steps }: MigrationOptions): Promise<void> {
  const named = quoted(schema);
  const newest = steps.at(-1)?.version ?? 0;
  await database.transaction(async (queries) => {
    await queries.query('select pg_advisory_xact_lock($1)', [LOCK]);
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
  });
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
