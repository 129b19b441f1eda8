/** The second brain beside notebooks of every kind, and how it is found and refused. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { noteOf } from '../../../src/governance/resource-note.ts';
import { connectHttp, startHttp } from '../../kit/http.ts';
import { answerJson, BINARY, startProgram } from '../../kit/server.ts';
import { TOKEN as SPACE_TOKEN, startSilverBullet } from '../../kit/silverbullet/server.ts';
import { CLEAN_ENVIRONMENT, putFile, temporaryFolder } from '../../kit/temp.ts';
import { TOOL_COUNT } from '../../kit/tool-count.ts';
import { startTrilium, TOKEN as TRILIUM_TOKEN } from '../../kit/trilium/server.ts';
import { NOTES, type Value, wholeOf } from './support.ts';

async function configured(yaml: string): Promise<string> {
  const folder = await temporaryFolder({ 'quire.yaml': yaml });
  for (const [path, text] of Object.entries(NOTES)) await putFile(folder, `notes/${path}`, text);
  return folder;
}

function start(args: readonly string[], cwd?: string) {
  return spawnSync(process.execPath, [BINARY, ...args], {
    env: { ...CLEAN_ENVIRONMENT, HOME: '/nonexistent' },
    encoding: 'utf8',
    timeout: 40_000,
    input: '',
    ...(cwd !== undefined && { cwd }),
  });
}

describe('quire serve with brain: true', () => {
  it('has both kinds of tools at /mcp, and the second brain alone at /mcp/brain', async () => {
    const folder = await configured(
      'notebooks:\n  main: { folder: ./notes }\nbrain: true\nserve: { port: 0 }\n',
    );
    const { origin } = await startHttp(['serve', '--config', `${folder}/quire.yaml`]);
    for (const mode of ['legacy', 'auto'] as const) {
      const both = await connectHttp(origin, { mode });
      const names = (await both.listTools()).tools.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['read_note', 'sb_ask', 'search_local_context']));
      const found = await both.callTool({ name: 'sb_recall', arguments: { query: 'crane' } });
      expect(answerJson(found)).toMatchObject({ results: expect.arrayContaining([expect.anything()]) });
      const note = await both.callTool({ name: 'read_note', arguments: { path: 'garden.md' } });
      expect(JSON.stringify(note.content)).toContain('Tomatoes');
      const alone = await connectHttp(origin, { mode, path: '/mcp/brain' });
      const own = (await alone.listTools()).tools.map(({ name }) => name);
      expect(own).toHaveLength(TOOL_COUNT.brain);
      expect(own).not.toContain('read_note');
    }
    const client = await connectHttp(origin);
    const { contents } = await client.readResource({ uri: 'secondbrain://context/help' });
    expect(contents).toHaveLength(1);
    const uris: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 10; page++) {
      const listed = await client.listResources(cursor === undefined ? {} : { cursor });
      uris.push(...listed.resources.map(({ uri }) => uri));
      cursor = listed.nextCursor;
      if (cursor === undefined) break;
    }
    expect(uris).toContain('secondbrain://context/status');
    expect(uris.length).toBe(Object.keys(NOTES).length + 2);
    // The notebook's, and the second brain's own.
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['daily_review', 'summarize_local_context']),
    );
  });

  it('keeps the names of its tools beside several notebooks, and reads all of them', async () => {
    const space = await startSilverBullet({ files: { 'Space.md': 'The lighthouse of the space is white.' } });
    const trilium = await startTrilium({
      notes: [{ id: 'abcd', title: 'Beacon', content: '<p>The lighthouse of the wiki is green.</p>' }],
    });
    const folder = await configured(
      [
        'notebooks:',
        '  main: { folder: ./notes, tools: vault, readOnly: true }',
        `  space: { silverbullet: { url: "${space.url}", token: "${SPACE_TOKEN}" }, tools: pages }`,
        `  wiki: { trilium: { url: "${trilium.url}", token: "${TRILIUM_TOKEN}" }, tools: trilium, readOnly: true }`,
        'brain: { ingest: space }',
        'serve: { port: 0 }',
        '',
      ].join('\n'),
    );
    await putFile(folder, 'notes/light.md', 'The lighthouse of the harbour is red.\n');
    const { origin } = await startHttp(['serve', '--config', `${folder}/quire.yaml`]);
    const client = await connectHttp(origin);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['main_vault_read', 'space_read_page', 'wiki_get_note', 'sb_recall']),
    );
    const recalled = await client.callTool({ name: 'sb_recall', arguments: { query: 'lighthouse' } });
    const { results } = answerJson(recalled);
    const paths = results.map(({ citation }: Value) => citation.source_path).sort();
    expect(paths).toEqual(['main/light.md', 'space/Space.md', expect.stringMatching(/^wiki\/.*Beacon/)]);
    const added = await client.callTool({ name: 'sb_ingest', arguments: { content: 'Fog.', title: 'Fog' } });
    expect(answerJson(added).source_path).toBe('space/inbox/Fog.md');
    const refused = await client.callTool({
      name: 'sb_ingest',
      arguments: { content: 'Fog.', dest: 'main' },
    });
    expect(refused).toMatchObject({ isError: true });
  });

  it('reads what was compiled from governed servers', async () => {
    const folder = await configured('notebooks:\n  main: { folder: ./notes }\n');
    const { text } = noteOf({
      server: 'docs',
      uri: 'file:///guide.md',
      trust: 'reviewed',
      fetchedAt: '2026-11-16T00:00:00.000Z',
      by: 'op',
      title: 'Guide',
      tags: [],
      text: '# Guide\n\nThe sluice opens at noon.\n',
      findings: [],
    });
    await putFile(folder, 'notes/mcp/docs/guide-12345678.md', text);
    const { call } = await startProgram(['brain', '--config', `${folder}/quire.yaml`]);
    const { results } = wholeOf(await call('sb_recall', { query: 'sluice' }));
    expect(results[0].citation.source_path).toBe('mcp/docs/guide-12345678.md');
  });

  it('says how governed servers stand', async () => {
    const folder = await configured(
      'notebooks:\n  main: { folder: ./notes }\nbrain: { alone: true }\nserve: { port: 0 }\nmcp_servers:\n  - { name: off, transport: streamable_http, url: "http://127.0.0.1:9/mcp", enabled: false }\n',
    );
    const { origin } = await startHttp(['serve', '--config', `${folder}/quire.yaml`]);
    const client = await connectHttp(origin);
    expect((await client.listTools()).tools).toHaveLength(TOOL_COUNT.brain);
    const { contents } = await client.readResource({ uri: 'secondbrain://context/status' });
    const { text } = contents[0] as { text: string };
    expect(JSON.parse(text)).toMatchObject({ servers: { disabled: 1 }, pending_approvals: 0 });
    expect(text).not.toContain('9/mcp');
  });
});

describe('quire brain', () => {
  it('finds the configuration where quire mcp does, by both names of the program', async () => {
    const folder = await configured('notebooks:\n  main: { folder: ./notes }\nbrain: true\n');
    const bin = await temporaryFolder();
    await mkdir(bin, { recursive: true });
    await symlink(BINARY, `${bin}/sb`);
    const initialize = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    });
    const { stdout } = spawnSync(process.execPath, [`${bin}/sb`, 'brain'], {
      env: { ...CLEAN_ENVIRONMENT },
      cwd: folder,
      encoding: 'utf8',
      timeout: 40_000,
      input: `${initialize}\n`,
    });
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ id: 1, result: { serverInfo: {} } });
  });

  it.each([
    ['nothing to read', ['brain'], 'No folder given'],
    ['a folder that is not there', ['brain', '/no/such/folder'], '/no/such/folder'],
    ['an unknown transport', ['brain', '.', '--transport', 'pigeon'], 'Unknown transport'],
    ['an unknown kind of embeddings', ['brain', '.', '--embeddings', 'magic'], 'embeddings'],
    ['a notebook that is not there', ['brain', '.', '--ingest', 'nope'], 'brain.ingest'],
    ['a model without a name', ['brain', '.', '--llm-url', 'http://127.0.0.1:9/v1'], 'llm.model'],
  ])('says what is wrong: %s', async (_, args, says) => {
    const { status, stderr } = start(args, await temporaryFolder({ 'a.md': 'a' }));
    expect(status).not.toBe(0);
    expect(stderr).toContain(says);
    expect(stderr).not.toContain('    at ');
  });

  it.each([
    ['brain: { embedings: off }', 'did you mean embeddings?'],
    ['brain: maybe', 'brain'],
    ['brain: { ingest: nope }', 'brain.ingest names no notebook'],
    [`llm: { base_url: "http://127.0.0.1:9/v1", model: m, api_key: "\${env:NO_SUCH}" }`, 'NO_SUCH'],
  ])('refuses %s', async (line, says) => {
    const folder = await configured(`notebooks:\n  main: { folder: ./notes }\n${line}\n`);
    const { status, stderr } = start(['brain', '--config', `${folder}/quire.yaml`]);
    expect(status).not.toBe(0);
    expect(stderr).toContain(says);
  });

  it('takes flags over a file that says no more than yes', async () => {
    const folder = await configured('notebooks:\n  main: { folder: ./notes }\nbrain: true\n');
    const { status, stderr } = start(['brain', '--config', `${folder}/quire.yaml`, '--ingest', 'nope']);
    expect([status, stderr]).toEqual([
      expect.any(Number),
      expect.stringContaining('brain.ingest names no notebook'),
    ]);
  });

  it('is what sb serve serves', async () => {
    const folder = await configured('notebooks:\n  main: { folder: ./notes }\n');
    await symlink(BINARY, `${folder}/sb`);
    const child = spawn(process.execPath, [`${folder}/sb`, 'serve', '--port', '0'], {
      env: { ...CLEAN_ENVIRONMENT, XDG_STATE_HOME: folder },
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    await expect.poll(() => / at (http\S+)\n/.exec(said)?.[1], { timeout: 40_000 }).toBeDefined();
    const client = await connectHttp(/ at (http\S+)\n/.exec(said)?.[1] ?? '');
    expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    expect((await client.listTools()).tools).toHaveLength(TOOL_COUNT.brain);
  });

  it('speaks no other version where it is strict', async () => {
    const folder = await configured(
      'notebooks:\n  main: { folder: ./notes }\nserve: { strict: true, protocol: "2026-07-28", port: 0 }\n',
    );
    const { stderr } = start(['serve', '--config', `${folder}/quire.yaml`]);
    expect(stderr).toContain('serve.strict speaks 2025-11-25 only');
  });

  it('open to the network names only flags that sb serve has', async () => {
    const folder = await configured('notebooks:\n  main: { folder: ./notes }\nserve: { port: 0 }\n');
    await symlink(BINARY, `${folder}/sb`);
    const sb = (...args: string[]) =>
      spawnSync(process.execPath, [`${folder}/sb`, 'serve', ...args], {
        env: { ...CLEAN_ENVIRONMENT, HOME: '/nonexistent' },
        encoding: 'utf8',
        cwd: folder,
      });
    const { status, stderr } = sb('--host', '0.0.0.0');
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining('Refusing') });
    const named = [...stderr.matchAll(/--[a-z-]+/g)].map(([flag]) => flag);
    expect(named).toEqual(['--token']);
    expect(sb('--help').stdout).toContain('--token <token>');
  });

  it('leaves the path of the second brain to it', async () => {
    const folder = await configured(
      'notebooks:\n  brain: { folder: ./notes }\nbrain: true\nserve: { port: 0 }\n',
    );
    const { status, stderr } = start(['serve', '--config', `${folder}/quire.yaml`]);
    expect(status).not.toBe(0);
    expect(stderr).toContain('No notebook can be called brain');
  });
});
