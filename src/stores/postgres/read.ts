/** Reads of notes. Those that are asked for at the same time are one statement: an indexer and a search ask for many. */
import type { NotePath } from '../../notes/path.ts';
import type { Note, NoteMeta } from '../../notes/store.ts';
import { MAX_NOTE_BYTES, visible } from './change.ts';
import { isFolder, type MetaRow, metaOf, missing, type PostgresNotebook } from './notebook.ts';

interface NoteRow extends MetaRow {
  readonly version: string;
  /** Null for a note that is too large to be read among others. */
  readonly bytes: Buffer | null;
}

interface Waiting {
  readonly resolve: (row: NoteRow | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const LARGE = 256 * 1024;
const MOST_AT_ONCE = 64;

export function createReader(notebook: PostgresNotebook) {
  const { database, schema } = notebook;
  let waiting = new Map<NotePath, Waiting[]>();

  const rowsOf = (paths: readonly NotePath[], most: number) =>
    database.repeatable<NoteRow>(
      `select n.path, n.size, n.modified, n.version, case when n.size <= $2 then c.bytes end as bytes
         from ${schema}.note n join ${schema}.content c on c.id = n.content where n.path = any($1)`,
      [paths, most],
    );

  const flush = async (asked: ReadonlyMap<NotePath, readonly Waiting[]>) => {
    if (asked.size === 0) return;
    try {
      const rows = new Map((await rowsOf([...asked.keys()], LARGE)).map((row) => [row.path, row]));
      for (const [path, callers] of asked) for (const { resolve } of callers) resolve(rows.get(path));
    } catch (error) {
      for (const callers of asked.values()) for (const { reject } of callers) reject(error);
    }
  };

  const rowAt = (path: NotePath): Promise<NoteRow | undefined> =>
    new Promise((resolve, reject) => {
      const callers = waiting.get(path) ?? [];
      callers.push({ resolve, reject });
      if (waiting.size === 0)
        setImmediate(() => {
          const asked = waiting;
          waiting = new Map();
          void flush(asked);
        });
      waiting.set(path, callers);
      if (waiting.size < MOST_AT_ONCE) return;
      const full = waiting;
      waiting = new Map();
      void flush(full);
    });

  return {
    async read(asked: NotePath): Promise<Note> {
      const path = visible(notebook, asked);
      let row = await rowAt(path);
      if (row?.bytes === null) [row] = await rowsOf([path], MAX_NOTE_BYTES);
      if (!row?.bytes) throw await absence(notebook, path);
      return { ...metaOf(row), version: row.version, bytes: row.bytes };
    },
    async stat(asked: NotePath): Promise<NoteMeta> {
      const path = visible(notebook, asked);
      const [row] = await database.repeatable<MetaRow>(
        `select path, size, modified from ${schema}.note where path = $1`,
        [path],
      );
      if (!row) throw await absence(notebook, path);
      return metaOf(row);
    },
  };
}

async function absence({ database, schema }: PostgresNotebook, path: NotePath) {
  const below = await database.repeatable(
    `select from ${schema}.note where path >= $1 || '/' and path < $1 || '0' limit 1`,
    [path],
  );
  return below.length > 0 ? isFolder(path) : missing(path);
}
