/** Notebooks in PostgreSQL while connections are cut and the database crashes. */
import pg from 'pg';
import { expect, test } from 'vitest';
import { type NotePath, parseNotePath } from '../../src/notes/path.ts';
import type { NoteMeta, NoteStore } from '../../src/notes/store.ts';
import { textOf } from '../../src/notes/text/text.ts';
import { describeWith } from '../kit/needs.ts';
import { postgresNeed } from '../kit/postgres.ts';
import { startCluster } from '../kit/postgres-cluster.ts';
import { freshNotebook, openServer } from '../kit/postgres-notes.ts';

const at = (path: string): NotePath => parseNotePath(path);

/** Cuts all connections of servers, again and again, until the work is done. */
async function whileCutting(url: string, everyMs: number, work: () => Promise<unknown>): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let cuts = 0;
  let isDone = false;
  const cutting = (async () => {
    while (!isDone) {
      const { rowCount } = await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
           where application_name = 'quire' and pid <> pg_backend_pid() and datname = current_database()`,
      );
      cuts += rowCount ?? 0;
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  })();
  try {
    await work();
    return cuts;
  } finally {
    isDone = true;
    await cutting;
    await client.end();
  }
}

/** Each write builds on the one before: one that was made twice, or lost, would be a conflict. */
async function writeChain(store: NoteStore, path: NotePath, length: number): Promise<string> {
  let version = (await store.write(path, '0', { ifVersion: null })).version;
  for (let n = 1; n <= length; n++)
    version = (await store.write(path, `${n}`, { ifVersion: version })).version;
  return version;
}

describeWith(postgresNeed, 'a notebook in PostgreSQL whose connections are cut', () => {
  test('makes every acknowledged change exactly once, and followers miss none', async () => {
    const place = await freshNotebook();
    const [one, two, follower] = await Promise.all(
      Array.from({ length: 3 }, () => openServer(place, { patienceMs: 60_000, catchUpMs: 60_000 })),
    );
    const seen = new Map<NotePath, NoteMeta>();
    const stop = await follower!.watch!((changes) => {
      for (const { kind, path, meta } of changes) {
        if (kind === 'removed') seen.delete(path);
        else seen.set(path, meta!);
      }
    });
    const cuts = await whileCutting(place.url, 100, () =>
      Promise.all([
        writeChain(one!, at('a.md'), 40),
        writeChain(two!, at('b.md'), 40),
        (async () => {
          for (let n = 0; n < 25; n++) {
            await one!.write(at(`from ${n}.md`), `${n}`, { ifVersion: null });
            await one!.move!(at(`from ${n}.md`), at(`to/${n}.md`));
          }
        })(),
      ]),
    );
    expect(cuts).toBeGreaterThan(3);
    expect(textOf(await one!.read(at('a.md')))).toBe('40');
    const all = await one!.list();
    expect(all).toHaveLength(27);
    await follower!.catchUp!();
    expect([...seen.values()].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual(all);
    await stop();
  });

  test('survives crashes of the database: what was acknowledged is there, and is told to followers', async () => {
    const cluster = await startCluster();
    try {
      const place = { url: await cluster.createDatabase(), schema: 'notes' };
      const [store, follower] = await Promise.all([
        openServer(place, { patienceMs: 20_000 }),
        openServer(place, { patienceMs: 20_000, catchUpMs: 20_000 }),
      ]);
      const seen = new Set<NotePath>();
      const stop = await follower!.watch!((changes) => {
        for (const { path } of changes) seen.add(path);
      });
      const acknowledged: NotePath[] = [];
      let isDone = false;
      const writing = (async () => {
        for (let n = 0; !isDone; n++) {
          await store!.write(at(`${n}.md`), `text ${n}`, { ifVersion: null });
          acknowledged.push(at(`${n}.md`));
        }
      })();
      for (let crash = 0; crash < 3; crash++) {
        await new Promise((resolve) => setTimeout(resolve, 300));
        await cluster.stop('immediate');
        await cluster.start();
      }
      await new Promise((resolve) => setTimeout(resolve, 300));
      isDone = true;
      await writing;
      const listed = new Set((await store!.list()).map(({ path }) => path));
      expect(acknowledged.filter((path) => !listed.has(path))).toEqual([]);
      expect(listed.size).toBe(acknowledged.length);
      await follower!.catchUp!();
      expect(acknowledged.filter((path) => !seen.has(path))).toEqual([]);
      await stop();
    } finally {
      await cluster.remove();
    }
  });

  test('says that the database cannot be reached, and never that there are no notes', async () => {
    const cluster = await startCluster();
    try {
      const place = { url: await cluster.createDatabase(), schema: 'notes' };
      const store = await openServer(place, { patienceMs: 200 });
      await store.write(at('a.md'), 'a');
      await cluster.stop('immediate');
      for (const asked of [
        () => store.read(at('a.md')),
        () => store.list(),
        () => store.stat!(at('a.md')),
        () => store.check!(),
        () => store.listFolder!('' as NotePath),
        () => store.write(at('b.md'), 'b'),
        () => store.trash!.list(),
      ])
        await expect(asked()).rejects.toMatchObject({ code: 'upstream_failed' });
      await cluster.start();
      expect(textOf(await store.read(at('a.md')))).toBe('a');
    } finally {
      await cluster.remove();
    }
  });
});
