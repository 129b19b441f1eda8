/** A fresh database for each test that asks, on one cluster for each test process. */
import { needOf } from './needs.ts';
import { type Cluster, endWithProcess, hasPostgres, startCluster } from './postgres-cluster.ts';

export const postgresNeed = needOf('PostgreSQL', 'apt-get install postgresql', hasPostgres);

let shared: Promise<Cluster> | undefined;

/** The address of an empty database, on the cluster that the tests of this process share. */
export async function freshDatabase(): Promise<string> {
  shared ??= startCluster().then(endWithProcess);
  return (await shared).createDatabase();
}
