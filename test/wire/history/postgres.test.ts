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

const PROPOSAL = /proposal (p\w{16})/;

async function begin(ofNotebook = '') {
  const url = await freshDatabase();
  const folder = await temporaryFolder();
  const file = join(folder, 'quire.yaml');
  const place = `postgres: "\${env:NOTES_URL}"`;
  await writeFile(file, `notebooks: { team: { ${place}${ofNotebook} } }\nstate: { ${place} }\n`);
  const env = {
    NOTES_URL: url,
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_CACHE_HOME: join(folder, 'cache'),
  };
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return {
    client,
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
    /** The number of transactions that recorded changes of a tool. */
    transactionsOf: async (tool: string) => {
      const { rows } = await client.query(
        'select distinct xmin::text from quire.history_edit where tool = $1',
        [tool],
      );
      return rows.length;
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

  test('has a folder moved with all links to it in one transaction, undone as one', async () => {
    const { serve, client, recordedWithin, transactionsOf } = await begin();
    const notes = await serve('--tools', 'files,history');
    const texts = {
      'Home.md': 'To [[work/plan]] and [[work/deep/x]].',
      'work/plan.md': '[up](../Home.md)',
      'work/deep/x.md': '[[work/plan]]',
    };
    const read = async (path: string) => (await notes.call('read_note', { path })).text;
    for (const [path, content] of Object.entries(texts)) await notes.call('write_note', { path, content });
    const move = () => notes.call('move_folder', { folder: 'work', to: 'old/job' });
    // One of the links cannot be written: nothing has moved.
    await client.query(`create function notes.refuse() returns trigger language plpgsql as
      $$ begin if new.path = 'Home.md' then raise exception 'not now'; end if; return new; end $$`);
    await client.query(
      'create trigger refuse before update on notes.note for each row execute function notes.refuse()',
    );
    expect((await move()).isError).toBe(true);
    expect(await read('work/plan.md')).toContain('../Home.md');
    await client.query('drop trigger refuse on notes.note');
    const { json } = await move();
    expect(json).toMatchObject({ files: 2, links_updated: 4 });
    expect(await recordedWithin()).toEqual([...Array(3).fill('write_note'), ...Array(5).fill('move_folder')]);
    expect(await transactionsOf('move_folder')).toBe(1);
    expect(await read('Home.md')).toContain('[[old/job/plan]]');
    const [last] = (await notes.call('list_changes')).json.changes;
    const undo = () => notes.call('undo_changes', { id: last.id });
    // One of the links cannot be written: nothing has moved back.
    await client.query(
      'create trigger refuse before update on notes.note for each row execute function notes.refuse()',
    );
    expect((await undo()).isError).toBe(true);
    expect(await read('old/job/plan.md')).toContain('../../Home.md');
    await client.query('drop trigger refuse on notes.note');
    expect((await undo()).json.success).toBe(true);
    for (const [path, content] of Object.entries(texts)) expect(await read(path)).toContain(content);
    expect(await transactionsOf('undo')).toBe(1);
  });

  test('has a note moved with all links to it in one transaction also where some changes are reviewed', async () => {
    const { serve, recordedWithin } = await begin(', review: destructive');
    const notes = await serve();
    await notes.call('write_note', { path: 'Home.md', content: 'To [[plan]].' });
    await notes.call('write_note', { path: 'plan.md', content: 'A plan.' });
    await notes.call('write_note', { path: 'goal.md', content: 'A goal.' });
    await notes.call('move_note', { oldPath: 'plan.md', newPath: 'old/way.md' });
    expect(await recordedWithin()).toEqual([...Array(3).fill('write_note'), 'move_note', 'move_note']);
    const over = { oldPath: 'old/way.md', newPath: 'goal.md', overwrite: true };
    expect((await notes.call('move_note', over)).text).toMatch(PROPOSAL);
    expect(await recordedWithin()).toHaveLength(5);
  });

  test('gets all of a proposal that is accepted, in one transaction, or nothing', async () => {
    const { serve, quire, client, recordedWithin, transactionsOf } = await begin(', review: all');
    const home = await serve('--review', 'off');
    await home.call('write_note', { path: 'Home.md', content: 'To [[plan]] and [[goal]].' });
    await home.call('write_note', { path: 'plan.md', content: 'A [[plan]].' });
    await home.call('write_note', { path: 'goal.md', content: 'A goal.' });
    const assistant = await serve();
    const over = { oldPath: 'plan.md', newPath: 'goal.md', overwrite: true };
    const [, proposal = ''] = PROPOSAL.exec((await assistant.call('move_note', over)).text) ?? [];
    const read = async (path: string) => (await home.call('read_note', { path })).text;
    await client.query(`create function notes.refuse() returns trigger language plpgsql as
      $$ begin if new.path = 'Home.md' then raise exception 'not now'; end if; return new; end $$`);
    await client.query(
      'create trigger refuse before update on notes.note for each row execute function notes.refuse()',
    );
    await expect(quire('review', 'accept', proposal)).rejects.toThrow();
    expect(await read('goal.md')).toContain('A goal.');
    expect(await read('plan.md')).toContain('A [[plan]].');
    await client.query('drop trigger refuse on notes.note');
    await quire('review', 'accept', proposal);
    expect(await read('Home.md')).toContain('To [[goal]] and [[goal]].');
    expect(await read('goal.md')).toContain('A [[goal]].');
    expect(await transactionsOf('move_note')).toBe(1);
    expect(await recordedWithin()).toEqual([...Array(3).fill('write_note'), ...Array(4).fill('move_note')]);
  });

  test('has both notes as they were after the undo of a move over another note', async () => {
    const { serve, transactionsOf } = await begin();
    const notes = await serve('--tools', 'files,history');
    const texts = { 'Home.md': 'To [[plan]] and [[goal]].', 'plan.md': 'A plan.', 'goal.md': 'A goal.' };
    const read = async (path: string) => (await notes.call('read_note', { path })).text;
    for (const [path, content] of Object.entries(texts)) await notes.call('write_note', { path, content });
    const over = { oldPath: 'plan.md', newPath: 'goal.md', overwrite: true };
    expect((await notes.call('move_note', over)).isError).toBe(false);
    expect(await transactionsOf('move_note')).toBe(1);
    expect(await read('goal.md')).toContain('A plan.');
    const [last] = (await notes.call('list_changes')).json.changes;
    expect((await notes.call('undo_changes', { id: last.id })).json.success).toBe(true);
    for (const [path, content] of Object.entries(texts)) expect(await read(path)).toContain(content);
  });

  test('has a proposal decided on again whose decision could not be written', async () => {
    const { serve, quire, client } = await begin(', review: all');
    const home = await serve('--review', 'off');
    await home.call('write_note', { path: 'plan.md', content: 'A [[plan]].' });
    await home.call('write_note', { path: 'goal.md', content: 'A goal.' });
    const assistant = await serve();
    const over = { oldPath: 'plan.md', newPath: 'goal.md', overwrite: true };
    const [, proposal = ''] = PROPOSAL.exec((await assistant.call('move_note', over)).text) ?? [];
    await client.query(`create function notes.refuse() returns trigger language plpgsql as
      $$ begin raise exception 'not now'; end $$`);
    await client.query(
      'create trigger refuse before update on quire.history_proposal for each row execute function notes.refuse()',
    );
    await expect(quire('review', 'accept', proposal)).rejects.toThrow();
    await client.query('drop trigger refuse on quire.history_proposal');
    expect((await home.call('read_note', { path: 'goal.md' })).text).toContain('A [[goal]].');
    await quire('review', 'accept', proposal);
    expect((await quire('review')).stdout).not.toContain(proposal);
    expect((await home.call('read_note', { path: 'goal.md' })).text).toContain('A [[goal]].');
  });

  test('shows what was proposed also to a caller who writes the name in another Unicode form', async () => {
    const { serve } = await begin(', review: all');
    const notes = await serve();
    await notes.call('write_note', { path: 'Caf\u00e9.md', content: 'one' });
    const edit = { path: 'Cafe\u0301.md', oldString: 'one', newString: 'two' };
    expect((await notes.call('patch_note', edit)).isError).toBe(false);
    for (const path of ['Caf\u00e9.md', 'Cafe\u0301.md'])
      expect((await notes.call('read_note', { path })).text).toContain('two');
  });

  test('names the notes whose links must stay as they are, and moves a folder all the same', async () => {
    const { serve, client } = await begin(
      ', tools: pages, extended: true, toolSets: [files], writable: [work]',
    );
    const notes = await serve();
    await notes.call('create_page', { page: 'work/old/plan', body: 'A plan.' });
    await notes.call('create_page', { page: 'work/home', body: 'To [[work/old/plan]].' });
    await client.query("update notes.note set path = 'Home.md', folder = '' where path = 'work/home.md'");
    const { json } = await notes.call('move_folder', { folder: 'work/old', to: 'work/new' });
    expect(json).toMatchObject({
      moved: ['work/new/plan.md'],
      failed: [{ path: 'Home.md', error: expect.stringMatching(/limited to certain folders/) }],
    });
    expect((await notes.call('read_page', { page: 'Home' })).text).toContain('[[work/old/plan]]');
  });

  test('names the pages whose links must stay as they are, and renames a page all the same', async () => {
    const { serve, client } = await begin(', tools: pages, extended: true, writable: [work]');
    const notes = await serve();
    await notes.call('create_page', { page: 'work/plan', body: 'A plan.' });
    await notes.call('create_page', { page: 'work/home', body: 'To [[work/plan]].' });
    await notes.call('create_page', { page: 'work/more', body: 'To [[work/plan]], too.' });
    await client.query("update notes.note set path = 'Home.md', folder = '' where path = 'work/home.md'");
    const { json } = await notes.call('rename_page', { from: 'work/plan', to: 'work/goal' });
    expect(json).toMatchObject({ renamed: true, updated: [{ page: 'work/more' }] });
    expect(JSON.stringify(json)).toMatch(/Home.*limited to certain folders/);
    expect((await notes.call('read_page', { page: 'Home' })).text).toContain('[[work/plan]]');
    expect((await notes.call('read_page', { page: 'work/goal' })).text).toContain('A plan.');
  });

  test('names the files of a folder that cannot move, and moves the others', async () => {
    const { serve, client } = await begin();
    const notes = await serve('--tools', 'files');
    await notes.call('write_note', { path: 'work/plan.md', content: '[[work/aux]]' });
    await notes.call('write_note', { path: 'work/other.md', content: 'a device on Windows' });
    await client.query("update notes.note set path = 'work/aux.md' where path = 'work/other.md'");
    const { json } = await notes.call('move_folder', { folder: 'work', to: 'job' });
    expect(json).toMatchObject({
      files: 1,
      failed: [{ path: 'work/aux.md', error: expect.stringMatching(/^not moved: /) }],
      note: expect.stringMatching(/work is still there/),
    });
    expect((await notes.call('read_note', { path: 'job/plan.md' })).text).toContain('[[work/aux]]');
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
