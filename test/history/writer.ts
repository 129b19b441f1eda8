/** Changes notes of a folder and says which changes were acknowledged, until it is done or killed. */
import { openHistory } from '../../src/history/history.ts';
import type { NotePath } from '../../src/notes/path.ts';
import { silentLog } from '../../src/shared/log.ts';
import { openFolderStore } from '../../src/stores/folder/store.ts';
import { recorded } from '../../src/stores/wrap/recorded.ts';

const [notes = '', folder = '', name = '', most = '0'] = process.argv.slice(2);
const store = await openFolderStore(notes, { isVisible: (path) => !path.startsWith('.') });
const history = openHistory({
  folder,
  days: 90,
  maxBytes: 100_000_000,
  segmentBytes: 60_000,
  log: silentLog,
});
for (let n = 0; n < Number(most); n++) {
  const recorder = history.record({ notebook: 'notes', tool: 'write_note', by: { session: name } });
  const path = `w/${n % 5}.md` as NotePath;
  try {
    await recorded(store, recorder).write(path, `${name} ${n}\n`.repeat(1 + (n % 40)));
    process.stdout.write(`${recorder.id}\n`);
  } catch (error) {
    process.stdout.write(`refused ${String(error)}\n`);
  }
}
await history.close();
