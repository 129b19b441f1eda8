// npm run bench:faults [-- --minutes N] [--replicas N] [--seed N] [--write]
// Three replicas behind a round-robin proxy over one PostgreSQL with a standby, under load, while something breaks every
// few seconds. Counts what was acknowledged and is missing afterwards, clients that were locked out, and sessions that
// were lost: all must be zero. Loopback and sockets only; ends only what it has started.
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import bcrypt from 'bcryptjs';
import { bundled } from '../bundled.mjs';
import { logIn } from '../http-login.mjs';
import { putBetweenMarkers } from '../page.mjs';
import { markdownTable } from '../table.mjs';
import { exitWhenInterrupted, inTemporaryFolder } from '../temporary.mjs';
import { call, refresher, sessionKeeper, writer } from './clients.mjs';
import { openRelay } from './relay.mjs';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    replicas: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
});
const minutes = Number(options.minutes);
const QUIRE = fileURLToPath(new URL('../../dist/quire.cjs', import.meta.url));
const ALEX = { username: 'alex', password: 'correct horse battery' };
/** The same for all replicas: who logged in by another hash is another person to them. */
const HASH = bcrypt.hashSync(ALEX.password, 10);
const BETWEEN_MS = 6_000;
const SETTLE_MS = 10_000;
exitWhenInterrupted();

const { startCluster } = await bundled('test/kit/postgres-cluster.ts');
const { startRoundRobin } = await bundled('test/kit/round-robin.ts');
const { randomFrom } = await bundled('test/kit/random.ts');
const random = randomFrom(Number(options.seed));

await inTemporaryFolder(async (folder) => {
  const cluster = await startCluster({ settings: { max_connections: '80' } });
  const proxy = await startRoundRobin([]);
  const replicas = [];
  try {
    const database = /\/(\w+)\?/.exec(await cluster.createDatabase())[1];
    for (let at = 0; at < Number(options.replicas); at++)
      replicas.push(await openReplica({ folder, at, cluster, proxy, database }));
    const world = await openWorld(proxy.origin);
    const table = await run(world, { cluster, replicas });
    process.stdout.write(`${table}\n`);
    if (options.write) await putBetweenMarkers('bench:faults', table);
  } finally {
    for (const { stop } of replicas) await stop();
    await proxy.close();
    await cluster.remove();
  }
});

async function run(world, { cluster, replicas }) {
  const writers = Promise.all(['a', 'b', 'c'].map((name) => writer(world, name)));
  const lockedOut = Promise.all([1, 2].map(() => refresher(world)));
  const lostSessions = Promise.all([1, 2].map(() => sessionKeeper(world)));
  const faults = faultsOf({ cluster, replicas });
  const made = new Map(Object.keys(faults).map((name) => [name, 0]));
  const until = performance.now() + minutes * 60_000;
  while (performance.now() < until) {
    const [name, fault] = Object.entries(faults)[Math.floor(random() * made.size)];
    process.stderr.write(`${name}\n`);
    await fault();
    made.set(name, made.get(name) + 1);
    await sleep(BETWEEN_MS);
  }
  await sleep(SETTLE_MS);
  world.stop();
  const acknowledged = new Map((await writers).flatMap((notes) => [...notes]));
  const missing = await missingOf(world, acknowledged);
  return tableOf({
    world,
    made,
    acknowledged,
    missing,
    lockedOut: await lockedOut,
    lost: await lostSessions,
  });
}

/** Each leaves everything running again. */
function faultsOf({ cluster, replicas }) {
  const some = () => replicas[Math.floor(random() * replicas.length)];
  return {
    'a replica is killed (kill -9)': async () => {
      const replica = some();
      await replica.kill();
      await sleep(1_000);
      await replica.start();
    },
    'a replica stands still for 4 s': async () => {
      const { process: child } = some();
      child.kill('SIGSTOP');
      await sleep(4_000);
      child.kill('SIGCONT');
    },
    'PostgreSQL crashes and starts again': async () => {
      await cluster.stop('immediate');
      await sleep(500);
      await cluster.start();
    },
    'every connection to the database is cut': async () => {
      for (const { relay } of replicas) relay.cut();
    },
    'one replica cannot reach the database for 8 s': async () => {
      const { relay } = some();
      relay.isSilent = true;
      await sleep(8_000);
      relay.isSilent = false;
      relay.cut();
    },
    'the database answers 2 s late for 6 s': async () => {
      for (const { relay } of replicas) relay.delayMs = 1_000;
      await sleep(6_000);
      for (const { relay } of replicas) relay.delayMs = 0;
    },
    'others take every connection of the database for 4 s': async () => {
      const { default: pg } = await import('pg');
      const taken = [];
      for (let count = 0; count < 80; count++) {
        const client = new pg.Client({ connectionString: cluster.urlOf('postgres') });
        client.on('error', () => {});
        try {
          await client.connect();
          taken.push(client);
        } catch {
          break;
        }
      }
      await sleep(4_000);
      await Promise.all(taken.map((client) => client.end().catch(() => {})));
    },
  };
}

async function missingOf(world, acknowledged) {
  const missing = [];
  for (const [path, content] of acknowledged) {
    const text = await call(world, 'read_note', { path }).catch((error) => String(error));
    if (!text.includes(content.trim().split('\n').at(-1))) missing.push(`${path}: ${text.slice(0, 120)}`);
  }
  for (const line of missing.slice(0, 10)) process.stderr.write(`missing: ${line}\n`);
  return missing.length;
}

function tableOf({ world, made, acknowledged, missing, lockedOut, lost }) {
  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
  const ofKind = (kind) => {
    const { done, failed, longestGapMs } = world.counts[kind];
    return `${done} done, ${failed} failed, at most ${(longestGapMs / 1000).toFixed(1)} s without one`;
  };
  return markdownTable(
    [`${minutes} minutes of faults, seed ${options.seed}`, ''],
    [
      ...[...made].map(([name, count]) => [name, `${count} times`]),
      ['writes', ofKind('write')],
      ['refreshes of tokens', ofKind('refresh')],
      ['calls in sessions', ofKind('session')],
      ['**acknowledged notes that are missing or wrong**', `**${missing}** of ${acknowledged.size}`],
      ['**clients locked out**', `**${sum(lockedOut)}**`],
      ['**sessions lost**', `**${sum(lost)}**`],
    ],
  );
}

async function openWorld(origin) {
  const login = () => logIn(origin, ALEX);
  const { access_token: token } = await login();
  let isRunning = true;
  const fresh = () => ({ done: 0, failed: 0, longestGapMs: 0, lastAt: performance.now() });
  return {
    origin,
    token,
    logIn: login,
    counts: { write: fresh(), refresh: fresh(), session: fresh() },
    isRunning: () => isRunning,
    stop: () => {
      isRunning = false;
    },
  };
}

async function openReplica({ folder, at, cluster, proxy, database }) {
  const home = join(folder, `replica-${at}`);
  await mkdir(home, { recursive: true });
  const relay = await openRelay(join(folder, `way-${at}`), cluster.folder);
  const url = `postgres://quire@/${database}?host=${encodeURIComponent(relay.folder)}`;
  const file = join(home, 'quire.yaml');
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const settings = {
    notebooks: { team: { postgres: url, schema: 'notes' } },
    serve: {
      port,
      publicUrl: proxy.origin,
      trustedProxies: ['loopback'],
      requestsPerMinute: 0,
      callsPerMinute: 0,
    },
    auth: { mode: 'oauth', users: { alex: HASH }, accessHours: 24 },
    state: { postgres: url },
  };
  await writeFile(file, JSON.stringify(settings));
  const address = `http://127.0.0.1:${port}`;
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_STATE_HOME: home,
  };
  const replica = {
    relay,
    process: undefined,
    async start() {
      const child = spawn(process.execPath, [QUIRE, 'serve', '--config', file, '--log-level', 'warn'], {
        env,
        stdio: 'ignore',
      });
      replica.process = child;
      for (let tries = 0; tries < 600 && child.exitCode === null; tries++) {
        const isUp = await fetch(`${address}/healthz`).then(
          ({ ok }) => ok,
          () => false,
        );
        if (isUp) {
          proxy.targets = [...new Set([...proxy.targets, address])];
          return;
        }
        await sleep(100);
      }
      throw new Error(`replica ${at} did not start`);
    },
    async kill(signal = 'SIGKILL') {
      const child = replica.process;
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGCONT');
      child.kill(signal);
      await gone;
    },
    async stop() {
      await replica.kill();
      relay.close();
    },
  };
  await replica.start();
  return replica;
}
