/** Where each client keeps its configuration, on all three systems, as its documents say. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Client, ClientSystem } from '../../src/clients/client.ts';
import { readConfig } from '../../src/clients/installed.ts';
import { placesFound } from '../../src/clients/places.ts';
import { CLIENTS } from '../../src/clients/table.ts';
import { temporaryFolder } from '../kit/temp.ts';

const clientNamed = (name: string): Client => CLIENTS.find((client) => client.name === name)!;
const filesOf = (name: string, system: ClientSystem) => [
  ...new Set(
    clientNamed(name)
      .places(system)
      .map(({ file }) => file),
  ),
];

const MAC: ClientSystem = { platform: 'darwin', env: { XDG_CONFIG_HOME: undefined }, home: '/Users/me' };
const LINUX: ClientSystem = { platform: 'linux', env: {}, home: '/home/me' };
const WINDOWS: ClientSystem = { platform: 'win32', env: {}, home: 'C:\\Users\\me' };

test.each([
  ['claude-desktop', MAC, '/Users/me/Library/Application Support/Claude/claude_desktop_config.json'],
  ['claude-desktop', WINDOWS, 'C:\\Users\\me\\AppData\\Roaming\\Claude\\claude_desktop_config.json'],
  ['claude-desktop', LINUX, '/home/me/.config/Claude/claude_desktop_config.json'],
  ['claude-code', MAC, '/Users/me/.claude.json'],
  ['claude-code', WINDOWS, 'C:\\Users\\me\\.claude.json'],
  ['cursor', LINUX, '/home/me/.cursor/mcp.json'],
  ['cursor', WINDOWS, 'C:\\Users\\me\\.cursor\\mcp.json'],
  ['vscode', MAC, '/Users/me/Library/Application Support/Code/User/mcp.json'],
  ['vscode', WINDOWS, 'C:\\Users\\me\\AppData\\Roaming\\Code\\User\\mcp.json'],
  ['vscode', LINUX, '/home/me/.config/Code/User/mcp.json'],
  ['windsurf', MAC, '/Users/me/.codeium/windsurf/mcp_config.json'],
  ['windsurf', WINDOWS, 'C:\\Users\\me\\.codeium\\windsurf\\mcp_config.json'],
  ['zed', MAC, '/Users/me/.config/zed/settings.json'],
  ['zed', WINDOWS, 'C:\\Users\\me\\AppData\\Roaming\\Zed\\settings.json'],
  ['zed', LINUX, '/home/me/.config/zed/settings.json'],
  ['codex', WINDOWS, 'C:\\Users\\me\\.codex\\config.toml'],
  ['codex', LINUX, '/home/me/.codex/config.toml'],
  ['gemini', MAC, '/Users/me/.gemini/settings.json'],
  ['goose', MAC, '/Users/me/.config/goose/config.yaml'],
  ['goose', WINDOWS, 'C:\\Users\\me\\AppData\\Roaming\\Block\\goose\\config\\config.yaml'],
  ['lm-studio', WINDOWS, 'C:\\Users\\me\\.lmstudio\\mcp.json'],
  ['continue', LINUX, '/home/me/.continue/config.yaml'],
  ['cline', LINUX, '/home/me/.cline/data/settings/cline_mcp_settings.json'],
] as const)('%s: the usual place', (name, system, file) => {
  expect(filesOf(name, system)[0]).toBe(file);
});

test.each([
  ['claude-code', { CLAUDE_CONFIG_DIR: '/c' }, '/c/.claude.json'],
  ['vscode', { XDG_CONFIG_HOME: '/x' }, '/x/Code/User/mcp.json'],
  ['vscode', { VSCODE_PORTABLE: '/p/data' }, '/p/data/user-data/User/mcp.json'],
  ['vscode', { VSCODE_APPDATA: '/v' }, '/v/Code/User/mcp.json'],
  ['zed', { XDG_CONFIG_HOME: '/x' }, '/x/zed/settings.json'],
  ['zed', { FLATPAK_XDG_CONFIG_HOME: '/f' }, '/f/zed/settings.json'],
  ['codex', { CODEX_HOME: '/c' }, '/c/config.toml'],
  ['gemini', { GEMINI_CLI_HOME: '/g' }, '/g/.gemini/settings.json'],
  ['goose', { XDG_CONFIG_HOME: '/x' }, '/x/goose/config.yaml'],
  ['goose', { GOOSE_PATH_ROOT: '/g' }, '/g/config/config.yaml'],
  ['continue', { CONTINUE_GLOBAL_DIR: '/c' }, '/c/config.yaml'],
  ['cline', { CLINE_MCP_SETTINGS_PATH: '/c/m.json' }, '/c/m.json'],
] as const)('%s: moved by %j', (name, env, file) => {
  expect(filesOf(name, { ...LINUX, env })[0]).toBe(file);
});

test('every client has a place on every system, and APPDATA is respected', () => {
  for (const client of CLIENTS)
    for (const system of [MAC, LINUX, WINDOWS]) expect(client.places(system).length).toBeGreaterThan(0);
  const moved = { ...WINDOWS, env: { APPDATA: 'D:\\Roaming' } };
  expect(filesOf('vscode', moved)).toEqual([
    'D:\\Roaming\\Code\\User\\mcp.json',
    'D:\\Roaming\\Code - Insiders\\User\\mcp.json',
  ]);
  expect(filesOf('zed', moved)).toEqual(['D:\\Roaming\\Zed\\settings.json']);
});

/** A home folder with these files and folders; names that end with a slash are folders. */
async function homeWith(...names: string[]): Promise<ClientSystem> {
  const home = await temporaryFolder();
  for (const name of names) {
    await mkdir(join(home, name.endsWith('/') ? name : dirname(name)), { recursive: true });
    if (!name.endsWith('/')) await writeFile(join(home, name), '');
  }
  return { platform: 'linux', env: {}, home };
}

test('a client is found by its folder, and each edition of VS Code by its own', async () => {
  const system = await homeWith('.config/Code/User/', '.config/Code - Insiders/User/', '.cursor/');
  const found = async (name: string) =>
    (await placesFound(clientNamed(name), system)).map(({ file, edition }) => [
      file.slice(system.home.length),
      edition,
    ]);
  expect(await found('vscode')).toEqual([
    ['/.config/Code/User/mcp.json', undefined],
    ['/.config/Code - Insiders/User/mcp.json', 'Insiders'],
  ]);
  expect(await found('cursor')).toEqual([['/.cursor/mcp.json', undefined]]);
  expect(await found('zed')).toEqual([]);
});

test('Continue gets a file of its own where config.yaml is missing, so that an old config.json stays in use', async () => {
  const old = await homeWith('.continue/config.json');
  expect(await placesFound(clientNamed('continue'), old)).toMatchObject([
    { file: join(old.home, '.continue/mcpServers/quire.yaml') },
  ]);
  const present = await homeWith('.continue/config.json', '.continue/config.yaml');
  expect(await placesFound(clientNamed('continue'), present)).toMatchObject([
    { file: join(present.home, '.continue/config.yaml') },
  ]);
});

test('Claude Code is found by its file or its folder, once', async () => {
  for (const names of [['.claude.json'], ['.claude/'], ['.claude.json', '.claude/']]) {
    const system = await homeWith(...names);
    expect((await placesFound(clientNamed('claude-code'), system)).map(({ file }) => file)).toEqual([
      join(system.home, '.claude.json'),
    ]);
  }
});

test('a star in a place stands for every folder of that name', async () => {
  const { home } = await homeWith(
    'Packages/Claude_abc/Roaming/',
    'Packages/Claude_def/',
    'Packages/Other/Roaming/',
  );
  await symlink(join(home, 'nowhere'), join(home, 'Packages/Claude_ghi'));
  const place = {
    file: join(home, 'Packages/Claude_*/Roaming/c.json'),
    sign: join(home, 'Packages/Claude_*/Roaming'),
  };
  const client = { ...clientNamed('cursor'), places: () => [place] };
  expect((await placesFound(client, LINUX)).map(({ file }) => file)).toEqual([
    join(home, 'Packages/Claude_abc/Roaming/c.json'),
  ]);
});

test('a link that leads to itself is an error about that file, not the end of the program', async () => {
  const { home } = await homeWith('.cursor/');
  await symlink('mcp.json', join(home, '.cursor/mcp.json'));
  await expect(readConfig(clientNamed('cursor'), join(home, '.cursor/mcp.json'))).rejects.toMatchObject({
    code: 'forbidden',
  });
});
