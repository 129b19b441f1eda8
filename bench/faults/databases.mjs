// A PostgreSQL and a standby that has every commit before it is acknowledged.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const SETTINGS = {
  max_connections: '80',
  wal_keep_size: '512MB',
  wal_retrieve_retry_interval: '200ms',
};

/** `moved` is called with the folder of the database that takes the place of the first one. */
export async function openDatabases({ startCluster, startStandby, endWithProcess }, moved) {
  const start = async (starting) => endWithProcess(await starting);
  const databases = {
    primary: await start(startCluster({ settings: SETTINGS })),
    standby: undefined,
    async addStandby() {
      databases.standby = await start(startStandby(databases.primary, { settings: SETTINGS }));
      await waitForEveryCommit(databases.primary);
    },
    /** The first one is gone for good; the next standby is made from the new one. */
    async failOver() {
      const old = databases.primary;
      await old.stop('immediate');
      await databases.standby.promote();
      databases.primary = databases.standby;
      moved(databases.primary.folder);
      await old.remove();
      await databases.addStandby();
    },
    /** After `kill -9`, until the processes that were left have ended. */
    async startAgain() {
      for (let tries = 0; ; tries++) {
        try {
          return await databases.primary.start();
        } catch (error) {
          if (tries === 40) throw error;
          await sleep(250);
        }
      }
    },
    /** Kills the process of the database that is in the midst of a commit, or of a statement when none is. */
    async killInCommit() {
      await withClient(databases.primary, async (client) => {
        let pid;
        for (let tries = 0; tries < 2_000 && pid === undefined; tries++) {
          const condition = tries < 1_900 ? `state = 'active' and query ilike 'commit%'` : 'true';
          const { rows } = await client.query(
            `select pid from pg_stat_activity where application_name = 'quire' and ${condition} limit 1`,
          );
          pid = rows[0]?.pid;
        }
        if (pid !== undefined) process.kill(pid, 'SIGKILL');
      });
    },
    async remove() {
      await databases.standby?.remove();
      await databases.primary.remove();
    },
  };
  return databases;
}

async function waitForEveryCommit(primary) {
  await withClient(primary, async (client) => {
    await client.query(`alter system set synchronous_standby_names = '*'`);
    await client.query('select pg_reload_conf()');
    for (let tries = 0; tries < 600; tries++) {
      const { rows } = await client.query('select sync_state from pg_stat_replication');
      if (rows.some(({ sync_state: state }) => state === 'sync')) return;
      await sleep(50);
    }
    throw new Error('the standby does not follow');
  });
}

/** The connection may break meanwhile. */
async function withClient(cluster, use) {
  const client = new pg.Client({ connectionString: cluster.urlOf('postgres') });
  client.on('error', () => {});
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Takes connections until there are no more; returns what gives them back. */
export async function takeEveryConnection(cluster) {
  const taken = [];
  for (;;) {
    const client = new pg.Client({ connectionString: cluster.urlOf('postgres') });
    client.on('error', () => {});
    try {
      await client.connect();
      taken.push(client);
    } catch {
      return () => Promise.all(taken.map((one) => one.end().catch(() => {})));
    }
  }
}
