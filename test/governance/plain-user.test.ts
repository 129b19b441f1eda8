/** The sandbox as most people have it: around servers that an unprivileged user starts. */
import { execFile } from 'node:child_process';
import { access, chown, readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { release } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { processCountOf } from '../../src/upstream/sandbox/process-count.ts';
import { describeWith, needOf } from '../kit/needs.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';
import { type PlaneFolder, planeFolder, shop } from './plane-kit.ts';
import { bubblewrap, testServer } from './sandbox-kit.ts';

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

/** The answer of a tool, called by an unprivileged user. */
async function calledByNobody(plane: PlaneFolder, args: object, more: readonly string[] = []) {
  await giveAway(plane.folder);
  const user = [`--reuid=${UNPRIVILEGED_ID}`, `--regid=${UNPRIVILEGED_ID}`, '--clear-groups'];
  const words = ['mcp', 'call', 'evil', 'get_attack', '--args', JSON.stringify(args), ...more];
  const { stdout, stderr } = await promisify(execFile)(
    SETPRIV,
    [...user, process.execPath, BINARY, ...words],
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
  return { found: JSON.parse(stdout), stderr };
}

const evil = (settings: object = {}) =>
  shop({
    name: 'evil',
    results: { on_finding: 'pass' },
    args: [testServer('malicious.mjs')],
    sandbox_read: [dirname(testServer('malicious.mjs')), '.'],
    sandbox_limits: { processes: 60, memory_mb: 400, tmp_mb: 4 },
    ...settings,
  });

describeWith(plainUser, 'a plain user', () => {
  it('has servers in a sandbox that sees nothing of ours, reaches nothing and is bounded', async () => {
    const listener = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void listener.close());
    await new Promise((resolve) => listener.once('listening', resolve));
    const { port } = listener.address() as { port: number };
    const plane = await planeFolder([evil()], { mcp_sandbox: { backend: 'bwrap', policy: 'enforce' } });
    const at = (path: string) => join(plane.folder, path);
    const outside = await temporaryFolder({ 'canary.txt': 'tweet' });
    const canary = join(outside, 'canary.txt');
    const { found, stderr } = await calledByNobody(
      plane,
      {
        read: [canary, '/etc/shadow', at('quire.yaml')],
        list: [at('.quire/plane')],
        append: [at('quire.yaml'), at('.quire/plane/approvals.jsonl')],
        create: ['/usr/bin/x', '/x'],
        reach: port,
        variables: true,
        uid: true,
        namespace: true,
        memory: 1_024,
        fill: ['/tmp/big', 16],
        processes: 100,
      },
      ['--verbose'],
    );
    expect(found).toEqual({
      read: { [canary]: 'ENOENT', '/etc/shadow': 'ENOENT', [at('quire.yaml')]: 'EACCES' },
      list: { [at('.quire/plane')]: '' },
      append: { [at('quire.yaml')]: 'EACCES', [at('.quire/plane/approvals.jsonl')]: 'EROFS' },
      create: { '/usr/bin/x': 'EROFS', '/x': 'EROFS' },
      reach: 'ECONNREFUSED',
      variables: 'HOME LANG PATH PWD TMPDIR',
      uid: UNPRIVILEGED_ID,
      namespace: false,
      processes: expect.any(Number),
      memory: expect.any(Number),
      fill: 'ENOSPC after 4',
    });
    expect(found.memory).toBeLessThan(400);
    const isBound = processCountOf(release(), UNPRIVILEGED_ID) !== undefined;
    expect(found.processes).toBeLessThan(isBound ? 60 : 101);
    expect(stderr).toContain(isBound ? '60 processes and threads' : 'processes not bounded');
  });
});
