/** The plane's state that replicas share: approvals, pins, switches, the audit log. What belongs to a machine stays there. */

import { openPostgresChain } from '../../state/postgres/chain.ts';
import type { Database } from '../../state/postgres/database.ts';
import { openDocuments } from '../../state/postgres/documents.ts';
import { openLeases } from '../../state/postgres/lease.ts';
import type { PlaneState } from '../plane-state.ts';
import { openPostgresApprovalLog, openPostgresArguments } from './approval-log.ts';
import { openPostgresHeld } from './held.ts';

export function postgresPlane(database: Database): PlaneState {
  const leases = openLeases(database);
  const files = openDocuments(database);
  return {
    files,
    approvals: { log: openPostgresApprovalLog(database), whole: openPostgresArguments(database) },
    openChain: (options) => openPostgresChain({ ...options, database, leases }),
    held: openPostgresHeld(database),
    close: () => files.close(),
  };
}
