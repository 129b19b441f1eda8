/** The sandbox as most people have it: around servers that an unprivileged user starts. */
import { execFile } from 'node:child_process';
import { access, chown, readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { describeWith, needOf } from '../kit/needs.ts';
import { CLEAN_ENVIRONMENT, putFile } from '../kit/temp.ts';
import { planeFolder, shop } from './plane-kit.ts';
import { bubblewrap } from './sandbox-kit.ts';

const BINARY = fileURLToPath(new URL('../../dist/quire.cjs', import.meta.url));
const SETPRIV = '/usr/bin/setpriv';
const UNPRIVILEGED_ID = 65534;
const isRoot = process.getuid?.() === 0;
const hasSetpriv = await access(SETPRIV).then(
  () => true,
  () => false,
);

const plainUser = !bubblewrap.isMet
  ? bubblewrap
  : needOf('root and setpriv', 'run as root, apt-get install util-linux', isRoot && hasSetpriv);

async function giveAway(path: string): Promise<void> {
  const names = await readdir(path, { recursive: true });
  for (const name of ['', ...names]) await chown(join(path, name), UNPRIVILEGED_ID, UNPRIVILEGED_ID);
}

describeWith(plainUser, 'a plain user', () => {
  it('has servers in a sandbox that sees no canary, no network and no environment', async () => {
    const listener = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void listener.close());
    await new Promise((resolve) => listener.once('listening', resolve));
    const { port } = listener.address() as { port: number };
    const server = shop({ args: ['look.mjs'], sandbox_read: [] });
    const plane = await planeFolder([server], { mcp_sandbox: { backend: 'bwrap', policy: 'enforce' } });
    await putFile(plane.folder, 'canary.txt', 'tweet');
    await putFile(plane.folder, 'work/look.mjs', LOOK);
    await giveAway(plane.folder);
    const words = ['mcp', 'call', 'shop', 'get_look', '--args'];
    const args = JSON.stringify({ canary: join(plane.folder, 'canary.txt'), port });
    const { stdout } = await promisify(execFile)(
      SETPRIV,
      [
        `--reuid=${UNPRIVILEGED_ID}`,
        `--regid=${UNPRIVILEGED_ID}`,
        '--clear-groups',
        process.execPath,
        BINARY,
        ...words,
        args,
      ],
      {
        cwd: plane.folder,
        env: {
          ...CLEAN_ENVIRONMENT,
          HOME: plane.folder,
          QUIRE_AUDIT_KEY_FILE: '',
          USER: 'nobody',
          CANARY: 'tweet',
        },
      },
    );
    expect(JSON.parse(stdout)).toEqual({
      canary: 'ENOENT',
      connect: 'ECONNREFUSED',
      write: expect.stringMatching(/EROFS|EACCES/),
      hasCanaryVariable: false,
      uid: UNPRIVILEGED_ID,
    });
  });
});

/** Tries what it should not be able to do. */
const LOOK = `
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
const codeOf = (work) => {
  try {
    work();
    return 'done';
  } catch ({ code }) {
    return code;
  }
};
const reach = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve('reached'));
    socket.on('error', ({ code }) => resolve(code));
  });
async function answer(method, params) {
  if (method === 'initialize')
    return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'look', version: '1' } };
  if (method === 'tools/list')
    return { tools: [{ name: 'get_look', description: 'Looks around', inputSchema: { type: 'object' } }] };
  if (method !== 'tools/call') return undefined;
  const { canary, port } = params.arguments;
  const seen = {
    canary: codeOf(() => readFileSync(canary)),
    connect: await reach(port),
    write: codeOf(() => writeFileSync('/usr/bin/x', 'x')),
    hasCanaryVariable: 'CANARY' in process.env,
    uid: process.getuid(),
  };
  return { content: [{ type: 'text', text: JSON.stringify(seen) }] };
}
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = await answer(method, params);
  const end = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...end }) + '\\n');
});
`;
