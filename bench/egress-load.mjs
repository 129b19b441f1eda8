// The event loop while a sandboxed server sends all it can through its way out: node bench/egress-load.mjs prints JSON.
// A process of its own has the way out, another pumps; the host that is reached is on this machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, connect as openSocket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundled } from './bundled.mjs';
import { exitWhenInterrupted, inTemporaryFolder } from './temporary.mjs';

const SELF = fileURLToPath(import.meta.url);
const LOOP_DELAY = fileURLToPath(new URL('loop-delay.cjs', import.meta.url));
const CONNECTIONS = 64;
const PUMP_MS = 2_000;
const PIECE = Buffer.alloc(65_536, 'x');

const get = (url) => `GET ${url} HTTP/1.1\r\nHost: a\r\n`;

/** On each of 64 connections: the first bytes, and what is written after them for as long as it is taken. */
export const PUMPS = {
  tunnel: {
    what: 'all it can, in tunnels',
    bytes: (port) => [`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: a\r\n\r\n`, PIECE],
  },
  upload: {
    what: 'all it can, in requests',
    bytes: (port) => [
      `POST http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000000\r\n\r\n`,
      PIECE,
    ],
  },
  refused: { what: 'requests that are refused', bytes: () => ['', fill(`${get('http://a/')}\r\n`)] },
  requests: {
    what: 'requests that are allowed',
    bytes: (port) => ['', fill(`${get(`http://127.0.0.1:${port}/`)}\r\n`)],
  },
  headers: { what: 'header fields without end', bytes: () => [get('http://a/'), fill('a:b\r\n')] },
};

function fill(text) {
  return Buffer.from(text.repeat(Math.ceil(PIECE.length / text.length)));
}

async function relay(folder, port) {
  const { openEgress, noEgress } = await bundled('src/upstream/sandbox/egress.ts');
  const egress = await openEgress({ list: [`127.0.0.1:${port}`], folder, counts: noEgress() });
  process.stdout.write('ready\n');
  await once(process.stdin.resume(), 'end');
  await egress.close();
}

function pump(socketPath, first, again) {
  const socket = openSocket(socketPath);
  const write = () => {
    while (!socket.destroyed && socket.write(again));
  };
  socket.on('error', () => {}).on('close', () => setTimeout(pump, 20, socketPath, first, again));
  socket.on('drain', write).on('data', () => {});
  socket.write(first);
  write();
}

export async function measureEgress(folder, kinds = Object.keys(PUMPS)) {
  let bytes = 0;
  const host = createServer((socket) => {
    socket
      .on('error', () => {})
      .on('data', (chunk) => {
        bytes += chunk.length;
      });
  });
  host.listen(0, '127.0.0.1');
  await once(host, 'listening');
  const { port } = host.address();
  const rows = [];
  for (const kind of kinds) {
    const log = join(folder, `${kind}.txt`);
    await writeFile(log, '');
    const own = await started(['--require', LOOP_DELAY, SELF, 'relay', folder, `${port}`], {
      ...process.env,
      LOOP_DELAY_FILE: log,
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    const since = Date.now();
    const pumping = spawn(process.execPath, [SELF, 'pump', join(folder, 'net'), kind, `${port}`]);
    await new Promise((resolve) => setTimeout(resolve, PUMP_MS));
    pumping.kill();
    own.stdin.end();
    await once(own, 'exit');
    const lines = (await readFile(log, 'utf8')).trim().split('\n');
    const held = lines.map((line) => line.split(' ').map(Number)).filter(([at]) => at > since);
    rows.push({ kind, heldMs: Math.max(0, ...held.map(([, ms]) => ms)), megabytes: Math.round(bytes / 1e6) });
    bytes = 0;
  }
  host.close();
  return rows;
}

async function started(args, env) {
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

const [mode = 'all', ...rest] = process.argv[1] === SELF ? process.argv.slice(2) : ['imported'];
if (mode === 'relay') await relay(rest[0], Number(rest[1]));
else if (mode === 'pump')
  for (let at = 0; at < CONNECTIONS; at++) pump(rest[0], ...PUMPS[rest[1]].bytes(Number(rest[2])));
else if (mode !== 'imported') {
  exitWhenInterrupted();
  await inTemporaryFolder(async (folder) => {
    process.stdout.write(
      `${JSON.stringify(await measureEgress(folder, mode === 'all' ? undefined : [mode, ...rest]))}\n`,
    );
  });
}
