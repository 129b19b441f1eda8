// Many sessions open and many requests in flight for a while: errors, and how memory grows.
import { performance } from 'node:perf_hooks';
import { keptOpen, openSession, readIn } from './http-requests.mjs';
import { QUIRE, start } from './http-servers.mjs';
import { memoryOf } from './process-figures.mjs';
import { markdownTable } from './table.mjs';

const SAMPLE_MS = 1000;
const SAMPLES_PER_MINUTE = 60_000 / SAMPLE_MS;

/** Resolves to a table. */
export async function soak(vault, homes, { minutes, sessions, flights }) {
  const server = await start({ ...QUIRE, name: 'quire-soak' }, vault, homes);
  const agent = keptOpen(flights);
  const memory = [];
  const sampler = setInterval(() => memory.push(memoryOf(server.pid)), SAMPLE_MS);
  try {
    const open = [];
    for (let at = 0; at < sessions; at++) open.push(await openSession(server, agent));
    const opened = memoryOf(server.pid);
    memory.length = 0;
    const { calls, errors } = await holdFor(minutes, { server, agent, open, flights });
    const lastHalf = memory.slice(Math.floor(memory.length / 2));
    return markdownTable(
      [`${minutes} minutes, ${sessions} sessions, ${flights} requests in flight`, 'quire'],
      [
        ['calls', String(calls)],
        ['errors', String(errors)],
        ['memory with the sessions open, MB', opened.toFixed(0)],
        ['memory at the middle, MB', lastHalf[0]?.toFixed(0) ?? '–'],
        ['memory at the end, MB', memory.at(-1)?.toFixed(0) ?? '–'],
        ['growth over the last half, MB a minute', (slope(lastHalf) * SAMPLES_PER_MINUTE).toFixed(2)],
      ],
    );
  } finally {
    clearInterval(sampler);
    agent.destroy();
    await server.stop();
  }
}

async function holdFor(minutes, { server, agent, open, flights }) {
  const until = performance.now() + minutes * 60_000;
  let calls = 0;
  let errors = 0;
  const flight = async (_, at) => {
    for (let turn = 0; performance.now() < until; turn++) {
      calls++;
      await readIn(open[(at * 7 + turn) % open.length], server, agent).catch(() => errors++);
    }
  };
  await Promise.all(Array.from({ length: flights }, flight));
  return { calls, errors };
}

/** Of a straight line through the samples, per sample. */
function slope(values) {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const over = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0);
  const under = values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  return under === 0 ? 0 : over / under;
}
