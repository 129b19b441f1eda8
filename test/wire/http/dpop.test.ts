/** Tokens bound to a key, at the MCP endpoint of the built binary. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import bcrypt from 'bcryptjs';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, it } from 'vitest';
import { freePort, INITIALIZE, post, startHttp } from '../../kit/http.ts';
import { approve } from '../../kit/login.ts';
import { temporaryFolder } from '../../kit/temp.ts';

const ALEX = { username: 'alex', password: 'correct horse battery' };
const CALLBACK = 'http://127.0.0.1:33418/callback';

it('a bound token opens the endpoint with a fresh proof, and the refusal of any other says why', async () => {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const folder = await temporaryFolder({ 'a.md': 'alpha' });
  const args = [
    'vault',
    '--vault-path',
    folder,
    '--listen-addr',
    `127.0.0.1:${port}`,
    '--server-url',
    origin,
  ];
  const server = await startHttp(args, {
    AUTH_USERS: `alex:${bcrypt.hashSync(ALEX.password, 4)}`,
    QUIRE_STATE_DIR: 'memory',
  });
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  const proof = (path: string, token?: string, extension?: string) =>
    new SignJWT({
      htm: 'POST',
      htu: `${origin}${path}`,
      jti: randomUUID(),
      ...(token !== undefined && { ath: createHash('sha256').update(token).digest('base64url') }),
    })
      .setProtectedHeader({
        alg: 'ES256',
        typ: 'dpop+jwt',
        jwk,
        ...(extension !== undefined && { crit: [extension], [extension]: 1 }),
      })
      .setIssuedAt()
      .sign(privateKey, { crit: { [extension ?? '']: true } });

  const registered = await fetch(`${origin}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [CALLBACK], dpop_bound_access_tokens: true }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const verifier = randomBytes(32).toString('base64url');
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  const asked = { client_id, response_type: 'code', redirect_uri: CALLBACK, code_challenge };
  const query = new URLSearchParams({ ...asked, code_challenge_method: 'S256' });
  const back = await approve(`${origin}/oauth/authorize?${query}`, ALEX);
  const code = back.searchParams.get('code') ?? '';
  const answer = await fetch(`${origin}/oauth/token`, {
    method: 'POST',
    headers: { DPoP: await proof('/oauth/token') },
    body: new URLSearchParams({ grant_type: 'authorization_code', client_id, code, code_verifier: verifier }),
  });
  const { access_token: token, token_type } = (await answer.json()) as Record<string, string>;
  expect(token_type).toBe('DPoP');

  const call = async (headers: Record<string, string>) => {
    const called = await post(origin, INITIALIZE, headers);
    await called.text();
    return { status: called.status, challenge: called.headers.get('www-authenticate') };
  };
  const used = await proof('/mcp', token);
  const presented = { Authorization: `DPoP ${token}`, DPoP: used };
  expect(await call(presented)).toEqual({ status: 200, challenge: null });
  const refused = (why: RegExp) => ({ status: 401, challenge: expect.stringMatching(why) });
  expect(await call(presented)).toEqual(
    refused(/^DPoP error="invalid_dpop_proof", .*used before.*algs="ES256 /),
  );
  expect(await call({ Authorization: `DPoP ${token}` })).toEqual(refused(/^DPoP .*it is missing/));
  expect(await call({ Authorization: `Bearer ${token}` })).toEqual(refused(/^DPoP .*send it as DPoP/));
  const elsewhere = await proof('/other', token);
  expect(await call({ Authorization: `DPoP ${token}`, DPoP: elsewhere })).toEqual(refused(/^DPoP .*htu/));
  const odd = await proof('/mcp', token, '"€"\r\nX: y');
  expect(await call({ Authorization: `DPoP ${token}`, DPoP: odd })).toEqual(
    refused(/^DPoP .*Parameter ''''''X: y'/),
  );
  expect(await call({ Authorization: 'DPoP unknown', DPoP: used })).toEqual(
    refused(/^Bearer .*invalid_token/),
  );
  for (const secret of [token ?? '?', used]) expect(server.rawLog()).not.toContain(secret);
});
