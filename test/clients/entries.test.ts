/** The entry of each client, which entries are Quire's, what starts Quire, and how the file is written. */
import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ClientSystem, entryFor } from '../../src/clients/client.ts';
import { parseConfig, withEntry } from '../../src/clients/edit.ts';
import { snippet } from '../../src/clients/formats/render.ts';
import { clientsWithQuire, readConfig } from '../../src/clients/installed.ts';
import { launchOf } from '../../src/clients/launch.ts';
import { isQuires } from '../../src/clients/recognize.ts';
import { CLIENTS } from '../../src/clients/table.ts';
import { writeConfig } from '../../src/clients/write-config.ts';
import { fileText, temporaryFolder } from '../kit/temp.ts';

const LINUX = { platform: 'linux' } as const;
const LAUNCH = { command: '/usr/bin/node', args: ['/opt/quire.cjs', '/notes'] };
const URL_ = 'https://notes.example.com/mcp';

test('each client has its own keys for a program and for an address', () => {
  const shapes = CLIENTS.map((client) => [
    client.name,
    Object.keys(entryFor(client, { launch: LAUNCH }, 'quire', LINUX)).join(' '),
    Object.keys(entryFor(client, { url: URL_ }, 'quire', LINUX)).join(' '),
  ]);
  expect(shapes).toEqual([
    ['claude-desktop', 'command args', 'command args'],
    ['claude-code', 'type command args', 'type url'],
    ['cursor', 'command args', 'url'],
    ['vscode', 'type command args', 'type url'],
    ['windsurf', 'command args', 'serverUrl'],
    ['zed', 'command args', 'url'],
    ['codex', 'command args', 'url'],
    ['gemini', 'command args', 'httpUrl'],
    ['goose', 'enabled type name description cmd args timeout', 'enabled type name description uri timeout'],
    ['lm-studio', 'command args', 'url'],
    ['continue', 'name command args', 'name type url'],
    ['cline', 'command args', 'type url'],
  ]);
  const [desktop] = CLIENTS;
  const bridge = (url: string, platform: NodeJS.Platform) =>
    entryFor(desktop!, { url }, 'quire', { platform });
  expect(bridge(URL_, 'linux')).toEqual({ command: 'npx', args: ['-y', 'mcp-remote', URL_] });
  expect(bridge('http://127.0.0.1:1/mcp', 'win32')).toEqual({
    command: 'cmd',
    args: ['/c', 'npx', '-y', 'mcp-remote', 'http://127.0.0.1:1/mcp', '--allow-http'],
  });
});

test.each(CLIENTS.map((client) => [client.title, client] as const))(
  '%s: the text of the instructions is what an empty file becomes',
  (_, client) => {
    for (const target of [{ launch: LAUNCH }, { url: URL_ }]) {
      const entry = entryFor(client, target, 'quire', LINUX);
      const written = withEntry(parseConfig(client, 'f', ''), 'quire', entry);
      expect(written).toBe(`${client.newFile ?? ''}${snippet(client, new Map([['quire', entry]]))}\n`);
      expect(isQuires('quire', parseConfig(client, 'f', written).entries.get('quire')!)).toBe(true);
    }
  },
);

test.each([
  [true, 'x', { command: 'npx', args: ['-y', 'quire-mcp', '/n'] }],
  [true, 'x', { command: 'cmd', args: ['/c', 'npx', '-y', 'quire-mcp@1.2.3'] }],
  [true, 'x', { cmd: 'C:\\Program Files\\nodejs\\node.exe', args: ['C:\\q\\dist\\quire.cjs'] }],
  [true, 'x', { command: '/usr/local/bin/quire', args: [] }],
  [true, 'quire', { url: 'http://127.0.0.1:8090/mcp' }],
  [true, 'quire-work', { httpUrl: 'https://n.example/mcp/work' }],
  [true, 'quire', { command: 'npx', args: ['-y', 'mcp-remote', 'https://n.example/mcp'] }],
  [false, 'quire', { command: 'npx', args: ['-y', 'acquire-mcp'] }],
  [false, 'quire', { command: 'python', args: ['quire.py'] }],
  [false, 'quire', { url: 'https://n.example/sse' }],
  [false, 'notes', { url: 'https://n.example/mcp' }],
  [false, 'quire', {}],
])('is it Quire: %s, %s %j', (isOurs, name, entry) => {
  expect(isQuires(name, entry)).toBe(isOurs);
});

test('what starts Quire: npx from its cache, else this program by full paths', async () => {
  const system: ClientSystem = { platform: 'linux', env: { PATH: '' }, home: '/h' };
  const node = process.execPath;
  const cached = { node, script: '/h/.npm/_npx/0a1b/node_modules/quire-mcp/dist/quire.cjs' };
  expect(await launchOf(cached, system)).toEqual({ command: 'npx', args: ['-y', 'quire-mcp'] });
  expect(await launchOf(cached, { ...system, platform: 'win32' })).toEqual({
    command: 'cmd',
    args: ['/c', 'npx', '-y', 'quire-mcp'],
  });
  const script = '/src/quire/dist/quire.cjs';
  expect(await launchOf({ node, script }, system)).toEqual({ command: node, args: [script] });
  // The name on the path lasts longer than one with a version in it.
  const folder = await temporaryFolder();
  await symlink(node, join(folder, 'node'));
  const env = { PATH: `relative:${folder}` };
  expect((await launchOf({ node, script }, { ...system, env })).command).toBe(join(folder, 'node'));
});

test('a link is followed, the mode stays, and copies are never overwritten', async () => {
  const folder = await temporaryFolder({ 'real/c.json': 'one' });
  const [real, link] = [join(folder, 'real/c.json'), join(folder, 'c.json')];
  await chmod(real, 0o640);
  await symlink(real, link);
  const now = new Date('2026-01-02T03:04:05Z');
  const first = await writeConfig(link, 'one', 'two', now);
  const second = await writeConfig(link, 'two', 'three', now);
  expect([first.backup, second.backup]).toEqual([
    `${real}.quire-backup-20260102-030405`,
    `${real}.quire-backup-20260102-030405-2`,
  ]);
  expect(await readFile(first.backup!, 'utf8')).toBe('one');
  expect(await readFile(second.backup!, 'utf8')).toBe('two');
  expect(await fileText(folder, 'real/c.json')).toBe('three');
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect((await stat(real)).mode & 0o777).toBe(0o640);
  expect((await stat(first.backup!)).mode & 0o777).toBe(0o640);
});

test('a new file is for its owner alone, and a link to nothing makes its target', async () => {
  const folder = await temporaryFolder();
  expect(await writeConfig(join(folder, 'a/b/c.json'), '', 'x')).toEqual({
    file: join(folder, 'a/b/c.json'),
  });
  expect((await stat(join(folder, 'a/b/c.json'))).mode & 0o777).toBe(0o600);
  await symlink(join(folder, 'dotfiles/t.json'), join(folder, 'l.json'));
  await writeConfig(join(folder, 'l.json'), '', 'x');
  expect(await fileText(folder, 'dotfiles/t.json')).toBe('x');
  expect((await lstat(join(folder, 'l.json'))).isSymbolicLink()).toBe(true);
});

test('a file that another program has changed meanwhile stays as it is', async () => {
  const folder = await temporaryFolder({ 'c.json': 'theirs' });
  await expect(writeConfig(join(folder, 'c.json'), 'older', 'ours')).rejects.toMatchObject({
    code: 'conflict',
  });
  expect(await fileText(folder, 'c.json')).toBe('theirs');
  expect(await readdir(folder)).toEqual(['c.json']);
});

test('a file that cannot be read is refused with what to do', async () => {
  const folder = await temporaryFolder();
  await expect(readConfig(CLIENTS[0]!, folder)).rejects.toMatchObject({
    code: 'forbidden',
    hint: expect.stringContaining('check its permissions'),
  });
});

test('a file that is not UTF-8 is refused', async () => {
  const folder = await temporaryFolder({ 'c.json': Buffer.from([0x7b, 0xff, 0x7d]) });
  await expect(readConfig(CLIENTS[0]!, join(folder, 'c.json'))).rejects.toMatchObject({
    code: 'invalid_input',
  });
});

test('the doctor learns which clients have Quire, and what is missing there', async () => {
  const home = await temporaryFolder({ 'q/quire.cjs': '' });
  const at = (path: string) => join(home, path);
  for (const folder of ['.cursor', '.codex', '.gemini', '.lmstudio']) await mkdir(at(folder));
  const entry = (script: string) => ({
    mcpServers: { quire: { command: process.execPath, args: [script] } },
  });
  await writeFile(at('.cursor/mcp.json'), JSON.stringify(entry(at('q/quire.cjs'))));
  await writeFile(at('.gemini/settings.json'), JSON.stringify(entry(at('gone/quire.cjs'))));
  await writeFile(
    at('.codex/config.toml'),
    '[mcp_servers.notes]\ncommand = "no-such-program"\nargs = ["quire-mcp"]\n',
  );
  await writeFile(at('.lmstudio/mcp.json'), '{');
  const found = await clientsWithQuire({ platform: 'linux', env: { PATH: '/usr/bin' }, home });
  expect(found).toMatchObject([
    {
      client: 'Cursor',
      name: 'quire',
      missing: undefined,
      launches: `${process.execPath} ${at('q/quire.cjs')}`,
    },
    { client: 'Codex CLI', name: 'notes', missing: 'no-such-program' },
    { client: 'Gemini CLI', name: 'quire', missing: at('gone/quire.cjs') },
    { client: 'LM Studio', problem: expect.stringContaining('line 1') },
  ]);
});
