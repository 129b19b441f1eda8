/** Commands that are links: started as the file that was checked, and called by the name that was configured. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, realpath, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { describeWith, needOf } from '../kit/needs.ts';
import { putFile, temporaryFolder } from '../kit/temp.ts';
import { type PlaneFolder, planeFolder, shop } from './plane-kit.ts';
import { bubblewrap, confinementOf, testServer } from './sandbox-kit.ts';
import { processTarget, upstreamOf } from './upstream-kit.ts';

const run = promisify(execFile);
const python = await run('python3', ['-c', 'import sys, venv; print(sys.base_prefix)']).then(
  ({ stdout }) => stdout.trim(),
  () => undefined,
);
const pythonNeed = needOf('Python with venv', 'apt-get install python3-venv', python !== undefined);
const BACKENDS = bubblewrap.isMet ? ['process', 'bwrap'] : ['process'];

/** `.venv/bin/python`, a link to a link to a file elsewhere, as a virtual environment has it. */
async function withVenv(backend: string, settings: object = {}): Promise<PlaneFolder> {
  const server = shop({
    name: 'snake',
    command: '.venv/bin/python',
    args: [testServer('venv_server.py')],
    stdio_allowed_commands: ['.venv/bin/python'],
    sandbox_read: ['.venv', python, dirname(testServer('venv_server.py'))],
    ...settings,
  });
  const plane = await planeFolder([server], { mcp_sandbox: { backend, policy: 'warn' } });
  await run('python3', ['-m', 'venv', '--without-pip', '.venv'], { cwd: plane.folder });
  const [version = ''] = await readdir(join(plane.folder, '.venv/lib'));
  await putFile(plane.folder, `.venv/lib/${version}/site-packages/only_here.py`, 'VERSION = "7.1"\n');
  return plane;
}

describeWith(pythonNeed, 'the python of a virtual environment', () => {
  it.each(BACKENDS)('finds its own packages (%s)', async (backend) => {
    const plane = await withVenv(backend);
    const { code, stdout, stderr } = await plane.run('call', 'snake', 'get_prefix');
    expect({ code, stdout, stderr }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\.venv 7\.1\n$/),
    });
  });

  it('that leads to a shell is not started', async () => {
    const plane = await withVenv('process');
    await rm(join(plane.folder, '.venv/bin/python'));
    await symlink('/bin/bash', join(plane.folder, '.venv/bin/python'));
    const { code, stderr } = await plane.run('call', 'snake', 'get_prefix');
    expect({ code, stderr }).toMatchObject({
      code: 11,
      stderr: expect.stringContaining('command_resolves_to_shell'),
    });
  });
});

describe('a link of ours', () => {
  it.each(BACKENDS)(
    'is how the program is called, and the checked file is what runs (%s)',
    async (backend) => {
      const folder = await temporaryFolder();
      await mkdir(join(folder, 'bin'));
      await symlink(process.execPath, join(folder, 'bin/my-node'));
      const script = testServer('odd.mjs');
      const target = await processTarget([script], {
        plan: {
          file: await realpath(process.execPath),
          path: join(folder, 'bin/my-node'),
          args: [script],
          env: {},
        },
        confinement: confinementOf(backend as 'process' | 'bwrap', { read: [dirname(script)] }),
      });
      const where = JSON.parse(
        ((await upstreamOf({ target }).call('where', {})).content as { text: string }[])[0]?.text ?? '',
      );
      expect(where.argv0).toBe(join(folder, 'bin/my-node'));
      expect(where.env.PATH.split(':')[0]).toBe(join(folder, 'bin'));
    },
  );

  it('that was turned since it was checked is not started', async () => {
    const folder = await temporaryFolder();
    await copyFile('/bin/true', join(folder, 'other'));
    await symlink(join(folder, 'other'), join(folder, 'my-node'));
    const plan = {
      file: await realpath(process.execPath),
      path: join(folder, 'my-node'),
      args: [testServer('odd.mjs')],
      env: {},
    };
    const upstream = upstreamOf({ target: await processTarget([], { plan }) });
    await expect(upstream.connect()).rejects.toMatchObject({
      reason: 'launch_failed',
      hint: expect.stringContaining('another file than the one that was checked'),
    });
  });
});
