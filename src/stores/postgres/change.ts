/** Changes of notes: each call is one statement and one transaction, in which everything is changed or nothing. */
import { randomUUID } from 'node:crypto';
import type { RecordWithin } from '../../notes/edit-recorder.ts';
import {
  assertPortable,
  extensionOf,
  joinPath,
  MAX_PATH_BYTES,
  type NotePath,
  parentOf,
  shownPath,
} from '../../notes/path.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import type { Queries } from '../../state/postgres/database.ts';
import { alreadyThere, movedOn, targetExists, versionOf } from '../condition.ts';
import { isFolder, type MetaRow, missing, type PostgresNotebook, storedPath } from './notebook.ts';

/** As the function `change` of the database reads it. */
export interface Change {
  readonly kind: 'write' | 'remove' | 'move' | 'restore' | 'purge';
  readonly bytes?: Uint8Array;
  readonly [field: string]: unknown;
}

export interface ChangedNote extends MetaRow {
  readonly version: string;
  readonly trashedTo: NotePath | null;
}

type Answer =
  | { readonly position: number; readonly answers: readonly ChangedNote[] }
  | { readonly refused: string; readonly subject: string };

export const TRASH = '.trash' as NotePath;
/** Larger notes are refused, because they are held in memory. */
export const MAX_NOTE_BYTES = 64 * 1024 * 1024;

const NOTHING = Buffer.alloc(0);

/**
 * Sent again after a lost connection: the database knows each attempt by its id, and answers one that it has made without
 * making it again.
 */
export async function change(
  notebook: PostgresNotebook,
  changes: readonly Change[],
  record?: RecordWithin,
): Promise<readonly ChangedNote[]> {
  const { database } = notebook;
  const attempt = randomUUID();
  try {
    if (!record) return await changeIn(notebook, { query: database.repeatableChange }, attempt, changes);
    return await database.transaction(async (transaction) => {
      const made = await changeIn(notebook, transaction, attempt, changes);
      const results = made.map(({ trashedTo }) => ({ trashedTo: trashedTo ?? undefined }));
      await record(transaction, results);
      return made;
    });
  } catch (error) {
    throw unchangeable(error) ?? error;
  }
}

/** SQLSTATE: failures that last until somebody does something about them. */
const LASTING: Readonly<Record<string, readonly [title: string, hint: string]>> = {
  '42501': [
    'The database user may not change notes',
    'The operator grants it insert, update and delete on all tables of the schema.',
  ],
  '25006': [
    'The database takes no changes',
    'It is a standby, or set to read only. The operator gives the address of the primary server.',
  ],
  '53100': ['The disk of the database is full', 'The operator makes room there.'],
};

function unchangeable(error: unknown): AppError | undefined {
  const { code } = ((isAppError(error) ? error.cause : error) ?? {}) as { code?: string };
  const [title, hint] = LASTING[code ?? ''] ?? [];
  if (title === undefined) return undefined;
  return new AppError('upstream_failed', title, { hint: `Nothing was changed. ${hint}`, cause: error });
}

async function changeIn(
  { schema }: PostgresNotebook,
  queries: Queries,
  attempt: string,
  changes: readonly Change[],
): Promise<readonly ChangedNote[]> {
  const [row] = await queries.query<{ answer: Answer }>(`select ${schema}.change($1, $2, $3) as answer`, [
    attempt,
    JSON.stringify(changes.map(({ bytes: _, ...one }) => one)),
    changes.map(({ bytes = NOTHING }) => asBuffer(bytes)),
  ]);
  if (!row) throw new AppError('internal', 'The database gave no answer');
  if ('refused' in row.answer) throw refusal(row.answer.refused, row.answer.subject as NotePath);
  return row.answer.answers;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function refusal(reason: string, path: NotePath): AppError {
  switch (reason) {
    case 'already_exists':
      return alreadyThere(path);
    case 'target_exists':
      return targetExists(path);
    case 'conflict':
      return movedOn(path);
    case 'not_found':
      return missing(path);
    case 'not_trashed':
      return new AppError('not_found', 'Not in the trash', { subject: path });
    case 'is_a_folder':
      return isFolder(path);
    case 'not_a_folder':
      return new AppError('invalid_input', 'Not a folder', {
        subject: path,
        hint: 'It is a note, so nothing can be in it. Choose another path.',
      });
    default:
      return new AppError('internal', `The database refused the change: ${reason}`, { subject: path });
  }
}

export interface WriteConditions {
  readonly ifVersion?: string | null;
  /** When it was changed last, where that was not now. */
  readonly modified?: number;
}

export function writeOf(
  notebook: PostgresNotebook,
  path: NotePath,
  content: string | Uint8Array,
  { ifVersion, modified }: WriteConditions = {},
): Change {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  if (bytes.length > MAX_NOTE_BYTES)
    throw new AppError('invalid_input', 'Note too large', {
      subject: path,
      hint: `A note holds at most ${MAX_NOTE_BYTES / 1048576} MB.`,
    });
  const place = placeAt(notebook, path);
  // What exists under such a name stays reachable.
  if (ifVersion === undefined || ifVersion === null) assertPortable(place.path);
  return {
    kind: 'write',
    ...place,
    ...(ifVersion !== undefined && { ifVersion }),
    modified,
    version: versionOf(bytes),
    bytes,
  };
}

export function removeOf(
  notebook: PostgresNotebook,
  path: NotePath,
  { ifVersion, keepsTrash }: { readonly ifVersion?: string; readonly keepsTrash: boolean },
): Change {
  const stored = visible(notebook, path);
  return { kind: 'remove', path: stored, ifVersion, ...(keepsTrash && trashNameOf(stored)) };
}

export interface MoveConditions {
  readonly overwrite?: boolean;
  readonly ifVersion?: string;
  readonly keepsTrash: boolean;
}

export function moveOf(
  notebook: PostgresNotebook,
  from: NotePath,
  to: NotePath,
  { overwrite = false, ifVersion, keepsTrash }: MoveConditions,
): Change {
  const { path, folder, above } = placeAt(notebook, to);
  assertPortable(path);
  return {
    kind: 'move',
    path: visible(notebook, from),
    to: path,
    folder,
    above,
    overwrite,
    ifVersion,
    ...(keepsTrash && trashNameOf(path)),
  };
}

export function restoreOf(
  notebook: PostgresNotebook,
  trashed: NotePath,
  to: NotePath,
  content: Uint8Array,
): Change {
  return { kind: 'restore', trashed, ...placeAt(notebook, to), version: versionOf(content) };
}

/** Refuses names that the notebook does not show. */
export function visible({ isVisible }: PostgresNotebook, path: NotePath): NotePath {
  const stored = storedPath(path);
  if (isVisible(stored)) return stored;
  throw new AppError('forbidden', 'Access denied', {
    subject: path,
    hint: 'Hidden files and folders are not part of the notebook.',
  });
}

function placeAt(notebook: PostgresNotebook, path: NotePath) {
  const stored = visible(notebook, path);
  // No tool could name it, and no index would hold it.
  if (Buffer.byteLength(stored) > MAX_PATH_BYTES)
    throw new AppError('invalid_input', 'Path too long', {
      subject: shownPath(stored),
      hint: `A path holds at most ${MAX_PATH_BYTES} bytes.`,
    });
  const above: NotePath[] = [];
  for (let folder = parentOf(stored); folder !== ''; folder = parentOf(folder)) above.push(folder);
  return { path: stored, folder: parentOf(stored), above };
}

/** In two parts, as a number comes between where the name is taken. */
function trashNameOf(path: NotePath): { readonly trash: string; readonly extension: string } {
  const name = joinPath(TRASH, path);
  const length = extensionOf(path).length;
  return { trash: name.slice(0, name.length - length), extension: name.slice(name.length - length) };
}
