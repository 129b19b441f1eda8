/** Sessions that several servers share by their database: loaded only where there is one. */
import { randomBytes } from 'node:crypto';
import type { Principal } from '../../../shared/principal.ts';
import type { Database } from '../../../state/postgres/database.ts';
import { STATE_SCHEMA } from '../../../state/postgres/schema.ts';
import type { EndpointOptions } from '../endpoint.ts';
import type { SessionHost } from '../sessions.ts';
import { openReplicaHub, type ReplicaHubOptions } from './hub.ts';
import { RecentChanges } from './recent-changes.ts';
import { SharedSessions } from './shared-sessions.ts';
import { createSharedStreams, type SharedStreams } from './shared-streams.ts';

export interface Replicas {
  /** The same for all of them. */
  readonly secret: Uint8Array;
  /** For the endpoint at a path: its sessions are not those of another path. */
  sessionsAt<Caller extends Principal>(
    path: string,
  ): (options: EndpointOptions<Caller>) => SessionHost<Caller>;
  /** For the transport of 2024-11-05. */
  streamsAt(path: string): SharedStreams;
  /** After all endpoints. */
  close(): Promise<void>;
}

export async function openReplicas(database: Database, options: ReplicaHubOptions): Promise<Replicas> {
  const secret = await sharedSecret(database);
  const hub = openReplicaHub(database, options);
  return {
    secret,
    sessionsAt: (path) => (endpoint) =>
      new SharedSessions({ ...endpoint, store: hub.endpoint(path), changes: new RecentChanges(endpoint) }),
    streamsAt: (path) => createSharedStreams(hub.endpoint(path), options.log),
    close: () => hub.close(),
  };
}

/** Made by the first of them. */
async function sharedSecret(database: Database): Promise<Uint8Array> {
  const table = `${STATE_SCHEMA}.mcp_secret`;
  await database.repeatable(`insert into ${table} (secret) values ($1) on conflict do nothing`, [
    randomBytes(32).toString('base64url'),
  ]);
  const [row] = await database.repeatable<{ secret: string }>(`select secret from ${table}`);
  return Buffer.from(row?.secret ?? '', 'base64url');
}
