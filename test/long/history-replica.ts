/** A replica without a server: records changes without end, and prints each that is acknowledged; holds a lease. */
import { postgresHistory } from '../../src/history/postgres/engine.ts';
import { silentLog } from '../../src/shared/log.ts';
import { openDatabase } from '../../src/state/postgres/database.ts';
import { openLeases } from '../../src/state/postgres/lease.ts';

const [url = '', name = ''] = process.argv.slice(2);
const database = openDatabase(url, { log: silentLog });
const history = postgresHistory(database).openHistory('notes', { days: 90, maxBytes: 1e9, log: silentLog });
const say = (line: string) => void process.stdout.write(`${line}\n`);

openLeases(database, { ttlMs: 1_500 }).keep('long work', 100, async ({ fence, signal }) => {
  say(`lease ${fence}`);
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
});
for (let n = 0; ; n++) {
  const recorder = history.record({ notebook: 'notes', tool: 'write_note', by: { session: 's' } });
  const text = Buffer.from(`${name} ${n}`);
  const open = await recorder.begin({ kind: 'create', path: `${name}/${n}.md` }, { after: text });
  say(`begun ${recorder.id}`);
  await open.done();
  say(`done ${recorder.id}`);
}
