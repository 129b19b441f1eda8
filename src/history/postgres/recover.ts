/** Settles the edits of replicas that have crashed: those that nobody keeps alive. */
import type { Log } from '../../shared/log.ts';
import type { Database } from '../../state/postgres/database.ts';
import type { Edit, EditState } from '../change.ts';
import type { EditInspector } from '../recover.ts';
import { OPEN_MS } from './record.ts';
import { EDIT, OPEN, textHashOf, Values } from './tables.ts';

interface RecoverParts {
  readonly space: number;
  readonly log: Log;
  readonly now?: () => number;
}

interface CutOff {
  readonly change: string;
  readonly n: number;
  readonly kind: Edit['kind'];
  readonly path: string;
  readonly to_path: string | null;
  readonly before: Buffer | null;
  readonly after: Buffer | null;
  readonly replaced: Buffer | null;
  readonly form: string | null;
  readonly part: string | null;
  readonly outcome: string | null;
}

const AT_ONCE = 100;

export async function recoverEdits(
  database: Database,
  parts: RecoverParts,
  inspect: EditInspector,
): Promise<void> {
  for (let found = AT_ONCE; found === AT_ONCE; ) {
    const rows = await claim(database, parts);
    found = rows.length;
    for (const row of rows) await settle(database, parts, row, inspect);
  }
}

/** Takes the edits over for a while, so that one replica looks at them. */
function claim(database: Database, { space, now }: RecoverParts): Promise<CutOff[]> {
  const values = new Values();
  const [at, clock] = [values.add(space), values.clock(now)];
  return database.query<CutOff>(
    `with mine as (
       update ${OPEN} set until = ${clock} + ${OPEN_MS * 1000}, writer = ''
       where (space, change, n) in (
         select space, change, n from ${OPEN} where space = ${at} and until < ${clock}
         order by change, n limit ${AT_ONCE} for update skip locked)
       returning change, n)
     select edit.* from mine join ${EDIT} as edit on edit.space = ${at} and edit.change = mine.change and edit.n = mine.n
     order by edit.change, edit.n`,
    values.all,
  );
}

async function settle(
  database: Database,
  { space, log }: RecoverParts,
  row: CutOff,
  inspect: EditInspector,
): Promise<void> {
  const edit: Edit = {
    kind: row.kind,
    path: row.path,
    to: row.to_path ?? undefined,
    before: textHashOf(row.before),
    after: textHashOf(row.after),
    replaced: textHashOf(row.replaced),
    form: row.form ?? undefined,
    part: row.part ?? undefined,
  };
  const state = await inspect(edit).catch((): EditState => 'open');
  // One of a note that cannot be read now is looked at again when its time is over.
  if (state === 'open') return;
  // Its replica may have ended it meanwhile, and knows better.
  const [ended] = await database.query<{ n: number }>(
    `with ended as (
       delete from ${OPEN} where space = $1 and change = $2 and n = $3 and writer = '' returning change, n)
     update ${EDIT} as edit set state = $4 from ended
     where edit.space = $1 and edit.change = ended.change and edit.n = ended.n returning edit.n`,
    [space, row.change, row.n, state === 'done' ? null : state],
  );
  if (ended && state !== 'failed')
    log('warn', 'a change was cut off; the history says what became of it', { change: row.change, state });
}
