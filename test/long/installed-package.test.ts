/** The package as people get it: from a tarball, offline, and alone. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { npm, npmEnvironment, npx, packInto, type Tarball } from '../kit/npm.ts';
import { temporaryFolder } from '../kit/temp.ts';

let place: string;
let home: string;
let cwd: string;
let tarball: Tarball;

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'quire-test-package-'));
  [home, cwd] = [await mkdtemp(join(place, 'home-')), await mkdtemp(join(place, 'project-'))];
  tarball = await packInto(place);
  await npm(['install', '--offline', '--no-audit', '--no-fund', tarball.file], { cwd, home });
});

afterAll(() => rm(place, { recursive: true, force: true }));

test('is one package, and small', async () => {
  const names = await readdir(join(cwd, 'node_modules'));
  expect(names.filter((name) => !name.startsWith('.'))).toEqual(['quire-mcp']);
  const { dependencies } = JSON.parse(await npm(['ls', '--all', '--json'], { cwd, home }));
  expect(Object.keys(dependencies)).toEqual(['quire-mcp']);
  expect(dependencies['quire-mcp'].dependencies).toBeUndefined();
  expect(tarball.size).toBeLessThan(3_500_000);
  expect(tarball.unpackedSize).toBeLessThan(10_000_000);
});

test('has a second name for its program', async () => {
  const bin = join(cwd, 'node_modules/.bin');
  expect((await readdir(bin)).filter((name) => !/\.(?:cmd|ps1)$/.test(name))).toEqual(['quire', 'sb']);
  const options = { cwd, env: npmEnvironment({ home }), encoding: 'utf8' } as const;
  expect(spawnSync(join(bin, 'sb'), ['--version'], options).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('starts by its name with npx, and straight from the tarball in a folder that has nothing', async () => {
  const version = await npx(['quire-mcp', '--version'], { cwd, home });
  expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
  const empty = await temporaryFolder();
  expect(await npx(['--yes', `file:${tarball.file}`, '--version'], { cwd: empty, home })).toBe(version);
  expect(await readdir(empty)).toEqual([]);
});

test.each(
  createProgram([])
    .commands.map((command) => command.name())
    .filter((name) => name !== 'help'),
)('starts quire %s', (name) => {
  const file = join(cwd, 'node_modules/quire-mcp/dist/quire.cjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, name, '--help'], {
    cwd,
    env: npmEnvironment({ home }),
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`Usage: quire ${name}`);
});
