/** Opens what a server keeps of logins: in a folder, in memory, or in the database. Its errors name the folder and the next step. */
import type { Config } from '../config/schema.ts';
import { AppError, isAppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { openFileState, probeFileState } from '../state/file.ts';
import { openMemoryState, type StateStore } from '../state/memory.ts';
import type { Database } from '../state/postgres/database.ts';
import { openPostgresState } from '../state/postgres/state.ts';

export interface StatePlace {
  /** Keeps the state instead of a folder. */
  readonly database?: Database;
  /** The state folder for a server at this origin. */
  readonly stateFolderFor: (origin: string) => string;
}

/** Undefined where the state is no folder. */
export function stateFolderIn(
  { state: { dir } = {} }: Pick<Config, 'state'>,
  { origin }: { readonly origin: string },
  { database, stateFolderFor }: StatePlace,
): string | undefined {
  return database || dir === 'memory' ? undefined : (dir ?? stateFolderFor(origin));
}

export async function openState(
  folder: string | undefined,
  { log, database }: Pick<StatePlace, 'database'> & { readonly log: Log },
): Promise<StateStore> {
  if (database) return openPostgresState(database);
  if (folder === undefined) return openMemoryState();
  return onFolder(folder, () => openFileState(folder, { log }));
}

/** Throws what a start with this state folder would throw, and leaves nothing behind. */
export function probeState(folder: string): Promise<void> {
  return onFolder(folder, () => probeFileState(folder));
}

/** Adds the folder and the next step to errors. */
async function onFolder<T>(folder: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (cause) {
    throw isAppError(cause) ? aboutFolder(cause, folder) : unusableFolder(cause, folder);
  }
}

function aboutFolder({ code, title, subject, hint }: AppError, folder: string): AppError {
  const facts = subject === undefined ? folder : `${folder} (${subject})`;
  return new AppError(code, title, { subject: facts, hint });
}

const ANOTHER_FOLDER = 'give --state-dir (QUIRE_STATE_DIR, state.dir) another one';
const NO_FOLDER: readonly [title: string, hint: string] = [
  'The state folder is a file',
  `A folder is needed: remove the file, or ${ANOTHER_FOLDER}.`,
];
const NOT_WRITABLE: readonly [title: string, hint: string] = [
  'The state folder cannot be written',
  `Give the user this server runs as the right to write there, or ${ANOTHER_FOLDER}.`,
];
const FOLDER_PROBLEMS: Readonly<Record<string, readonly [title: string, hint: string]>> = {
  EEXIST: NO_FOLDER,
  ENOTDIR: NO_FOLDER,
  EACCES: NOT_WRITABLE,
  EPERM: NOT_WRITABLE,
  EROFS: NOT_WRITABLE,
  ENOSPC: ['The disk of the state folder is full', `Free some space there, or ${ANOTHER_FOLDER}.`],
};

function unusableFolder(cause: unknown, folder: string): AppError {
  const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
  const [title, hint] = FOLDER_PROBLEMS[code] ?? [
    'The state folder cannot be used',
    `See that it is a folder this server may write, or ${ANOTHER_FOLDER}.`,
  ];
  return new AppError('invalid_input', title, { subject: `${folder} (${code})`, hint, cause });
}
