/** Many Triliums behind one login: OAuth says who calls and what they may do, the headers say which Trilium. */
import { createHash, randomBytes } from 'node:crypto';
import {
  Client,
  type OAuthClientProvider,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import bcrypt from 'bcryptjs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { bearer, headersFor, openSession, openStream, type Settings, startGateway } from '../kit/gateway.ts';
import { INITIALIZE, post } from '../kit/http.ts';
import { approve, type Person } from '../kit/login.ts';
import { type FakeTrilium, startTrilium, TOKEN } from '../kit/trilium/server.ts';

const ALEX = { username: 'alex', password: 'correct horse battery' };
const KIM = { username: 'kim', password: 'staple of another kind' };
const CALLBACK = 'http://127.0.0.1:33418/callback';
const hash = ({ password }: Person) => bcrypt.hashSync(password, 4);

const start = (settings: Settings = {}) =>
  startGateway(
    { auth: 'oauth', tokens: [], ...settings },
    { auth: { users: { alex: hash(ALEX), kim: hash(KIM) } } },
  );

const tenant = (name: string) =>
  startTrilium({ notes: [{ id: 'note', title: name, content: `<p>${name}</p>` }] });

const tenantHeaders = ({ url }: FakeTrilium) => ({ 'X-Trilium-Url': url, 'X-Trilium-Token': TOKEN });

const call = (name: string, args: Record<string, unknown> = { noteId: 'note' }) => ({
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name, arguments: args },
});
const READ = call('get_note');
const WRITE = call('write_note', { noteId: 'note', mode: 'append', content: '<p>more</p>' });

interface Proof {
  readonly verifier?: string;
  readonly scope?: string;
}

/** Registers a client, logs a person in, and redeems the code with a PKCE verifier. */
async function logIn(origin: string, person: Person, { verifier, scope }: Proof = {}) {
  const registered = await fetch(`${origin}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const secret = randomBytes(32).toString('base64url');
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: CALLBACK,
    code_challenge: createHash('sha256').update(secret).digest('base64url'),
    code_challenge_method: 'S256',
    ...(scope !== undefined && { scope }),
  });
  const back = await approve(`${origin}/oauth/authorize?${parameters}`, person);
  return fetch(`${origin}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      redirect_uri: CALLBACK,
      code_verifier: verifier ?? secret,
      client_id,
    }),
  });
}

async function tokenFor(origin: string, person: Person, scope?: string): Promise<string> {
  const answer = await logIn(origin, person, { scope });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { access_token: string }).access_token;
}

function providerOf(saved: Record<string, unknown>): OAuthClientProvider {
  const read = (name: string) => () => saved[name] as never;
  const save = (name: string) => (value: unknown) => {
    saved[name] = value;
  };
  return {
    redirectUrl: CALLBACK,
    clientMetadata: {
      client_name: 'Test client',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: read('client'),
    saveClientInformation: save('client'),
    tokens: read('tokens'),
    saveTokens: save('tokens'),
    redirectToAuthorization: save('address'),
    codeVerifier: read('verifier'),
    saveCodeVerifier: save('verifier'),
    discoveryState: read('discovery'),
    saveDiscoveryState: save('discovery'),
  };
}

test('a client of the SDK logs in once, and its headers choose the Trilium', async () => {
  const [aspen, birch] = [await tenant('aspen'), await tenant('birch')];
  const { origin, events } = await start();
  const saved: Record<string, unknown> = {};
  const authProvider = providerOf(saved);
  const over = (fake: FakeTrilium) =>
    new StreamableHTTPClientTransport(new URL('/mcp', origin), {
      authProvider,
      requestInit: { headers: tenantHeaders(fake) },
    });
  const first = over(aspen);
  await expect(new Client({ name: 'test', version: '1' }).connect(first)).rejects.toThrow();
  const back = await approve(saved.address as URL, ALEX);
  await first.finishAuth(back.searchParams);
  for (const mode of ['legacy', 'auto'] as const)
    for (const [fake, name] of [
      [aspen, 'aspen'],
      [birch, 'birch'],
    ] as const) {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(over(fake));
      onTestFinished(() => client.close());
      const read = await client.callTool({ name: 'get_note', arguments: { noteId: 'note' } });
      expect(JSON.stringify(read)).toContain(name);
    }
  expect(events('login succeeded')).toHaveLength(1);
  expect(events('tool_call')[0]).toMatchObject({ principal: 'user:alex' });
});

test('HTTP+SSE too, with the token and the headers on every message', async () => {
  const aspen = await tenant('aspen');
  const { origin } = await start();
  const token = await tokenFor(origin, ALEX);
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: headersFor(aspen, token) };
  await client.connect(new SSEClientTransport(new URL('/sse', origin), { requestInit }));
  onTestFinished(() => client.close());
  const read = await client.callTool({ name: 'get_note', arguments: { noteId: 'note' } });
  expect(JSON.stringify(read)).toContain('aspen');
  const { endpoint } = await openStream(origin, headersFor(aspen, token));
  expect((await post(origin, READ, {}, endpoint)).status).toBe(401);
  expect((await post(origin, READ, bearer(token), endpoint)).status).toBe(403);
});

describe('a caller without a token', () => {
  test('learns where to log in', async () => {
    const aspen = await tenant('aspen');
    const { origin, events } = await start();
    const answer = await post(origin, INITIALIZE, tenantHeaders(aspen));
    expect([answer.status, await answer.json()]).toEqual([401, { error: 'unauthorized' }]);
    const metadata = `${origin}/.well-known/oauth-protected-resource`;
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${metadata}", scope="notes:read notes:write"`,
    );
    expect(await (await fetch(metadata)).json()).toMatchObject({ authorization_servers: [origin] });
    expect(events('unauthorized')[0]).toMatchObject({ reason: 'no_token' });
    expect(aspen.requests).toEqual([]);
  });

  test('is not served with a token of the gateway itself, or a code that is proven wrongly', async () => {
    const aspen = await tenant('aspen');
    const { origin } = await start({ tokens: ['a-gateway-token'] });
    expect((await post(origin, INITIALIZE, headersFor(aspen, 'a-gateway-token'))).status).toBe(401);
    const wrong = await logIn(origin, ALEX, { verifier: randomBytes(32).toString('base64url') });
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
  });
});

describe('scopes', () => {
  test('a token that only reads is refused a tool that writes, over every transport', async () => {
    const aspen = await tenant('aspen');
    const { origin, events } = await start();
    const headers = headersFor(aspen, await tokenFor(origin, ALEX, 'notes:read'));
    const session = { ...headers, 'MCP-Session-Id': await openSession(origin, headers) };
    const { endpoint } = await openStream(origin, headers);
    expect((await post(origin, READ, session)).status).toBe(200);
    expect((await post(origin, READ, headers, endpoint)).status).toBe(202);
    for (const refused of [
      await post(origin, WRITE, session),
      await post(origin, WRITE, headers, endpoint),
    ]) {
      expect([refused.status, await refused.json()]).toMatchObject([403, { error: 'insufficient_scope' }]);
      expect(refused.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
    }
    expect(events('insufficient_scope')[0]).toMatchObject({ scope: 'notes:write', principal: 'user:alex' });
    expect(aspen.text('note')).not.toContain('more');
    const writer = headersFor(aspen, await tokenFor(origin, ALEX));
    const written = await post(origin, WRITE, { ...writer, 'MCP-Session-Id': session['MCP-Session-Id'] });
    expect([written.status, await written.text()]).toEqual([200, expect.stringContaining('success')]);
    expect(aspen.text('note')).toContain('more');
  });

  test('metrics are read with any of them', async () => {
    const { origin } = await start({ metrics: true });
    const read = async (headers: Record<string, string>) =>
      (await fetch(`${origin}/metrics`, { headers })).status;
    expect([await read({}), await read(bearer(await tokenFor(origin, ALEX, 'notes:read')))]).toEqual([
      401, 200,
    ]);
  });
});

test('tenants share no client, no session and no check, even for one caller', async () => {
  const [aspen, birch] = [await tenant('aspen'), await tenant('birch')];
  const { origin } = await start();
  const [alex, kim] = [await tokenFor(origin, ALEX), await tokenFor(origin, KIM)];
  const id = await openSession(origin, headersFor(aspen, alex));
  const status = async (headers: Record<string, string>) =>
    (await post(origin, READ, { ...headers, 'MCP-Session-Id': id })).status;
  expect(await status(bearer(alex))).toBe(200);
  expect(await status(headersFor(birch, alex))).toBe(404);
  expect(await status(headersFor(aspen, kim))).toBe(404);
  expect(birch.requests).toEqual([]);
  const probes = ({ requests }: FakeTrilium) =>
    requests.filter((request) => request.endsWith('/app-info')).length;
  const before = probes(aspen);
  const alone = async (token: string, fake: FakeTrilium) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const requestInit = { headers: headersFor(fake, token) };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', origin), { requestInit }));
    onTestFinished(() => client.close());
    return JSON.stringify(await client.callTool({ name: 'get_note', arguments: { noteId: 'note' } }));
  };
  expect(await alone(alex, aspen)).toContain('aspen');
  expect(await alone(kim, aspen)).toContain('aspen');
  expect(await alone(kim, birch)).toContain('birch');
  expect([probes(aspen) - before, probes(birch)]).toEqual([2, 1]);
});

test('a Trilium that refuses its token is no reason to log in again', async () => {
  const aspen = await tenant('aspen');
  const { origin } = await start();
  const token = await tokenFor(origin, ALEX);
  const wrong = await post(origin, INITIALIZE, { ...headersFor(aspen, token), 'X-Trilium-Token': 'wrong' });
  expect([wrong.status, await wrong.json()]).toMatchObject([403, { error: 'trilium_auth_failed' }]);
  const missing = await post(origin, INITIALIZE, bearer(token));
  expect([missing.status, await missing.json()]).toMatchObject([
    403,
    { error: 'missing_trilium_credentials' },
  ]);
});

test('it does not start without users, or without its address where others can reach it', async () => {
  await expect(startGateway({ auth: 'oauth', tokens: [] }, { auth: {} })).rejects.toThrow(
    'there are no users',
  );
  const far = startGateway(
    { auth: 'oauth', tokens: [], host: '0.0.0.0' },
    { auth: { users: { alex: hash(ALEX) } } },
  );
  await expect(far).rejects.toThrow('--gateway-url');
});

test('a public address behind a proxy that is not named is warned of', async () => {
  const auth = { users: { alex: hash(ALEX) } };
  const settings: Settings = { auth: 'oauth', tokens: [], publicUrl: 'https://mcp.example.com' };
  expect((await startGateway(settings, { auth })).warnings).toEqual([
    expect.stringContaining('--trusted-proxies'),
  ]);
  const named = await startGateway({ ...settings, trustedProxies: ['loopback'] }, { auth });
  expect(named.warnings).toEqual([]);
});

test('a stream ends when its token is revoked, without waiting for the next look at it', async () => {
  const fake = await tenant('mine');
  const { origin, events } = await start();
  const [revoked, kept] = [await tokenFor(origin, ALEX), await tokenFor(origin, KIM)];
  // Tokens of open streams are looked at by an interval, too.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  for (const token of [revoked, kept]) await openStream(origin, headersFor(fake, token));
  const [client] = events('token issued');
  await fetch(`${origin}/oauth/revoke`, {
    method: 'POST',
    body: new URLSearchParams({ token: revoked, client_id: String(client?.clientId) }),
  });
  await expect.poll(() => events('sse_closed')).toHaveLength(1);
  expect(events('sse_closed')).toMatchObject([{ principal: 'user:alex' }]);
});
