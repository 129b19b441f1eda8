// How many reads a second each server answers, with how much processor time, in turns.
import { performance } from 'node:perf_hooks';
import { keptOpen, read } from './http-requests.mjs';
import { BARE, peersIn, QUIRE, start } from './http-servers.mjs';
import { keepFailing } from './http-wrong-logins.mjs';
import { processorTimeOf } from './process-figures.mjs';
import { markdownTable } from './table.mjs';
import { complain, inTurns } from './turns.mjs';

const WARM_UP_S = 3;
const WRONG_LOGINS = 4;
/** One connection: how long a reader waits, not how many the server can serve. */
const READERS_BESIDE_LOGINS = 1;

/** Resolves to a table. */
export async function compare(vault, homes, { peers, seconds, rounds, connections }) {
  const running = [];
  try {
    for (const server of [BARE, QUIRE, ...peersIn(peers)]) {
      try {
        const started = await start(server, vault, homes);
        running.push(started);
        assertWhole(await read(started));
        await load(started, connections, WARM_UP_S);
      } catch (error) {
        complain(server.name, error);
      }
    }
    const budget = Number.POSITIVE_INFINITY;
    const results = await inTurns(running, { rounds, budget }, (server) =>
      load(server, connections, seconds),
    );
    const beside = await readBesideLogins(running, seconds * Math.min(rounds, 10));
    return tableOf(results, beside, { seconds, rounds, connections });
  } finally {
    await Promise.all(running.map(({ stop }) => stop()));
  }
}

/** Every server is to give the whole note, once or, beside it, as data too. */
function assertWhole(text) {
  const lines = text.split('Some words of a note.').length - 1;
  if (lines !== 50 && lines !== 100) throw new Error(`not the note: ${text.slice(0, 200)}`);
}

async function load(server, connections, seconds) {
  const agent = keptOpen(connections);
  const before = processorTimeOf(server.pid);
  const begun = performance.now();
  const until = begun + seconds * 1000;
  const times = [];
  let errors = 0;
  const caller = async () => {
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
  await Promise.all(Array.from({ length: connections }, caller));
  agent.destroy();
  const processorMs = processorTimeOf(server.pid) - before;
  return { times, errors, seconds: (performance.now() - begun) / 1000, processorMs };
}

/** Latency of reads while no one logs in, and while wrong passwords are tried. */
async function readBesideLogins(running, seconds) {
  const quire = running.find(({ name }) => name === QUIRE.name);
  const alone = await load(quire, READERS_BESIDE_LOGINS, seconds);
  const stop = await keepFailing(quire.origin, WRONG_LOGINS);
  const beside = await load(quire, READERS_BESIDE_LOGINS, seconds);
  const logins = await stop();
  return { alone: sumOf([alone]), beside: sumOf([beside]), loginsPerSecond: logins / beside.seconds };
}

function tableOf(results, { alone, beside, loginsPerSecond }, { seconds, rounds, connections }) {
  const sums = new Map(
    [...results].filter(([, turns]) => turns.length > 0).map(([name, turns]) => [name, sumOf(turns)]),
  );
  const base = sums.get(QUIRE.name).perSecond;
  const row = (label, show) => [label, ...[...sums.values()].map(show)];
  const ofQuire = (label, text) => [
    label,
    ...[...sums.keys()].map((name) => (name === QUIRE.name ? text : '')),
  ];
  return markdownTable(
    [`${rounds} turns of ${seconds} s, ${connections} connections`, ...sums.keys()],
    [
      row('reads a second', ({ perSecond }) => perSecond.toFixed(0)),
      row('Quire does so many times that', ({ perSecond }) => `${(base / perSecond).toFixed(2)}x`),
      row('processor time a read, ms', ({ processorMs }) => processorMs.toFixed(2)),
      row('answered after, p50 ms', ({ times }) => times[Math.floor(times.length / 2)].toFixed(1)),
      row('answered after, p99 ms', ({ times }) => times[Math.floor(times.length * 0.99)].toFixed(1)),
      row('errors', ({ errors }) => String(errors)),
      ofQuire('one reader, p50 / p99 / most ms', timesOf(alone)),
      ofQuire(`reads with four wrong logins in flight, p50 / p99 / most ms`, timesOf(beside)),
      ofQuire('wrong logins answered a second', loginsPerSecond.toFixed(1)),
    ],
  );
}

function timesOf({ times }) {
  const at = (part) => times[Math.min(times.length - 1, Math.floor(times.length * part))].toFixed(1);
  return `${at(0.5)} / ${at(0.99)} / ${at(1)}`;
}

/** Of all turns together. They are short, so that whatever else the machine does, it does to all. */
function sumOf(turns) {
  const sum = (pick) => turns.reduce((total, turn) => total + pick(turn), 0);
  const times = turns.flatMap((turn) => turn.times).sort((a, b) => a - b);
  return {
    times,
    errors: sum(({ errors }) => errors),
    perSecond: times.length / sum(({ seconds }) => seconds),
    processorMs: sum(({ processorMs }) => processorMs) / times.length,
  };
}
