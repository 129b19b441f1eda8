/** Which files of a launch a reviewer has looked at. */
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { coveredFiles, findScripts } from '../../src/governance/safety/launch-files.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { serverOf } from './kit.ts';

const CONTENT = {
  'app/server.js': '',
  'app/main.py': '',
  'app/plain': '',
  'app/data.json': '',
  'app/helper.mjs': '',
  'app/mod/__main__.py': '',
  'app/mod/deep.py': '',
  'app/pack/index.js': '',
  'app/pack/package.json': '{}',
};

describe('scripts', () => {
  test.each<[string, string[], string[]]>([
    ['node', ['server.js', 'data.json'], ['server.js']],
    ['node', ['--enable-source-maps', '$/server.js'], ['server.js']],
    ['node', ['server'], ['server.js']],
    ['node', ['pack'], ['pack/index.js', 'pack/package.json']],
    ['node', ['server.js', '--plugin=$/helper.mjs'], ['server.js', 'helper.mjs']],
    ['python3.11', ['main.py', '-c', 'data.json'], ['main.py']],
    ['python', ['plain'], ['plain']],
    ['python', ['-m', 'mod'], ['mod/__main__.py']],
    ['python', ['-u', '-m', 'mod.deep'], ['mod/deep.py']],
    ['uv', ['--directory', '$', 'run', 'main.py'], ['main.py']],
    ['npx', ['tsx', '$/helper.mjs'], ['helper.mjs']],
    ['npx', ['-y', 'server-files', '$', '$/data.json'], []],
    ['good-server', ['--config', '$/data.json', '$/plain'], []],
    ['node', ['absent.js'], []],
  ])('%s %j', async (command, args, found) => {
    const folder = join(await temporaryFolder(CONTENT), 'app');
    const server = serverOf({
      command,
      args: args.map((arg) => arg.replace('$', folder)),
      ...(command !== 'uv' && { sandbox_cwd: folder }),
    });
    const scripts = await findScripts(server, { path: `/bin/${command}`, realPath: `/usr/bin/${command}` });
    expect(scripts.map(({ path }) => path).sort()).toEqual(found.map((name) => join(folder, name)).sort());
  });

  test('are known by the file behind a link', async () => {
    const folder = await temporaryFolder(CONTENT);
    await mkdir(join(folder, 'links'));
    await symlink(join(folder, 'app/server.js'), join(folder, 'links/main.js'));
    const server = serverOf({ command: 'node', args: [join(folder, 'links/main.js')] });
    expect(await findScripts(server, { path: '/usr/bin/node', realPath: '/usr/bin/node' })).toEqual([
      { path: join(folder, 'links/main.js'), realPath: join(folder, 'app/server.js') },
    ]);
  });
});

test.each([
  ['/usr/bin/node', false],
  ['/usr/bin/some-server', false],
  ['/bin/true', false],
  ['/usr/local/bin/node', false],
  ['/usr/local/bin/python3.12', false],
  ['/usr/local/lib/node_modules/npm/bin/npx-cli.js', false],
  ['/usr/local/lib/node_modules/files/dist/index.js', true],
  ['/usr/local/bin/some-server', true],
  ['/home/alex/.nvm/versions/node/v22/bin/node', true],
  ['/opt/server/run', true],
  ['/usrlocal/server', true],
])('the content of %s is covered: %s', (realPath, isCovered) => {
  expect(coveredFiles({ path: realPath, realPath }, [])).toEqual(isCovered ? [realPath] : []);
});
