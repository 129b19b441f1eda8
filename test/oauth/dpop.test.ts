/** Tokens bound to a key (DPoP, RFC 9449), and what a thief can do with them. */
import { createHash, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { carryOut } from '../../src/oauth/users.ts';
import { PROOF_ALGORITHMS, type Presentation } from '../../src/shared/presentation.ts';
import {
  authorizeUrl,
  calledBack,
  claimsOf,
  errorOf,
  exchange,
  ISSUER,
  isValid,
  type OAuthServer,
  openServer,
  pkce,
  refresh,
  type Tokens,
  tokensOf,
  USERS,
} from './kit.ts';

const TOKEN_URL = `${ISSUER}/oauth/token`;

interface ProofParts {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  /** Of the access token; none at the token endpoint. */
  readonly token?: string;
}

/** A client's key, and what it signs. */
async function keyHolder(served: OAuthServer, alg = 'ES256') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk: JWK = await exportJWK(publicKey);
  const proof = ({ claims = {}, header = {}, token }: ProofParts = {}) => {
    const all = {
      htm: 'POST',
      htu: token === undefined ? TOKEN_URL : `${ISSUER}/mcp`,
      iat: Math.floor(served.clock.now / 1000),
      jti: randomUUID(),
      ...(token !== undefined && { ath: createHash('sha256').update(token).digest('base64url') }),
      ...claims,
    };
    return new SignJWT(all).setProtectedHeader({ alg, typ: 'dpop+jwt', jwk, ...header }).sign(privateKey);
  };
  return { proof, jkt: await calculateJwkThumbprint(jwk), privateKey, jwk };
}

type KeyHolder = Awaited<ReturnType<typeof keyHolder>>;

/** A public client with tokens bound to its key. */
async function bound(served: OAuthServer, holder: KeyHolder, metadata: object = {}) {
  const client = await served.register(metadata);
  const { verifier, challenge } = pkce();
  const url = authorizeUrl({ client_id: client.client_id, code_challenge: challenge });
  const back = await served.browser().approve(url);
  const form = {
    client_id: client.client_id,
    ...(client.client_secret !== undefined && { client_secret: client.client_secret }),
    code: back.searchParams.get('code') ?? '',
    code_verifier: verifier,
  };
  const answer = await exchange(served, form, { DPoP: await holder.proof() });
  expect(answer.status).toBe(200);
  return { ...((await answer.json()) as Tokens), clientId: client.client_id, secret: client.client_secret };
}

function withProof(proof: string | undefined, path = '/mcp', method = 'POST'): Presentation {
  return { scheme: 'dpop', proof, method, path };
}

const refreshWith = (served: OAuthServer, form: Record<string, string>, proof?: string) =>
  served.post(
    '/oauth/token',
    { grant_type: 'refresh_token', ...form },
    proof === undefined ? {} : { DPoP: proof },
  );

describe('tokens bound to a key', () => {
  it.each(['opaque', 'jwt'] as const)(
    'open the notes with a proof, and with nothing else (%s)',
    async (kind) => {
      const served = openServer({ tokens: { kind } });
      const holder = await keyHolder(served);
      const { access_token: token, token_type } = await bound(served, holder);
      expect(token_type).toBe('DPoP');
      if (kind === 'jwt') expect(claimsOf(token)).toMatchObject({ cnf: { jkt: holder.jkt } });
      const verify = (presented: Presentation) => served.server.verify(token, presented);
      expect(await verify(withProof(await holder.proof({ token })))).toMatchObject({ id: 'user:alex' });
      await expect(verify({ scheme: 'bearer' })).rejects.toMatchObject({
        code: 'unauthorized',
        title: 'This token is bound to a key: send it as DPoP, with a proof',
      });
      expect(await verify({ scheme: 'accepted' })).toMatchObject({ id: 'user:alex' });
      const thief = await keyHolder(served);
      for (const [presented, why] of [
        [withProof(undefined), /missing/],
        [withProof(await thief.proof({ token })), /another key/],
        [withProof(await holder.proof({ token: 'another' })), /ath/],
      ] as const)
        await expect(verify(presented)).rejects.toMatchObject({ title: expect.stringMatching(why) });
    },
  );

  // Without RSA, whose keys take long to make.
  it.each(PROOF_ALGORITHMS.filter((alg) => !alg.endsWith('S256') || alg === 'ES256'))(
    'may be bound with %s',
    async (alg) => {
      const served = openServer();
      const holder = await keyHolder(served, alg);
      const { access_token: token } = await bound(served, holder);
      const presented = withProof(await holder.proof({ token }));
      expect(await served.server.verify(token, presented)).toMatchObject({ id: 'user:alex' });
    },
  );

  it('are refused with a proof that is not for this request, which is told why', async () => {
    const served = openServer();
    const holder = await keyHolder(served);
    const { access_token: token } = await bound(served, holder);
    const now = served.clock.now / 1000;
    const other = await generateKeyPair('ES256', { extractable: true });
    const cases: Readonly<Record<string, readonly [string, RegExp]>> = {
      'of another method': [await holder.proof({ token, claims: { htm: 'GET' } }), /htm/],
      'of another address': [await holder.proof({ token, claims: { htu: `${ISSUER}/other` } }), /htu/],
      'of another host': [await holder.proof({ token, claims: { htu: 'https://evil.example/mcp' } }), /htu/],
      'without an address': [await holder.proof({ token, claims: { htu: 7 } }), /htu/],
      'of yesterday': [await holder.proof({ token, claims: { iat: now - 61 } }), /iat/],
      'of tomorrow': [await holder.proof({ token, claims: { iat: now + 61 } }), /iat/],
      'without a name': [await holder.proof({ token, claims: { jti: '' } }), /jti/],
      'with an endless name': [await holder.proof({ token, claims: { jti: 'j'.repeat(257) } }), /jti/],
      'without the token': [await holder.proof({ claims: { htu: `${ISSUER}/mcp` } }), /ath/],
      'of another type': [await holder.proof({ token, header: { typ: 'JWT' } }), /typ/],
      'with a private key': [
        await holder.proof({ token, header: { jwk: await exportJWK(holder.privateKey) } }),
        /public key/,
      ],
      'with the public key of another': [
        await holder.proof({ token, header: { jwk: await exportJWK(other.publicKey) } }),
        /signature/,
      ],
      'without a key': [await holder.proof({ token, header: { jwk: undefined } }), /JSON Web Key|jwk/i],
      'that is none': ['x.y.z', /ERR_JW/],
      'that is too long': ['x'.repeat(5_000), /longer/],
    };
    for (const [name, [proof, why]] of Object.entries(cases))
      await expect(served.server.verify(token, withProof(proof)), name).rejects.toMatchObject({
        code: 'unauthorized',
        title: expect.stringMatching(why),
      });
  });

  it('are good for the address of the endpoint with a slash at its end, a query, and letters that are no matter', async () => {
    const served = openServer();
    const holder = await keyHolder(served);
    const { access_token: token } = await bound(served, holder);
    for (const htu of [`${ISSUER}/mcp/`, `${ISSUER}/mcp?a=b`, 'HTTPS://Notes.Example.com:443/mcp']) {
      const proof = await holder.proof({ token, claims: { htu } });
      expect(await served.server.verify(token, withProof(proof)), htu).toBeDefined();
    }
  });

  it('are refused with a shared secret as a key', async () => {
    const served = openServer();
    const key = new TextEncoder().encode('k'.repeat(64));
    const jwk = { kty: 'oct', k: Buffer.from(key).toString('base64url') };
    const iat = Math.floor(served.clock.now / 1000);
    const proof = await new SignJWT({ htm: 'POST', htu: TOKEN_URL, iat, jti: '1' })
      .setProtectedHeader({ alg: 'HS256', typ: 'dpop+jwt', jwk })
      .sign(key);
    const { client_id } = await served.register();
    const answer = await exchange(
      served,
      { client_id, code: 'x', code_verifier: pkce().verifier },
      { DPoP: proof },
    );
    expect(await errorOf(answer)).toBe('invalid_dpop_proof');
  });

  it('take each proof once, on whichever server of a shared state', async () => {
    const one = openServer();
    const state = { ...one.state, isShared: true as const };
    const servers = [openServer({ state }), openServer({ state })] as const;
    const holder = await keyHolder(servers[0]);
    const { access_token: token } = await bound(servers[0], holder);
    const presented = withProof(await holder.proof({ token }));
    const answers = await Promise.allSettled(
      [...servers, ...servers].map(({ server }) => server.verify(token, presented)),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect([
      ...servers[0].events('DPoP proof replayed'),
      ...servers[1].events('DPoP proof replayed'),
    ]).toHaveLength(3);
    const again = await holder.proof({ token, claims: { htu: `${ISSUER}/mcp?query=1#part` } });
    expect(await servers[1].server.verify(token, withProof(again))).toBeDefined();
  });

  it('are not what other clients get', async () => {
    const served = openServer();
    const holder = await keyHolder(served);
    const bearer = await connectPlain(served);
    expect(bearer.token_type).toBe('Bearer');
    expect(await isValid(served, bearer.access_token)).toBe(true);
    const proof = await holder.proof({ token: bearer.access_token });
    await expect(served.server.verify(bearer.access_token, withProof(proof))).rejects.toMatchObject({
      title: 'This token is bound to no key: send it as Bearer',
    });
  });
});

async function connectPlain(served: OAuthServer) {
  const { client_id } = await served.register();
  const { verifier, challenge } = pkce();
  const back = await served.browser().approve(authorizeUrl({ client_id, code_challenge: challenge }));
  const code = back.searchParams.get('code') ?? '';
  const answer = await exchange(served, { client_id, code, code_verifier: verifier });
  return { ...((await answer.json()) as Tokens), clientId: client_id };
}

describe('refresh tokens bound to a key', () => {
  it('of a public client need its proof, at every step; without it nothing is lost', async () => {
    const served = openServer();
    const holder = await keyHolder(served);
    const thief = await keyHolder(served);
    const { clientId: client_id, refresh_token } = await bound(served, holder);
    const form = { client_id, refresh_token };
    expect(await errorOf(await refreshWith(served, form))).toBe('invalid_dpop_proof');
    expect(await errorOf(await refreshWith(served, form, await thief.proof()))).toBe('invalid_dpop_proof');
    const next = (await (await refreshWith(served, form, await holder.proof())).json()) as Tokens;
    expect(next.token_type).toBe('DPoP');
    const later = { client_id, refresh_token: next.refresh_token };
    expect(await errorOf(await refreshWith(served, later))).toBe('invalid_dpop_proof');
    expect((await refreshWith(served, later, await holder.proof())).status).toBe(200);
    expect(served.events('refresh token reused')).toEqual([]);
  });

  it('of a client with a secret are bound by that: its next token may have another key', async () => {
    const served = openServer();
    const [holder, next] = [await keyHolder(served), await keyHolder(served)];
    const metadata = { token_endpoint_auth_method: 'client_secret_post' };
    const { clientId: client_id, secret = '', refresh_token } = await bound(served, holder, metadata);
    const form = { client_id, client_secret: secret, refresh_token };
    const answer = (await (await refreshWith(served, form, await next.proof())).json()) as Tokens;
    const token = answer.access_token;
    const presented = withProof(await next.proof({ token }));
    expect(await served.server.verify(token, presented)).toMatchObject({ id: 'user:alex' });
  });

  it('that were not bound are, from the first proof on', async () => {
    const served = openServer();
    const holder = await keyHolder(served);
    const { clientId: client_id, refresh_token } = await connectPlain(served);
    const answer = await refreshWith(served, { client_id, refresh_token }, await holder.proof());
    const { refresh_token: next } = (await answer.json()) as Tokens;
    expect(await errorOf(await refresh(served, client_id, next))).toBe('invalid_dpop_proof');
    expect((await refreshWith(served, { client_id, refresh_token: next }, await holder.proof())).status).toBe(
      200,
    );
  });

  it('by a thief are found out when their owner comes back', async () => {
    const served = openServer();
    const thief = await keyHolder(served);
    const { clientId: client_id, refresh_token } = await connectPlain(served);
    const stolen = await refreshWith(served, { client_id, refresh_token }, await thief.proof());
    const { access_token: token, refresh_token: next } = (await stolen.json()) as Tokens;
    const presented = async () => withProof(await thief.proof({ token }));
    expect(await served.server.verify(token, await presented())).toMatchObject({ id: 'user:alex' });
    expect(await errorOf(await refresh(served, client_id, refresh_token))).toBe('invalid_grant');
    expect(await served.server.verify(token, await presented())).toBeUndefined();
    const again = await refreshWith(served, { client_id, refresh_token: next }, await thief.proof());
    expect(await errorOf(again)).toBe('invalid_grant');
    expect(served.events('refresh token reused')).toHaveLength(1);
  });
});

describe('clients that bind', () => {
  it('may name the key with the authorization request: a code that is stolen opens nothing', async () => {
    const served = openServer();
    const [holder, thief] = [await keyHolder(served), await keyHolder(served)];
    const { client_id } = await served.register();
    const { verifier, challenge } = pkce();
    const url = authorizeUrl({ client_id, code_challenge: challenge, dpop_jkt: holder.jkt });
    const back = await served.browser().approve(url);
    const form = { client_id, code: back.searchParams.get('code') ?? '', code_verifier: verifier };
    expect(await errorOf(await exchange(served, form, { DPoP: await thief.proof() }))).toBe(
      'invalid_dpop_proof',
    );
    const wrong = await served.browser().open(authorizeUrl({ client_id, dpop_jkt: 'short' }));
    expect(`${wrong.headers.get('location')} ${await wrong.text()}`).toContain('dpop_jkt');
  });

  it('may say that they always do: then no other token is given to them', async () => {
    const served = openServer();
    const client = await served.register({ dpop_bound_access_tokens: true });
    expect(client.dpop_bound_access_tokens).toBe(true);
    const form = { client_id: client.client_id, code: 'x', code_verifier: pkce().verifier };
    expect(await errorOf(await exchange(served, form))).toBe('invalid_dpop_proof');
  });

  it('get the same proof accepted once at the token endpoint, too', async () => {
    const served = openServer();
    const holder = await keyHolder(served);
    const { clientId: client_id, refresh_token } = await bound(served, holder);
    const proof = await holder.proof();
    expect((await refreshWith(served, { client_id, refresh_token }, proof)).status).toBe(200);
    expect(await errorOf(await refreshWith(served, { client_id, refresh_token }, proof))).toBe(
      'invalid_dpop_proof',
    );
  });
});

describe('introspection (RFC 7662)', () => {
  const RESOURCE_SERVER = { id: 'wiki', secret: 'a secret of the wiki', clientCredentials: true };
  const ask = async (served: OAuthServer, token: string, credentials: Record<string, string> = {}) => {
    const form = {
      client_id: RESOURCE_SERVER.id,
      client_secret: RESOURCE_SERVER.secret,
      token,
      ...credentials,
    };
    return served.post('/oauth/introspect', form);
  };
  const open = (kind: 'opaque' | 'jwt' = 'opaque') =>
    openServer({ clients: [RESOURCE_SERVER], tokens: { kind } });

  it.each(['opaque', 'jwt'] as const)('describes access and refresh tokens that count (%s)', async (kind) => {
    const served = open(kind);
    const { access_token, refresh_token, clientId } = await connectPlain(served);
    const seconds = served.clock.now / 1000;
    const facts = {
      active: true,
      iss: ISSUER,
      client_id: clientId,
      sub: 'user:alex',
      username: 'alex',
      aud: ISSUER,
    };
    expect(await (await ask(served, access_token)).json()).toEqual({
      ...facts,
      scope: 'notes:read notes:write',
      token_type: 'Bearer',
      iat: seconds,
      exp: seconds + 86_400,
    });
    expect(await (await ask(served, refresh_token)).json()).toEqual({
      ...facts,
      scope: 'notes:read notes:write',
    });
    const holder = await keyHolder(served);
    const { access_token: token } = await bound(served, holder);
    expect(await (await ask(served, token)).json()).toMatchObject({
      token_type: 'DPoP',
      cnf: { jkt: holder.jkt },
    });
  });

  it('says what a refresh token is good for now, not what was granted once', async () => {
    const served = open();
    const { directory, grants } = served.server.pages;
    const hash = USERS.get('alex') ?? '';
    await carryOut(directory, { action: 'add', name: 'kim', hash, role: 'writer' }, 'operator');
    const { client_id } = await served.register();
    const { verifier, challenge } = pkce();
    const browser = served.browser();
    await browser.open(authorizeUrl({ client_id, code_challenge: challenge }));
    await browser.logIn('kim');
    const back = calledBack(await browser.send({ action: 'approve' }));
    const code = back.searchParams.get('code') ?? '';
    const tokens = await tokensOf(await exchange(served, { client_id, code, code_verifier: verifier }));
    const scope = async () => {
      const described = (await (await ask(served, tokens.refresh_token)).json()) as { scope?: string };
      return described.scope;
    };
    expect(await scope()).toBe('notes:read notes:write');
    await carryOut(directory, { action: 'role', name: 'kim', role: 'proposer' }, 'operator');
    expect(await scope()).toBe('notes:read notes:propose');
    await grants.setAccess((await grants.of('kim'))[0]?.id ?? '', 'kim', 'read');
    expect(await scope()).toBe('notes:read');
    await carryOut(directory, { action: 'disable', name: 'kim' }, 'operator');
    expect(await scope()).toBeUndefined();
  });

  it('says of everything else only that it is not active', async () => {
    const served = open();
    const { access_token, refresh_token, clientId } = await connectPlain(served);
    const next = (await (await refresh(served, clientId, refresh_token)).json()) as Tokens;
    await refresh(served, clientId, next.refresh_token);
    for (const token of [refresh_token, 'no such token', `${access_token}x`])
      expect(await (await ask(served, token)).json()).toEqual({ active: false });
    await served.post('/oauth/revoke', { client_id: clientId, token: next.refresh_token });
    for (const token of [access_token, next.access_token, next.refresh_token])
      expect(await (await ask(served, token)).json()).toEqual({ active: false });
  });

  it('is for clients that authenticate, and shows those not of the operator only their own', async () => {
    const served = open();
    const { access_token, clientId } = await connectPlain(served);
    expect(await errorOf(await ask(served, access_token, { client_secret: 'wrong' }))).toBe('invalid_client');
    expect(
      await errorOf(await served.post('/oauth/introspect', { token: access_token, client_id: clientId })),
    ).toBe('invalid_client');
    const { client_id, client_secret = '' } = await served.register({
      token_endpoint_auth_method: 'client_secret_post',
    });
    const answer = await ask(served, access_token, { client_id, client_secret });
    expect(await answer.json()).toEqual({ active: false });
  });
});
