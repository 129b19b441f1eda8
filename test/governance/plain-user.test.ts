/** The sandbox as most people have it: around servers that an unprivileged user starts. */
import { createServer } from 'node:net';
import { release } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { processCountOf } from '../../src/upstream/sandbox/process-count.ts';
import { describeWith } from '../kit/needs.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { calledByNobody, plainUser, UNPRIVILEGED_ID } from './plain-user-kit.ts';
import { planeFolder, shop } from './plane-kit.ts';
import { testServer } from './sandbox-kit.ts';

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
