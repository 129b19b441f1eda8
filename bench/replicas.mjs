// npm run bench:replicas [-- --rounds N] [--seconds N] [--share PART] [--write]
// Several servers over one PostgreSQL: how many reads a second 1, 2 and 3 of them answer, each held to the same share of
// a processor; and what keeping state in PostgreSQL costs an authorised call. Loopback and a socket only.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundled } from './bundled.mjs';
import { keptOpen, read } from './http-requests.mjs';
import { QUIRE, start } from './http-servers.mjs';
import { median } from './median.mjs';
import { putBetweenMarkers } from './page.mjs';
import { holdToShare } from './processor-share.mjs';
import { markdownTable } from './table.mjs';
import { exitWhenInterrupted, inTemporaryFolder } from './temporary.mjs';
import { inTurns } from './turns.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '2' },
    share: { type: 'string', default: '0.2' },
    write: { type: 'boolean', default: false },
  },
});
const [rounds, seconds, share] = ['rounds', 'seconds', 'share'].map((name) => Number(options[name]));
const CONNECTIONS_EACH = 6;
const WARM_UP_SECONDS = 10;
exitWhenInterrupted();

const { startCluster } = await bundled('test/kit/postgres-cluster.ts');

await inTemporaryFolder(async (folder) => {
  const [vault, homes] = [join(folder, 'vault'), join(folder, 'homes')];
  await mkdir(vault);
  await writeFile(join(vault, 'note.md'), `# Note\n\n${'Some words of a note.\n'.repeat(50)}`);
  const cluster = await startCluster();
  try {
    const table = [
      await throughput(vault, homes, await cluster.createDatabase()),
      await cost(vault, homes, await cluster.createDatabase()),
    ].join('\n\n');
    process.stdout.write(`${table}\n`);
    if (options.write) await putBetweenMarkers('bench:replicas', table);
  } finally {
    await cluster.remove();
  }
});

/** A server whose state is in the database. They know one public address, so a token of one is good at all. */
function sharing(name, database, publicUrl) {
  return { ...QUIRE, name, args: (place) => QUIRE.args({ ...place, database, publicUrl }) };
}

async function throughput(vault, homes, database) {
  const running = [];
  try {
    for (const name of ['first', 'second', 'third']) {
      const login = running.length === 0 ? QUIRE.login : undefined;
      const server = { ...sharing(name, database, running[0]?.origin), login };
      running.push(await start(server, vault, homes));
    }
    const [{ token }] = running;
    const all = running.map((server) => ({ ...server, token }));
    const groups = [1, 2, 3].map((count) => ({ name: String(count), servers: all.slice(0, count) }));
    // One after the other, or the first, which is in every group, has had most of its code compiled before the others.
    for (const server of all) await load([server], WARM_UP_SECONDS);
    const letGo = holdToShare(
      all.map(({ pid }) => pid),
      share,
    );
    try {
      const turns = await inTurns(groups, { rounds, budget: Number.POSITIVE_INFINITY }, ({ servers }) =>
        load(servers, seconds),
      );
      return throughputTable(turns);
    } finally {
      await letGo();
    }
  } finally {
    await Promise.all(running.map(({ stop }) => stop()));
  }
}

function throughputTable(turns) {
  const perSecond = new Map(
    [...turns].map(([count, rates]) => [count, median(rates.map(({ times }) => times.length / seconds))]),
  );
  const one = perSecond.get('1');
  const shareText = `${Math.round(share * 100)} % of a processor`;
  return markdownTable(
    [`${rounds} turns of ${seconds} s, ${shareText} each`, 'reads a second', 'times one', 'errors'],
    [...perSecond].map(([count, rate]) => [
      `${count} ${count === '1' ? 'replica' : 'replicas'}`,
      rate.toFixed(0),
      `${(rate / one).toFixed(2)}x`,
      String(turns.get(count).reduce((sum, { errors }) => sum + errors, 0)),
    ]),
  );
}

async function cost(vault, homes, database) {
  const rivals = [];
  try {
    rivals.push(await start({ ...QUIRE, name: 'journal' }, vault, homes));
    rivals.push(await start(sharing('PostgreSQL', database), vault, homes));
    for (const rival of rivals) await load([rival], 1, 1);
    const turns = await inTurns(rivals, { rounds: rounds * 4, budget: Number.POSITIVE_INFINITY }, (rival) =>
      load([rival], seconds / 4, 1),
    );
    const p50 = new Map(
      [...turns].map(([name, loads]) => [name, median(loads.flatMap(({ times }) => times))]),
    );
    const more = p50.get('PostgreSQL') - p50.get('journal');
    return markdownTable(
      ['An authorised read, state in', 'p50 ms', 'more than the journal'],
      [...p50].map(([name, time]) => [
        name,
        time.toFixed(2),
        name === 'journal' ? '' : `${more.toFixed(2)} ms`,
      ]),
    );
  } finally {
    await Promise.all(rivals.map(({ stop }) => stop()));
  }
}

/** Reads as fast as the servers answer, for so many seconds. */
async function load(servers, forSeconds, connections = CONNECTIONS_EACH) {
  const until = performance.now() + forSeconds * 1000;
  const times = [];
  let errors = 0;
  const caller = async (server, agent) => {
    while (performance.now() < until) {
      const asked = performance.now();
      try {
        await read(server, agent);
        times.push(performance.now() - asked);
      } catch {
        errors++;
      }
    }
  };
  const agents = servers.map(() => keptOpen(connections));
  await Promise.all(
    servers.flatMap((server, at) => Array.from({ length: connections }, () => caller(server, agents[at]))),
  );
  for (const agent of agents) agent.destroy();
  return { times, errors };
}
