/** The answers of a running server to callers without rights, and its metadata documents. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { INITIALIZE, post, startHttp } from '../../kit/http.ts';
import { temporaryFolder } from '../../kit/temp.ts';

const SECRET = 'a shared secret of thirty-two bytes';

async function serveSecretly(auth: string, serve = '') {
  const folder = await temporaryFolder({ 'diary/a.md': 'alpha' });
  const file = join(folder, 'quire.yaml');
  await writeFile(
    file,
    `notebooks: { secretdiary: { folder: ./diary } }\nserve: { port: 0${serve} }\nauth: ${auth}\nstate: { dir: memory }\n`,
  );
  return startHttp(['serve', '--config', file]);
}

const tokenWith = (scope: string) =>
  new SignJWT({ scope })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('alex')
    .setExpirationTime('5m')
    .sign(new TextEncoder().encode(SECRET));

describe('a server with authentication', () => {
  test('names no notebooks to strangers', async () => {
    const { origin } = await serveSecretly(`{ mode: bearer, tokens: ["a token of sixteen and more"] }`);
    for (const path of ['/', '/readyz', '/health', '/healthz']) {
      const answer = await fetch(origin + path);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(await answer.text()).not.toContain('secretdiary');
    }
    const ready = await fetch(`${origin}/readyz`);
    expect(await ready.json()).toEqual({
      status: 'ok',
      notes: { pending: expect.any(Number), unreadable: expect.any(Number) },
    });
  });

  test('shows nothing to a token without any scope of ours', async () => {
    const { origin } = await serveSecretly(`{ mode: jwt, jwtSecret: "${SECRET}" }`);
    const headers = { authorization: `Bearer ${await tokenWith('openid profile')}` };
    const ask = (method: string) => post(origin, { jsonrpc: '2.0', id: 1, method, params: {} }, headers);
    for (const answer of [
      await post(origin, INITIALIZE, headers),
      ...(await Promise.all(
        ['tools/list', 'resources/list', 'resources/templates/list', 'subscriptions/listen', 'ping'].map(ask),
      )),
      await fetch(`${origin}/mcp`, { headers: { ...headers, accept: 'text/event-stream' } }),
    ]) {
      expect(answer.status).toBe(403);
      expect(answer.headers.get('www-authenticate')).toContain('insufficient_scope');
    }
    const reader = { authorization: `Bearer ${await tokenWith('notes:read')}` };
    expect((await post(origin, INITIALIZE, reader)).status).toBe(200);
  });

  test('gives out tokens signed with keys of its own when asked to', async () => {
    const users = `{ alex: "${hashSync('correct horse', 4)}" }`;
    const { origin } = await serveSecretly(
      `{ mode: oauth, users: ${users}, signedTokens: true, clients: [{ id: robot, secret: "a secret of sixteen", clientCredentials: true }] }`,
    );
    const form = {
      grant_type: 'client_credentials',
      client_id: 'robot',
      client_secret: 'a secret of sixteen',
    };
    const answer = await fetch(`${origin}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
    const { access_token } = (await answer.json()) as { access_token: string };
    const { createRemoteJWKSet, jwtVerify } = await import('jose');
    const { payload } = await jwtVerify(access_token, createRemoteJWKSet(new URL(`${origin}/oauth/jwks`)), {
      algorithms: ['EdDSA'],
      issuer: origin,
    });
    expect(payload.sub).toBe('client:robot');
    expect((await post(origin, INITIALIZE, { authorization: `Bearer ${access_token}` })).status).toBe(200);
  });
});
