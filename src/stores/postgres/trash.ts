/** Removed notes, which are kept until they are purged. */
import type { NotePath } from '../../notes/path.ts';
import type { TrashBin, TrashedFile } from '../../notes/store.ts';
import { AppError } from '../../shared/errors.ts';
import { change } from './change.ts';
import { type MetaRow, metaOf, type PostgresNotebook } from './notebook.ts';

interface TrashRow extends MetaRow {
  readonly original: string;
  readonly deleted: number;
}

const PAGE = 5_000;

export function postgresTrash(notebook: PostgresNotebook): TrashBin {
  const { database, schema, isVisible } = notebook;
  return {
    async list(signal) {
      const found: TrashedFile[] = [];
      for (let after = ''; ; ) {
        const rows = await database.repeatable<TrashRow>(
          `select path, original, deleted, size, modified from ${schema}.trash
             where path > $1 order by path limit $2`,
          [after, PAGE],
        );
        signal?.throwIfAborted();
        for (const row of rows)
          if (isVisible(row.original))
            found.push({
              ...metaOf(row),
              original: row.original as NotePath,
              deletedAt: row.deleted,
            });
        if (rows.length < PAGE) return found;
        after = rows.at(-1)!.path;
      }
    },
    async read(path) {
      const [row] = await database.repeatable<TrashRow & { version: string; bytes: Buffer }>(
        `select t.path, t.size, t.modified, t.version, c.bytes
           from ${schema}.trash t join ${schema}.content c on c.id = t.content where t.path = $1`,
        [path.toWellFormed()],
      );
      if (!row) throw new AppError('not_found', 'Not in the trash', { subject: path });
      return { ...metaOf(row), version: row.version, bytes: row.bytes };
    },
    async purge(path, { size, lastModified }) {
      await change(notebook, [{ kind: 'purge', trashed: path.toWellFormed(), size, modified: lastModified }]);
    },
  };
}
