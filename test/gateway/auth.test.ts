/** Authentication by signed token, and the name a principal gets from it. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, type JWK, type JWTPayload, SignJWT } from 'jose';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sessionLabel } from '../../src/http/tenants/sessions.ts';
import { headersFor, openSession, openStream, type Settings, startGateway } from '../kit/gateway.ts';
import { INITIALIZE, post } from '../kit/http.ts';
import { startTrilium } from '../kit/trilium/server.ts';

const SECRET = 'a-shared-secret-of-thirty-two-or-more';
const OLD_SECRET = 'the-secret-that-is-on-its-way-out-soon';
const jwt = (settings: Settings = {}): Settings => ({
  auth: 'jwt',
  jwtSecrets: [OLD_SECRET, SECRET],
  tokens: [],
  ...settings,
});

interface Signing {
  readonly key?: KeyObject | Uint8Array;
  readonly alg?: string;
  readonly kid?: string;
}

function sign(claims: JWTPayload, { key = Buffer.from(SECRET), alg = 'HS256', kid }: Signing = {}) {
  const header = { alg, ...(kid !== undefined && { kid }) };
  return new SignJWT(claims).setProtectedHeader(header).sign(key);
}

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const good = (claims: JWTPayload = {}) => ({ sub: 'alice', exp: inSeconds(600), ...claims });

async function statusWith(token: string, settings: Settings = {}): Promise<number> {
  const fake = await startTrilium();
  const { origin } = await startGateway(jwt(settings));
  const answer = await post(origin, INITIALIZE, headersFor(fake, token));
  await answer.text();
  return answer.status;
}

describe('shared secrets', () => {
  test.each(['HS256', 'HS384', 'HS512'])('%s with each of them', async (alg) => {
    for (const secret of [SECRET, OLD_SECRET])
      expect(await statusWith(await sign(good(), { alg, key: Buffer.from(secret) }))).toBe(200);
  });

  test.each([
    ['another secret', async () => sign(good(), { key: Buffer.from('x'.repeat(40)) })],
    ['no end', async () => sign({ sub: 'alice' })],
    ['its end behind it', async () => sign(good({ exp: inSeconds(-60) }))],
    ['its beginning before it', async () => sign(good({ nbf: inSeconds(300) }))],
    ['no name', async () => sign({ exp: inSeconds(60) })],
    ['a blank name', async () => sign(good({ sub: ' ' }))],
    ['a name that is no text', async () => sign({ ...good(), sub: 7 } as unknown as JWTPayload)],
    [
      'no signature',
      async () =>
        `${[{ alg: 'none' }, good()].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`,
    ],
    ['nonsense', async () => 'a.b.c'],
  ])('%s is refused', async (_, token) => {
    expect(await statusWith(await token())).toBe(401);
  });

  test('issuer and audience are asked for where they are set', async () => {
    const settings = { jwtIssuer: 'https://idp.example.com', jwtAudience: 'mcp' };
    const claims = { iss: 'https://idp.example.com', aud: ['mcp', 'other'] };
    expect(await statusWith(await sign(good(claims)), settings)).toBe(200);
    expect(await statusWith(await sign(good({ ...claims, iss: 'https://evil.test' })), settings)).toBe(401);
    expect(await statusWith(await sign(good({ ...claims, aud: 'other' })), settings)).toBe(401);
    expect(await statusWith(await sign(good()), settings)).toBe(401);
  });
});

describe('a set of public keys', () => {
  const pairs = {
    RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
    ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
    EdDSA: generateKeyPairSync('ed25519'),
  };

  async function serveKeys(further: readonly JWK[] = []) {
    let asked = 0;
    const keys = await Promise.all(
      Object.entries(pairs).map(async ([alg, { publicKey }]) => ({
        ...(await exportJWK(publicKey)),
        kid: alg,
        alg,
      })),
    );
    const server = createServer((_request, response) => {
      asked++;
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ keys: [...keys, ...further] }));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    return {
      jwtJwksUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`,
      asked: () => asked,
    };
  }

  test.each(Object.keys(pairs) as (keyof typeof pairs)[])('%s', async (alg) => {
    const { jwtJwksUrl } = await serveKeys();
    const settings = { jwtJwksUrl, jwtSecrets: [] };
    const token = await sign(good(), { alg, kid: alg, key: pairs[alg].privateKey });
    expect(await statusWith(token, settings)).toBe(200);
    const timeless = await sign({ sub: 'alice' }, { alg, kid: alg, key: pairs[alg].privateKey });
    expect(await statusWith(timeless, settings)).toBe(401);
    const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    expect(await statusWith(await sign(good(), { alg: 'RS256', key: foreign, kid: 'RS256' }), settings)).toBe(
      401,
    );
  });

  test('is fetched once, works beside secrets, and a secret in it opens nothing', async () => {
    const k = Buffer.from('x'.repeat(40)).toString('base64url');
    const { jwtJwksUrl, asked } = await serveKeys([{ kty: 'oct', k, kid: 'shared', alg: 'HS256' }]);
    const fake = await startTrilium();
    const { origin } = await startGateway(jwt({ jwtJwksUrl }));
    const status = async (token: string) => (await post(origin, INITIALIZE, headersFor(fake, token))).status;
    const es = await sign(good(), { alg: 'ES256', kid: 'ES256', key: pairs.ES256.privateKey });
    expect([await status(es), await status(es), await status(await sign(good()))]).toEqual([200, 200, 200]);
    const shared = await sign(good(), { key: Buffer.from('x'.repeat(40)), kid: 'shared' });
    expect(await status(shared)).toBe(401);
    expect(asked()).toBe(1);
  });

  test('that cannot be fetched means that every client is refused, and the server goes on', async () => {
    const settings = { jwtJwksUrl: 'http://127.0.0.1:1/jwks.json' };
    expect(await statusWith(await sign(good()), settings)).toBe(200);
    const es = await sign(good(), { alg: 'ES256', kid: 'ES256', key: pairs.ES256.privateKey });
    expect(await statusWith(es, settings)).toBe(401);
  });
});

test('lines of the log bear the name, and sessions belong to it', async () => {
  const fake = await startTrilium({ notes: [{ id: 'abcd', title: 'A' }] });
  const { origin, events } = await startGateway(jwt({ jwtPrincipalClaim: 'email' }));
  const as = async (email: string) => headersFor(fake, await sign({ email, exp: inSeconds(600) }));
  const alice = await as('alice@example.com');
  const id = await openSession(origin, alice);
  const call = {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'get_note', arguments: { noteId: 'abcd' } },
  };
  expect((await post(origin, call, { ...alice, 'MCP-Session-Id': id })).status).toBe(200);
  expect((await post(origin, call, { ...(await as('bob@example.com')), 'MCP-Session-Id': id })).status).toBe(
    404,
  );
  // The same person with a newer token goes on.
  expect(
    (await post(origin, call, { ...(await as('alice@example.com')), 'MCP-Session-Id': id })).status,
  ).toBe(200);
  const stream = await openStream(origin, alice);
  expect((await post(origin, call, await as('bob@example.com'), stream.endpoint)).status).toBe(404);
  for (const event of ['mcp_session_opened', 'sse_connected', 'tool_call'])
    expect(events(event)[0]).toMatchObject({ principal: 'alice@example.com', session: expect.any(String) });
  expect(events('tool_call')[0]?.session).toBe(sessionLabel(id));
});

test('the counts are read with a signed token too', async () => {
  const { origin } = await startGateway(jwt({ metrics: true }));
  const read = async (headers: Record<string, string>) =>
    (await fetch(`${origin}/metrics`, { headers })).status;
  expect(await read({ Authorization: `Bearer ${await sign(good())}` })).toBe(200);
  expect(await read({ Authorization: `Bearer ${await sign(good({ exp: inSeconds(-60) }))}` })).toBe(401);
  expect(await read({})).toBe(401);
});

test('a shared token has no name to log', async () => {
  const fake = await startTrilium();
  const { origin, events } = await startGateway();
  await openSession(origin, headersFor(fake));
  expect(events('mcp_session_opened')[0]).not.toHaveProperty('principal');
});

test('a stream ends with the token it was opened with', async () => {
  const fake = await startTrilium();
  const { origin, events } = await startGateway(jwt());
  // An expiry within the clock tolerance is accepted.
  const token = await sign(good({ exp: inSeconds(-27) }));
  await openStream(origin, headersFor(fake, token));
  await expect.poll(() => events('sse_closed'), { timeout: 40_000 }).toHaveLength(1);
});

test('with auth off no token is asked for, in front of many Triliums too', async () => {
  const fake = await startTrilium();
  const { origin, warnings } = await startGateway({ auth: 'none', tokens: [] });
  expect(warnings).toEqual([expect.stringContaining('--gateway-auth none')]);
  const { Authorization: _, ...headers } = headersFor(fake);
  expect(await openSession(origin, headers)).not.toBe('');
});
