// npm run bench:faults [-- --minutes N] [--replicas N] [--seed N] [--only TEXT] [--logs DIR] [--write]
// Three replicas behind a round-robin proxy over one PostgreSQL with a synchronous standby, under load, while something
// breaks every few seconds. Counts what was acknowledged and is missing afterwards, clients that were locked out, sessions
// that were lost, events that came twice or never: all must be zero. Loopback and sockets only; ends only what it has
// started.
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { McpServer } from '@modelcontextprotocol/server';
import bcrypt from 'bcryptjs';
import { bundled } from '../bundled.mjs';
import { logIn } from '../http-login.mjs';
import { putBetweenMarkers } from '../page.mjs';
import { exitWhenInterrupted, inTemporaryFolder } from '../temporary.mjs';
import { missingOf, notUndone, refresher, sessionKeeper, writer } from './clients.mjs';
import { openDatabases, takeEveryConnection } from './databases.mjs';
import { openReplica } from './replica.mjs';
import { reportOf } from './report.mjs';
import { follower, longCaller, STEPS } from './streams.mjs';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    replicas: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    logs: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const minutes = Number(options.minutes);
const ALEX = { username: 'alex', password: 'correct horse battery' };
/** The same for all replicas: who logged in by another hash is another person to them. */
const HASH = bcrypt.hashSync(ALEX.password, 10);
const BETWEEN_MS = 6_000;
const SETTLE_MS = 10_000;
const STEP_MS = 400;
const UNDONE = 50;
exitWhenInterrupted();
process.setMaxListeners(50);

const kit = await bundled('test/kit/postgres-cluster.ts');
const { startRoundRobin } = await bundled('test/kit/round-robin.ts');
const { startServer } = await bundled('test/conformance/server.ts');
const { randomFrom } = await bundled('test/kit/random.ts');
const random = randomFrom(Number(options.seed));

await inTemporaryFolder(async (folder) => {
  const replicas = [];
  const databases = await openDatabases(kit, (target) => {
    for (const { relay } of replicas) {
      relay.target = target;
      relay.cut();
    }
  });
  const proxy = await startRoundRobin([]);
  const governed = await startServer({ createServer: slowServer, limits: { sessions: 10_000 } });
  try {
    const database = /\/(\w+)\?/.exec(await databases.primary.createDatabase())[1];
    const target = databases.primary.folder;
    for (let at = 0; at < Number(options.replicas); at++) {
      const home = join(folder, `replica-${at}`);
      const settings = settingsOf({ folder, proxy, governed });
      replicas.push(await openReplica({ home, at, target, database, proxy, settings }));
    }
    await databases.addStandby();
    const world = await openWorld(proxy.origin);
    const table = reportOf({ ...(await run(world, { databases, replicas })), minutes, seed: options.seed });
    process.stdout.write(`${table}\n`);
    if (options.write) await putBetweenMarkers('bench:faults', table);
  } finally {
    for (const { stop } of replicas) await stop();
    await proxy.close();
    await governed.close();
    await databases.remove();
    if (options.logs)
      await cp(folder, options.logs, { recursive: true, filter: (path) => !path.endsWith('.5432') });
  }
});

async function run(world, { databases, replicas }) {
  const clients = {
    notes: Promise.all(['a', 'b', 'c'].map((name) => writer(world, name))),
    refused: Promise.all([1, 2].map(() => refresher(world))),
    lost: Promise.all([1, 2].map(() => sessionKeeper(world))),
    followed: Promise.all(['f', 'g'].map((name) => follower(world, name))),
    called: Promise.all([1, 2].map(() => longCaller(world))),
  };
  const faults = Object.entries(faultsOf({ databases, replicas })).filter(([name]) =>
    name.includes(options.only),
  );
  const made = new Map(faults.map(([name]) => [name, 0]));
  const until = performance.now() + minutes * 60_000;
  let turn = [];
  while (performance.now() < until) {
    // Each once before any comes again, in another order each time.
    if (turn.length === 0) turn = [...faults].sort(() => random() - 0.5);
    const [name, fault] = turn.pop();
    process.stderr.write(`${new Date().toISOString()} ${name}\n`);
    await fault();
    made.set(name, made.get(name) + 1);
    await sleep(BETWEEN_MS);
  }
  await sleep(SETTLE_MS);
  world.stop();
  const ended = {};
  for (const [name, running] of Object.entries(clients)) ended[name] = await running;
  const notes = new Map(ended.notes.flatMap((one) => [...one]));
  const missing = await missingOf(world, notes);
  const undone = await notUndone(world, notes, UNDONE);
  for (const line of [...missing, ...undone.left].slice(0, 20)) process.stderr.write(`wrong: ${line}\n`);
  const audit = await replicas[0].run('mcp', 'audit', 'verify');
  return { ...ended, counts: world.counts, made, notes, missing, undone, audit };
}

/** Each leaves everything running again. */
function faultsOf({ databases, replicas }) {
  const some = () => replicas[Math.floor(random() * replicas.length)];
  return {
    'a replica is killed (`kill -9`) and starts again': async () => {
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
      await databases.primary.stop('immediate');
      await sleep(500);
      await databases.primary.start();
    },
    'PostgreSQL is killed (`kill -9`) and starts again': async () => {
      await databases.primary.kill();
      await databases.startAgain();
    },
    'one process of PostgreSQL is killed (`kill -9`) in mid-commit': () => databases.killInCommit(),
    'PostgreSQL is gone for good, and its standby takes over': () => databases.failOver(),
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
      const giveBack = await takeEveryConnection(databases.primary);
      await sleep(4_000);
      await giveBack();
    },
  };
}

async function openWorld(origin) {
  const login = () => logIn(origin, ALEX);
  const { access_token: token } = await login();
  let isRunning = true;
  const fresh = () => ({
    done: 0,
    failed: 0,
    longestGapMs: 0,
    lastAt: performance.now(),
    errors: new Map(),
  });
  return {
    origin,
    token,
    random,
    notes: 'note:///',
    logIn: login,
    counts: { write: fresh(), refresh: fresh(), session: fresh() },
    isRunning: () => isRunning,
    stop: () => {
      isRunning = false;
    },
  };
}

function settingsOf({ folder, proxy, governed }) {
  return ({ url, port }) => ({
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
    control_plane: {
      mcp_permission_mode: 'auto',
      mcp_policy: [{ effect: 'allow', servers: ['slow'] }],
      mcp_limits: { calls_per_minute: 10_000 },
      mcp_audit: { key_file: join(folder, 'audit.key') },
      mcp_servers: [
        {
          name: 'slow',
          url: governed.url,
          transport: 'streamable_http',
          client_consent: 'approved',
          trust: 'trusted',
          first_definitions: 'accept',
          expose: true,
          expose_as: 'plain',
        },
      ],
    },
  });
}

/** A governed server with one tool, which takes a while and tells of its progress. */
function slowServer() {
  const server = new McpServer({ name: 'slow', version: '1' });
  server.registerTool('slow', { description: 'Takes a while' }, async ({ mcpReq }) => {
    const { progressToken } = mcpReq._meta ?? {};
    for (let progress = 1; progress <= STEPS; progress++) {
      await sleep(STEP_MS);
      const params = { progressToken, progress, total: STEPS };
      if (progressToken !== undefined) await mcpReq.notify({ method: 'notifications/progress', params });
    }
    return { content: [{ type: 'text', text: 'Done' }] };
  });
  return server;
}
