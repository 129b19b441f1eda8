/** Writes state without end and says what was acknowledged, until it is killed. */
import { silentLog } from '../../src/shared/log.ts';
import { openFileState } from '../../src/state/file.ts';

const [folder = '', round = ''] = process.argv.slice(2);
const state = await openFileState(folder, { log: silentLog });
for (let at = 0; ; at++) {
  const keys = Array.from({ length: 1 + (at % 7) }, (_, part) => `${round}:${at}.${part}`);
  await Promise.all(keys.map((key) => state.put(key, { at, filling: 'x'.repeat(at % 300) })));
  for (const key of keys) process.stdout.write(`${key}\n`);
}
