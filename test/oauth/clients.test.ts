/** Each kind of client, from its first request to a token that opens the notes. */
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import {
  authorizeUrl,
  Browser,
  CALLBACK,
  calledBack,
  connect,
  errorOf,
  exchange,
  ISSUER,
  type OAuthServer,
  openServer,
  parametersOf,
  pkce,
  refresh,
  tokensOf,
} from './kit.ts';

const DOCUMENT = 'https://client.example/oauth/client.json';

async function approved(
  served: OAuthServer,
  clientId: string,
  more: Record<string, string | undefined> = {},
) {
  const { verifier, challenge } = pkce();
  const url = authorizeUrl({ client_id: clientId, code_challenge: challenge, ...more });
  const back = await served.browser().approve(url);
  return { code: back.searchParams.get('code') ?? '', code_verifier: verifier };
}

describe('a client that registers itself', () => {
  it('gets an opaque token for the person who approved it', async () => {
    const served = openServer();
    const tokens = await connect(served);
    expect(tokens).toMatchObject({
      access_token: expect.stringMatching(/^[0-9a-f]{64}$/),
      refresh_token: expect.stringMatching(/^[0-9a-f]{64}$/),
      token_type: 'Bearer',
      expires_in: 86_400,
      scope: 'notes:read notes:write',
    });
    expect(await served.server.verify(tokens.access_token)).toEqual({
      id: 'user:alex',
      kind: 'user',
      scopes: ['notes:read', 'notes:write'],
      clientId: tokens.clientId,
      grant: expect.any(String),
      expiresAt: served.clock.now / 1000 + 86_400,
    });
  });

  it('is called back with its state and the issuer', async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const back = await served.browser().approve(authorizeUrl({ client_id, state: 'a b&c=d' }));
    expect(`${back.origin}${back.pathname}`).toBe(CALLBACK);
    expect(parametersOf(back)).toEqual({
      code: expect.stringMatching(/^[0-9a-f]{64}$/),
      state: 'a b&c=d',
      iss: ISSUER,
    });
  });

  it.each(['client_secret_post', 'client_secret_basic'])(
    'with a secret may send it either way (%s)',
    async (method) => {
      const served = openServer();
      const registered = await served.register({ token_endpoint_auth_method: method });
      const { client_id, client_secret = '' } = registered;
      expect(registered).toMatchObject({ client_secret_expires_at: 0, token_endpoint_auth_method: method });
      const posted = await approved(served, client_id);
      await tokensOf(await exchange(served, { ...posted, client_id, client_secret }));
      const header = `Basic ${Buffer.from(`${encodeURIComponent(client_id)}:${client_secret}`).toString('base64')}`;
      const basic = await approved(served, client_id);
      await tokensOf(await exchange(served, basic, { authorization: header }));
      const none = await approved(served, client_id);
      expect(await errorOf(await exchange(served, { ...none, client_id }))).toBe('invalid_client');
    },
  );

  it('works the same at the root paths', async () => {
    const served = openServer();
    const answer = await served.call('/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [CALLBACK] }),
    });
    const { client_id } = (await answer.json()) as { client_id: string };
    const { verifier, challenge } = pkce();
    const browser = served.browser();
    const back = await browser.approve(authorizeUrl({ client_id, code_challenge: challenge }, '/authorize'));
    const form = { grant_type: 'authorization_code', client_id, code_verifier: verifier };
    await tokensOf(await served.post('/token', { ...form, code: back.searchParams.get('code') ?? '' }));
  });

  it('on the person’s own device may use any port', async () => {
    const served = openServer();
    const { client_id } = await served.register({
      redirect_uris: ['http://localhost:3118/callback', 'http://127.0.0.1/cb', 'http://[::1]:1/cb'],
    });
    for (const redirect_uri of [
      'http://localhost:51004/callback',
      'http://127.0.0.1:9/cb',
      'http://[::1]:65535/cb',
    ]) {
      const given = await approved(served, client_id, { redirect_uri });
      await tokensOf(await exchange(served, { ...given, client_id, redirect_uri }));
    }
  });

  it('that is an app may be called by its own scheme', async () => {
    const served = openServer();
    const redirect_uri = 'cursor://anysphere.cursor-mcp/oauth/callback';
    const { client_id } = await served.register({ redirect_uris: [redirect_uri] });
    const back = await served.browser().approve(authorizeUrl({ client_id, redirect_uri }));
    expect(back.href).toMatch(
      /^cursor:\/\/anysphere\.cursor-mcp\/oauth\/callback\?code=[0-9a-f]{64}&state=xyz&iss=/,
    );
  });

  it('that did not ask to refresh gets no refresh token', async () => {
    const served = openServer();
    const tokens = await connect(served, { metadata: { grant_types: ['authorization_code'] } });
    expect(tokens).not.toHaveProperty('refresh_token');
    expect(await errorOf(await refresh(served, tokens.clientId, 'x'))).toBe('unauthorized_client');
  });
});

describe('scopes', () => {
  it.each([
    [undefined, 'notes:read notes:write'],
    ['notes:read', 'notes:read'],
    ['notes:write notes:read', 'notes:read notes:write'],
    ['notes:read openid admin', 'notes:read'],
    ['offline_access', 'notes:read notes:write offline_access'],
    ['notes:read offline_access', 'notes:read offline_access'],
  ])('asked for %s: given %s', async (scope, given) => {
    const served = openServer();
    const tokens = await connect(served, { query: { scope } });
    expect(tokens.scope).toBe(given);
    const scopes = given.split(' ').filter((name) => name !== 'offline_access');
    expect((await served.server.verify(tokens.access_token))?.scopes).toEqual(scopes);
  });

  it('that do not exist at all are refused', async () => {
    const served = openServer();
    const { clientId } = await connect(served);
    const answer = await served.browser().open(authorizeUrl({ client_id: clientId, scope: 'files admin' }));
    expect(parametersOf(calledBack(answer))).toMatchObject({
      error: 'invalid_scope',
      state: 'xyz',
      iss: ISSUER,
    });
  });

  it('are widened by asking the person again, without the password a few minutes later', async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const browser = served.browser();
    await browser.approve(authorizeUrl({ client_id, scope: 'notes:read' }));
    await browser.open(authorizeUrl({ client_id, scope: 'notes:read notes:write' }));
    expect(browser.html).toContain('create, change, move and delete notes');
    expect(browser.html).not.toContain('name="password"');
    expect(calledBack(await browser.send({ action: 'approve' })).searchParams.get('code')).toMatch(
      /^[0-9a-f]{64}$/,
    );
  });

  it('may be fewer for a refreshed token, never more', async () => {
    const served = openServer();
    const first = await connect(served, { query: { scope: 'notes:read' } });
    const more = await refresh(served, first.clientId, first.refresh_token, {
      scope: 'notes:read notes:write',
    });
    expect(await errorOf(more)).toBe('invalid_scope');
    const second = await connect(served);
    const less = await tokensOf(
      await refresh(served, second.clientId, second.refresh_token, { scope: 'notes:read' }),
    );
    expect(less.scope).toBe('notes:read');
    const all = await tokensOf(await refresh(served, second.clientId, less.refresh_token));
    expect(all.scope).toBe('notes:read notes:write');
  });
});

describe('a client described by a document', () => {
  const document = {
    client_id: DOCUMENT,
    client_name: 'Client Example',
    redirect_uris: ['https://client.example/callback', 'http://localhost/callback'],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
  };
  const redirect_uri = 'https://client.example/callback';

  it('gets a token without registering, and its document is fetched once an hour', async () => {
    const served = openServer();
    served.documents.set(DOCUMENT, document);
    const given = await approved(served, DOCUMENT, { redirect_uri });
    const tokens = await tokensOf(await exchange(served, { ...given, client_id: DOCUMENT, redirect_uri }));
    expect(await served.server.verify(tokens.access_token)).toMatchObject({
      id: 'user:alex',
      clientId: DOCUMENT,
    });
    await approved(served, DOCUMENT, { redirect_uri: 'http://localhost:4999/callback' });
    expect(served.fetched).toEqual([DOCUMENT]);
    served.advance(3_601);
    await served.browser().open(authorizeUrl({ client_id: DOCUMENT, redirect_uri }));
    expect(served.fetched).toEqual([DOCUMENT, DOCUMENT]);
  });

  it('is shown with the site that vouches for it', async () => {
    const served = openServer();
    served.documents.set(DOCUMENT, document);
    const browser = served.browser();
    await browser.open(authorizeUrl({ client_id: DOCUMENT, redirect_uri }));
    await browser.logIn();
    expect(browser.html).toContain('vouched for by</dt><dd><b>client.example</b></dd>');
  });

  it.each<[string, unknown, RegExp]>([
    [
      'names another client',
      { ...document, client_id: 'https://other.example/c.json' },
      /client_id is not its own/,
    ],
    ['does not answer', undefined, /could not be fetched/],
    ['is not JSON', '<html>', /not JSON/],
    ['is no object', [1], /client_id is not its own/],
    ['is too large', { ...document, padding: 'x'.repeat(33_000) }, /larger than 32 KB/],
    ['has no redirect URIs', { ...document, redirect_uris: [] }, /redirect_uris must be a list/],
    [
      'has a bad redirect URI',
      { ...document, redirect_uris: ['javascript:alert(1)'] },
      /scheme no app answers to/,
    ],
    ['asks for a secret', { ...document, token_endpoint_auth_method: 'client_secret_post' }, /shared secret/],
    ['has keys nowhere', { ...document, token_endpoint_auth_method: 'private_key_jwt' }, /needs either jwks/],
  ])('is refused when the document %s, on a page', async (_, body, message) => {
    const served = openServer();
    if (body !== undefined) served.documents.set(DOCUMENT, body);
    const browser = served.browser();
    const answer = await browser.open(authorizeUrl({ client_id: DOCUMENT, redirect_uri }));
    expect(answer.status).toBe(400);
    expect(browser.html).toMatch(message);
    expect(browser.html).toContain('client.example');
  });

  it('is refused when the answer is not 200 or not of a JSON type', async () => {
    for (const [part, message] of [
      [{ status: 404 }, /404 instead of 200/],
      [{ contentType: 'text/html' }, /not JSON/],
    ] as const) {
      const fetchDocument = async () => ({
        status: 200,
        contentType: 'application/json',
        body: JSON.stringify(document),
        ...part,
      });
      const served = openServer({ fetchDocument });
      const browser = served.browser();
      await browser.open(authorizeUrl({ client_id: DOCUMENT, redirect_uri }));
      expect(browser.html).toMatch(message);
    }
  });

  it.each([
    'https://client.example',
    'https://client.example/',
    'http://client.example/c.json',
    'https://user:pass@client.example/c.json',
    'https://client.example/c.json#x',
    'https://client.example/a/../c.json',
    'https://CLIENT.example/c.json',
    `https://client.example/${'x'.repeat(1_100)}`,
  ])('is not looked for at %s', async (client_id) => {
    const served = openServer();
    expect((await served.browser().open(authorizeUrl({ client_id, redirect_uri }))).status).toBe(400);
    expect(served.fetched).toEqual([]);
  });

  it('is looked for no more than sixty times a minute, and not again at once after a failure', async () => {
    const served = openServer();
    const open = (client_id: string) => served.browser().open(authorizeUrl({ client_id, redirect_uri }));
    await open(DOCUMENT);
    await open(DOCUMENT);
    expect(served.fetched).toHaveLength(1);
    served.documents.set(DOCUMENT, document);
    served.advance(31);
    expect((await open(DOCUMENT)).status).toBe(200);
    for (let at = 0; at < 100; at++) await open(`https://many.example/${at}.json`);
    expect(served.fetched).toHaveLength(60);
    expect((await open('https://many.example/again.json')).status).toBe(503);
  });

  it('is looked for although another address looks for very many, also at the same site', async () => {
    const served = openServer();
    served.documents.set(DOCUMENT, document);
    const openFrom = (address: string, client_id: string) =>
      served.browser(address).open(authorizeUrl({ client_id, redirect_uri }));
    for (let at = 0; at < 200; at++)
      await openFrom(`2001:db8:1:${at.toString(16)}::1`, `https://client.example/${at}.json`);
    expect(served.fetched).toHaveLength(60);
    expect((await openFrom('192.0.2.1', DOCUMENT)).status).toBe(200);
    for (let at = 0; at < 400; at++)
      await openFrom(`10.2.${at >> 8}.${at & 255}`, `https://victim.example/${at}.json`);
    expect(served.fetched.filter((url) => url.includes('victim'))).toHaveLength(300);
  });

  describe('that a person has let in', () => {
    const letIn = async (served: OAuthServer) => {
      served.documents.set(DOCUMENT, document);
      const given = await approved(served, DOCUMENT, { redirect_uri });
      return tokensOf(await exchange(served, { ...given, client_id: DOCUMENT, redirect_uri }));
    };
    const FAILURES: Record<string, (served: OAuthServer) => void> = {
      'does not answer': ({ documents }) => void documents.delete(DOCUMENT),
      'answers nonsense': ({ documents }) => void documents.set(DOCUMENT, '<html>'),
      'answers with another client': ({ documents }) =>
        void documents.set(DOCUMENT, { ...document, client_id: 'https://client.example/other.json' }),
      'answers with what cannot be used': ({ documents }) =>
        void documents.set(DOCUMENT, { ...document, redirect_uris: ['javascript:alert(1)'] }),
    };

    it.each(Object.entries(FAILURES))('goes on when its site %s, also after a restart', async (_, fail) => {
      const served = openServer();
      const { refresh_token } = await letIn(served);
      served.advance(3_601);
      fail(served);
      const next = await tokensOf(await refresh(served, DOCUMENT, refresh_token));
      await approved(served, DOCUMENT, { redirect_uri });
      const restarted = openServer({ state: served.state });
      restarted.clock.now = served.clock.now;
      fail(restarted);
      const last = await tokensOf(await refresh(restarted, DOCUMENT, next.refresh_token));
      restarted.advance(29 * 86_400);
      restarted.documents.set(DOCUMENT, document);
      await tokensOf(await refresh(restarted, DOCUMENT, last.refresh_token));
      expect(served.events('client authentication failed')).toEqual([]);
    });

    it('gets 503 with a retry time when nothing is known of it, and never that it is unknown', async () => {
      const served = openServer();
      const { refresh_token } = await letIn(served);
      const [key = ''] = await served.state.list('document:');
      await served.state.put(key, { id: DOCUMENT });
      const restarted = openServer({ state: served.state });
      const answer = await refresh(restarted, DOCUMENT, refresh_token);
      expect([answer.status, await errorOf(answer)]).toEqual([503, 'temporarily_unavailable']);
      expect(answer.headers.get('retry-after')).toBe('60');
      const browser = restarted.browser();
      expect((await browser.open(authorizeUrl({ client_id: DOCUMENT, redirect_uri }))).status).toBe(503);
      restarted.documents.set(DOCUMENT, document);
      restarted.advance(31);
      await tokensOf(await refresh(restarted, DOCUMENT, refresh_token));
    });

    it('is looked up although its address has looked up too many', async () => {
      const served = openServer();
      const { refresh_token } = await letIn(served);
      for (let at = 0; at < 100; at++)
        await served
          .browser('203.0.113.7')
          .open(authorizeUrl({ client_id: `https://many.example/${at}.json`, redirect_uri }));
      served.advance(3_601);
      for (let at = 0; at < 100; at++)
        await served
          .browser('203.0.113.7')
          .open(authorizeUrl({ client_id: `https://many.example/${at}.json`, redirect_uri }));
      await tokensOf(await refresh(served, DOCUMENT, refresh_token));
    });

    it('follows its document when that changes', async () => {
      const served = openServer();
      await letIn(served);
      served.documents.set(DOCUMENT, { ...document, redirect_uris: ['https://client.example/new'] });
      served.advance(3_601);
      const answer = await served.browser().open(authorizeUrl({ client_id: DOCUMENT, redirect_uri }));
      expect(answer.status).toBe(400);
      const restarted = openServer({ state: served.state });
      const later = await restarted.browser().open(authorizeUrl({ client_id: DOCUMENT, redirect_uri }));
      expect(later.status).toBe(400);
    });
  });
});

describe('a client with a key of its own', () => {
  const redirect_uri = 'https://chatgpt.com/connector/oauth/abc';

  async function withKey(served: OAuthServer, alg = 'ES256', more: object = {}) {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg };
    served.documents.set('https://client.example/jwks.json', { keys: [jwk] });
    served.documents.set(DOCUMENT, {
      client_id: DOCUMENT,
      redirect_uris: [redirect_uri],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: 'https://client.example/jwks.json',
      ...more,
    });
    const assertion = (
      claims: object = {},
      key: Parameters<SignJWT['sign']>[0] = privateKey,
      header: object = {},
    ) =>
      new SignJWT({
        iss: DOCUMENT,
        sub: DOCUMENT,
        aud: ISSUER,
        exp: served.clock.now / 1000 + 60,
        jti: crypto.randomUUID(),
        ...claims,
      })
        .setProtectedHeader({ alg, kid: 'one', ...header })
        .sign(key);
    const redeem = async (client_assertion: string, form: Record<string, string> = {}) => {
      const given = await approved(served, DOCUMENT, { redirect_uri });
      return exchange(served, {
        ...given,
        redirect_uri,
        client_id: DOCUMENT,
        client_assertion,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        ...form,
      });
    };
    return { assertion, redeem, jwk, privateKey };
  }

  it.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('proves itself with %s', async (alg) => {
    const served = openServer();
    const { assertion, redeem } = await withKey(served, alg);
    await tokensOf(await redeem(await assertion()));
    await tokensOf(await redeem(await assertion({ aud: `${ISSUER}/oauth/token` }), { client_id: '' }));
    await tokensOf(await redeem(await assertion({ aud: [`${ISSUER}/token`, 'https://else.example'] })));
  });

  it('may register its key as well', async () => {
    const served = openServer();
    const { privateKey, publicKey } = await generateKeyPair('EdDSA', { extractable: true });
    const { client_id } = await served.register({
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [await exportJWK(publicKey)] },
    });
    const given = await approved(served, client_id);
    const client_assertion = await new SignJWT({ jti: 'a' })
      .setProtectedHeader({ alg: 'EdDSA' })
      .setIssuer(client_id)
      .setSubject(client_id)
      .setAudience(ISSUER)
      .setExpirationTime(served.clock.now / 1000 + 30)
      .sign(privateKey);
    const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    await tokensOf(await exchange(served, { ...given, client_id, client_assertion, client_assertion_type }));
  });

  it('may do without when its document says so', async () => {
    const served = openServer();
    const { redeem, assertion } = await withKey(served, 'ES256', {
      token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'],
    });
    await tokensOf(await redeem(await assertion()));
    const given = await approved(served, DOCUMENT, { redirect_uri });
    await tokensOf(await exchange(served, { ...given, redirect_uri, client_id: DOCUMENT }));
  });

  it('is looked up again when it has a new key', async () => {
    const served = openServer();
    const { redeem, assertion } = await withKey(served);
    await tokensOf(await redeem(await assertion()));
    const renewed = await generateKeyPair('ES256', { extractable: true });
    const jwk = { ...(await exportJWK(renewed.publicKey)), kid: 'two', alg: 'ES256' };
    served.documents.set('https://client.example/jwks.json', { keys: [jwk] });
    served.advance(61);
    await tokensOf(await redeem(await assertion({}, renewed.privateKey, { kid: 'two' })));
  });

  it('goes on with the keys it had, or gets a 503 answer, when they cannot be fetched', async () => {
    const served = openServer();
    const { redeem, assertion } = await withKey(served);
    await tokensOf(await redeem(await assertion()));
    served.advance(601);
    for (const broken of [undefined, {}, { keys: 'none' }, { keys: [null] }]) {
      if (broken === undefined) served.documents.delete('https://client.example/jwks.json');
      else served.documents.set('https://client.example/jwks.json', broken);
      await tokensOf(await redeem(await assertion()));
      served.advance(31);
    }
    const restarted = openServer({ state: served.state });
    restarted.clock.now = served.clock.now;
    restarted.documents.set(DOCUMENT, served.documents.get(DOCUMENT));
    const given = await approved(restarted, DOCUMENT, { redirect_uri });
    const answer = await exchange(restarted, {
      ...given,
      redirect_uri,
      client_id: DOCUMENT,
      client_assertion: await assertion(),
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    });
    expect([answer.status, await errorOf(answer)]).toEqual([503, 'temporarily_unavailable']);
  });

  it('is refused with anything less', async () => {
    const served = openServer();
    const { assertion, redeem } = await withKey(served);
    const other = await generateKeyPair('ES256');
    const now = served.clock.now / 1000;
    const used = await assertion();
    await tokensOf(await redeem(used));
    const shared = new TextEncoder().encode('a shared secret of thirty-two bytes!');
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${used.split('.')[1]}.`;
    for (const [what, bad] of Object.entries({
      'used before': used,
      'another key': await assertion({}, other.privateKey),
      'another audience': await assertion({ aud: 'https://else.example' }),
      'another issuer': await assertion({ iss: 'https://else.example' }),
      'another subject': await assertion({ sub: 'https://else.example/c.json' }),
      expired: await assertion({ exp: now - 31 }),
      'valid too long': await assertion({ exp: now + 400 }),
      'without an end': await assertion({ exp: undefined }),
      'without an id': await assertion({ jti: undefined }),
      'no algorithm': none,
      'a shared secret': await assertion({}, shared, { alg: 'HS256' }),
      'no JWT': 'x.y.z',
    }))
      expect([what, await errorOf(await redeem(bad))]).toEqual([what, 'invalid_client']);
    const given = await approved(served, DOCUMENT, { redirect_uri });
    expect(await errorOf(await exchange(served, { ...given, redirect_uri, client_id: DOCUMENT }))).toBe(
      'invalid_client',
    );
    expect(served.events('client assertion replayed')).toHaveLength(1);
  });

  it('may not choose an algorithm that is not offered', async () => {
    const served = openServer();
    const { privateKey, publicKey } = await generateKeyPair('RS512', { extractable: true });
    const { client_id } = await served.register({
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [await exportJWK(publicKey)] },
    });
    const given = await approved(served, client_id);
    const client_assertion = await new SignJWT({ jti: 'a', iss: client_id, sub: client_id, aud: ISSUER })
      .setProtectedHeader({ alg: 'RS512' })
      .setExpirationTime(served.clock.now / 1000 + 30)
      .sign(privateKey);
    const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    const form = { ...given, client_id, client_assertion, client_assertion_type };
    expect(await errorOf(await exchange(served, form))).toBe('invalid_client');
  });

  it('may not publish what must stay secret', async () => {
    const { privateKey } = await generateKeyPair('EdDSA', { extractable: true });
    const { call } = openServer();
    for (const key of [await exportJWK(privateKey), { kty: 'oct', k: 'c2VjcmV0' }]) {
      const answer = await call('/oauth/register', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          redirect_uris: [CALLBACK],
          token_endpoint_auth_method: 'private_key_jwt',
          jwks: { keys: [key] },
        }),
      });
      expect(await errorOf(answer)).toBe('invalid_client_metadata');
    }
  });
});

describe('a client the operator set up', () => {
  const secret = 'a secret the operator made';
  const clients = [{ id: 'connector', secret, name: 'My connector' }];

  it('comes back to Claude or to the person’s device without any address set up', async () => {
    const served = openServer({ clients });
    for (const redirect_uri of [
      CALLBACK,
      'https://claude.com/api/mcp/auth_callback',
      'http://localhost:7777/oauth/callback',
    ]) {
      const given = await approved(served, 'connector', { redirect_uri });
      const form = { ...given, redirect_uri, client_id: 'connector', client_secret: secret };
      await tokensOf(await exchange(served, form));
    }
    for (const redirect_uri of ['https://claude.ai/elsewhere', 'https://evil.example/api/mcp/auth_callback'])
      expect(
        (await served.browser().open(authorizeUrl({ client_id: 'connector', redirect_uri }))).status,
      ).toBe(400);
  });

  it('comes back only to its addresses when it has any', async () => {
    const redirect_uri = 'https://app.example/cb';
    const served = openServer({ clients: [{ ...clients[0]!, redirectUris: [redirect_uri] }] });
    await approved(served, 'connector', { redirect_uri });
    expect((await served.browser().open(authorizeUrl({ client_id: 'connector' }))).status).toBe(400);
  });

  it('gets a token of its own only if it may', async () => {
    const served = openServer({
      clients: [...clients, { id: 'robot', secret: 'robot secret', clientCredentials: true }],
    });
    const form = { grant_type: 'client_credentials', client_id: 'robot', client_secret: 'robot secret' };
    const tokens = await tokensOf(await served.post('/oauth/token', { ...form, scope: 'notes:read' }));
    expect(tokens).not.toHaveProperty('refresh_token');
    expect(await served.server.verify(tokens.access_token)).toMatchObject({
      id: 'client:robot',
      kind: 'client',
      scopes: ['notes:read'],
    });
    const connector = { ...form, client_id: 'connector', client_secret: secret };
    expect(await errorOf(await served.post('/oauth/token', connector))).toBe('unauthorized_client');
  });

  it('is gone, with its tokens, when it is not set up any more', async () => {
    const before = openServer({ clients });
    const given = await approved(before, 'connector');
    const tokens = await tokensOf(
      await exchange(before, { ...given, client_id: 'connector', client_secret: secret }),
    );
    const after = openServer({ state: before.state });
    expect(await before.server.verify(tokens.access_token)).toBeDefined();
    expect(await after.server.verify(tokens.access_token)).toBeUndefined();
  });
});

describe('an owner without a name', () => {
  const ownerToken = 'something memorable but not guessable';
  const signingKey = 'k'.repeat(64);
  const clients = [{ id: 'id-of-claude', secret: 'secret of claude' }];
  const options = {
    ownerToken,
    signingKey,
    clients,
    tokens: { kind: 'jwt', accessSeconds: 90 * 86_400, refreshSeconds: 0 },
  } as const;

  it('types the token, and Claude gets a JWT for ninety days', async () => {
    const served = openServer(options);
    const { verifier, challenge } = pkce();
    const browser = served.browser();
    await browser.open(authorizeUrl({ client_id: 'id-of-claude', code_challenge: challenge }, '/authorize'));
    expect(browser.html).toContain('Owner token');
    expect(browser.html).not.toContain('name="username"');
    expect((await browser.send({ action: 'login', password: 'wrong' })).status).toBe(403);
    expect(browser.html).toContain('The token is wrong');
    await browser.send({ action: 'login', password: ownerToken });
    expect(browser.html).not.toContain('Signed in as');
    const back = calledBack(await browser.send({ action: 'approve' }));
    const form = { code: back.searchParams.get('code') ?? '', code_verifier: verifier };
    const tokens = await tokensOf(
      await exchange(served, { ...form, client_id: 'id-of-claude', client_secret: 'secret of claude' }),
    );
    expect(tokens).toMatchObject({ expires_in: 90 * 86_400, access_token: expect.stringMatching(/^eyJ/) });
    expect(tokens).not.toHaveProperty('refresh_token');
    expect(await served.server.verify(tokens.access_token)).toMatchObject({ id: 'user:owner', kind: 'user' });
    served.advance(89 * 86_400);
    expect(await served.server.verify(tokens.access_token)).toBeDefined();
    served.advance(86_400);
    expect(await served.server.verify(tokens.access_token)).toBeUndefined();
  });

  it('may change the owner token without logging Claude out, but not the signing key', async () => {
    const served = openServer(options);
    const browser = new Browser(served.call);
    const { verifier, challenge } = pkce();
    await browser.open(authorizeUrl({ client_id: 'id-of-claude', code_challenge: challenge }));
    await browser.send({ action: 'login', password: ownerToken });
    const code = calledBack(await browser.send({ action: 'approve' })).searchParams.get('code') ?? '';
    const form = {
      client_id: 'id-of-claude',
      client_secret: 'secret of claude',
      code,
      code_verifier: verifier,
    };
    const { access_token } = await tokensOf(await exchange(served, form));
    const { state } = served;
    expect(
      await openServer({ ...options, state, ownerToken: 'new' }).server.verify(access_token),
    ).toBeDefined();
    const renewed = openServer({ ...options, state, signingKey: 'n'.repeat(64) });
    expect(await renewed.server.verify(access_token)).toBeUndefined();
  });
});
