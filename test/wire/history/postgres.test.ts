/** Programs that change a notebook in the database of the state: each change and its record are one transaction. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { describeWith } from '../../kit/needs.ts';
import { freshDatabase, postgresNeed } from '../../kit/postgres.ts';
import { BINARY, startProgram } from '../../kit/server.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../../kit/temp.ts';

const run = promisify(execFile);

async function begin() {
  const url = await freshDatabase();
  const folder = await temporaryFolder();
  const file = join(folder, 'quire.yaml');
  const place = `{ postgres: "\${env:NOTES_URL}" }`;
  await writeFile(file, `notebooks: { team: ${place} }\nstate: ${place}\n`);
  const env = {
    NOTES_URL: url,
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_CACHE_HOME: join(folder, 'cache'),
  };
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return {
    serve: (...args: string[]) => startProgram([...args, '--config', file], { env }),
    quire: (...args: string[]) =>
      run(process.execPath, [BINARY, ...args, '--config', file], { env: { ...CLEAN_ENVIRONMENT, ...env } }),
    /** Tools whose last record was made by the transaction that changed the note. */
    recordedWithin: async () => {
      const { rows } = await client.query<{ tool: string }>(
        'select e.tool from quire.history_edit e join notes.attempt a on a.xmin = e.xmin order by e.change',
      );
      return rows.map(({ tool }) => tool);
    },
  };
}

describeWith(postgresNeed, 'a notebook in the database of the state', () => {
  test('is changed together with its history, over stdio and by commands', async () => {
    const { serve, quire, recordedWithin } = await begin();
    const notes = await serve();
    expect((await notes.call('write_note', { path: 'a.md', content: 'one' })).isError).toBe(false);
    expect(await recordedWithin()).toEqual(['write_note']);
    await quire('undo', '--last');
    expect(await recordedWithin()).toEqual(['write_note', 'undo']);
  });

  test('is guarded over stdio by what the own client was shown, not by what others were', async () => {
    const { serve } = await begin();
    const [one, other] = [await serve(), await serve()];
    const write = (server: typeof one, content: string) =>
      server.call('write_note', { path: 'a.md', content });
    await write(one, 'first');
    await other.call('read_note', { path: 'a.md' });
    await write(one, 'second');
    const refused = await write(other, 'third');
    expect(refused.isError, refused.text).toBe(true);
    expect(refused.text).toContain('changed since you read it');
  });

  test('is changed together with its history by the second brain', async () => {
    const { serve, quire, recordedWithin } = await begin();
    const brain = await serve('brain');
    const ingest = { content: '# Call\nText', title: 'Call', dest: 'inbox' };
    expect((await brain.call('sb_ingest', ingest)).isError).toBe(false);
    expect(await recordedWithin()).toEqual(['sb_ingest']);
    expect((await quire('history')).stdout).toContain('sb_ingest');
  });
});
