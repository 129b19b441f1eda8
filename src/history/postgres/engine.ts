/** Histories and proposals in a database that replicas share. */
import type { Database } from '../../state/postgres/database.ts';
import { openLeases } from '../../state/postgres/lease.ts';
import type { HistoryEngine } from '../engine.ts';
import { openPostgresHistory } from './history.ts';
import { PostgresProposals } from './proposals.ts';
import { createSeenTable } from './seen-versions.ts';
import { spaceOf } from './space.ts';

export function postgresHistory(database: Database): HistoryEngine {
  const leases = openLeases(database);
  const seen = createSeenTable(database);
  return {
    url: database.url,
    openHistory: (name, options) =>
      openPostgresHistory({ ...options, database, leases, space: spaceOf(database, name) }),
    openSeenVersions: seen.of,
    openProposals: (name, options) =>
      new PostgresProposals({ ...options, database, leases, space: spaceOf(database, name) }),
  };
}
