/**
 * The document of `quire vault`, line by line, over HTTP behind a proxy that ends TLS: configuration by environment,
 * `hash-password`, the nine steps of discovery, and every tool's answer with the token that comes of it.
 */
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { freePort, type HttpServer, startHttp } from '../../kit/http.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../../kit/temp.ts';

const SERVER_URL = 'https://vault.example.com';
const REDIRECT = 'https://claude.ai/oauth/callback';
const PASSWORD = 'correct horse battery';
const BINARY = fileURLToPath(new URL('../../../dist/quire.cjs', import.meta.url));

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** As the proxy does: the request goes to the server as it is, under the public name. */
function through(port: number) {
  return (path: string, { method = 'GET', headers = {}, body = '' } = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const all = { Host: 'vault.example.com', 'X-Forwarded-For': '203.0.113.9', ...headers };
      const sent = request({ host: '127.0.0.1', port, path, method, headers: all }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      });
      sent.on('error', reject);
      sent.end(body);
    });
}

const form = (fields: Record<string, string>) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});
const json = (value: unknown, headers: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
  body: JSON.stringify(value),
});
const rpc = (method: string, params: object, id = 1) => ({ jsonrpc: '2.0', id, method, params });
const INITIALIZE = rpc('initialize', {
  protocolVersion: '2025-03-26',
  capabilities: {},
  clientInfo: { name: 'c', version: '1' },
});

async function serveVault(files: Readonly<Record<string, string>> = {}) {
  const hash = execFileSync(process.execPath, [BINARY, 'hash-password'], {
    input: `${PASSWORD}\n`,
    encoding: 'utf8',
    env: CLEAN_ENVIRONMENT,
  }).trim();
  expect(hash).toMatch(/^\$2[aby]\$\d\d\$/);
  const folder = await temporaryFolder(files);
  const port = await freePort();
  const server: HttpServer = await startHttp(['vault'], {
    VAULT_PATH: folder,
    LISTEN_ADDR: `127.0.0.1:${port}`,
    SERVER_URL,
    AUTH_USERS: `alex:${hash}`,
    QUIRE_TRUSTED_PROXIES: 'loopback',
  });
  return { folder, server, ask: through(port) };
}

type Ask = ReturnType<typeof through>;

/** Steps 4 to 8. */
async function connect(ask: Ask) {
  const registered = await ask(
    '/oauth/register',
    json({
      client_name: 'Claude',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }),
  );
  const client = JSON.parse(registered.text) as Record<string, unknown>;
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: String(client.client_id),
    redirect_uri: REDIRECT,
    state: 'the state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: SERVER_URL,
  });
  const cookies = new Map<string, string>();
  const page = async (send: Promise<Answer>) => {
    const answer = await send;
    for (const cookie of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    return { ...answer, ticket: /name="ticket" value="([^"]+)"/.exec(answer.text)?.[1] ?? '' };
  };
  const submit = ({ ticket }: { ticket: string }, fields: Record<string, string>) => {
    const { headers, ...rest } = form({ ticket, ...fields });
    const Cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    return page(ask('/oauth/authorize', { ...rest, headers: { ...headers, Cookie } as typeof headers }));
  };
  const login = await page(ask(`/oauth/authorize?${query}`));
  expect(login.text).toContain('name="password"');
  const consent = await submit(login, { action: 'login', username: 'alex', password: PASSWORD });
  const back = await submit(consent, { action: 'approve' });
  const location = new URL(String(back.headers.location));
  const code = location.searchParams.get('code') ?? '';
  const exchange = { grant_type: 'authorization_code', client_id: String(client.client_id), code };
  const token = await ask(
    '/oauth/token',
    form({ ...exchange, code_verifier: verifier, redirect_uri: REDIRECT }),
  );
  const { access_token } = JSON.parse(token.text) as { access_token: string };
  return { registered, client, location, token, bearer: { Authorization: `Bearer ${access_token}` } };
}

test('the nine steps from a request without a token to one with it', async () => {
  const { ask } = await serveVault();
  const refused = await ask('/mcp', json(INITIALIZE));
  expect([refused.status, refused.headers['www-authenticate']]).toEqual([
    401,
    `Bearer resource_metadata="${SERVER_URL}/.well-known/oauth-protected-resource", scope="notes:read notes:write"`,
  ]);
  for (const headers of [{}, { Authorization: 'Bearer wrong' }] as Record<string, string>[])
    expect(JSON.parse((await ask('/mcp', json(INITIALIZE, headers))).text)).toMatchObject({
      error: { data: { code: 'AUTH_REQUIRED' } },
    });
  const resource = await ask('/.well-known/oauth-protected-resource');
  expect(JSON.parse(resource.text)).toMatchObject({
    resource: SERVER_URL,
    authorization_servers: [SERVER_URL],
    bearer_methods_supported: ['header'],
  });
  const metadata = await ask('/.well-known/oauth-authorization-server');
  expect(JSON.parse(metadata.text)).toMatchObject({
    issuer: SERVER_URL,
    authorization_endpoint: `${SERVER_URL}/oauth/authorize`,
    token_endpoint: `${SERVER_URL}/oauth/token`,
    registration_endpoint: `${SERVER_URL}/oauth/register`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: expect.arrayContaining([
      'none',
      'client_secret_post',
      'client_secret_basic',
    ]),
  });
  const { registered, client, location, token, bearer } = await connect(ask);
  expect(registered.status).toBe(201);
  expect(client).toMatchObject({
    client_id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    client_name: 'Claude',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  });
  expect(client).not.toHaveProperty('client_secret');
  expect(location.origin + location.pathname).toBe(REDIRECT);
  expect(location.searchParams.get('state')).toBe('the state');
  expect(JSON.parse(token.text)).toMatchObject({
    access_token: expect.stringMatching(/^[0-9a-f]{64}$/),
    token_type: 'Bearer',
    expires_in: 24 * 3_600,
  });
  expect((await ask('/mcp', json(INITIALIZE, bearer))).status).toBe(200);
  const stream = await ask('/mcp', { headers: bearer as never });
  expect(stream.status).toBe(400);
  expect((await ask('/mcp')).status).toBe(401);
});

test('every tool answers in the documented form, and every error with its code', async () => {
  const { ask, folder } = await serveVault({
    'projects/heating-system.md': `---\ntags: [project, go]\n---\n${'line\n'.repeat(300)}the Go-based heating controller talks MQTT\n`,
    'daily/2026-02-08.md': 'Two words, two words.\n',
    'image.png': 'not text',
    '.obsidian/app.json': '{}',
  });
  const { bearer } = await connect(ask);
  const opened = await ask('/mcp', json(INITIALIZE, bearer));
  const session = {
    ...bearer,
    'Mcp-Session-Id': String(opened.headers['mcp-session-id']),
    'MCP-Protocol-Version': '2025-03-26',
  };
  const call = async (name: string, args: object = {}) => {
    const answer = await ask('/mcp', json(rpc('tools/call', { name, arguments: args }), session));
    const data = /^data: (\{.*)$/m.exec(answer.text)?.[1] ?? answer.text;
    const { result } = JSON.parse(data) as { result: { content: { text: string }[] } };
    return JSON.parse(result.content[0]?.text ?? '') as unknown;
  };
  expect(await call('vault_list_all')).toEqual({
    total_files: 3,
    files: expect.arrayContaining([
      expect.objectContaining({
        path: 'projects/heating-system.md',
        size: expect.any(Number),
        modified: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
        tags: ['project', 'go'],
      }),
      expect.objectContaining({ path: 'image.png' }),
    ]),
  });
  expect(await call('vault_list')).toMatchObject({
    path: '/',
    entries: expect.arrayContaining([
      expect.objectContaining({ name: 'projects', type: 'folder', children: 1 }),
    ]),
    total_entries: 3,
  });
  expect(await call('vault_read', { path: 'projects/heating-system.md' })).toMatchObject({
    total_lines: 304,
    showing: [1, 200],
    truncated: true,
  });
  expect(
    await call('vault_read', { path: 'projects/heating-system.md', offset: 304, limit: 1 }),
  ).toMatchObject({
    path: 'projects/heating-system.md',
    showing: [304, 304],
    content: expect.stringContaining('heating controller'),
  });
  expect(await call('vault_search', { query: 'Heating Controller' })).toMatchObject({
    query: 'Heating Controller',
    total_matches: 1,
    results: [
      {
        path: 'projects/heating-system.md',
        match_type: 'content',
        snippet: expect.stringContaining('**heating controller**'),
        line: 304,
      },
    ],
  });
  const written = { path: 'new/idea.md', content: 'one\ntwo\n' };
  expect(await call('vault_write', written)).toEqual({
    path: 'new/idea.md',
    created: true,
    size: 8,
    total_lines: 2,
  });
  expect(await call('vault_write', written)).toMatchObject({ created: false });
  expect(await call('vault_edit', { path: 'new/idea.md', old_text: 'two', new_text: 'three' })).toEqual({
    path: 'new/idea.md',
    replaced: true,
    total_lines: 2,
  });
  expect(await readFile(join(folder, 'new/idea.md'), 'utf8')).toBe('one\nthree\n');

  const errors: readonly (readonly [name: string, args: object, code: string, message?: string])[] = [
    [
      'vault_read',
      { path: 'projects/nonexistent.md' },
      'FILE_NOT_FOUND',
      'File not found: projects/nonexistent.md',
    ],
    ['vault_list', { path: 'nowhere' }, 'FILE_NOT_FOUND'],
    ['vault_read', { path: '../outside.md' }, 'PATH_NOT_ALLOWED'],
    ['vault_write', { path: '.obsidian/app.json', content: '' }, 'PATH_NOT_ALLOWED'],
    [
      'vault_edit',
      { path: 'new/idea.md', old_text: 'four', new_text: '' },
      'TEXT_NOT_FOUND',
      'Text not found in file',
    ],
    [
      'vault_edit',
      { path: 'daily/2026-02-08.md', old_text: 'wo words', new_text: '' },
      'TEXT_NOT_UNIQUE',
      'Text appears 2 times in file, must be unique',
    ],
    ['vault_read', { path: 'new/idea.md', offset: 99 }, 'INVALID_RANGE'],
  ];
  for (const [name, args, code, message] of errors)
    expect(await call(name, args), `${name} ${JSON.stringify(args)}`).toEqual({
      error: { code, message: message ?? expect.any(String) },
    });
});
