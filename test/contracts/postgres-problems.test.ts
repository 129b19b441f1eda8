/** A notebook in a PostgreSQL that refuses: what is wrong and what to do, and never a password. */
import { once } from 'node:events';
import { createServer, connect as open } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { parseNotePath } from '../../src/notes/path.ts';
import { AppError } from '../../src/shared/errors.ts';
import { silentLog } from '../../src/shared/log.ts';
import { storeAt } from '../../src/stores/registry.ts';
import { describeWith } from '../kit/needs.ts';
import { freshDatabase, postgresNeed } from '../kit/postgres.ts';
import { openServer } from '../kit/postgres-notes.ts';
import { temporaryFolder } from '../kit/temp.ts';

let roles = 0;

/** A database with a notebook, and the address of somebody else there, with a password. */
async function begin() {
  const url = await freshDatabase();
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  onTestFinished(() => owner.end());
  const role = `guest_${process.pid}_${++roles}`;
  await owner.query(`create role ${role} login`);
  const store = await openServer({ url, schema: 'notes' });
  await store.write(parseNotePath('a.md'), 'a');
  return { url, owner, role, guest: url.replace('quire@', `${role}:hidden-word@`) };
}

async function failureOf(url: string, schema = 'notes'): Promise<string> {
  const opening = storeAt({ postgres: url, schema }).open({
    log: silentLog,
    isVisible: () => true,
    permanentDelete: false,
    readOnly: false,
  });
  const error = await opening.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(AppError);
  const { title, subject, hint } = error as AppError;
  const said = [title, subject, hint].join('\n');
  expect(said).not.toContain('hidden-word');
  return said;
}

/** A way to a database that is cut for good when it has made a change, before it can say so. */
async function relayUntilChange(url: string): Promise<string> {
  const [folder, socket] = [await temporaryFolder(), '.s.PGSQL.5432'];
  const target = join(new URL(url.replace('@/', '@local/')).searchParams.get('host') ?? '', socket);
  const server = createServer((near) => {
    const far = open(target);
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const one of [near, far]) one.on('error', end).on('close', end);
    near.on('data', (sent) => {
      far.write(sent);
      if (sent.includes('.change(')) server.close();
    });
    far.on('data', (answer) => (server.listening ? near.write(answer) : end()));
  });
  await once(server.listen(join(folder, socket)), 'listening');
  onTestFinished(() => void server.close());
  return url.replace(/host=.*/, `host=${encodeURIComponent(folder)}`);
}

describeWith(postgresNeed, 'a notebook whose database refuses', () => {
  it('says at the start what is wrong, and where the address is set', async () => {
    const { url, guest, owner } = await begin();
    expect(await failureOf(guest.replace(/test_\d+/, 'absent'))).toMatch(
      /^There is no such database\n.*absent.*\nCreate it.*postgres of the notebook\.$/,
    );
    expect(await failureOf(url.replace('quire@', 'no_one:hidden-word@'))).toContain('refuses this user');
    expect(await failureOf(guest, 'another')).toContain('grant create on database');
    await owner.query('create schema taken; create table taken.note (x integer)');
    expect(await failureOf(url, 'taken')).toContain('a schema of its own');
    await owner.query('insert into notes.migration (version, name) values (99, $1)', ['later']);
    expect(await failureOf(url)).toContain('used by a newer Quire');
  });

  it('says to a call that may not change notes why, and lets it read', async () => {
    const { guest, owner, role } = await begin();
    await owner.query(`grant usage on schema notes to ${role}`);
    await owner.query(`grant select on all tables in schema notes to ${role}`);
    const store = await openServer({ url: guest, schema: 'notes' });
    expect((await store.list()).map(({ path }) => path)).toEqual(['a.md']);
    await expect(store.write(parseNotePath('b.md'), 'b')).rejects.toMatchObject({
      code: 'upstream_failed',
      title: 'The database user may not change notes',
      hint: expect.stringContaining('grants it insert, update and delete'),
    });
  });

  it('is explained by the doctor, whatever the database refuses', async () => {
    const { url, guest, owner, role } = await begin();
    const examine = async (postgres: string) => {
      const opening = () => openServer({ url: postgres, schema: 'notes' });
      const results = await storeAt({ postgres }).doctor('team', {
        open: async () => void (await opening()),
        readOnly: false,
        isVisible: () => true,
        isNote: () => true,
      });
      expect(JSON.stringify(results)).not.toContain('hidden-word');
      return results
        .filter(({ status }) => status === 'fail')
        .map(({ check, detail }) => `${check}: ${detail}`);
    };
    expect(await examine(url)).toEqual([]);
    expect(await examine(url.replace('quire@', 'no_one:hidden-word@'))).toEqual([
      expect.stringContaining('reach: The database refuses this user'),
    ]);
    expect(await examine(url.replace(/test_\d+/, 'absent'))).toEqual([
      expect.stringContaining('reach: There is no such database'),
    ]);
    expect(await examine(guest)).toEqual([expect.stringContaining('schema: The database user may not')]);
    await owner.query(`grant usage on schema notes to ${role}; grant select on notes.migration to ${role}`);
    await owner.query(`grant select on notes.head to ${role}`);
    expect(await examine(guest)).toEqual([expect.stringContaining('notes: The database user may not')]);
  });

  it('says that the outcome is not known where a change was sent and no answer came', async () => {
    const { url } = await begin();
    const relayed = await relayUntilChange(url);
    const store = await openServer({ url: relayed, schema: 'notes' }, { patienceMs: 200 });
    const write = () => store.write(parseNotePath('b.md'), 'b');
    await expect(write()).rejects.toMatchObject({
      title: 'The database went away before it confirmed the change',
      hint: expect.stringContaining('not known'),
    });
    expect(await (await openServer({ url, schema: 'notes' })).list()).toHaveLength(2);
    await expect(write()).rejects.toMatchObject({
      title: 'The database cannot be reached',
      hint: expect.stringContaining('Nothing was changed'),
    });
  });

  it('names a standby, or a database that is set to read only', async () => {
    const { url, owner, role, guest } = await begin();
    await owner.query(`grant all on schema notes to ${role}; alter role ${role} superuser`);
    await owner.query(`alter role ${role} set default_transaction_read_only = on`);
    const store = await openServer({ url: guest, schema: 'notes' }, { patienceMs: 100 });
    await expect(store.remove(parseNotePath('a.md'))).rejects.toMatchObject({
      title: 'The database takes no changes',
      hint: expect.stringContaining('primary server'),
    });
    expect((await (await openServer({ url, schema: 'notes' })).list()).length).toBe(1);
  });
});
