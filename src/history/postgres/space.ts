/** The number of a set of notes in the tables of the history, given at the first use. */
import { onceDone } from '../../shared/memoize.ts';
import type { Database } from '../../state/postgres/database.ts';
import { SPACE } from './tables.ts';

export interface Space {
  readonly name: string;
  id(): Promise<number>;
}

export function spaceOf(database: Database, name: string): Space {
  const id = onceDone(async () => {
    for (;;) {
      const [row] = await database.repeatable<{ id: number }>(
        `with made as (insert into ${SPACE} (name) values ($1) on conflict (name) do nothing returning id)
         select id from made union all select id from ${SPACE} where name = $1 limit 1`,
        [name],
      );
      // None is found in the moment in which another replica makes it.
      if (row) return row.id;
    }
  });
  return { name, id };
}
