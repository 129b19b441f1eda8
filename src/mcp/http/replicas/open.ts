/** Sessions that several servers share by their database: loaded only where there is one. */
import type { Log } from '../../../shared/log.ts';
import type { Principal } from '../../../shared/principal.ts';
import type { Database } from '../../../state/postgres/database.ts';
import type { EndpointOptions } from '../endpoint.ts';
import type { SessionHost } from '../sessions.ts';
import { openReplicaHub, type ReplicaHubOptions } from './hub.ts';
import { RecentChanges } from './recent-changes.ts';
import { SharedSessions } from './shared-sessions.ts';
import { createSharedStreams, type SharedStreams } from './shared-streams.ts';

export interface Replicas {
  /** For the endpoint at a path: its sessions are not those of another path. */
  sessionsAt<Caller extends Principal>(
    path: string,
  ): (options: EndpointOptions<Caller>) => SessionHost<Caller>;
  /** For the transport of 2024-11-05. */
  streamsAt(path: string): SharedStreams;
  /** After all endpoints. */
  close(): Promise<void>;
}

export function openReplicas(
  database: Database,
  options: { readonly log: Log } & Partial<ReplicaHubOptions>,
): Replicas {
  const hub = openReplicaHub(database, options);
  return {
    sessionsAt: (path) => (endpoint) =>
      new SharedSessions({ ...endpoint, store: hub.endpoint(path), changes: new RecentChanges(endpoint) }),
    streamsAt: (path) => createSharedStreams(hub.endpoint(path), options.log),
    close: () => hub.close(),
  };
}
