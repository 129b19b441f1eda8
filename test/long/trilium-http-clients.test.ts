/** Clients other people wrote, with the headers the document tells them to send; and what the log keeps of them. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { sessionLabel } from '../../src/http/tenants/sessions.ts';
import { headersFor, openStream } from '../kit/gateway.ts';
import { type HttpServer, post, startHttp } from '../kit/http.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { TOOL_COUNT } from '../kit/tool-count.ts';
import { type FakeTrilium, startTrilium, TOKEN } from '../kit/trilium/server.ts';

const GATEWAY = 'f00dfacef00dfacef00dfacef00dface';
const SECRET_TITLE = 'a title nobody else should read';
const LIMIT_MS = 60_000;
const require = createRequire(import.meta.url);

async function start(env: Record<string, string> = {}): Promise<{ server: HttpServer; fake: FakeTrilium }> {
  const fake = await startTrilium({ notes: [{ id: 'abcd', title: SECRET_TITLE }] });
  const flags = ['--transport', 'http', '--port', '0', '--multi-tenant', '--allow-private-urls'];
  const server = await startHttp(['trilium', ...flags], { TRILIUM_GATEWAY_TOKENS: GATEWAY, ...env });
  return { server, fake };
}

async function expectNotes(client: Client): Promise<void> {
  expect((await client.listTools()).tools).toHaveLength(TOOL_COUNT.trilium);
  const read = await client.callTool({ name: 'get_note', arguments: { noteId: 'abcd' } });
  expect(JSON.stringify(read)).toContain(SECRET_TITLE);
}

test.each(['streamable, modern', 'streamable, legacy', 'sse'])('the SDK over %s', async (way) => {
  const { server, fake } = await start();
  const requestInit = { headers: headersFor(fake, GATEWAY) };
  const mode = way === 'streamable, modern' ? 'auto' : 'legacy';
  const client = new Client({ name: 'my-app', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(
    way === 'sse'
      ? new SSEClientTransport(new URL('/sse', server.origin), { requestInit })
      : new StreamableHTTPClientTransport(new URL('/mcp', server.origin), { requestInit }),
  );
  onTestFinished(() => client.close());
  await expectNotes(client);
});

test.each([
  ['/sse', 'sse-only'],
  ['/mcp', 'http-only'],
  ['/mcp', 'http-first'],
])(
  'mcp-remote at %s, %s',
  async (path, transport) => {
    const { server, fake } = await start();
    const home = await temporaryFolder();
    const script = join(dirname(require.resolve('mcp-remote/package.json')), 'dist/proxy.js');
    const headers = Object.entries(headersFor(fake, GATEWAY)).flatMap(([name, value]) => [
      '--header',
      `${name}: ${value}`,
    ]);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [script, `${server.origin}${path}`, '--transport', transport, ...headers],
        env: { PATH: '', HOME: home, MCP_REMOTE_CONFIG_DIR: home },
        stderr: 'ignore',
      }),
      { timeout: LIMIT_MS },
    );
    onTestFinished(() => client.close());
    await expectNotes(client);
  },
  LIMIT_MS,
);

test('a client with a wrong token gets an error, and no stream', async () => {
  const { server, fake } = await start();
  const requestInit = { headers: headersFor(fake, 'wrong') };
  const client = new Client({ name: 'my-app', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', server.origin), { requestInit });
  await expect(client.connect(transport)).rejects.toThrow(/unauthorized/i);
});

test.each(['text', 'json'])(
  'no token, no address and nothing of the notes is in the log (%s)',
  async (format) => {
    const env = { LOG_LEVEL: 'debug', LOG_FORMAT: format, TRILIUM_METRICS: 'true' };
    const { server, fake } = await start(env);
    const { origin } = server;
    const headers = headersFor(fake, GATEWAY);
    const said: string[] = [];
    const hear = async (answer: Promise<Response>) => void said.push(await (await answer).text());

    const stream = await openStream(origin, headers);
    await stream.ask(1, 'initialize', {
      protocolVersion: '2024-11-05',
      capabilities: {},
      clientInfo: { name: 'old', version: '1' },
    });
    await stream.ask(2, 'tools/call', { name: 'get_note', arguments: { noteId: 'abcd' } });
    await stream.ask(3, 'tools/call', {
      name: 'write_note',
      arguments: { noteId: 'abcd', mode: 'replace', content: 'what I wrote myself' },
    });
    await stream.ask(4, 'tools/call', { name: 'no_such_tool', arguments: { token: TOKEN } });
    const bad = `${fake.url}/a/secret/path`;
    await hear(
      fetch(`${origin}/sse`, { headers: { ...headers, Authorization: 'Bearer wrong-gateway-token' } }),
    );
    await hear(fetch(`${origin}/sse`, { headers: { ...headers, 'X-Trilium-Token': 'wrong-etapi-token' } }));
    await hear(fetch(`${origin}/sse`, { headers: { ...headers, 'X-Trilium-Url': bad } }));
    await hear(
      fetch(`${origin}/sse`, { headers: { ...headers, 'X-Trilium-Url': 'http://me:pass-word@127.0.0.1' } }),
    );
    await hear(
      fetch(`${origin}/sse`, { headers: { ...headers, 'X-Trilium-Url': 'http://127.0.0.1:1/deep' } }),
    );
    await hear(fetch(`${origin}/metrics`, { headers }));
    await hear(fetch(`${origin}/nowhere?token=${GATEWAY}`));
    await hear(post(origin, '{', headers));
    await hear(post(origin, `{"secret":"${TOKEN}"`, headers));
    stream.close();
    expect(await server.stop()).toBe(0);

    const log = server.rawLog() + server.errors();
    for (const event of [
      'server_started',
      'sse_connected',
      'sse_post',
      'tool_call',
      'sse_closed',
      'http_request',
      'unauthorized',
      'trilium_auth_failed',
      'url_rejected',
      'trilium_unreachable',
      'allow_private_urls_enabled',
    ])
      expect(log).toContain(event);
    const secrets = [
      TOKEN,
      GATEWAY,
      'wrong-gateway-token',
      'wrong-etapi-token',
      'pass-word',
      fake.url,
      'secret/path',
      '/deep',
      SECRET_TITLE,
      'what I wrote myself',
    ];
    for (const secret of secrets) expect(log).not.toContain(secret);
    for (const secret of [TOKEN, GATEWAY, 'wrong-gateway-token', 'wrong-etapi-token', 'pass-word'])
      expect(said.join('\n')).not.toContain(secret);
    expect(log).not.toContain(stream.session);
    const session = sessionLabel(stream.session);
    const lines = log.split('\n').filter((line) => line.includes(session));
    for (const event of ['sse_connected', 'tool_call', 'sse_closed'])
      expect(lines.some((line) => line.includes(event))).toBe(true);
  },
);
