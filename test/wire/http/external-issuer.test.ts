/** `--auth jwt` with an issuer elsewhere: how clients find it, whose tokens count, and what happens when it is away. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { freePort, INITIALIZE, post, startHttp } from '../../kit/http.ts';
import { putFile, temporaryFolder } from '../../kit/temp.ts';

const ISSUER = 'https://login.example.com';

/** Publishes keys, unless it is away. */
async function startIssuer() {
  const pairs = {
    a: await generateKeyPair('ES256', { extractable: true }),
    b: await generateKeyPair('RS256', { extractable: true }),
    c: await generateKeyPair('ES256', { extractable: true }),
  };
  const keys = [
    { ...(await exportJWK(pairs.a.publicKey)), kid: 'a' },
    { ...(await exportJWK(pairs.b.publicKey)), kid: 'b' },
    { kty: 'oct', kid: 'shared', alg: 'HS256', k: 'c2hhcmVkIHNlY3JldCBvZiBuby1vbmUgYW5kIGFsbA' },
  ];
  const server = createServer((_, response) => void response.end(JSON.stringify({ keys })));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { pairs, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys` };
}

async function serve(auth: object, path = '') {
  const folder = await temporaryFolder({ 'one/a.md': 'first', 'two/b.md': 'second' });
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}${path}`;
  const notebooks = { one: { folder: join(folder, 'one') }, two: { folder: join(folder, 'two') } };
  const config = { notebooks, serve: { port, publicUrl }, auth: { mode: 'jwt', jwtIssuer: ISSUER, ...auth } };
  await putFile(folder, 'quire.yaml', JSON.stringify(config));
  const { origin } = await startHttp(['serve', '--config', join(folder, 'quire.yaml')]);
  const status = async (token: string, at = '/mcp', scheme = 'Bearer') =>
    (await post(origin, INITIALIZE, { Authorization: `${scheme} ${token}` }, at)).status;
  return { origin, publicUrl, status };
}

test('tokens signed with any published key count, for the endpoints they name', async () => {
  const { pairs, url } = await startIssuer();
  const { origin, status } = await serve({
    jwtJwksUrl: url,
    jwtAudience: ['https://notes.example.com/mcp', 'https://notes.example.com/mcp/one'],
  });
  const sign = (
    kid: string,
    key: Parameters<SignJWT['sign']>[0],
    alg = 'ES256',
    aud: string | string[] = 'https://notes.example.com/mcp',
  ) =>
    new SignJWT({ sub: 'kim', aud })
      .setProtectedHeader({ alg, kid })
      .setIssuer(ISSUER)
      .setExpirationTime('5m')
      .sign(key);
  const good = await sign('a', pairs.a.privateKey);
  expect(await status(good)).toBe(200);
  expect(
    await status(
      await sign('b', pairs.b.privateKey, 'RS256', ['other', 'https://notes.example.com/mcp/one']),
      '/mcp/one',
    ),
  ).toBe(200);
  expect(
    await status(await sign('a', pairs.a.privateKey, 'ES256', 'https://notes.example.com/mcp/two')),
  ).toBe(401);
  expect(await status(await sign('a', pairs.c.privateKey)), 'another key under a known name').toBe(401);
  expect(await status(await sign('c', pairs.c.privateKey)), 'a key that is not published').toBe(401);
  expect(await status(await sign('shared', Buffer.from('shared secret of no-one and all'), 'HS256'))).toBe(
    401,
  );
  const asSecret = Buffer.from(await exportSPKI(pairs.a.publicKey));
  expect(await status(await sign('a', asSecret, 'HS256')), 'a public key as a shared secret').toBe(401);
  expect(await status(good, '/mcp', 'DPoP')).toBe(401);
  // What is not done here is not announced.
  const described = await (await fetch(`${origin}/.well-known/oauth-protected-resource/mcp/one`)).json();
  expect(described).toEqual({
    resource: `${origin}/mcp/one`,
    authorization_servers: [ISSUER],
    bearer_methods_supported: ['header'],
    scopes_supported: ['notes:read', 'notes:write', 'notes:propose'],
  });
});

test('scopes for notebooks that are not served mean nothing', async () => {
  const { pairs } = await startIssuer();
  const jwtPublicKey = await exportSPKI(pairs.a.publicKey);
  const { origin, status } = await serve({ jwtPublicKey, jwtAudience: 'notes' });
  const withScope = (scope: string) =>
    new SignJWT({ sub: 'kim', aud: 'notes', scope })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(ISSUER)
      .setExpirationTime('5m')
      .sign(pairs.a.privateKey);
  expect(await status(await withScope('notes:read:nowhere'))).toBe(403);
  const headers = async (scope: string) => ({ Authorization: `Bearer ${await withScope(scope)}` });
  const opened = await post(origin, INITIALIZE, await headers('notes:read:one notes:read:x'));
  const session = opened.headers.get('mcp-session-id') ?? '';
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
  const ask = async (scope: string) =>
    (await post(origin, list, { ...(await headers(scope)), 'Mcp-Session-Id': session })).status;
  expect(await ask('notes:read:one notes:read:y')).toBe(200);
  expect(await ask('notes:read:two'), 'another notebook is another endpoint').toBe(404);
});

test('while the keys cannot be had, nobody is told that the token is bad', async () => {
  const { pairs } = await startIssuer();
  const { origin } = await serve({ jwtJwksUrl: 'http://127.0.0.1:9/keys', jwtAudience: 'notes' });
  const token = await new SignJWT({ sub: 'kim', aud: 'notes' })
    .setProtectedHeader({ alg: 'ES256', kid: 'a' })
    .setIssuer(ISSUER)
    .setExpirationTime('5m')
    .sign(pairs.a.privateKey);
  const answer = await post(origin, INITIALIZE, { Authorization: `Bearer ${token}` });
  expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([503, null]);
  expect((await post(origin, INITIALIZE, { Authorization: 'Bearer nonsense' })).status).toBe(401);
});

test('below a path, the metadata is where RFC 9728 has it', async () => {
  const { pairs } = await startIssuer();
  const jwtPublicKey = await exportSPKI(pairs.a.publicKey);
  const { origin, publicUrl } = await serve({ jwtPublicKey, jwtAudience: 'notes' }, '/quire');
  const at = (address: string) => fetch(address).then((answer) => answer.json());
  const metadata = `${new URL(origin).origin}/.well-known/oauth-protected-resource/quire`;
  expect(await at(`${metadata}/mcp`)).toMatchObject({
    resource: `${publicUrl}/mcp`,
    authorization_servers: [ISSUER],
  });
  expect(await at(metadata)).toMatchObject({ resource: publicUrl });
});
