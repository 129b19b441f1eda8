/** "A first server" of docs/operate/governance.md, run as it is written: a real terminal, the real npm and sandbox. */
import { copyFile, readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse, stringify } from 'yaml';
import { bubblewrap, PROJECT, testServer } from '../governance/sandbox-kit.ts';
import { textOf } from '../kit/code-blocks.ts';
import { describeWith } from '../kit/needs.ts';
import { startNpmRegistry } from '../kit/npm-registry.ts';
import { fileText, putFile, temporaryFolder } from '../kit/temp.ts';
import { typeAt } from '../kit/typed-line.ts';

const PAGE = textOf('docs/operate/governance.md');
const GUIDE = /^## A first server\n([\s\S]*?)^### By hand\n([\s\S]*?)^## /m.exec(PAGE);
const [, FIRST = '', BY_HAND = ''] = GUIDE ?? [];

/** The commands of the blocks, without comments, as they stand. */
const COMMANDS = [...FIRST.matchAll(/^quire (mcp .*?)(?:\s+# .*)?$/gm)].map(([, line = '']) => line);
const QUESTIONS = [...FIRST.matchAll(/^\d\. \*(.+?)\*/gm)].map(([, question = '']) => question);
const STEPS = [...BY_HAND.matchAll(/`quire (mcp [^`]+)`/g)].map(([, line = '']) => line);

let registry: Awaited<ReturnType<typeof startNpmRegistry>>;
beforeAll(async () => {
  registry = await startNpmRegistry(PROJECT);
});
afterAll(() => registry.stop());

const typed = (folder: string, line: string, answers: readonly string[] = []) =>
  typeAt(folder, line, { answers, env: { ...registry.environment, API_KEY: 'x' } });

const only = (pattern: RegExp) => {
  const [found = '', ...others] = COMMANDS.filter((line) => pattern.test(line));
  expect({ pattern, found: found !== '', others }).toEqual({ pattern, found: true, others: [] });
  return found;
};

describeWith(bubblewrap, 'A first server', () => {
  it('server-memory: the command, the two questions, a call that reads and one that is approved, kept over a restart', async () => {
    const folder = await temporaryFolder();
    const added = await typed(folder, only(/^mcp add server-memory/), ['y', 'y']);
    expect(added).toMatchObject({ code: 0, questions: 2 });
    expect(QUESTIONS).toHaveLength(2);
    for (const question of QUESTIONS) expect(added.shown).toContain(question);
    const read = only(/^mcp call memory read_graph/);
    expect(await typed(folder, read)).toMatchObject({ code: 0, questions: 0 });
    const told = await typed(folder, only(/^mcp call memory create_entities/), ['y']);
    expect(told).toMatchObject({ code: 0, questions: 1 });
    expect((await typed(folder, read)).shown).toContain('likes tea');
    const [, data = ''] = /`(\.quire\/servers\/memory\/data)`/.exec(FIRST) ?? [];
    const kept = await readdir(join(folder, data));
    const texts = await Promise.all(kept.map((name) => fileText(join(folder, data), name).catch(() => '')));
    expect(texts.join('\n')).toContain('likes tea');
  });

  it('server-filesystem: with the folder of the example, which it reads and writes', async () => {
    const folder = await temporaryFolder({ 'home/Documents/a.txt': 'in reach' });
    const added = await typed(folder, only(/^mcp add server-filesystem/), ['y', 'y']);
    expect(added).toMatchObject({ code: 0, questions: 2 });
    const path = join(folder, 'home/Documents');
    const call = (name: string, args: object) => `mcp call files ${name} --args '${JSON.stringify(args)}'`;
    const read = await typed(folder, call('read_text_file', { path: join(path, 'a.txt') }));
    expect(read.shown).toContain('in reach');
    const write = call('write_file', { path: join(path, 'b.txt'), content: 'new' });
    // It may replace a file: what destroys is never approved by --yes alone.
    const asked = await typed(folder, write);
    expect(asked.code).toBe(12);
    const approve = /mcp approvals approve apr_\w+/.exec(asked.shown)?.[0] ?? '';
    expect(await typed(folder, approve, ['y'])).toMatchObject({ code: 0, questions: 1 });
    expect(await typed(folder, write)).toMatchObject({ code: 0 });
    expect(await fileText(path, 'b.txt')).toBe('new');
  });

  it('a package of npm, with a variable', async () => {
    const folder = await temporaryFolder();
    const line = only(/@scope/).replace(
      '@scope/server@1.2.3',
      '@modelcontextprotocol/server-memory@2026.8.31',
    );
    expect(await typed(folder, line, ['y', 'y'])).toMatchObject({ code: 0, questions: 2 });
    const config = await fileText(folder, 'quire.yaml');
    expect(config).toMatch(/\$\{env:API_KEY\}/);
  });

  it('a program of yours', async () => {
    const folder = await temporaryFolder({ 'package.json': '{"type":"module"}' });
    await copyFile(testServer('shop.mjs'), join(folder, 'server.js'));
    expect(await typed(folder, only(/--command/), ['y', 'y'])).toMatchObject({ code: 0, questions: 2 });
    const called = await typed(folder, 'mcp call mine get_note --arg path=a');
    expect(called).toMatchObject({ code: 0, shown: expect.stringContaining('get_note {"path":"a"}') });
  });

  it('a server that runs elsewhere', async () => {
    const folder = await temporaryFolder();
    const line = only(/https:/).replace('https://example.com/mcp', await remoteServer());
    expect(await typed(folder, `${line} --as remote`, ['y', 'y'])).toMatchObject({ code: 0, questions: 2 });
    expect((await typed(folder, 'mcp servers')).shown).toMatch(/remote.*ready/);
  });

  it('by hand: every step, in this order', async () => {
    const folder = await temporaryFolder();
    const next = (() => {
      const left = [...STEPS];
      return (pattern: RegExp) => {
        const line = left.shift() ?? '';
        expect(line).toMatch(pattern);
        return line;
      };
    })();
    expect(await typed(folder, next(/marketplace add/))).toMatchObject({ code: 0 });
    // Steps 2 and 5 are edits. The registry of this test stands for the one of npm.
    await edit(folder, ({ args }) => ({
      args: [`--registry=${registry.url}`, ...(args as string[])],
      stdio_allowed_commands: ['npx'],
      ...fetching().server,
    }));
    expect(await typed(folder, next(/keygen --write/))).toMatchObject({ code: 0 });
    expect(await typed(folder, next(/manifest .* --sign --write/))).toMatchObject({ code: 0 });
    await edit(folder, () => ({ trust: 'reviewed', enabled: true }));
    expect(await typed(folder, next(/consent give/), ['y'])).toMatchObject({ code: 0 });
    expect(await typed(folder, next(/doctor/))).toMatchObject({ code: 0 });
    const listed = await typed(folder, next(/discover .* --full/), ['n']);
    expect({ code: listed.code, shown: listed.code === 0 ? '' : listed.shown }).toEqual({
      code: 0,
      shown: '',
    });
    expect(await typed(folder, next(/discover .* --accept-clean/), ['y'])).toMatchObject({ code: 0 });
    expect(await typed(folder, 'mcp call memory read_graph')).toMatchObject({ code: 0 });
    await edit(folder, () => ({ expose: true }));
    expect((await typed(folder, next(/exposure/))).shown).toContain('memory__read_graph');
  });
});

describe('the guide', () => {
  it('has no command that is not run here', () => {
    expect(COMMANDS).toHaveLength(7);
    expect(STEPS).toHaveLength(8);
  });
});

type Entry = Record<string, unknown>;

/** The settings that the sentence on npx names: of the server, and of the section. */
function fetching(): { readonly server: Entry; readonly section: Entry } {
  const text = /`npx` and `uvx` fetch.*/.exec(BY_HAND)?.[0] ?? '';
  expect(text).toContain('needs `network`');
  const named = [...text.matchAll(/`(\w+: [^`]+)`/g)].map(([, line = '']) => parse(line) as Entry);
  const { mcp_limits, ...server } = Object.assign({}, ...named) as Entry;
  return { server: { sandbox_profile: 'network', ...server }, section: { mcp_limits } };
}

async function edit(folder: string, settings: (entry: Entry) => Entry): Promise<void> {
  const config = parse(await fileText(folder, 'quire.yaml'));
  Object.assign(config.control_plane, fetching().section);
  const [entry] = config.mcp_servers ?? config.control_plane.mcp_servers;
  Object.assign(entry, settings(entry));
  await putFile(folder, 'quire.yaml', stringify(config));
}

/** A server over HTTP with one tool. */
async function remoteServer(): Promise<string> {
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'remote', version: '1' },
    },
    'tools/list': {
      tools: [{ name: 'get_time', description: 'Gets the time.', inputSchema: { type: 'object' } }],
    },
  };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { id, method } = request.method === 'POST' ? JSON.parse(text) : {};
    if (id === undefined) return response.writeHead(request.method === 'POST' ? 202 : 405).end();
    const result = results[method];
    const body = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
    return response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}
