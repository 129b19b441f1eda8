import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../kit/temp.ts';
import { TOOL_COUNT } from '../../kit/tool-count.ts';
import { initialize, run, startRaw } from './raw-client.ts';

/** The other user has no folder of its own. */
const NO_CACHE = { XDG_CACHE_HOME: '/nonexistent', XDG_STATE_HOME: '/nonexistent' };

const MANIFEST = new URL('../../../package.json', import.meta.url);

test.each(['--help', '-h'])('%s prints how to use it and ends well', async (flag) => {
  const { code, stdout, stderr } = await run([flag]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Usage: quire /);
  expect(stdout).toContain('quire ~/notes');
});

test('the help of the notebook command names every flag and its variable', async () => {
  const { code, stdout } = await run(['notebook', '--help']);
  expect(code).toBe(0);
  for (const word of [
    '--extensions',
    '--ignore',
    '--read-only',
    '--no-delete',
    '--permanent-delete',
    '--config',
    'QUIRE_READ_ONLY',
  ])
    expect(stdout).toContain(word);
});

test.each(['--version', '-v'])('%s prints the version of package.json', async (flag) => {
  const { version } = JSON.parse(await readFile(MANIFEST, 'utf8')) as { version: string };
  expect(await run([flag])).toEqual({ code: 0, stdout: version, stderr: '' });
});

test('without a folder it says how to call it', async () => {
  const { code, stdout, stderr } = await run([]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toBe(
    'quire: No folder given\nUsage: quire <folder>, for example: quire ~/notes\nOr write a configuration once, with: quire init\n',
  );
});

test('a folder that does not exist, is a file, or cannot be read is refused by its name', async () => {
  const folder = await temporaryFolder({ 'file.md': 'x' });
  expect(await run([join(folder, 'none')])).toEqual({
    code: 2,
    stdout: '',
    stderr: `quire: No such folder: ${folder}/none\nGive the path of an existing folder of notes.\n`,
  });
  expect(await run([join(folder, 'file.md')])).toEqual({
    code: 2,
    stdout: '',
    stderr: `quire: ${folder}/file.md is a file, not a folder\nGive the folder that the file is in: ${folder}\n`,
  });
  await chmod(folder, 0o000);
  // The super-user may read everything, so that the test becomes another user.
  const client = startRaw([folder], process.getuid?.() === 0 ? { uid: 65_534, env: NO_CACHE } : {});
  expect((await client.end()).code).toBe(2);
  expect(client.stderr()).toBe(
    `quire: The folder cannot be read: ${folder}\nPermission is denied. Let the user that runs Quire read it, or give another folder.\n`,
  );
  await chmod(folder, 0o700);
});

test.each([
  [['--bogus'], /unknown option '--bogus'/],
  [['--read-olny', '.'], /Did you mean --read-only\?/],
  [['.', 'b'], /No such folder: .*b$/m],
  [['.', '--ignore'], /argument missing/],
  [['.', '--log-level', 'loud'], /Unknown log level: loud/],
  [['--config', '/no/such/file.yaml'], /Cannot read the configuration file/],
])('%j is refused in words', async (args, says) => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^quire: /);
  expect(stderr).toMatch(says);
  expect(stderr).not.toMatch(/\n\s+at /);
});

test.each([[[]], [['notebook']]])('quire %j <folder> serves the folder', async (command) => {
  const folder = await temporaryFolder({ 'a.md': 'x' });
  const client = startRaw([...command, folder]);
  const { result } = await initialize(client);
  const { version } = JSON.parse(await readFile(MANIFEST, 'utf8')) as { version: string };
  expect(result.serverInfo).toMatchObject({ name: 'quire', version });
  expect((await client.end()).code).toBe(0);
});

test('flags may stand before the folder', async () => {
  const folder = await temporaryFolder({ 'a.md': 'x' });
  const client = startRaw(['--read-only', folder]);
  await initialize(client);
  expect((await client.request('tools/list')).result.tools).toHaveLength(TOOL_COUNT.notebookReading);
});
