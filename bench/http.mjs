// npm run bench:http [-- --seconds 10] [--soak 600] [--sessions 1000] [--write]
// Measures `tools/call` of a read over HTTP: Quire with a token on every request, beside the SDK's bare handler, in
// turns. Then sessions and requests in flight, and how memory grows while it goes on. Loopback only.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { memoryOf, processorTimeOf } from './process-figures.mjs';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    connections: { type: 'string', default: '16' },
    sessions: { type: 'string', default: '1000' },
    flights: { type: 'string', default: '200' },
    soak: { type: 'string', default: '30' },
  },
});
const TOKEN = 'bench-token-of-some-length';
const VERSION = '2026-07-28';
const here = (file) => fileURLToPath(new URL(file, import.meta.url));

const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'read_note',
    arguments: { path: 'note.md' },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': VERSION,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    },
  },
};

const folder = await mkdtemp(join(tmpdir(), 'quire-bench-http-'));
try {
  await writeFile(join(folder, 'note.md'), `# Note\n\n${'Some words of a note.\n'.repeat(50)}`);
  await compare();
  await hold();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function compare() {
  const bare = await start([here('./http-bare.mjs'), folder]);
  const quire = await startQuire();
  const rounds = [];
  for (let round = 0; round < 3; round++) {
    const base = await load(bare);
    const ours = await load(quire);
    rounds.push({
      base,
      ours,
      ratio: ours.perSecond / base.perSecond,
      processor: ours.processorMs / base.processorMs,
    });
  }
  const middle = rounds.toSorted((a, b) => a.ratio - b.ratio)[1];
  line('calls a second, bare SDK', middle.base.perSecond);
  line('calls a second, Quire with a token', middle.ours.perSecond, middle.ratio);
  line('processor ms a call, bare SDK', middle.base.processorMs);
  line('processor ms a call, Quire', middle.ours.processorMs, middle.processor);
  line('errors', middle.ours.errors + middle.base.errors);
  await Promise.all([bare.stop(), quire.stop()]);
}

/** Many sessions open, many requests in flight, for a while: no error, and memory that stays. */
async function hold() {
  const quire = await startQuire();
  const sessions = [];
  for (let at = 0; at < Number(options.sessions); at++) sessions.push(await openSession(quire));
  line('sessions open', sessions.filter((id) => id !== undefined).length);
  const memory = [];
  const until = Date.now() + Number(options.soak) * 1000;
  let errors = 0;
  let calls = 0;
  const agent = new Agent({ keepAlive: true, maxSockets: Number(options.flights) });
  const sampler = setInterval(() => memory.push(memoryOf(quire.pid)), 1000);
  line('memory with the sessions open, MB', memoryOf(quire.pid));
  await Promise.all(
    Array.from({ length: Number(options.flights) }, async (_, at) => {
      for (let turn = 0; Date.now() < until; turn++) {
        const id = sessions[(at * 7 + turn) % sessions.length];
        const answer = await callLegacy(quire, agent, id).catch(() => undefined);
        calls++;
        if (answer !== 200) errors++;
      }
    }),
  );
  clearInterval(sampler);
  agent.destroy();
  line('calls with sessions', calls);
  line('errors', errors);
  line('memory, MB', memory.at(-1));
  line('memory growth, MB a minute', slope(memory.slice(Math.floor(memory.length / 3))) * 60);
  await quire.stop();
}

function startQuire() {
  const cache = { XDG_CACHE_HOME: join(folder, '.cache'), XDG_STATE_HOME: join(folder, '.state') };
  const limits = 'serve: { port: 0, requestsPerMinute: 0, callsPerMinute: 0, sessions: 5000 }\n';
  return writeFile(
    join(folder, '.bench.yaml'),
    `notebooks: { n: { folder: . } }\n${limits}auth: { mode: bearer, tokens: [${TOKEN}] }\n`,
  ).then(() =>
    start(
      [here('../dist/quire.cjs'), 'serve', '--config', join(folder, '.bench.yaml'), '--log-level', 'error'],
      cache,
    ),
  );
}

async function start(args, env = {}) {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const origin = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('did not start')), 15_000);
    const look = (chunk) => {
      const found = /https?:\/\/\S+/.exec(String(chunk))?.[0];
      if (!found) return;
      clearTimeout(timer);
      resolve(found);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('exit', (code) => reject(new Error(`exited with ${code}`)));
  });
  return {
    origin,
    pid: child.pid,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', resolve);
        child.kill('SIGTERM');
        setTimeout(() => child.kill('SIGKILL'), 15_000).unref();
      }),
  };
}

async function load(server) {
  const agent = new Agent({ keepAlive: true, maxSockets: Number(options.connections) });
  const until = Date.now() + Number(options.seconds) * 1000;
  const before = processorTimeOf(server.pid);
  const begun = performance.now();
  let calls = 0;
  let errors = 0;
  await Promise.all(
    Array.from({ length: Number(options.connections) }, async () => {
      while (Date.now() < until) {
        if ((await callModern(server, agent)) !== 200) errors++;
        calls++;
      }
    }),
  );
  agent.destroy();
  const seconds = (performance.now() - begun) / 1000;
  return { perSecond: calls / seconds, processorMs: (processorTimeOf(server.pid) - before) / calls, errors };
}

function callModern(server, agent) {
  const headers = { 'MCP-Protocol-Version': VERSION, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'read_note' };
  return send(server, agent, JSON.stringify(CALL), headers).then(({ status }) => status);
}

async function openSession(server) {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  return (await send(server, undefined, body, {})).session;
}

function callLegacy(server, agent, session) {
  const { _meta, ...params } = CALL.params;
  const headers = { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': '2025-11-25' };
  return send(server, agent, JSON.stringify({ ...CALL, params }), headers).then(({ status }) => status);
}

function send({ origin }, agent, body, headers) {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${origin}/mcp`,
      {
        method: 'POST',
        agent,
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          Authorization: `Bearer ${TOKEN}`,
          'Content-Length': Buffer.byteLength(body),
          ...headers,
        },
      },
      (response) => {
        response.resume();
        response.once('end', () =>
          resolve({ status: response.statusCode, session: response.headers['mcp-session-id'] }),
        );
      },
    );
    sent.setTimeout(30_000, () => sent.destroy(new Error('timeout')));
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Of a straight line through the samples, per sample. */
function slope(values) {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const over = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0);
  const under = values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  return under === 0 ? 0 : over / under;
}

function line(label, value, ratio) {
  const shown = Number.isInteger(value) ? value : value.toFixed(2);
  process.stdout.write(`${label}: ${shown}${ratio === undefined ? '' : ` (${ratio.toFixed(2)}x)`}\n`);
}
