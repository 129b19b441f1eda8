/** A PostgreSQL cluster of one's own, on a socket in a temporary folder. Nothing listens on a port. */
import { execFile, spawn } from 'node:child_process';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

const run = promisify(execFile);

/** Where Debian keeps the programs of a server, newest first; elsewhere they are on the path. */
const DEBIAN = '/usr/lib/postgresql';
const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
const folders = [
  ...versions.map((version) => join(DEBIAN, version, 'bin')),
  ...(process.env.PATH ?? '').split(':'),
];
const programs = folders.find((folder) => existsSync(join(folder, 'initdb')));

export const hasPostgres = programs !== undefined;

/** PostgreSQL refuses to run as root, so then it runs as the user its package has made. */
const asPostgres =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];

export interface Cluster {
  readonly folder: string;
  urlOf(database: string): string;
  createDatabase(): Promise<string>;
  start(): Promise<void>;
  /** `immediate` ends it as a crash would. */
  stop(how?: 'fast' | 'immediate'): Promise<void>;
  /** Ends the server by `kill -9`; its other processes notice and end themselves. */
  kill(): Promise<void>;
  /** A standby becomes a server of its own. */
  promote(): Promise<void>;
  remove(): Promise<void>;
}

interface ClusterOptions {
  /** Lines for postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A cluster that a test may stop and crash. */
export async function startCluster({ settings }: ClusterOptions = {}): Promise<Cluster> {
  const folder = await clusterFolder();
  const how = ['-U', 'quire', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
  await call(folder, 'initdb', '-D', join(folder, 'data'), ...how);
  return startIn(folder, settings);
}

/** A copy of a running cluster, which follows it until it is promoted. */
export async function startStandby(
  { folder: primary }: Cluster,
  { settings }: ClusterOptions = {},
): Promise<Cluster> {
  const folder = await clusterFolder();
  const how = ['-U', 'quire', '-R', '-X', 'stream', '-c', 'fast', '--no-sync'];
  await call(folder, 'pg_basebackup', '-D', join(folder, 'data'), '-h', primary, ...how);
  return startIn(folder, settings);
}

/** Runs a program of PostgreSQL, such as `pg_dump`. */
export async function runPostgres(program: string, ...args: string[]): Promise<string> {
  return (await run(join(programs ?? '', program), args)).stdout;
}

async function clusterFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-pg-'));
  if (asPostgres.length > 0) {
    const { stdout } = await run('id', ['-u', 'postgres']);
    chownSync(folder, Number(stdout), -1);
    await chmod(folder, 0o711);
  }
  return folder;
}

function call(folder: string, program: string, ...args: string[]) {
  const [first = '', ...rest] = [...asPostgres, join(programs ?? '', program), ...args];
  return run(first, rest, { cwd: folder });
}

async function startIn(folder: string, settings: ClusterOptions['settings']): Promise<Cluster> {
  const data = join(folder, 'data');
  const given = Object.entries({
    listen_addresses: "''",
    unix_socket_directories: `'${folder}'`,
    // The tests' own crashes end processes, not the machine: what was handed to the system is kept.
    fsync: 'off',
    max_connections: '200',
    ...settings,
  });
  const options = given.map(([name, value]) => `-c ${name}=${value}`).join(' ');
  const urlOf = (database: string) => `postgres://quire@/${database}?host=${encodeURIComponent(folder)}`;
  let count = 0;
  const cluster: Cluster = {
    folder,
    urlOf,
    async createDatabase() {
      const name = `test_${++count}`;
      const client = new pg.Client({ connectionString: urlOf('postgres') });
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return urlOf(name);
    },
    async start() {
      await call(folder, 'pg_ctl', '-D', data, '-l', join(folder, 'log'), '-w', '-o', options, 'start');
    },
    async stop(how = 'fast') {
      await call(folder, 'pg_ctl', '-D', data, '-m', how, '-w', 'stop');
    },
    async kill() {
      const [pid] = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGKILL');
    },
    async promote() {
      await call(folder, 'pg_ctl', '-D', data, '-w', 'promote');
    },
    async remove() {
      await cluster.stop('immediate').catch(() => {});
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
  await cluster.start();
  return cluster;
}

/** Workers are ended without a word: a watcher that outlives this process removes the cluster. */
export function endWithProcess(cluster: Cluster): Cluster {
  const stop = [
    ...asPostgres,
    join(programs ?? '', 'pg_ctl'),
    '-D',
    join(cluster.folder, 'data'),
    '-m',
    'immediate',
    'stop',
  ];
  const script = `while kill -0 ${process.pid} 2>/dev/null; do sleep 1; done; ${stop.map((word) => `'${word}'`).join(' ')}; rm -rf '${cluster.folder}'`;
  spawn('sh', ['-c', script], { detached: true, stdio: 'ignore' }).unref();
  return cluster;
}
