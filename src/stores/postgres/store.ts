/**
 * Notes in a PostgreSQL database that several servers share. Every change is one transaction, conditional in the database
 * itself; whoever follows the notebook is told all changes in the order in which they were made.
 */
import type { RecordWithin } from '../../notes/edit-recorder.ts';
import type { NotePath } from '../../notes/path.ts';
import type { JointChange, NoteStore } from '../../notes/store.ts';
import { AppError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { Database } from '../../state/postgres/database.ts';
import { type Change, change, moveOf, removeOf, restoreOf, writeOf } from './change.ts';
import { endOf } from './feed.ts';
import { type Follower, follow } from './follow.ts';
import { listFolder, listNotes, relist } from './listing.ts';
import { metaOf, openPostgresNotebook, type PostgresNotebook, storedPath } from './notebook.ts';
import { createReader } from './read.ts';
import { postgresTrash } from './trash.ts';

export interface PostgresStoreOptions {
  readonly log: Log;
  readonly isVisible: (path: string) => boolean;
  /** Deletes removed notes for good instead of keeping them in the trash. */
  readonly permanentDelete?: boolean;
  /** How long a search waits until the changes that others made are known. */
  readonly catchUpMs?: number;
  /** The database is of others too, who close it. */
  readonly isShared?: boolean;
}

/** Reads at once are one statement. */
const READS_AT_ONCE = 64;
const CATCH_UP_MS = 2_000;

export async function openPostgresStore(
  database: Database,
  schema: string,
  { log, isVisible, permanentDelete = false, catchUpMs = CATCH_UP_MS, isShared }: PostgresStoreOptions,
): Promise<NoteStore> {
  const notebook = await openPostgresNotebook(database, schema, isVisible);
  const { read, stat } = createReader(notebook);
  const keepsTrash = !permanentDelete;
  const followers = new Set<Follower>();
  const changeOne = async (one: Change, record?: RecordWithin) => (await change(notebook, [one], record))[0]!;
  return {
    name: schema,
    readsAtOnce: READS_AT_ONCE,
    hasFeed: true,
    recordsIn: database,
    spelling: storedPath,
    check: async () => void (await endOf(notebook)),
    list: ({ under, signal } = {}) => listNotes(notebook, under, signal),
    read,
    write: async (path, content, { ifVersion, ready, record } = {}) => {
      await ready;
      const written = await changeOne(writeOf(notebook, path, content, { ifVersion }), record);
      return { ...metaOf(written), version: written.version };
    },
    remove: async (path, { ifVersion, record } = {}) => {
      const { trashedTo } = await changeOne(removeOf(notebook, path, { ifVersion, keepsTrash }), record);
      return trashedTo === null ? {} : { trashedTo };
    },
    close: async () => {
      for (const follower of followers) follower.stop();
      if (!isShared) await database.close();
    },

    catchUp: async () => {
      await inTime(Promise.all(Array.from(followers, (one) => one.caughtUp())), catchUpMs);
      return followers.size > 0;
    },
    relist: (before, onChanged) => relist(notebook, before, onChanged),
    listFolder: (path) => listFolder(notebook, path),
    stat,
    move: async (from, to, { overwrite, record } = {}) => {
      const moved = await changeOne(moveOf(notebook, from, to, { overwrite, keepsTrash }), record);
      return { ...metaOf(moved), ...(moved.trashedTo !== null && { trashedTo: moved.trashedTo }) };
    },
    changeAll: async (changes, { record } = {}) => {
      const steps = changes.map((one) => jointChange(notebook, one, keepsTrash));
      const answers = await change(notebook, steps.flat(), record && recordingEach(steps, record));
      return answersTo(steps, answers).map((one) => ({
        ...metaOf(one),
        version: one.version,
        trashedTo: one.trashedTo ?? undefined,
      }));
    },
    restore: async (trashed: NotePath, to: NotePath, content: Uint8Array) => {
      await changeOne(restoreOf(notebook, trashed, to, content));
    },
    trash: postgresTrash(notebook),
    watch: async (onChange, options = {}) => {
      const follower = await follow(notebook, onChange, { log, ...options });
      followers.add(follower);
      return async () => {
        followers.delete(follower);
        follower.stop();
      };
    },
  };
}

/** A note that only one version of another one may give way to is moved after that was removed. */
function jointChange(notebook: PostgresNotebook, one: JointChange, keepsTrash: boolean): readonly Change[] {
  switch (one.kind) {
    case 'write':
      return [writeOf(notebook, one.path, one.content, { ...one, modified: one.lastModified })];
    case 'move': {
      const { from, to, replaces } = one;
      if (replaces === undefined) return [moveOf(notebook, from, to, { ...one, keepsTrash })];
      const removal = removeOf(notebook, to, { ifVersion: replaces, keepsTrash });
      return [removal, moveOf(notebook, from, to, { ...one, overwrite: false, keepsTrash })];
    }
    case 'remove':
      return [removeOf(notebook, one.path, { ...one, keepsTrash })];
  }
}

/** One answer for each of the changes, which may have taken several steps. */
function answersTo<Answer extends { readonly trashedTo?: string | null }>(
  steps: readonly (readonly Change[])[],
  answers: readonly Answer[],
): Answer[] {
  let at = 0;
  return steps.map(({ length }) => {
    const own = answers.slice(at, at + length);
    at += length;
    const trashed = own.find(({ trashedTo }) => trashedTo);
    return { ...own.at(-1)!, ...(trashed && { trashedTo: trashed.trashedTo }) };
  });
}

function recordingEach(steps: readonly (readonly Change[])[], record: RecordWithin): RecordWithin {
  return (transaction, made) => record(transaction, answersTo(steps, made));
}

async function inTime(work: Promise<unknown>, mostMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(behind(mostMs)), mostMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}

function behind(mostMs: number): AppError {
  return new AppError('timeout', 'The index is behind the notes', {
    reason: 'busy',
    hint: `The latest changes did not arrive within ${mostMs / 1000} seconds. Try again in a moment.`,
  });
}
