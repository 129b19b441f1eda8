/** Several endpoints that share their sessions by a database, behind a proxy that takes them in turns. */
import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { openReplicas, type Replicas } from '../../src/mcp/http/replicas/open.ts';
import { silentLog } from '../../src/shared/log.ts';
import { type Database, openDatabase } from '../../src/state/postgres/database.ts';
import { migrate } from '../../src/state/postgres/migrate.ts';
import { STATE_MIGRATIONS, STATE_SCHEMA } from '../../src/state/postgres/schema.ts';
import { freshDatabase } from '../kit/postgres.ts';
import { startProxy } from '../kit/replicas.ts';
import type { RoundRobinProxy } from '../kit/round-robin.ts';
import { startServer, type TestServer, type TestServerOptions } from './server.ts';

export interface TestReplicas extends TestServer {
  readonly servers: readonly TestServer[];
  readonly proxy: RoundRobinProxy;
}

interface OpenReplica {
  readonly database: Database;
  readonly replicas: Replicas;
}

/** Hubs on one fresh database, as many as there will be replicas; each may see it through something else. */
export async function openHubs(
  count = 2,
  through: (database: Database, at: number) => Database = (database) => database,
): Promise<{ hubs: readonly OpenReplica[]; close(): Promise<void> }> {
  const url = await freshDatabase();
  const hubs = await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const database = through(openDatabase(url, { log: silentLog, connections: 4 }), at);
      await migrate(database, { schema: STATE_SCHEMA, steps: STATE_MIGRATIONS });
      return { database, replicas: await openReplicas(database, { log: silentLog }) };
    }),
  );
  const close = async () => {
    for (const { replicas, database } of hubs) {
      await replicas.close();
      await database.close();
    }
  };
  return { hubs, close };
}

/** A replica on each hub, at a path that only they have. They end with the test. */
export async function serveOn(
  hubs: readonly OpenReplica[],
  options: TestServerOptions = {},
): Promise<TestReplicas> {
  const path = `/${randomUUID()}`;
  const servers = await Promise.all(
    hubs.map(({ replicas }) => startServer({ ...options, openSessions: replicas.sessionsAt(path) })),
  );
  const proxy = await startProxy(servers.map(({ url }) => new URL(url).origin));
  const close = async () => void (await Promise.all(servers.map((server) => server.close())));
  onTestFinished(close);
  return {
    servers,
    proxy,
    url: `${proxy.origin}/mcp`,
    get endpoint(): TestServer['endpoint'] {
      const sessions = servers.reduce((sum, { endpoint }) => sum + endpoint.sessions, 0);
      return { ...(servers[0] as TestServer).endpoint, sessions };
    },
    // Each notices a change by itself.
    changed: (uri) => {
      for (const server of servers) server.changed(uri);
    },
    close,
  };
}
