// Starts servers, each in a home of its own and with nothing of the caller's environment but the search path.
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { BenchClient } from './client.mjs';
import { complain } from './turns.mjs';

const PREPARE_LIMIT_MS = 900_000;
const LAST_WORDS = 400;

/** Resolves to the client and the milliseconds from spawn to the answer of `initialize`. */
export async function launch(server, vault, homes, env = {}) {
  const args = [...(server.script ? [server.script] : []), ...server.args(vault)];
  return BenchClient.start(server.command, args, await surroundings(homeOf(server, homes), env));
}

/** Does the work with all servers that start, each with its `client`, and stops them. */
export async function withRunning(servers, vault, homes, work) {
  const running = [];
  try {
    for (const server of servers) {
      try {
        const { client } = await launch(server, vault, homes);
        running.push({ ...server, client });
      } catch (error) {
        complain(server.name, error);
      }
    }
    return await work(running);
  } finally {
    for (const { client, stopMs } of running) await client.stop(stopMs);
  }
}

/** The folder a server saves to. */
export function homeOf({ name }, homes) {
  return join(homes, name);
}

/** Milliseconds the server's command took that builds its index. */
export async function prepareIndex(server, vault, homes) {
  const { command, script, prepare } = server;
  const begun = performance.now();
  const child = spawn(command, [script, ...prepare(vault)], {
    ...(await surroundings(homeOf(server, homes))),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PREPARE_LIMIT_MS,
  });
  let lastWords = '';
  const listen = (chunk) => {
    lastWords = (lastWords + chunk).slice(-LAST_WORDS);
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`the index could not be built: ${lastWords.trim()}`);
  return performance.now() - begun;
}

export async function surroundings(home, env = {}) {
  await mkdir(home, { recursive: true });
  const xdg = ['CACHE', 'CONFIG', 'DATA', 'STATE'].map((kind) => [
    `XDG_${kind}_HOME`,
    join(home, kind.toLowerCase()),
  ]);
  return {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', ...Object.fromEntries(xdg), ...env },
  };
}
