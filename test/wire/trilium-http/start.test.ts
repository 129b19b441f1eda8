/** `quire trilium --transport http`, the built binary: what it does not start with, what it says, how it ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connectHttp, startHttp } from '../../kit/http.ts';
import { BINARY } from '../../kit/server.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../../kit/temp.ts';
import { startTrilium, TOKEN } from '../../kit/trilium/server.ts';

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  const child = spawn(process.execPath, [BINARY, 'trilium', ...args], {
    env: { ...CLEAN_ENVIRONMENT, HOME: folder, ...env },
    cwd: folder,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdout.resume();
  child.stdin.end();
  const [code] = await once(child, 'close');
  return { code, stderr };
}

const http = ['--transport', 'http', '--port', '0'];
const many = [...http, '--multi-tenant'];

test.each([
  ['no token', http, {}, /TRILIUM_TOKEN[\s\S]*--token/],
  ['no token over stdio', [], {}, /TRILIUM_TOKEN/],
  ['many Triliums over stdio', ['--multi-tenant', '--gateway-token', 'x'], {}, /needs --transport http/],
  ['many and a url', [...many, '--gateway-token', 'x', '-u', 'http://a.test'], {}, /brings its own/],
  [
    'many and a token',
    [...many, '--gateway-token', 'x'],
    { TRILIUM_TOKEN: 'secret-etapi' },
    /brings its own/,
  ],
  ['many and a subtree', [...many, '--gateway-token', 'x', '--subtree', 'abcd'], {}, /brings its own/],
  ['bearer without tokens', many, {}, /bearer needs at least one token/],
  ['one and bearer without tokens', [...http, '-t', 'x', '--gateway-auth', 'bearer'], {}, /--gateway-token/],
  ['jwt without a key', [...many, '--gateway-auth', 'jwt'], {}, /--jwt-secret or --jwt-jwks-url/],
  [
    'metrics with tokens it has not',
    [...many, '--gateway-token', 'x', '--metrics', '--metrics-auth', 'bearer'],
    {},
    /--metrics-auth bearer needs at least one token/,
  ],
  ['a transport there is not', ['-t', 'x', '--transport', 'websocket'], {}, /must be stdio or http/],
  [
    'a transport there is not, by variable',
    ['-t', 'x'],
    { TRILIUM_TRANSPORT: 'sse' },
    /must be stdio or http/,
  ],
  ['a port that is none', ['-t', 'x', '--transport', 'http', '-p', 'many'], {}, /must be a port/],
  ['a size that is none', [...http, '-t', 'x', '--max-post-bytes', 'big'], {}, /must be a size/],
  [
    'an allowlist of addresses',
    [...many, '--gateway-token', 'x', '--trilium-url-allowlist', 'https://a.test'],
    {},
    /Not a host name/,
  ],
  ['the network without a key', [...http, '-t', 'x', '--host', '0.0.0.0'], {}, /without authentication/],
])('%s: it does not start, and says why', async (_, args, env, message) => {
  const { code, stderr } = await run(args, env);
  expect(stderr).toMatch(message);
  expect(stderr).not.toContain('secret-etapi');
  expect(code).toBe(1);
});

test('metrics over stdio are left out with a warning', async () => {
  const fake = await startTrilium();
  const { code, stderr } = await run(['--metrics'], { TRILIUM_URL: fake.url, TRILIUM_TOKEN: TOKEN });
  expect(stderr).toMatch(/warning: --metrics is ignored over stdio/);
  expect(code).toBe(0);
});

test('one Trilium for the clients of this machine, with what the flags limit', async () => {
  const fake = await startTrilium({
    notes: [{ id: 'abcd', title: 'A', children: [{ id: 'efgh', title: 'B' }] }],
  });
  const env = {
    TRILIUM_URL: fake.url,
    TRILIUM_TOKEN: TOKEN,
    TRILIUM_TRANSPORT: 'http',
    TRILIUM_HTTP_PORT: '0',
  };
  const { origin, rawLog, stop } = await startHttp(['trilium', '--read-only', '--subtree', 'efgh'], env);
  expect(new URL(origin).hostname).toBe('127.0.0.1');
  for (const mode of ['auto', 'legacy'] as const) {
    const client = await connectHttp(origin, { mode });
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('get_note');
    expect(names).not.toContain('write_note');
    const get = async (noteId: string) =>
      (await client.callTool({ name: 'get_note', arguments: { noteId } })).isError === true;
    expect([await get('efgh'), await get('abcd')]).toEqual([false, true]);
  }
  expect(await stop()).toBe(0);
  expect(rawLog()).toMatch(
    /^\S+Z INFO {2}server_started transport=http port=\d+ mode=single-tenant gateway_auth=none/m,
  );
  expect(rawLog()).toMatch(/tool_call session=[\da-f]{12} tool=get_note/);
});

test('the file in the folder is enough, and flags limit what tenants may do', async () => {
  const fake = await startTrilium();
  const folder = await temporaryFolder();
  const settings = {
    transport: 'http',
    httpPort: 0,
    multiTenant: true,
    gatewayAuth: 'bearer',
    gatewayTokens: ['pick-a-long-random-token'],
    urlAllowlist: ['127.0.0.1'],
    allowPrivateUrls: false,
  };
  await writeFile(join(folder, '.trilium-mcp.json'), JSON.stringify(settings));
  const { origin } = await startHttp(['trilium', '--no-delete'], { HOME: folder });
  const answer = await fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: 'Bearer pick-a-long-random-token',
      'X-Trilium-Url': fake.url,
      'X-Trilium-Token': TOKEN,
      'Content-Type': 'application/json',
    },
    // As the document has it.
    body: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"my-app","version":"1.0.0"}}}',
  });
  const session = answer.headers.get('mcp-session-id') ?? '';
  expect(await answer.text()).toContain('serverInfo');
  const listed = await fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: 'Bearer pick-a-long-random-token',
      'MCP-Session-Id': session,
      'Content-Type': 'application/json',
    },
    body: '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
  });
  const text = await listed.text();
  expect(text).toContain('"search_notes"');
  expect(text).not.toContain('"delete_note"');
});
