// The servers measured over HTTP: how each is started, and how each is asked for the same note. Peers are looked
// for in a folder where they were installed from npm; those that are not there are named on stderr.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import bcrypt from 'bcryptjs';
import { logIn } from './http-login.mjs';
import { homeOf, prepareIndex, surroundings } from './launch.mjs';
import { complain } from './turns.mjs';

const NOTE = 'note.md';
const ALEX = { username: 'alex', password: 'correct horse battery' };
/** One for all servers: a token of one that shares its state is good at the others. */
const HASH = bcrypt.hashSync(ALEX.password, 12);
const START_MS = 30_000;
const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const readNote = { name: 'read_note', arguments: { path: NOTE } };

export const BARE = {
  name: 'bare SDK',
  args: ({ vault }) => [here('./http-bare.mjs'), vault],
  read: readNote,
};

/** With its own authorization server: every request is checked, and every token can be taken back. */
export const QUIRE = {
  name: 'quire',
  login: ALEX,
  async args({ vault, home, port, database, publicUrl = `http://127.0.0.1:${port}` }) {
    const file = join(home, 'quire.yaml');
    const unlimited = 'requestsPerMinute: 0, callsPerMinute: 0, sessions: 5000';
    await writeFile(
      file,
      `notebooks: { n: { folder: ${JSON.stringify(vault)} } }
serve: { port: ${port}, publicUrl: "${publicUrl}", trustedProxies: [loopback], ${unlimited} }
auth: { mode: oauth, users: { alex: "${HASH}" } }
state: ${JSON.stringify(database ? { postgres: database } : { dir: join(home, 'state') })}
`,
    );
    return [here('../dist/quire.cjs'), 'serve', '--config', file, '--log-level', 'error'];
  },
  read: readNote,
};

const PEERS = [
  {
    name: 'qmd',
    find: ['@tobilu/qmd/dist/cli/qmd.js', 'node/bin/node'],
    // Its native parts want a newer Node, and its index is made by a command of its own.
    node: 'node/bin/node',
    prepare: (vault) => ['collection', 'add', vault, '--name', 'notes', '--mask', '**/*.md'],
    args: ({ found, port }) => [found[0], 'mcp', '--http', '--port', String(port), '--host', '127.0.0.1'],
    read: { name: 'get', arguments: { file: NOTE } },
  },
  {
    name: 'mcpvault behind mcp-proxy',
    find: ['mcp-proxy/dist/bin/mcp-proxy.mjs', '@bitbonsai/mcpvault/dist/server.js'],
    args: ({ found: [proxy, server], port, vault }) => [
      ...[proxy, '--port', String(port), '--host', '127.0.0.1', '--server', 'stream'],
      ...['--', process.execPath, server, vault],
    ],
    read: readNote,
  },
];

/** The peers installed below `folder`. */
export function peersIn(folder) {
  return PEERS.flatMap((peer) => {
    const found = peer.find.map((path) => resolve(folder ?? '', 'node_modules', path));
    const missing = peer.find.filter((_, at) => !folder || !existsSync(found[at]));
    if (missing.length === 0)
      return [{ ...peer, found, ...(peer.node && { command: resolve(folder, 'node_modules', peer.node) }) }];
    complain(
      peer.name,
      `SKIPPED, not measured: ${missing.join(', ')} not found (--peers ${folder ?? 'not given'})`,
    );
    return [];
  });
}

/** Resolves to the server with where it is, its process, and a token where it asks for one. */
export async function start(server, vault, homes) {
  const { command = process.execPath, prepare, found, login } = server;
  const home = homeOf(server, homes);
  await mkdir(home, { recursive: true });
  if (prepare) await prepareIndex({ ...server, command, script: found[0] }, vault, homes);
  const port = await freePort();
  const child = spawn(command, await server.args({ vault, home, port, found }), {
    ...(await surroundings(home)),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = () =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve();
      child.once('exit', resolve);
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), 15_000).unref();
    });
  try {
    const origin = await listening(child, port);
    const token = login && (await logIn(origin, login)).access_token;
    return { ...server, origin, token, pid: child.pid, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Until it says where it listens, or answers at the port it was given. */
function listening(child, port) {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => fail('did not start'), START_MS);
    const poll = setInterval(
      () =>
        fetch(`http://127.0.0.1:${port}/`).then(
          () => end(port),
          () => {},
        ),
      100,
    );
    const stop = () => {
      clearTimeout(timer);
      clearInterval(poll);
    };
    const end = (at) => {
      stop();
      resolve(`http://127.0.0.1:${at}`);
    };
    const fail = (why) => {
      stop();
      reject(new Error(`${why}: ${said.slice(-400)}`));
    };
    const look = (chunk) => {
      said += chunk;
      const own = /^http:\/\/127\.0\.0\.1:(\d+)\n/.exec(said)?.[1];
      if (own) end(own);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('exit', (code) => fail(`exited with ${code}`));
  });
}

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
