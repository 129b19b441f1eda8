import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import bcrypt from 'bcryptjs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort, INITIALIZE, post, startHttp } from '../../kit/http.ts';
import { approve } from '../../kit/login.ts';
import { temporaryFolder } from '../../kit/temp.ts';
import { TOOL_COUNT } from '../../kit/tool-count.ts';

const ALEX = { username: 'alex', password: 'correct horse battery' };
const HASH = bcrypt.hashSync(ALEX.password, 4);
const CALLBACK = 'http://127.0.0.1:33418/callback';

async function serveVault(stateDir?: string, auth = '{}') {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const folder = await temporaryFolder({
    'a.md': 'alpha',
    '.quire.yaml': `notebooks: {}\nauth: ${auth}\n`,
  });
  const where = ['--listen-addr', `127.0.0.1:${port}`, '--server-url', origin];
  const start = () =>
    startHttp(['vault', '--vault-path', folder, ...where, '--config', join(folder, '.quire.yaml')], {
      AUTH_USERS: `alex:${HASH}`,
      ...(stateDir !== undefined && { QUIRE_STATE_DIR: stateDir }),
    });
  return { ...(await start()), folder, start };
}

interface SavedLogin {
  client?: unknown;
  tokens?: { access_token: string; refresh_token?: string } | undefined;
  verifier?: string;
  sentTo?: URL;
}

function provider(remembered: SavedLogin): OAuthClientProvider {
  return {
    redirectUrl: CALLBACK,
    clientMetadata: {
      client_name: 'Test client (real)',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => remembered.client as never,
    saveClientInformation: (client) => {
      remembered.client = client;
    },
    tokens: () => remembered.tokens as never,
    saveTokens: (tokens) => {
      remembered.tokens = tokens as SavedLogin['tokens'];
    },
    redirectToAuthorization: (url) => {
      remembered.sentTo = url;
    },
    saveCodeVerifier: (verifier) => {
      remembered.verifier = verifier;
    },
    codeVerifier: () => remembered.verifier ?? '',
  };
}

async function logIn(origin: string, remembered: SavedLogin = {}) {
  const url = new URL('/mcp', origin);
  const authProvider = provider(remembered);
  const first = new StreamableHTTPClientTransport(url, { authProvider });
  const knocking = new Client({ name: 'test', version: '1' });
  await expect(knocking.connect(first)).rejects.toThrow();
  const back = await approve(remembered.sentTo ?? '', ALEX);
  expect(back.origin + back.pathname).toBe(CALLBACK);
  await first.finishAuth(back.searchParams);
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider }));
  onTestFinished(() => client.close());
  return { client, remembered };
}

describe('the vault over HTTP, with a login', () => {
  test('says where to get a token', async () => {
    const { origin } = await serveVault();
    const answer = await post(origin, INITIALIZE);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource", scope="notes:read notes:write"`,
    );
    expect(await (await fetch(`${origin}/.well-known/oauth-protected-resource`)).json()).toMatchObject({
      resource: origin,
      authorization_servers: [origin],
      bearer_methods_supported: ['header'],
    });
    const metadata = await (await fetch(`${origin}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toMatchObject({
      issuer: origin,
      authorization_endpoint: `${origin}/oauth/authorize`,
      token_endpoint: `${origin}/oauth/token`,
      registration_endpoint: `${origin}/oauth/register`,
      code_challenge_methods_supported: ['S256'],
    });
  });

  test('the SDK client finds its way: discovery, registration, login, consent, token, call', async () => {
    const { origin, rawLog } = await serveVault();
    const { client, remembered } = await logIn(origin);
    expect((await client.listTools()).tools).toHaveLength(TOOL_COUNT.vault);
    const read = await client.callTool({ name: 'vault_read', arguments: { path: 'a.md' } });
    expect(read.isError).toBeFalsy();
    const secrets = [
      ALEX.password,
      remembered.tokens?.access_token ?? '?',
      remembered.tokens?.refresh_token ?? '?',
      remembered.verifier ?? '?',
      'alpha',
    ];
    for (const secret of secrets) expect(rawLog()).not.toContain(secret);
  });

  test('the SDK client goes on by itself when its token is over', async () => {
    const { origin, log } = await serveVault(undefined, `{ accessHours: ${1 / 3_600} }`);
    const { client, remembered } = await logIn(origin);
    const before = remembered.tokens?.access_token;
    await sleep(1_200);
    const refused = await post(origin, INITIALIZE, { Authorization: `Bearer ${before}` });
    expect(refused.status).toBe(401);
    const read = await client.callTool({ name: 'vault_read', arguments: { path: 'a.md' } });
    expect(read.isError).toBeFalsy();
    expect(remembered.tokens?.access_token).not.toBe(before);
    const count = (message: string) => log().filter((line) => line.message === message).length;
    await expect.poll(() => count('token refreshed')).toBeGreaterThan(0);
    expect(count('login succeeded')).toBe(1);
  });

  test('a stream that waits ends with the access it was opened with', async () => {
    const { origin } = await serveVault();
    const { remembered } = await logIn(origin);
    const token = remembered.tokens?.access_token ?? '';
    const headers = { Authorization: `Bearer ${token}`, 'MCP-Protocol-Version': '2025-11-25' };
    const opened = await post(origin, INITIALIZE, headers);
    await opened.text();
    const session = opened.headers.get('mcp-session-id') ?? '';
    const stream = await fetch(`${origin}/mcp`, {
      headers: { ...headers, Accept: 'text/event-stream', 'Mcp-Session-Id': session },
    });
    expect(stream.status).toBe(200);
    const ended = stream.text().then(
      () => 'ended',
      () => 'ended',
    );
    expect(await Promise.race([ended, sleep(6_000, 'open')])).toBe('open');
    const { client_id } = remembered.client as { client_id: string };
    const refresh = remembered.tokens?.refresh_token ?? '';
    const form = new URLSearchParams({ client_id, token: refresh });
    expect((await fetch(`${origin}/oauth/revoke`, { method: 'POST', body: form })).status).toBe(200);
    expect((await post(origin, INITIALIZE, headers)).status).toBe(401);
    expect(await Promise.race([ended, sleep(8_000, 'open')])).toBe('ended');
  });

  test('a restart logs no client out, and a refresh goes on', async () => {
    const state = await temporaryFolder();
    const { origin, stop, start } = await serveVault(state);
    const { remembered } = await logIn(origin);
    await stop();
    await start();
    const token = remembered.tokens?.access_token ?? '';
    const opened = await post(origin, INITIALIZE, { Authorization: `Bearer ${token}` });
    expect(opened.status).toBe(200);
    // A client whose token has gone bad uses the one to refresh it by itself.
    remembered.tokens = { ...remembered.tokens, access_token: 'gone' } as SavedLogin['tokens'];
    const again = new Client({ name: 'test', version: '1' });
    await again.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', origin), { authProvider: provider(remembered) }),
    );
    onTestFinished(() => again.close());
    expect((await again.listTools()).tools).toHaveLength(TOOL_COUNT.vault);
    expect(remembered.tokens?.access_token).not.toBe('gone');
  });

  test('a consent page for notes:write alone says that it reads, too', async () => {
    const { origin } = await serveVault();
    const remembered: SavedLogin = {};
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', origin), {
      authProvider: provider(remembered),
    });
    await expect(new Client({ name: 't', version: '1' }).connect(transport)).rejects.toThrow();
    const address = new URL(remembered.sentTo ?? '');
    address.searchParams.set('scope', 'notes:write');
    const seen: string[] = [];
    const back = await approve(address, ALEX, seen);
    const consent = seen.find((page) => page.includes('Allow Test client')) ?? '';
    expect(consent).toContain('<li>read and search all your notes</li>');
    expect(consent, 'no tool of a vault moves or deletes').toContain('<li>create and change notes</li>');
    await transport.finishAuth(back.searchParams);
    expect(remembered.tokens).toMatchObject({ scope: expect.stringContaining('notes:write') });
    const client = new Client({ name: 't', version: '1' });
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', origin), { authProvider: provider(remembered) }),
    );
    onTestFinished(() => client.close());
    const read = await client.callTool({ name: 'vault_read', arguments: { path: 'a.md' } });
    expect(JSON.stringify(read)).toContain('alpha');
  });

  test.each([
    ['https without trusted proxies', 'https://vault.example.com', [], true],
    ['https behind a trusted proxy', 'https://vault.example.com', ['--trusted-proxies', 'loopback'], false],
    ['plain http', 'http://localhost:8090', [], false],
  ])('%s: whether all are warned to be one address', async (_, publicUrl, more, isWarned) => {
    const folder = await temporaryFolder({ 'a.md': 'alpha' });
    const args = ['--vault-path', folder, '--listen-addr', '127.0.0.1:0', '--server-url', publicUrl];
    const env = { AUTH_USERS: `alex:${HASH}` };
    const { log } = await startHttp(['vault', ...args, ...more], env);
    const warned = log().filter(
      ({ level, message }) => level === 'warn' && /one address/.test(String(message)),
    );
    expect(warned).toEqual(
      isWarned ? [expect.objectContaining({ hint: expect.stringContaining('--trusted-proxies') })] : [],
    );
  });

  test('a wrong password does not open it', async () => {
    const { origin } = await serveVault();
    const remembered: SavedLogin = {};
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', origin), {
      authProvider: provider(remembered),
    });
    await expect(new Client({ name: 't', version: '1' }).connect(transport)).rejects.toThrow();
    await expect(approve(remembered.sentTo ?? '', { ...ALEX, password: 'wrong' })).rejects.toThrow(
      'the login does not end',
    );
  });

  test('it does not start without users', async () => {
    const folder = await temporaryFolder({ 'a.md': 'alpha' });
    await expect(
      startHttp(['vault', '--vault-path', folder, '--server-url', 'https://vault.example.com']),
    ).rejects.toThrow(/No one can log in: there are no users\nGive --auth-users/);
  });

  test('a program the operator set up for it authenticates with its secret alone, another does not', async () => {
    const clients = `[{ id: robot, secret: a-secret-long-enough, clientCredentials: true }, { id: app, secret: another-long-secret }]`;
    const { origin } = await serveVault(undefined, `{ clients: ${clients} }`);
    const ask = (client_id: string, client_secret: string) =>
      fetch(`${origin}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }),
      });
    const answer = await ask('robot', 'a-secret-long-enough');
    const { access_token } = (await answer.json()) as { access_token: string };
    const opened = await post(origin, INITIALIZE, { Authorization: `Bearer ${access_token}` });
    expect([answer.status, opened.status]).toEqual([200, 200]);
    const other = await ask('app', 'another-long-secret');
    expect([other.status, await other.json()]).toMatchObject([400, { error: 'unauthorized_client' }]);
  });

  test('tokens kept in memory end with the server', async () => {
    const { origin, stop, start } = await serveVault('memory');
    const { remembered } = await logIn(origin);
    const headers = { Authorization: `Bearer ${remembered.tokens?.access_token}` };
    expect((await post(origin, INITIALIZE, headers)).status).toBe(200);
    await stop();
    await start();
    expect((await post(origin, INITIALIZE, headers)).status).toBe(401);
  });

  test('an owner with one password, a client known beforehand, signed tokens, and a token for the command line', async () => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const folder = await temporaryFolder({ 'a.md': 'alpha' });
    const file = join(folder, '.quire.yaml');
    await writeFile(
      file,
      [
        'notebooks: { n: { folder: . } }',
        `serve: { port: ${port}, publicUrl: "${origin}" }`,
        'auth:',
        '  mode: oauth',
        '  ownerToken: the owner types this',
        '  clients: [{ id: known, secret: a-secret-long-enough }]',
        '  registration: false',
        '  signingKey: a-signing-key-of-at-least-32-characters',
        '  accessHours: 2160',
        '  tokens: [a-token-for-curl-and-tests]',
      ].join('\n'),
    );
    await startHttp(['serve', '--config', file]);
    const bypass = await post(origin, INITIALIZE, { Authorization: 'Bearer a-token-for-curl-and-tests' });
    expect(bypass.status).toBe(200);
    const verifier = randomBytes(32).toString('base64url');
    const parameters = new URLSearchParams({
      response_type: 'code',
      client_id: 'known',
      redirect_uri: CALLBACK,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state: 's',
    });
    const back = await approve(`${origin}/authorize?${parameters}`, {
      username: '',
      password: 'the owner types this',
    });
    const answer = await fetch(`${origin}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: back.searchParams.get('code') ?? '',
        redirect_uri: CALLBACK,
        code_verifier: verifier,
        client_id: 'known',
        client_secret: 'a-secret-long-enough',
      }),
    });
    const tokens = (await answer.json()) as { access_token: string; expires_in: number };
    expect([answer.status, tokens.expires_in]).toEqual([200, 90 * 86_400]);
    expect(tokens.access_token.split('.')).toHaveLength(3);
    const opened = await post(origin, INITIALIZE, { Authorization: `Bearer ${tokens.access_token}` });
    expect(opened.status).toBe(200);
    const tampered = `${tokens.access_token.slice(0, -3)}abc`;
    expect((await post(origin, INITIALIZE, { Authorization: `Bearer ${tampered}` })).status).toBe(401);
  });
});
