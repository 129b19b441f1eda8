/** A Quire that is killed in the middle of a change: the next one finds out what became of it. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHistory } from '../../../src/history/history.ts';
import { silentLog } from '../../../src/shared/log.ts';
import { eventually } from '../../kit/eventually.ts';
import { startProgram } from '../../kit/server.ts';
import { temporaryFolder } from '../../kit/temp.ts';
import { startTrilium, TOKEN } from '../../kit/trilium/server.ts';

async function editsIn(state: string) {
  const histories = join(state, 'quire', 'history');
  const [name = ''] = await readdir(histories);
  const history = openHistory({ folder: join(histories, name), days: 90, maxBytes: 1e9, log: silentLog });
  try {
    return (await history.list()).flatMap(({ edits }) => edits);
  } finally {
    await history.close();
  }
}

test.each([true, false])(
  'killed before the answer to a write that was carried out: %s',
  async (isApplied) => {
    const fake = await startTrilium({ notes: [{ id: 'plan', title: 'Plan', content: '<p>one</p>' }] });
    const state = await temporaryFolder();
    const env = { TRILIUM_URL: fake.url, TRILIUM_TOKEN: TOKEN, XDG_STATE_HOME: state };
    const first = await startProgram(['trilium'], { env });
    let goOn = () => {};
    const until = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let isReached = false;
    fake.faults.fate = ({ method }) => {
      if (method !== 'PUT') return undefined;
      isReached = true;
      return { kind: 'frozen', until };
    };
    const args = { noteId: 'plan', mode: 'append', content: '<p>two</p>' };
    const lost = first.call('write_note', args).catch(() => undefined);
    await eventually(() => expect(isReached).toBe(true));
    process.kill(first.pid, 'SIGKILL');
    await lost;
    expect(await editsIn(state)).toMatchObject([{ state: 'open', part: 'text' }]);
    if (isApplied) {
      goOn();
      await eventually(() => expect(fake.text('plan')).toContain('two'));
    }
    fake.faults.fate = () => undefined;
    const second = await startProgram(['trilium'], { env });
    await second.call('get_note', { noteId: 'plan' });
    // An edit that was not carried out is no change.
    const states = isApplied ? ['done'] : [];
    await eventually(async () => expect((await editsIn(state)).map((edit) => edit.state)).toEqual(states));
    goOn();
  },
);
