/** Caddy with `deploy/Caddyfile.replicas`, in front of servers on several addresses of loopback. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { freePort } from './http.ts';
import { startNameServer } from './name-server.ts';
import { needOf, programNeed } from './needs.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from './temp.ts';

const FILE = fileURLToPath(new URL('../../deploy/Caddyfile.replicas', import.meta.url));

/** Only Linux has all of 127.0.0.0/8 without being asked. */
export const caddyNeed =
  process.platform === 'linux' ? programNeed('caddy', 'caddy', '-h') : needOf('Linux', '', false);

/** The address of the proxy. `quire` is the name of all `addresses`, whoever of them listens. */
export async function startCaddy(addresses: readonly string[], port: number): Promise<string> {
  const names = await startNameServer(addresses);
  const site = (await readFile(FILE, 'utf8'))
    .replace('quire:8090', `quire:${port}`)
    .replace('keepalive off', `keepalive off\n\t\t\tresolvers udp/127.0.0.1:${names}`);
  const folder = await temporaryFolder({ Caddyfile: `{\n\tadmin off\n}\n${site}` });
  const origin = `http://localhost:${await freePort()}`;
  const env = { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, HOME: folder, QUIRE_DOMAIN: origin };
  const caddy = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')], {
    env: { ...CLEAN_ENVIRONMENT, ...env },
    stdio: 'ignore',
  });
  onTestFinished(async () => {
    if (caddy.exitCode === null && caddy.kill()) await once(caddy, 'exit');
  });
  const status = () =>
    fetch(`${origin}/metrics`).then(
      (answer) => answer.status,
      () => 0,
    );
  await expect.poll(status, { timeout: 20_000 }).toBe(404);
  return origin;
}
