import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectHttp, INITIALIZE, post, startHttp } from '../../kit/http.ts';
import { temporaryFolder } from '../../kit/temp.ts';
import { TOOL_COUNT } from '../../kit/tool-count.ts';

const NOTES = { 'a.md': '# A\n\nalpha', 'b/c.md': 'beta' };
const LOCAL = ['--port', '0'];
const textOf = (result: { content: unknown }) => (result.content as { text: string }[])[0]?.text ?? '';

async function serveNotes(flags: readonly string[] = [], env: Record<string, string> = {}) {
  const folder = await temporaryFolder(NOTES);
  return { folder, ...(await startHttp(['serve', folder, ...LOCAL, ...flags], env)) };
}

const LOGIN = 'https://login.example.com';

describe('quire serve', () => {
  test.each(['legacy', 'auto'] as const)('serves a folder to clients (%s)', async (mode) => {
    const { origin } = await serveNotes();
    const client = await connectHttp(origin, { mode });
    expect(client.getProtocolEra()).toBe(mode === 'legacy' ? 'legacy' : 'modern');
    expect((await client.listTools()).tools).toHaveLength(TOOL_COUNT.notebook + TOOL_COUNT.history);
    const read = await client.callTool({ name: 'read_note', arguments: { path: 'a.md' } });
    expect(textOf(read)).toContain('alpha');
    const written = await client.callTool({
      name: 'write_note',
      arguments: { path: 'n.md', content: 'new' },
    });
    expect(written.isError).toBeFalsy();
    const found = await client.callTool({ name: 'search_notes', arguments: { query: 'new' } });
    expect(textOf(found)).toContain('n.md');
    expect((await client.listResources()).resources.length).toBeGreaterThan(0);
  });

  test('several notebooks share the endpoint under their names, and have one each', async () => {
    const folder = await temporaryFolder({ 'one/a.md': 'first', 'two/b.md': 'second' });
    const file = join(folder, 'quire.yaml');
    await writeFile(
      file,
      'notebooks:\n  one: { folder: ./one }\n  two: { folder: ./two, tools: vault, readOnly: true }\nserve: { port: 0 }\n',
    );
    const { origin } = await startHttp(['serve', '--config', file]);
    const all = await connectHttp(origin);
    const names = (await all.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('one_read_note');
    expect(names).toContain('two_vault_read');
    expect(names).not.toContain('two_vault_write');
    const read = await all.callTool({ name: 'one_read_note', arguments: { path: 'a.md' } });
    expect(textOf(read)).toContain('first');
    const wrong = await all.callTool({ name: 'two_vault_read', arguments: { path: 'nothing.md' } });
    expect(JSON.parse(textOf(wrong))).toMatchObject({ error: { code: 'FILE_NOT_FOUND' } });
    const two = await connectHttp(origin, { path: '/mcp/two' });
    expect((await two.listTools()).tools.map(({ name }) => name)).toContain('vault_read');
  });

  test('the address of the server in a browser says how to connect', async () => {
    const { origin } = await serveNotes();
    const page = await fetch(origin);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await page.text();
    expect(html).toContain(`claude mcp add --scope user --transport http quire ${origin}/mcp`);
    expect(html).not.toContain('<script');
  });

  test('health is open, metrics are off unless asked for', async () => {
    const { origin } = await serveNotes();
    for (const path of ['/health', '/healthz', '/readyz'])
      expect([path, (await fetch(origin + path)).status]).toEqual([path, 200]);
    expect((await fetch(`${origin}/metrics`)).status).toBe(404);
  });

  test('metrics with a token of their own', async () => {
    const { origin } = await serveNotes(['--metrics', 'token'], {
      QUIRE_METRICS_TOKEN: 'metrics-token-of-length',
    });
    expect((await fetch(`${origin}/metrics`)).status).toBe(401);
    const client = await connectHttp(origin);
    await client.callTool({ name: 'read_note', arguments: { path: 'a.md' } });
    const answer = await fetch(`${origin}/metrics`, {
      headers: { Authorization: 'Bearer metrics-token-of-length' },
    });
    expect(await answer.text()).toMatch(/quire_mcp_tool_calls_total\{[^}]*tool="read_note"[^}]*\} 1/);
  });
});

describe('what is refused', () => {
  test('the network without authentication', async () => {
    const folder = await temporaryFolder(NOTES);
    await expect(startHttp(['serve', folder, '--host', '0.0.0.0', ...LOCAL])).rejects.toThrow(
      /exited with 2: quire: Refusing to serve notes to the network without authentication: 0\.0\.0\.0/,
    );
  });

  test('a port that is taken', async () => {
    const { origin } = await serveNotes();
    const folder = await temporaryFolder(NOTES);
    const { port } = new URL(origin);
    await expect(startHttp(['serve', folder, '--port', port])).rejects.toThrow(
      /Cannot listen: 127\.0\.0\.1:\d+ \(EADDRINUSE\)\nAnother program listens there/,
    );
  });

  test.each([
    ['another Host', { Host: 'evil.example' }, 403],
    ['the Origin of another site', { Origin: 'https://evil.example' }, 403],
  ])('%s', async (_, headers, status) => {
    const { origin } = await serveNotes();
    const { request } = await import('node:http');
    const { port } = new URL(origin);
    const answer = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port,
          path: '/mcp',
          method: 'POST',
          headers: { 'Content-Type': 'application/json', ...headers },
        },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      sent.on('error', reject);
      sent.end(JSON.stringify(INITIALIZE));
    });
    expect(answer).toBe(status);
  });

  test.each([
    ['a body that is not JSON', '{', {}, 400, 'Parse error: the body is not JSON'],
    [
      'another type',
      '{}',
      { 'Content-Type': 'text/plain' },
      415,
      'Send the body as Content-Type: application/json',
    ],
    ['a body that is too large', `"${'x'.repeat(30_000)}"`, {}, 413, /limit|large/i],
  ])('%s', async (_, body, headers, status, message) => {
    const folder = await temporaryFolder(NOTES);
    const file = join(folder, '.quire.yaml');
    await writeFile(file, `notebooks: { n: { folder: . } }\nserve: { port: 0, bodyLimitMb: 0.02 }\n`);
    const { origin } = await startHttp(['serve', '--config', file]);
    const answer = await post(origin, body, headers);
    expect(answer.status).toBe(status);
    const { error } = (await answer.json()) as { error: { message: string } };
    if (typeof message === 'string') expect(error.message).toBe(message);
    else expect(error.message).toMatch(message);
  });

  test('unknown paths and methods', async () => {
    const { origin } = await serveNotes();
    expect((await fetch(`${origin}/nothing`)).status).toBe(404);
    expect((await fetch(`${origin}/%6dcp`, { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${origin}/health`, { method: 'DELETE' })).status).toBe(405);
  });

  test('too many requests, with the time to wait', async () => {
    const folder = await temporaryFolder(NOTES);
    const file = join(folder, '.quire.yaml');
    await writeFile(file, `notebooks: { n: { folder: . } }\nserve: { port: 0, requestsPerMinute: 3 }\n`);
    const { origin } = await startHttp(['serve', '--config', file]);
    for (let at = 0; at < 3; at++) expect((await fetch(origin)).status).toBe(200);
    const answer = await fetch(origin);
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  });

  test('other versions than the one that is asked for', async () => {
    const { origin } = await serveNotes(['--protocol', '2025-11-25']);
    const other = { ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion: '2025-06-18' } };
    const answer = await post(origin, other);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { data: { supported: ['2025-11-25'] } } });
    expect((await post(origin, INITIALIZE)).status).toBe(200);
  });
});

describe('where a request comes from', () => {
  const XFF = { 'X-Forwarded-For': '6.6.6.6, 203.0.113.9' };
  const FORWARDED = { Forwarded: 'for=6.6.6.6, for="[2001:db8::5]:4711";proto=https' };

  test.each([
    ['no proxy is trusted', [], '127.0.0.1'],
    ['another proxy is trusted', ['--trusted-proxies', '10.0.0.0/8'], '127.0.0.1'],
    ['this proxy is trusted', ['--trusted-proxies', 'loopback'], '203.0.113.9'],
    [
      'this proxy is trusted, and writes Forwarded',
      ['--trusted-proxies', '127.0.0.1', '--forwarded-header', 'Forwarded'],
      '2001:db8::5',
    ],
    ['no proxy is trusted to write Forwarded', ['--forwarded-header', 'forwarded'], '127.0.0.1'],
  ])('%s', async (_, flags, address) => {
    const { origin, log } = await serveNotes(flags);
    await fetch(`${origin}/health`, { headers: { ...XFF, ...FORWARDED } });
    await expect.poll(() => log().find(({ message }) => message === 'request')).toMatchObject({ address });
    await fetch(`${origin}/health`, { headers: XFF });
    await expect.poll(() => log().filter(({ message }) => message === 'request')).toHaveLength(2);
    const ignored = log().filter(({ message }) => message === 'forwarding headers are ignored');
    expect(ignored).toHaveLength(flags.includes('--trusted-proxies') ? 0 : 1);
  });

  test('each caller behind a trusted proxy has a limit of its own', async () => {
    const folder = await temporaryFolder({
      ...NOTES,
      '.quire.yaml':
        'notebooks: { n: { folder: . } }\nserve: { port: 0, requestsPerMinute: 2, trustedProxies: [loopback], forwardedHeader: forwarded }\n',
    });
    const { origin } = await startHttp(['serve', '--config', join(folder, '.quire.yaml')]);
    const status = async (caller: string) =>
      (await fetch(origin, { headers: { Forwarded: `for=${caller}` } })).status;
    for (let at = 0; at < 2; at++) expect(await status('203.0.113.1')).toBe(200);
    expect(await status('203.0.113.1')).toBe(429);
    expect(await status('203.0.113.2')).toBe(200);
  });
});

describe('who may call', () => {
  const TOKEN = 'a-token-long-enough';

  test('a bearer token opens it, nothing else does', async () => {
    const { origin, rawLog } = await serveNotes(['--auth', 'bearer'], { QUIRE_AUTH_TOKENS: TOKEN });
    const without = await post(origin, INITIALIZE);
    expect([without.status, without.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="quire", scope="notes:read notes:write"',
    ]);
    const wrong = await post(origin, INITIALIZE, { Authorization: 'Bearer wrong' });
    expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_token"');
    const client = await connectHttp(origin, { token: TOKEN });
    expect((await client.listTools()).tools).toHaveLength(TOOL_COUNT.notebook + TOOL_COUNT.history);
    expect(rawLog()).not.toContain(TOKEN);
  });

  test('a session belongs to the client that opened it', async () => {
    const { origin } = await serveNotes(['--auth', 'bearer'], { QUIRE_AUTH_TOKENS: `${TOKEN}-1,${TOKEN}-2` });
    const opened = await post(origin, INITIALIZE, { Authorization: `Bearer ${TOKEN}-1` });
    const session = opened.headers.get('mcp-session-id') ?? '';
    expect(session).not.toBe('');
    await opened.text();
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    const headers = { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': '2025-11-25' };
    const other = await post(origin, list, { ...headers, Authorization: `Bearer ${TOKEN}-2` });
    expect(other.status).toBe(404);
    const own = await post(origin, list, { ...headers, Authorization: `Bearer ${TOKEN}-1` });
    expect(own.status).toBe(200);
  });

  test('signed tokens: the right key, algorithm, issuer, audience and time', async () => {
    const { SignJWT, UnsecuredJWT } = await import('jose');
    const secret = 's'.repeat(32);
    const { origin } = await serveNotes(['--auth', 'jwt', '--jwt-issuer', LOGIN, '--jwt-audience', 'notes'], {
      QUIRE_JWT_SECRET: secret,
    });
    const sign = (claims: Record<string, unknown>, key = secret, expires = '5m') =>
      new SignJWT({ iss: LOGIN, aud: 'notes', sub: 'alex', ...claims })
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuedAt()
        .setExpirationTime(expires)
        .sign(Buffer.from(key));
    const status = async (token: string) =>
      (await post(origin, INITIALIZE, { Authorization: `Bearer ${token}` })).status;
    // Standard clients find the issuer by the challenge, or by the well-known address (RFC 9728).
    const challenged = await post(origin, INITIALIZE);
    const [, metadata = ''] =
      /resource_metadata="([^"]+)"/.exec(challenged.headers.get('www-authenticate') ?? '') ?? [];
    expect(metadata).toBe(`${origin}/.well-known/oauth-protected-resource/mcp`);
    for (const [address, resource] of [
      [metadata, `${origin}/mcp`],
      [`${origin}/.well-known/oauth-protected-resource`, origin],
    ] as const)
      expect(
        await (await fetch(address, { headers: { Origin: 'https://app.example' } })).json(),
      ).toMatchObject({
        resource,
        authorization_servers: [LOGIN],
      });
    expect((await fetch(`${origin}/.well-known/oauth-authorization-server`)).status).toBe(404);
    expect(await status(await sign({}))).toBe(200);
    expect(await status(await sign({}, 't'.repeat(32)))).toBe(401);
    expect(await status(await sign({ iss: 'you' }))).toBe(401);
    expect(await status(await sign({ aud: 'others' }))).toBe(401);
    expect(await status(await sign({}, secret, '-5m'))).toBe(401);
    const unsigned = new UnsecuredJWT({ iss: LOGIN, aud: 'notes', sub: 'alex' })
      .setExpirationTime('5m')
      .encode();
    expect(await status(unsigned)).toBe(401);
    const read = await sign({ scope: 'notes:read' });
    const client = await connectHttp(origin, { token: read });
    expect((await client.callTool({ name: 'read_note', arguments: { path: 'a.md' } })).isError).toBeFalsy();
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'write_note', arguments: { path: 'x.md', content: 'x' } },
    };
    const refused = await post(origin, call, { Authorization: `Bearer ${read}` });
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
    expect(refused.headers.get('www-authenticate')).toContain('scope="notes:read notes:write"');
    const nothing = { Authorization: `Bearer ${await sign({ scope: 'other' })}` };
    for (const method of ['resources/read', 'prompts/get', 'completion/complete']) {
      const blind = await post(origin, { jsonrpc: '2.0', id: 3, method, params: {} }, nothing);
      expect([method, blind.status]).toEqual([method, 403]);
    }
  });
});

describe('the end', () => {
  test('SIGTERM in the middle of writes: each one that was answered is there, whole, and the process ends well', async () => {
    const { origin, folder, stop } = await serveNotes();
    const client = await connectHttp(origin);
    const text = (at: number) => `${at} `.repeat(20_000);
    const answered: number[] = [];
    const writes = Array.from({ length: 40 }, async (_, at) => {
      const args = { path: `w${at}.md`, content: text(at) };
      const result = await client.callTool({ name: 'write_note', arguments: args });
      if (!result.isError) answered.push(at);
    });
    await Promise.any(writes);
    const code = await stop();
    await Promise.allSettled(writes);
    expect(code).toBe(0);
    expect(answered.length).toBeGreaterThan(0);
    for (const at of answered) expect(await readFile(join(folder, `w${at}.md`), 'utf8')).toBe(text(at));
  });

  test('the log as text, a record a line whatever is asked for', async () => {
    const { origin, rawLog } = await serveNotes(['--log-format', 'text']);
    await fetch(`${origin}/a%0Ab`);
    await expect.poll(rawLog).toMatch(/^\S+ INFO {2}request method=GET route=other status=404 /m);
    for (const line of rawLog().trim().split('\n')) expect(line).toMatch(/^\d{4}-\S+ (INFO|WARN|ERROR) /);
  });

  test('every write leaves a line, without what was written', async () => {
    const { origin, log, rawLog } = await serveNotes();
    const client = await connectHttp(origin);
    await client.callTool({ name: 'write_note', arguments: { path: 'n.md', content: 'the secret body' } });
    await client.callTool({ name: 'read_note', arguments: { path: 'n.md' } });
    await expect
      .poll(() => log().filter(({ message }) => message === 'audit'))
      .toEqual([
        expect.objectContaining({
          principal: 'anonymous',
          tool: 'write_note',
          outcome: 'ok',
          path: 'n.md',
          change: expect.stringMatching(/^\w{16}$/),
        }),
      ]);
    expect(rawLog()).not.toContain('the secret body');
  });
});
