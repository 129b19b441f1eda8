/** `quire trilium`, the built binary, in front of a Trilium. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BINARY, startProgram } from '../../kit/server.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../../kit/temp.ts';
import { TOOL_COUNT } from '../../kit/tool-count.ts';
import { startTrilium, TOKEN } from '../../kit/trilium/server.ts';

const NOTES = [{ id: 'abcd', title: 'A', content: '<p>text</p>', children: [{ id: 'efgh', title: 'B' }] }];
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
};

test('notes are written as markdown and stored as the HTML of Trilium, without scripts', async () => {
  const fake = await startTrilium({ notes: NOTES });
  const env = { TRILIUM_URL: `${fake.url}/etapi`, TRILIUM_TOKEN: TOKEN };
  const { call, client } = await startProgram(['trilium'], { env });
  expect((await client.listTools()).tools).toHaveLength(TOOL_COUNT.trilium);
  const content = '## Goals\n\n- [ ] ship\n\n**now**';
  const made = await call('create_note', {
    parentNoteId: 'abcd',
    title: 'N',
    type: 'text',
    content,
    format: 'markdown',
  });
  const { noteId } = made.json.note;
  expect(made.json.url).toBe(`${fake.url}/#root/abcd/${noteId}`);
  expect(fake.text(noteId)).toContain('<ul class="todo-list">');
  const read = await call('get_note', { noteId, format: 'markdown' });
  expect(read.content[1]?.text).toBe(content);
  const unsafe = '<p onclick="x()">a</p><script>x()</script>';
  await call('write_note', { noteId, mode: 'replace', content: unsafe });
  expect(fake.text(noteId)).toBe('<p>a</p>');
  const changes = [{ old_string: 'a', new_string: 'b<script>x()</script>' }];
  await call('write_note', { noteId, mode: 'edit', changes });
  expect(fake.text(noteId)).toBe('<p>b</p>');
});

test('flags say what may be reached and done', async () => {
  const fake = await startTrilium({ notes: NOTES });
  const flags = ['-u', fake.url, '-t', TOKEN, '--public-url', 'https://notes.example.com/'];
  const reader = await startProgram(['trilium', ...flags, '--read-only', '--subtree', 'efgh']);
  expect((await reader.client.listTools()).tools).toHaveLength(TOOL_COUNT.triliumReading);
  expect((await reader.call('get_note', { noteId: 'efgh' })).isError).toBe(false);
  expect((await reader.call('get_note', { noteId: 'abcd' })).isError).toBe(true);
  const keeper = await startProgram(['trilium', '--transport', 'stdio', ...flags, '--no-delete']);
  expect((await keeper.client.listTools()).tools).toHaveLength(TOOL_COUNT.triliumWithoutDelete);
  const { json } = await keeper.call('write_note', { noteId: 'abcd', mode: 'append', content: '' });
  expect(json.url).toBe('https://notes.example.com/#root/abcd');
});

async function run(args: readonly string[], env: Record<string, string>, cwd?: string) {
  const child = spawn(process.execPath, [BINARY, 'trilium', ...args], {
    env: { ...CLEAN_ENVIRONMENT, ...env },
    ...(cwd !== undefined && { cwd }),
  });
  onTestFinished(() => void child.kill());
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const call = {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'manage_system', arguments: { action: 'app_info' } },
  };
  child.stdin.on('error', () => {});
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  child.stdin.end(`${JSON.stringify(call)}\n`);
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

test('flags win over the environment, that over the file of the folder, that over the one at home', async () => {
  const fake = await startTrilium();
  const good = { url: fake.url, token: TOKEN };
  const home = await temporaryFolder();
  const folder = await temporaryFolder();
  const put = (place: string, content: unknown) => writeFile(place, JSON.stringify(content));
  const works = async (args: readonly string[] = [], env: Record<string, string> = {}) =>
    (await run(args, { HOME: home, ...env }, folder)).stdout.includes('appVersion');
  await put(join(home, '.trilium-mcp.json'), good);
  expect(await works()).toBe(true);
  await put(join(folder, 'trilium-mcp.json'), { ...good, token: 'wrong' });
  expect(await works()).toBe(false);
  expect(await works([], { TRILIUM_TOKEN: TOKEN, TRILIUM_URL: '' })).toBe(true);
  expect(await works([], { TRILIUM_TOKEN: 'wrong' })).toBe(false);
  expect(await works(['--token', TOKEN], { TRILIUM_TOKEN: 'wrong' })).toBe(true);
});

test('without a token it says what is missing', async () => {
  const { code, stderr } = await run(
    [],
    { HOME: await temporaryFolder(), TRILIUM_TOKEN: '' },
    await temporaryFolder(),
  );
  expect(code).not.toBe(0);
  expect(stderr).toContain('TRILIUM_TOKEN');
  expect(stderr).toContain('--token');
});

test('a line for every call goes to stderr, and the token nowhere', async () => {
  const fake = await startTrilium();
  const env = { TRILIUM_URL: fake.url, TRILIUM_TOKEN: TOKEN };
  const { stderr, stdout } = await run([], env);
  expect(stderr).toMatch(
    /^\S+Z INFO {2}tool_call session=stdio tool=manage_system duration_ms=\d+ ok=true$/m,
  );
  const json = await run([], { ...env, LOG_FORMAT: 'json' });
  expect(json.stderr).toContain('"event":"tool_call"');
  expect((await run([], { ...env, LOG_LEVEL: 'error' })).stderr).toBe('');
  expect(stderr + stdout + json.stderr).not.toContain(TOKEN);
});

test('a Trilium can be served with the notebook tools too', async () => {
  const fake = await startTrilium({ notes: NOTES });
  const folder = await temporaryFolder();
  const file = join(folder, 'quire.yaml');
  const trilium = `{ url: "${fake.url}", token: "\${env:THE_TOKEN}" }`;
  await writeFile(file, `notebooks:\n  wiki: { trilium: ${trilium}, tools: notebook }\n`);
  const { call } = await startProgram(['--config', file], { env: { THE_TOKEN: TOKEN } });
  const { json } = await call('list_directory', { path: '/' });
  expect(JSON.stringify(json)).toContain('A.md');
});

test.each([
  ['two places', 'folder: ., trilium: { token: x }', /choose one/],
  ['no place', 'tools: trilium', /needs a folder/],
  ['the tools without their place', 'folder: ., tools: trilium', /needs a trilium/],
  ['a subtree that is no id', 'trilium: { token: x, subtree: ../x }', /subtree: must be the id of a note/],
])('%s in a file is refused by name', async (_, settings, message) => {
  const folder = await temporaryFolder();
  const file = join(folder, 'quire.yaml');
  await writeFile(file, `notebooks:\n  wiki: { ${settings} }\n`);
  const child = spawn(process.execPath, [BINARY, '--config', file], { env: CLEAN_ENVIRONMENT });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin.end();
  await once(child, 'close');
  expect(stderr).toMatch(message);
});
