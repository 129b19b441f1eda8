/** `quire connect` as a process, in a home folder of its own; and its entries, started as a client would. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import type { ClientSystem, Launch } from '../../../src/clients/client.ts';
import { readConfig } from '../../../src/clients/installed.ts';
import { commandOf } from '../../../src/clients/recognize.ts';
import { CLIENTS } from '../../../src/clients/table.ts';
import { BINARY } from '../../kit/server.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../../kit/temp.ts';

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(home: string, args: readonly string[], folder = home): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { ...CLEAN_ENVIRONMENT, HOME: home };
    execFile(process.execPath, [BINARY, 'connect', ...args], { env, cwd: folder }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    );
  });
}

async function toolsOf({ command, args }: Launch, home: string): Promise<string[]> {
  const env = { ...CLEAN_ENVIRONMENT, HOME: home };
  // As a client with a window starts it: nowhere in particular, and without the PATH of a shell.
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: { ...env, PATH: '' },
    cwd: '/',
  });
  const client = new Client({ name: 'test', version: '1' });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return (await client.listTools()).tools.map(({ name }) => name);
}

/** A home folder in which every client is installed, with nothing configured. */
async function fullHome(): Promise<ClientSystem> {
  const home = await temporaryFolder({ 'notes/a.md': '# A\n' });
  const system: ClientSystem = { platform: process.platform, env: {}, home };
  for (const client of CLIENTS) {
    const { sign, file } = client.places(system)[0]!;
    await mkdir(sign === file ? dirname(file) : sign, { recursive: true });
  }
  await mkdir(join(home, '.continue'), { recursive: true });
  await mkdir(join(home, '.claude'), { recursive: true });
  return system;
}

/** The files of a home folder, without what Quire keeps there itself. */
async function filesIn(home: string): Promise<Record<string, string>> {
  const names = await readdir(home, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')])),
  );
}

test('every client gets an entry that starts Quire, and a second run changes nothing', async () => {
  const { home } = await fullHome();
  const first = await run(home, ['--folder', 'notes', '--yes']);
  expect(first).toMatchObject({ code: 0, err: '' });
  for (const { title, next } of CLIENTS) {
    expect(first.out).toContain(`${title}: written to`);
    expect(first.out).toContain(next);
  }
  const before = await filesIn(home);
  const second = await run(home, ['--folder', 'notes', '--yes']);
  expect(second.code).toBe(0);
  expect(second.out.match(/nothing to change/g)).toHaveLength(CLIENTS.length);
  expect(await filesIn(home)).toEqual(before);

  const samples = {
    'claude-desktop': '.config/Claude/claude_desktop_config.json',
    codex: '.codex/config.toml',
    goose: '.config/goose/config.yaml',
    continue: '.continue/mcpServers/quire.yaml',
  };
  await Promise.all(
    Object.entries(samples).map(async ([name, file]) => {
      const client = CLIENTS.find((one) => one.name === name)!;
      const { entries } = await readConfig(client, join(home, file));
      expect(await toolsOf(commandOf(entries.get('quire')!)!, home), name).toEqual(
        expect.arrayContaining(['read_note', 'undo_changes']),
      );
    }),
  );

  const removed = await run(home, ['--remove', '--yes']);
  expect(removed.code).toBe(0);
  expect((await readConfig(CLIENTS[0]!, join(home, samples['claude-desktop']))).entries.size).toBe(0);
});

test('without a terminal nothing is written, and the exit code says so', async () => {
  const { home } = await fullHome();
  const before = await filesIn(home);
  const asked = await run(home, ['cursor', '--folder', 'notes']);
  expect(asked.code).toBe(2);
  expect(asked.out).toContain('+    "quire": {');
  expect(asked.err).toBe(
    'quire: Nothing was written, because there is no terminal to ask on\nWrite these changes with --yes, or only look at them with --print.\n',
  );
  const printed = await run(home, ['cursor', '--folder', 'notes', '--print']);
  expect(printed).toMatchObject({ code: 0, err: '' });
  expect(printed.out).toBe(asked.out);
  expect(await filesIn(home)).toEqual(before);
});

test('a broken file is refused with its line, and the others are still done', async () => {
  const home = await temporaryFolder({
    'notes/a.md': '',
    '.cursor/mcp.json': '{\n  "mcpServers": {\n    "a" {}\n  }\n}\n',
    '.gemini/settings.json': '{"mcpServers": {"quire": {"command": "python", "args": ["x.py"]}}}\n',
    '.codex/config.toml': 'model = "m" # mine\n',
  });
  const { code, err, out } = await run(home, ['--folder', 'notes', '--yes']);
  expect(code).toBe(2);
  expect(err).toContain(`not valid JSON: ${join(home, '.cursor/mcp.json')}, line 3: colon expected`);
  expect(err).toContain('Gemini CLI has another server under this name: quire in');
  expect(out).toContain('This replaces quire, which does not start Quire.');
  expect(await readFile(join(home, '.codex/config.toml'), 'utf8')).toMatch(
    /^model = "m" # mine\n\n\[mcp_servers\.quire\]\ncommand = /,
  );
  const kept = await readFile(join(home, '.gemini/settings.json'), 'utf8');
  expect(kept).toContain('x.py');
  const left = await run(home, ['gemini', '--remove', '--yes']);
  expect(left.out).toContain('--remove --name quire');
  expect(await readFile(join(home, '.gemini/settings.json'), 'utf8')).toBe(kept);
  await run(home, ['gemini', '--remove', '--name', 'quire', '--yes']);
  expect(await readFile(join(home, '.gemini/settings.json'), 'utf8')).toBe('{"mcpServers": {}}\n');
});

test('a configuration with several notebooks gives one entry for each, and each works', async () => {
  const { home } = await fullHome();
  await writeFile(
    join(home, 'quire.yaml'),
    'notebooks:\n  one: { folder: ./notes }\n  two: { folder: ./notes, tools: vault }\n',
  );
  const { code, out } = await run(home, ['cursor', '--yes']);
  expect(code).toBe(0);
  expect(out).toContain('One entry for each of 2 notebooks');
  const cursor = CLIENTS.find(({ name }) => name === 'cursor')!;
  const { entries } = await readConfig(cursor, join(home, '.cursor/mcp.json'));
  expect([...entries.keys()]).toEqual(['quire-one', 'quire-two']);
  const [one, two] = await Promise.all(
    [...entries.values()].map((entry) => toolsOf(commandOf(entry)!, home)),
  );
  expect(one).toContain('read_note');
  expect(two).toContain('vault_read');
});

test('a client that is not here is told by hand; an address without a path gets /mcp', async () => {
  const home = await temporaryFolder();
  const { code, out } = await run(home, [
    'windsurf',
    'Claude Desktop',
    '--print',
    '--http',
    'http://localhost:8090',
  ]);
  expect(code).toBe(0);
  expect(out).toContain('Quire answers at /mcp, so the address is http://localhost:8090/mcp.');
  expect(out).toContain('"serverUrl": "http://localhost:8090/mcp"');
  expect(out).toContain('["-y", "mcp-remote", "http://localhost:8090/mcp", "--allow-http"]');
});
