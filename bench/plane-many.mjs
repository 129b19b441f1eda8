// Many servers and many tools: how long the list of fifty signed servers takes, none of which is started, and how long
// it takes to find a tool among five hundred.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { bundled } from './bundled.mjs';
import { median } from './median.mjs';
import { serverEntry, UNCONFINED } from './plane-entry.mjs';

const SERVER = fileURLToPath(new URL('plane-server.mjs', import.meta.url));
const BINARY = fileURLToPath(new URL('../dist/quire.cjs', import.meta.url));
export const SERVERS = 50;
const LISTS = 5;
export const TOOLS = 500;
const FINDS = 100;

/** Each server has a script of its own and a manifest that a key of the configuration signed, and both are checked. */
export async function measureLists(folder) {
  const { signedIn } = await bundled('bench/plane-call.ts');
  const home = join(folder, 'fifty');
  await mkdir(home);
  const servers = [];
  for (let at = 0; at < SERVERS; at++) {
    const script = join(home, `server-${at}.mjs`);
    await copyFile(SERVER, script);
    servers.push(serverEntry(`server-${at}`, script));
  }
  const file = join(home, 'quire.yaml');
  const plane = await signedIn(home, { mcp_servers: servers });
  await writeFile(file, JSON.stringify({ control_plane: plane }), { mode: 0o600 });
  const times = [];
  for (let at = 0; at < LISTS; at++) {
    const begun = performance.now();
    const args = [BINARY, 'mcp', 'servers', '--json', '--config', file];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: { ...process.env, HOME: home },
      maxBuffer: 1e7,
    });
    times.push(performance.now() - begun);
    const listed = JSON.parse(stdout).data.servers;
    // With keys in the configuration only a server whose signature is right, and covers all, is ready without a remark.
    const verified = listed.filter(({ status, code }) => status === 'ready' && code === null);
    if (verified.length < SERVERS) throw new Error(`only ${verified.length} of ${SERVERS} are verified`);
  }
  return { listMs: median(times) };
}

/** `find_tools` by a real client over stdio. */
export async function measureFinding(folder) {
  const home = join(folder, 'many');
  await mkdir(join(home, 'notes'), { recursive: true });
  const file = join(home, 'quire.yaml');
  const server = serverEntry('many', SERVER);
  const plane = {
    mcp_sandbox: UNCONFINED,
    mcp_tools: { mode: 'search' },
    mcp_exposure: { min_score: 0 },
    mcp_servers: [{ ...server, args: [SERVER, `${TOOLS}`], expose: true }],
  };
  await writeFile(
    file,
    JSON.stringify({ notebooks: { personal: { folder: './notes' } }, control_plane: plane }),
  );
  const client = new Client({ name: 'bench', version: '1' });
  const env = { ...process.env, HOME: home };
  const args = [BINARY, '--config', file];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
  try {
    const find = (query) => client.callTool({ name: 'find_tools', arguments: { query } });
    await untilFound(() => find('item 499'));
    const times = [];
    for (let at = 0; at < FINDS; at++) {
      const begun = performance.now();
      const answer = await find(`the item of number ${at * 5}`);
      times.push(performance.now() - begun);
      if (!JSON.stringify(answer).includes(`get_item_${at * 5}`)) throw new Error('a tool was not found');
    }
    return { findMs: median(times) };
  } finally {
    await client.close();
  }
}

async function untilFound(find) {
  const until = Date.now() + 30_000;
  while (!JSON.stringify(await find()).includes('get_item_499')) {
    if (Date.now() > until) throw new Error('the tools are not offered');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
