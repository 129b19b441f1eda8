/** History, sessions and the plane's state in the database that replicas share. Its code is loaded only with a database. */
import { createHmac } from 'node:crypto';
import type { Config } from '../config/schema.ts';
import type { PlaneState } from '../governance/plane-state.ts';
import type { Replicas } from '../mcp/http/replicas/open.ts';
import type { Log } from '../shared/log.ts';
import type { Database } from '../state/postgres/database.ts';
import type { HistoryPlace } from './services.ts';
import { ViewKeys } from './view-keys.ts';

/** Where the history is: as given, or in the database where there is one. */
export async function historyOn(
  database: Database | undefined,
  place: HistoryPlace | undefined,
): Promise<HistoryPlace | undefined> {
  if (!database || !place) return place;
  const { postgresHistory } = await import('../history/postgres/engine.ts');
  return { ...place, engine: postgresHistory(database) };
}

/** For a server over stdio: its one session is of its client alone, whatever other servers there are. */
export async function historyOfOneClient(
  database: Database | undefined,
  place: HistoryPlace | undefined,
): Promise<HistoryPlace | undefined> {
  const shared = await historyOn(database, place);
  return shared?.engine ? { ...shared, engine: { ...shared.engine, openSeenVersions: undefined } } : shared;
}

/** Sessions of clients. Undefined without a database. */
export async function replicasOn(database: Database | undefined, log: Log): Promise<Replicas | undefined> {
  if (!database) return undefined;
  const { openReplicas } = await import('../mcp/http/replicas/open.ts');
  return openReplicas(database, { log });
}

/** Proofs that each replica takes of every other one. Undefined without a database. */
export async function viewKeysOn(
  database: Database | undefined,
  replicas: Pick<Replicas, 'secret'> | undefined,
): Promise<ViewKeys | undefined> {
  if (!database || !replicas) return undefined;
  const { claimKey } = await import('../state/postgres/state.ts');
  return new ViewKeys({
    secret: createHmac('sha256', replicas.secret).update('view keys').digest(),
    isFirstUse: (ticket, seconds) => claimKey(database, `view-ticket:${ticket}`, seconds),
  });
}

/** Undefined without a database: the plane's folder has it all. */
export async function planeStateOn(database: Database | undefined): Promise<PlaneState | undefined> {
  if (!database) return undefined;
  const { postgresPlane } = await import('../governance/postgres/plane-state.ts');
  return postgresPlane(database);
}

/** For programs other than the HTTP server. Undefined without a database. */
export async function openDatabaseOf(config: Pick<Config, 'state'>, log: Log): Promise<Database | undefined> {
  if (config.state?.postgres === undefined) return undefined;
  const { openStateDatabase } = await import('./database.ts');
  return openStateDatabase(config, log);
}
