/** Several endpoints that share their sessions by a database, behind a proxy that takes them in turns. */
import { onTestFinished } from 'vitest';
import { openReplicas } from '../../src/mcp/http/replicas/open.ts';
import { silentLog } from '../../src/shared/log.ts';
import { openDatabase } from '../../src/state/postgres/database.ts';
import { migrate } from '../../src/state/postgres/migrate.ts';
import { STATE_MIGRATIONS, STATE_SCHEMA } from '../../src/state/postgres/schema.ts';
import { freshDatabase } from '../kit/postgres.ts';
import { type RoundRobin, roundRobin } from '../kit/round-robin.ts';
import { startServer, type TestServer, type TestServerOptions } from './server.ts';

export interface TestReplicas extends TestServer {
  readonly servers: readonly TestServer[];
  readonly proxy: RoundRobin;
}

export async function serveReplicas(options: TestServerOptions = {}, count = 2): Promise<TestReplicas> {
  const url = await freshDatabase();
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const database = openDatabase(url, { log: silentLog, connections: 4 });
      await migrate(database, { schema: STATE_SCHEMA, steps: STATE_MIGRATIONS });
      const replicas = openReplicas(database, { log: silentLog, beatMs: 200, lapseMs: 1_500 });
      const server = await startServer({ ...options, openSessions: replicas.sessionsAt('/mcp') });
      const close = async () => {
        await server.close();
        await replicas.close();
        await database.close();
      };
      onTestFinished(close);
      return { ...server, close };
    }),
  );
  const proxy = await roundRobin(servers.map((server) => new URL(server.url).origin));
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
    close: async () => void (await Promise.all(servers.map(({ close }) => close()))),
  };
}
