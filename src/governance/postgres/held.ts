/** Results that wait for a person, for the replica that the call comes to when it is made again. */
import type { Database } from '../../state/postgres/database.ts';
import { STATE_SCHEMA } from '../../state/postgres/schema.ts';
import { digestOf } from '../digest.ts';
import { HELD_MS, type HeldResult, type HeldResults, MOST_HELD } from '../results/held.ts';

const TABLE = `${STATE_SCHEMA}.held_result`;

export function openPostgresHeld({ repeatable }: Database): HeldResults {
  return {
    async of(call) {
      const [row] = await repeatable<{ value: string }>(`select value from ${TABLE} where call = $1`, [
        digestOf(call),
      ]);
      return row && (JSON.parse(row.value) as HeldResult);
    },
    async put(call, held) {
      await repeatable(
        `delete from ${TABLE} where at < now() - interval '${HELD_MS} milliseconds' or call in (
           select call from ${TABLE} order by at desc offset ${MOST_HELD - 1})`,
      );
      await repeatable(
        `insert into ${TABLE} (call, value) values ($1, $2)
         on conflict (call) do update set value = excluded.value, at = excluded.at`,
        [digestOf(call), JSON.stringify(held)],
      );
    },
    async remove(call) {
      await repeatable(`delete from ${TABLE} where call = $1`, [digestOf(call)]);
    },
  };
}
