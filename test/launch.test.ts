/** The launcher a client spawns: it loads the bundle through V8's code cache, which may be damaged or missing. */
import { execFile } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { BINARY } from './kit/server.ts';
import { temporaryFolder } from './kit/temp.ts';

const run = promisify(execFile);

/** Starts the binary; resolves to the name of its cache file and which version of it there is. */
async function start(cache: string, env: Readonly<Record<string, string>> = {}) {
  const { stdout, stderr } = await run(process.execPath, [BINARY, '--version'], {
    env: { PATH: process.env.PATH, XDG_CACHE_HOME: cache, ...env },
  });
  expect(stdout).toMatch(/^\d+\.\d+\.\d+/);
  expect(stderr).toBe('');
  const names = await readdir(join(cache, 'quire')).catch(() => []);
  const name = names.find((one) => one.startsWith('start-'));
  return name
    ? { file: join(cache, 'quire', name), inode: (await stat(join(cache, 'quire', name))).ino }
    : undefined;
}

describe('the code cache', () => {
  it('is made by the first start and accepted by the next ones', async () => {
    const cache = await temporaryFolder();
    const first = await start(cache);
    expect(first).toBeDefined();
    expect(await start(cache)).toEqual(first);
    expect(await start(cache)).toEqual(first);
    expect((await stat(first!.file)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['cut short', (bytes: Buffer) => bytes.subarray(0, 1000)],
    ['empty', () => Buffer.alloc(0)],
    ['something else', () => Buffer.from('not compiled code')],
  ])('is made again when it is %s', async (_, harm) => {
    const cache = await temporaryFolder();
    const { file } = (await start(cache))!;
    const whole = await readFile(file);
    await writeFile(file, harm(whole));
    await start(cache);
    expect(Math.abs((await stat(file)).size - whole.length)).toBeLessThan(whole.length / 10);
  });

  it('is made of each bundle that a command needs, and a damaged one of them is made again', async () => {
    const cache = await temporaryFolder();
    const list = async () => {
      const env = { PATH: process.env.PATH, XDG_CACHE_HOME: cache };
      const { stdout } = await run(process.execPath, [BINARY, 'tools'], { env });
      expect(stdout).toContain('search_notes');
      const names = (await readdir(join(cache, 'quire'))).filter((name) => name.startsWith('start-'));
      const files = names.sort().map((name) => join(cache, 'quire', name));
      return Promise.all(files.map(async (file) => ({ file, inode: (await stat(file)).ino })));
    };
    const made = await list();
    expect(made.length).toBeGreaterThan(1);
    expect(await list()).toEqual(made);
    for (const { file } of made) await writeFile(file, 'not compiled code');
    expect((await list()).map(({ file }) => file)).toEqual(made.map(({ file }) => file));
    for (const { file } of made) expect((await stat(file)).size).toBeGreaterThan(10_000);
  });

  it('is not made when Node is configured to do without', async () => {
    expect(await start(await temporaryFolder(), { NODE_DISABLE_COMPILE_CACHE: '1' })).toBeUndefined();
  });

  it('is not made by a start without shortcuts', async () => {
    expect(await start(await temporaryFolder(), { QUIRE_STARTUP: 'plain' })).toBeUndefined();
  });

  it('is not missed where nothing can be written', async () => {
    const cache = join(await temporaryFolder({ file: 'in the way' }), 'file');
    expect(await start(cache)).toBeUndefined();
  });
});
