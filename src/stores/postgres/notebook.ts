/** The tables of one notebook, which has a schema of a database for itself. */
import { hasControlCharacter, type NotePath, shownPath } from '../../notes/path.ts';
import type { NoteMeta } from '../../notes/store.ts';
import { AppError } from '../../shared/errors.ts';
import type { Database } from '../../state/postgres/database.ts';
import { type Migration, migrate, quoted } from '../../state/postgres/migrate.ts';
import { contentTypeOf } from '../content-type.ts';
import notes from './migrations/001-notes.sql';

const MIGRATIONS: readonly Migration[] = [{ version: 1, name: 'notes', sql: notes }];

export interface PostgresNotebook {
  readonly database: Database;
  /** The schema, quoted. */
  readonly schema: string;
  /** Names the notebook for as long as its tables exist. */
  readonly id: string;
  /** On which changes are announced. */
  readonly channel: string;
  readonly isVisible: (path: string) => boolean;
}

export async function openPostgresNotebook(
  database: Database,
  name: string,
  isVisible: (path: string) => boolean,
): Promise<PostgresNotebook> {
  await assertUnicode(database);
  await migrate(database, { schema: name, steps: MIGRATIONS });
  const schema = quoted(name);
  const [head] = await database.repeatable<{ notebook: string }>(
    `select notebook from ${schema}.head where single`,
  );
  if (!head) throw damaged(name);
  return { database, schema, id: head.notebook, channel: `quire_notes_${head.notebook}`, isVisible };
}

/** Names of every script are kept as they are only there. */
async function assertUnicode(database: Database): Promise<void> {
  const [row] = await database.repeatable<{ encoding: string }>(
    `select current_setting('server_encoding') as encoding`,
  );
  if (row?.encoding === 'UTF8') return;
  throw new AppError('unsupported', 'The database does not keep Unicode', {
    subject: String(row?.encoding),
    hint: 'Create one with: create database notes encoding UTF8 template template0',
  });
}

function damaged(name: string): AppError {
  return new AppError('upstream_failed', 'The tables of the notebook are damaged', {
    subject: `schema ${name}`,
    hint: 'The table head has lost its row. Restore the schema from a backup.',
  });
}

/**
 * The path under which a note is kept. Names that look the same are the same, so all are in the composed form of Unicode;
 * a half of a surrogate pair is no character, and would become another one.
 */
export function storedPath(path: NotePath): NotePath {
  if (!path.isWellFormed() || hasControlCharacter(path))
    throw new AppError('invalid_input', 'Invalid path', {
      subject: shownPath(path.toWellFormed()),
      hint: 'It holds a control character, or half of a character.',
    });
  return path.normalize('NFC') as NotePath;
}

export interface MetaRow {
  readonly path: string;
  readonly size: number;
  readonly modified: number;
}

export function metaOf({ path, size, modified }: MetaRow): NoteMeta {
  return { path: path as NotePath, size, lastModified: modified, contentType: contentTypeOf(path) };
}

export function missing(path: NotePath): AppError {
  return new AppError('not_found', 'File not found', { subject: path });
}

export function isFolder(path: NotePath): AppError {
  return new AppError('invalid_input', 'Not a note', {
    subject: path,
    hint: 'It is a folder. Name one of the notes in it.',
  });
}
