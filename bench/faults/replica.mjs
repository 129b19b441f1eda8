// A replica as a process of its own, with a way to the database of its own.
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openRelay } from './relay.mjs';

const QUIRE = fileURLToPath(new URL('../../dist/quire.cjs', import.meta.url));

/** `settings` are given the address of the database and the port. */
export async function openReplica({ home, at, target, database, proxy, settings }) {
  await mkdir(home, { recursive: true });
  const relay = await openRelay(join(home, 'way'), target);
  const url = `postgres://quire@/${database}?host=${encodeURIComponent(relay.folder)}`;
  const port = await freePort();
  const file = join(home, 'quire.yaml');
  await writeFile(file, JSON.stringify(settings({ url, port })));
  const address = `http://127.0.0.1:${port}`;
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_STATE_HOME: home,
  };
  const log = openSync(join(home, 'log'), 'a');
  const replica = {
    relay,
    process: undefined,
    async start() {
      const child = spawn(process.execPath, [QUIRE, 'serve', '--config', file, '--log-level', 'warn'], {
        env,
        stdio: ['ignore', log, log],
      });
      replica.process = child;
      const end = () => child.kill('SIGKILL');
      process.once('exit', end);
      child.once('exit', () => process.off('exit', end));
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
    async kill() {
      const child = replica.process;
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      await gone;
    },
    /** Runs a command with the same configuration; resolves to its exit code. */
    async run(...args) {
      const child = spawn(process.execPath, [QUIRE, ...args, '--config', file], {
        env,
        stdio: ['ignore', log, log],
      });
      return new Promise((resolve) => child.once('exit', resolve));
    },
    async stop() {
      await replica.kill();
      relay.close();
      closeSync(log);
    },
  };
  await replica.start();
  return replica;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
