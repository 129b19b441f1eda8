/** What one connection may believe of a database that crashed, or whose place another one has taken. */
import { once } from 'node:events';
import { createServer, connect as open } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createSeenTable } from '../../src/history/postgres/seen-versions.ts';
import { parseNotePath } from '../../src/notes/path.ts';
import { silentLog } from '../../src/shared/log.ts';
import { openDatabase } from '../../src/state/postgres/database.ts';
import { migrate } from '../../src/state/postgres/migrate.ts';
import { STATE_MIGRATIONS, STATE_SCHEMA } from '../../src/state/postgres/schema.ts';
import { describeWith } from '../kit/needs.ts';
import { postgresNeed } from '../kit/postgres.ts';
import { type Cluster, startCluster, startStandby } from '../kit/postgres-cluster.ts';
import { openServer } from '../kit/postgres-notes.ts';
import { temporaryFolder } from '../kit/temp.ts';

const SOCKET = '.s.PGSQL.5432';

interface Relay {
  readonly url: string;
  /** The folder of the database behind it. */
  target: string;
  /** Called with what a client sends; false keeps it from the database. */
  passes: (sent: Buffer) => boolean;
  /** Clients do not notice that the database is away. */
  isHeld: boolean;
  cut(): void;
  close(): void;
}

/** A way to the database of a cluster, which can lead to another one. */
async function openRelay(target: string, database: string): Promise<Relay> {
  const folder = await temporaryFolder();
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer((near) => {
    const far = open(join(relay.target, SOCKET));
    const end = () => {
      if (!relay.isHeld) near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) sockets.add(socket.on('error', end).on('close', end));
    near.on('data', (sent) => relay.passes(sent) && far.write(sent));
    far.on('data', (sent) => near.write(sent));
  });
  server.listen(join(folder, SOCKET));
  await once(server, 'listening');
  const relay: Relay = {
    url: `postgres://quire@/${database}?host=${encodeURIComponent(folder)}`,
    target,
    passes: () => true,
    isHeld: false,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: () => {
      relay.cut();
      server.close();
    },
  };
  return relay;
}

/** The number of a transaction that was committed. */
async function spendNumber(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('select pg_current_xact_id()::text as id');
  await client.end();
  return Number(rows[0].id);
}

function nameIn(url: string): string {
  return new URL(url.replace('@/', '@x/')).pathname.slice(1);
}

async function withCluster(
  settings: Readonly<Record<string, string>>,
  use: (cluster: Cluster, url: string) => Promise<void>,
): Promise<void> {
  const cluster = await startCluster({ settings });
  try {
    await use(cluster, await cluster.createDatabase());
  } finally {
    await cluster.remove();
  }
}

describeWith(postgresNeed, 'a database that crashed', () => {
  test('is not believed to have kept a transaction whose number another one got', async () => {
    // So that the number of a transaction that was not committed is lost with the crash.
    await withCluster({ wal_writer_delay: '10s' }, async (cluster, url) => {
      const relay = await openRelay(cluster.folder, nameIn(url));
      const database = openDatabase(relay.url, { log: silentLog, connections: 1, patienceMs: 20_000 });
      await migrate(database, { schema: STATE_SCHEMA, steps: STATE_MIGRATIONS });
      await database.query('create table made (n integer)');
      let number = 0;
      let attempts = 0;
      const crash = async () => {
        await cluster.stop('immediate');
        await cluster.start();
        for (let spent = 0; spent < number; ) spent = await spendNumber(url);
        relay.isHeld = false;
        relay.cut();
      };
      let crashing: Promise<void> | undefined;
      relay.passes = (sent) => {
        if (!sent.includes('commit') || crashing) return true;
        relay.isHeld = true;
        crashing = crash();
        return false;
      };
      const isMade = await database
        .transaction(async (queries) => {
          const [row] = await queries.query<{ id: string }>('select pg_current_xact_id()::text as id');
          if (attempts++ === 0) number = Number(row?.id);
          await queries.query('insert into made values (1)');
        })
        .then(
          () => true,
          () => false,
        );
      await crashing;
      const [row] = await database.repeatable<{ count: number }>('select count(*) as count from made');
      expect(row?.count).toBe(isMade ? 1 : 0);
      await database.close();
      relay.close();
    });
  });
});

describeWith(postgresNeed, 'a standby', () => {
  test('that is asked too early counts as away, also for what it has no log of', async () => {
    await withCluster({}, async (primary, url) => {
      const made = openDatabase(url, { log: silentLog });
      await migrate(made, { schema: STATE_SCHEMA, steps: STATE_MIGRATIONS });
      await made.close();
      const standby = await startStandby(primary);
      const early = openDatabase(standby.urlOf(nameIn(url)), { log: silentLog, patienceMs: 100 });
      try {
        const away = { code: 'upstream_failed', title: 'The database cannot be reached' };
        const shown = createSeenTable(early).of('team', 'session').get(parseNotePath('a.md'));
        await expect(shown).rejects.toMatchObject(away);
        await expect(early.query('select 1')).rejects.toMatchObject(away);
        await expect(early.check()).rejects.toMatchObject(away);
      } finally {
        await early.close();
        await standby.remove();
      }
    });
  });
});

describeWith(postgresNeed, 'a standby that took over', () => {
  test('without the last changes is compared with what a running server knows', async () => {
    await withCluster({}, async (primary, url) => {
      const relay = await openRelay(primary.folder, nameIn(url));
      const place = { url: relay.url, schema: 'notes' };
      const [writer, follower] = [
        await openServer(place, { patienceMs: 20_000 }),
        await openServer(place, { patienceMs: 20_000, catchUpMs: 20_000 }),
      ];
      const known = new Map<string, number>();
      const stop = await follower.watch!(
        (changes) => {
          for (const { kind, path, meta } of changes) {
            if (kind === 'removed') known.delete(path);
            else known.set(path, meta?.lastModified ?? 0);
          }
        },
        {
          since: () => ({
            paths: [...known.keys()].map((path) => parseNotePath(path)),
            sizes: [...known.keys()].map(() => 1),
            times: [...known.values()],
          }),
        },
      );
      const write = (path: string, text: string) => writer.write(parseNotePath(path), text);
      await write('kept.md', 'a');
      await write('changed.md', 'a');
      const standby = await startStandby(primary);
      try {
        await expect.poll(() => positionIn(standby, nameIn(url))).toBe(2);
        // What is written from now on does not reach the standby.
        await standby.stop();
        await write('changed.md', 'b');
        await write('lost.md', 'a');
        await follower.catchUp!();
        expect([...known.keys()].sort()).toEqual(['changed.md', 'kept.md', 'lost.md']);
        await primary.stop('immediate');
        await standby.start();
        await standby.promote();
        relay.target = standby.folder;
        relay.cut();
        // As many changes as were lost: positions alone do not tell that these are others.
        await write('other.md', 'a');
        await write('another.md', 'a');
        await follower.catchUp!();
        const listed = await writer.list();
        expect(new Map(listed.map(({ path, lastModified }) => [path as string, lastModified]))).toEqual(
          known,
        );
        expect(known.has('lost.md')).toBe(false);
      } finally {
        await stop();
        await standby.remove();
        relay.close();
      }
    });
  });
});

async function positionIn(cluster: Cluster, database: string): Promise<number> {
  const client = new pg.Client({ connectionString: cluster.urlOf(database) });
  await client.connect();
  const { rows } = await client.query('select position::int from notes.head');
  await client.end();
  return rows[0].position;
}
