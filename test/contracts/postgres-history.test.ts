/** Notes and their history in one database: one transaction makes both. */
import { expect, it, onTestFinished } from 'vitest';
import { outsideChanges } from '../../src/history/outside.ts';
import { postgresHistory } from '../../src/history/postgres/engine.ts';
import { type NotePath, parseNotePath } from '../../src/notes/path.ts';
import { PathFilter } from '../../src/notes/path-filter.ts';
import { silentLog } from '../../src/shared/log.ts';
import { openDatabase } from '../../src/state/postgres/database.ts';
import { migrate } from '../../src/state/postgres/migrate.ts';
import { STATE_MIGRATIONS, STATE_SCHEMA } from '../../src/state/postgres/schema.ts';
import { openPostgresStore } from '../../src/stores/postgres/store.ts';
import { guarded } from '../../src/stores/wrap/guarded.ts';
import { recorded } from '../../src/stores/wrap/recorded.ts';
import { describeWith } from '../kit/needs.ts';
import { postgresNeed } from '../kit/postgres.ts';
import { freshNotebook } from '../kit/postgres-notes.ts';

const at = (path: string): NotePath => parseNotePath(path);

async function begin() {
  const { url, schema } = await freshNotebook();
  const database = openDatabase(url, { log: silentLog });
  await migrate(database, { schema: STATE_SCHEMA, steps: STATE_MIGRATIONS });
  const store = await openPostgresStore(database, schema, {
    log: silentLog,
    isVisible: () => true,
    isShared: true,
  });
  const history = postgresHistory(database).openHistory(schema, { log: silentLog, days: 90, maxBytes: 1e9 });
  onTestFinished(async () => {
    await history.close();
    await store.close();
    await database.close();
  });
  const recorder = () => history.record({ notebook: 'team', tool: 'test', by: { client: 'test' } });
  return { database, store, history, recorder };
}

describeWith(postgresNeed, 'notes and history in one PostgreSQL', () => {
  it('record a change with the note, and neither when one of them fails', async () => {
    const { store, history, recorder } = await begin();
    const notes = recorded(store, recorder());
    const { version } = await notes.write(at('a.md'), 'one', { ifVersion: null });
    await notes.write(at('a.md'), 'two', { ifVersion: version });
    await expect(notes.write(at('a.md'), 'three', { ifVersion: version })).rejects.toMatchObject({
      code: 'conflict',
    });
    await notes.move!(at('a.md'), at('b.md'));
    const { trashedTo } = await notes.remove(at('b.md'));
    const [change] = await history.list({}, 10);
    expect(change?.edits.map(({ kind, path, to, state = 'done' }) => [kind, path, to, state])).toEqual([
      ['create', 'a.md', undefined, 'done'],
      ['write', 'a.md', undefined, 'done'],
      ['move', 'a.md', 'b.md', 'done'],
      ['delete', 'b.md', undefined, 'done'],
    ]);
    expect(change?.edits.at(-1)?.trashedTo).toBe(trashedTo);

    const failing = recorder();
    const broken = recorded(store, {
      ...failing,
      within: {
        ...failing.within!,
        record: async () => {
          throw new Error('no room');
        },
      },
    });
    await expect(broken.write(at('c.md'), 'x')).rejects.toThrow('no room');
    await expect(store.read(at('c.md'))).rejects.toMatchObject({ code: 'not_found' });
    expect(await history.list({}, 10)).toHaveLength(1);
  });

  it('know what a change undoes also when the transaction of its first edit was undone, and made again', async () => {
    const { database, history } = await begin();
    const undoes = ['0123456789abcdef'];
    const { within } = history.record({ notebook: 'team', tool: 'undo', by: {}, undoes });
    const edit = (path: string) => ({ kind: 'create', path }) as const;
    const make = (isKept: boolean) =>
      database.transaction(async (transaction) => {
        for (const path of ['a.md', 'b.md'])
          await within!.record(transaction, edit(path), { after: Buffer.from(path) });
        if (!isKept) throw new Error('undone');
      });
    await expect(make(false)).rejects.toThrow('undone');
    await make(true);
    const [change] = await history.list({}, 10);
    expect(change).toMatchObject({ undoes, edits: [{ path: 'a.md' }, { path: 'b.md' }] });
    const rows = await database.repeatable('select undoes from quire.history_edit where undoes is not null');
    expect(rows).toHaveLength(1);
  });

  it('have one name for a note, whichever Unicode form of it was given', async () => {
    const { store, history, recorder } = await begin();
    const notes = recorded(guarded(store, new PathFilter()), recorder());
    const [composed, decomposed] = [at('Caf\u00e9.md'), at('Cafe\u0301.md')];
    const { version } = await notes.write(decomposed, 'one', { ifVersion: null });
    await notes.changeAll!([
      { kind: 'write', path: decomposed, content: Buffer.from('two'), ifVersion: version },
      { kind: 'move', from: decomposed, to: at('e\u0301te\u0301.md') },
    ]);
    await notes.move!(at('e\u0301te\u0301.md'), decomposed);
    await notes.remove(decomposed);
    const [change] = await history.list({ path: composed }, 10);
    expect(change?.edits.map(({ path, to }) => [path, to])).toEqual([
      [composed, undefined],
      [composed, undefined],
      [composed, '\u00e9t\u00e9.md'],
      ['\u00e9t\u00e9.md', composed],
      [composed, undefined],
    ]);
  });

  it('tell of each note the last change before, whoever made it, from which outside changes are known', async () => {
    const { store, history, recorder } = await begin();
    const write = async (path: string, text: string, client = 'test') => {
      const change = history.record({ notebook: 'team', tool: 'test', by: { client } });
      await recorded(store, change).write(at(path), text);
      return change.id!;
    };
    const first = await write('a.md', 'one');
    const other = await write('a.md', 'two', 'another');
    await write('b.md', 'x');
    const third = await write('a.md', 'three');
    await store.write(at('a.md'), 'by hand');
    const moved = recorder();
    await recorded(store, moved).move!(at('a.md'), at('c.md'));
    const listed = async (id: string) => (await history.list({ ids: new Set([id]) }, 1))[0]!;
    const before = async (id: string) => (await history.preceding!([await listed(id)])).map((one) => one.id);
    expect(await before(first)).toEqual([]);
    expect(await before(other)).toEqual([first]);
    expect(await before(third)).toEqual([other]);
    const last = await listed(moved.id!);
    const context = [last, ...(await history.preceding!([last]))];
    expect(outsideChanges(context)).toMatchObject([{ path: 'a.md', foundBy: moved.id }]);
    const page = await history.list({ client: 'TEST' }, 10);
    expect(page.map(({ id }) => id)).toEqual([moved.id, third, expect.any(String), first]);
    const found = outsideChanges([...page, ...(await history.preceding!(page))]);
    expect(found.map(({ foundBy }) => foundBy)).toEqual([moved.id]);
  });

  it('find the last changes below a folder of few notes and of many', async () => {
    const { database, store, history, recorder } = await begin();
    await recorded(store, recorder()).write(at('few/a.md'), 'x');
    await recorded(store, recorder()).move!(at('few/a.md'), at('many/a.md'));
    const newest = await history.list({}, 2);
    await database.query(
      `insert into quire.history_edit (space, change, n, change_group, at, begun, notebook, tool, kind, path)
       select space, '0000000000' || lpad(i::text, 6, '0'), 0, 'g', i, i, 'team', 'test', 'write',
         'many/' || i % 350 || case when i % 2 = 0 then '.md' else '/deep.md' end
       from quire.history_edit, generate_series(1, 1000) i
       where change = $1`,
      [newest[0]!.id],
    );
    const ids = async (filter: object, most: number) =>
      (await history.list(filter, most)).map(({ id }) => id);
    const many = [newest[0]!.id, '0000000000001000', '0000000000000999'];
    expect(await ids({ under: 'many' }, 3)).toEqual(many);
    expect(await ids({ under: 'many', before: many[1] }, 1)).toEqual(many.slice(2));
    expect(await ids({ under: 'many' }, 5_000)).toHaveLength(1_001);
    expect(await ids({ under: 'many/299' }, 9)).toEqual([999, 649, 299].map((n) => `0000000000000${n}`));
    expect(await ids({ under: 'few' }, 9)).toEqual(newest.map(({ id }) => id));
    expect(await ids({ under: 'none' }, 9)).toEqual([]);
  });
});
