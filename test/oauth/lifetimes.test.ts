/** How long what was given lasts, and how it ends before its time. */
import { describe, expect, it } from 'vitest';
import { adoptSigningKey } from '../../src/oauth/grants.ts';
import { AppError } from '../../src/shared/errors.ts';
import { silentLog } from '../../src/shared/log.ts';
import { openFileState } from '../../src/state/file.ts';
import type { StateStore } from '../../src/state/memory.ts';
import { temporaryFolder } from '../kit/temp.ts';
import {
  authorizeUrl,
  calledBack,
  claimsOf,
  connect,
  errorOf,
  exchange,
  ISSUER,
  isValid,
  type OAuthServer,
  openServer,
  PASSWORD,
  pkce,
  refresh,
  tokensOf,
  USERS,
} from './kit.ts';

describe('revocation (RFC 7009)', () => {
  it.each(['opaque', 'jwt'] as const)('of an access token ends it alone (%s)', async (kind) => {
    const served = openServer({ tokens: { kind } });
    const { clientId: client_id, access_token: token, refresh_token } = await connect(served);
    const next = await tokensOf(await refresh(served, client_id, refresh_token));
    const answer = await served.post('/oauth/revoke', { client_id, token, token_type_hint: 'refresh_token' });
    expect(answer.status).toBe(200);
    expect(await isValid(served, token)).toBe(false);
    expect(await isValid(served, next.access_token)).toBe(true);
  });

  it.each(['opaque', 'jwt'] as const)('of a refresh token ends everything (%s)', async (kind) => {
    const served = openServer({ tokens: { kind } });
    const { clientId: client_id, access_token, refresh_token: token } = await connect(served);
    await served.post('/revoke', { client_id, token });
    expect(await isValid(served, access_token)).toBe(false);
    expect(await errorOf(await refresh(served, client_id, token))).toBe('invalid_grant');
    expect(served.events('token revoked')).toHaveLength(1);
  });

  it('of what is not known is as good as done, and of another’s token refused', async () => {
    const served = openServer();
    const { clientId: client_id, access_token, refresh_token } = await connect(served);
    expect((await served.post('/oauth/revoke', { client_id, token: 'unknown' })).status).toBe(200);
    const other = await served.register();
    for (const token of [access_token, refresh_token]) {
      const answer = await served.post('/oauth/revoke', { client_id: other.client_id, token });
      expect([answer.status, await errorOf(answer)]).toEqual([400, 'invalid_grant']);
    }
    expect(await errorOf(await served.post('/oauth/revoke', { client_id }))).toBe('invalid_request');
    expect(await errorOf(await served.post('/oauth/revoke', { client_id: 'x', token: 'y' }))).toBe(
      'invalid_client',
    );
    expect(await isValid(served, access_token)).toBe(true);
  });

  it.each(['opaque', 'jwt'] as const)(
    'is not acknowledged while the state is away, and no token counts as bad then (%s)',
    async (kind) => {
      const clients = [{ id: 'reporter', secret: 'reporter-secret', clientCredentials: true }];
      const { state, post } = openServer({ clients, tokens: { kind } });
      const credentials = { client_id: 'reporter', client_secret: 'reporter-secret' };
      const { access_token: token } = await tokensOf(
        await post('/oauth/token', { grant_type: 'client_credentials', ...credentials }),
      );
      let isAway = true;
      const away = new AppError('upstream_failed', 'The database cannot be reached', { hint: 'Try again.' });
      const read: StateStore['get'] = (key) => (isAway ? Promise.reject(away) : state.get(key));
      const other = openServer({ state: { ...state, get: read, recent: read }, clients, tokens: { kind } });
      await expect(isValid(other, token)).rejects.toBe(away);
      expect((await other.post('/oauth/revoke', { token, ...credentials })).status).toBe(503);
      expect((await other.post('/oauth/introspect', { token, ...credentials })).status).toBe(503);
      isAway = false;
      expect(await isValid(other, token)).toBe(true);
    },
  );
});

describe('a person’s access', () => {
  it.each(['opaque', 'jwt'] as const)(
    'ends when the user is removed or has a new password (%s)',
    async (kind) => {
      const served = openServer({ tokens: { kind } });
      const { clientId, access_token, refresh_token } = await connect(served);
      const { state } = served;
      const bob = USERS.get('bob')!;
      for (const users of [new Map([['bob', bob]]), new Map([['alex', bob]])]) {
        const changed = openServer({ state, users, tokens: { kind } });
        expect(await isValid(changed, access_token)).toBe(false);
        expect(await errorOf(await refresh(changed, clientId, refresh_token))).toBe('invalid_grant');
      }
      expect(await isValid(openServer({ state, tokens: { kind } }), access_token)).toBe(true);
    },
  );

  it('ends when the key that signs tokens is another one, refresh tokens and logins too', async () => {
    for (const who of [{}, { ownerToken: 'the owner' }]) {
      const open = (key: string, state?: StateStore) =>
        openServer({
          ...who,
          ...(state && { state }),
          signingKey: key.repeat(32),
          tokens: { kind: 'jwt' },
        });
      const served = open('a');
      const { client_id: clientId } = await served.register();
      const { verifier, challenge } = pkce();
      const browser = served.browser();
      await browser.open(authorizeUrl({ client_id: clientId, code_challenge: challenge }));
      await browser.logIn('alex', 'ownerToken' in who ? who.ownerToken : PASSWORD);
      const back = calledBack(await browser.send({ action: 'approve' }));
      const form = {
        client_id: clientId,
        code: back.searchParams.get('code') ?? '',
        code_verifier: verifier,
      };
      const { access_token, refresh_token } = await tokensOf(await exchange(served, form));
      const rotated = open('b', served.state);
      expect(await isValid(rotated, access_token)).toBe(false);
      expect(await errorOf(await refresh(rotated, clientId, refresh_token))).toBe('invalid_grant');
      const later = rotated.browser();
      for (const [name, value] of browser.cookies) later.cookies.set(name, value);
      await later.open(authorizeUrl({ client_id: clientId }));
      expect(later.html).toContain('name="password"');
      const same = open('a', served.state);
      expect(await isValid(same, access_token)).toBe(true);
      expect((await refresh(same, clientId, refresh_token)).status).toBe(200);
    }
  });

  it('given by a version that did not note the key goes on with the first key seen, and ends with the next', async () => {
    const [first, second] = ['a'.repeat(32), 'b'.repeat(32)];
    const older = openServer({ ownerToken: 'the owner' });
    const { client_id } = await older.register();
    const { verifier, challenge } = pkce();
    const browser = older.browser();
    await browser.open(authorizeUrl({ client_id, code_challenge: challenge }));
    await browser.logIn('', 'the owner');
    const back = calledBack(await browser.send({ action: 'approve' }));
    const form = { client_id, code: back.searchParams.get('code') ?? '', code_verifier: verifier };
    const { refresh_token } = await tokensOf(await exchange(older, form));
    const { state } = older;
    const open = async (signingKey: string) =>
      openServer({
        ownerToken: 'the owner',
        state,
        signingKey,
        acceptsUnkeyedMarks: await adoptSigningKey(state, signingKey),
        tokens: { kind: 'jwt' },
      });
    const next = await tokensOf(await refresh(await open(first), client_id, refresh_token));
    expect(await errorOf(await refresh(await open(second), client_id, next.refresh_token))).toBe(
      'invalid_grant',
    );
    expect(await adoptSigningKey(state, undefined)).toBe(false);
    expect(JSON.stringify(await older.dump())).not.toContain(first);
  });

  it('survives a restart, with its client, its keys and what it was asked', async () => {
    for (const kind of ['opaque', 'jwt'] as const) {
      const folder = await temporaryFolder();
      const open = () => openFileState(folder, { log: silentLog, now: () => 1_800_000_000_000 });
      const state = await open();
      const { clientId, access_token, refresh_token } = await connect(
        openServer({ state, tokens: { kind } }),
      );
      const before = openServer({ state, tokens: { kind } });
      const browser = before.browser();
      await browser.open(authorizeUrl({ client_id: clientId }));
      const { html, cookies } = browser;
      await state.close();
      const again = await open();
      const after = openServer({ state: again, tokens: { kind } });
      expect(await isValid(after, access_token)).toBe(true);
      expect((await refresh(after, clientId, refresh_token)).status).toBe(200);
      const later = after.browser();
      later.html = html;
      for (const [name, value] of cookies) later.cookies.set(name, value);
      // Half of a login before the restart, the other half after it; the consent is remembered.
      expect(calledBack(await later.logIn()).searchParams.has('code')).toBe(true);
      await again.close();
    }
  });
});

describe('consent', () => {
  it('is remembered for the same client, place and scopes, but not without a login', async () => {
    const served = openServer();
    const { client_id } = await served.register({
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback', 'https://other.example/cb'],
    });
    await served.browser().approve(authorizeUrl({ client_id, scope: 'notes:read' }));
    const direct = async (query: Record<string, string>) => {
      const browser = served.browser();
      await browser.open(authorizeUrl({ client_id, ...query }));
      expect(browser.html).toContain('name="password"');
      return (await browser.logIn()).status === 303;
    };
    expect(await direct({ scope: 'notes:read' })).toBe(true);
    expect(await direct({ scope: 'notes:read notes:write' })).toBe(false);
    expect(await direct({ scope: 'notes:read', redirect_uri: 'https://other.example/cb' })).toBe(false);
    expect(await direct({ scope: 'notes:read', prompt: 'consent' })).toBe(false);
    const bob = served.browser();
    await bob.open(authorizeUrl({ client_id, scope: 'notes:read' }));
    expect((await bob.logIn('bob', 'staple of bob')).status).toBe(200);
  });

  it('is not remembered when it was refused', async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const browser = served.browser();
    await browser.open(authorizeUrl({ client_id }));
    await browser.logIn();
    const back = calledBack(await browser.send({ action: 'deny' }));
    expect(back.searchParams.get('error')).toBe('access_denied');
    expect(await served.state.list('consent:')).toEqual([]);
    expect(served.events('access denied')).toMatchObject([{ fields: { user: 'alex' } }]);
  });

  it('may be given by another user than the one logged in', async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const browser = served.browser();
    await browser.open(authorizeUrl({ client_id }));
    await browser.logIn();
    expect(browser.html).toContain('Signed in as <b>alex</b>');
    await browser.send({ action: 'switch' });
    expect(browser.html).toContain('name="password"');
    expect(browser.cookies.has('__Host-quire-session')).toBe(false);
    await browser.logIn('bob', 'staple of bob');
    expect(browser.html).toContain('Signed in as <b>bob</b>');
  });

  it('is asked for by prompt=login with a password, and never by prompt=none', async () => {
    const served = openServer();
    const { clientId: client_id } = await connect(served);
    const browser = served.browser();
    await browser.approve(authorizeUrl({ client_id }));
    await browser.open(authorizeUrl({ client_id, prompt: 'login' }));
    expect(browser.html).toContain('name="password"');
    const silent = calledBack(await browser.open(authorizeUrl({ client_id, prompt: 'none' })));
    expect(silent.searchParams.get('error')).toBe('login_required');
  });
});

describe('signing keys', () => {
  const kidOf = (token: string) =>
    (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid;
  const published = async (served: OAuthServer) => {
    const { keys } = (await (await served.call('/oauth/jwks')).json()) as { keys: Record<string, unknown>[] };
    expect(keys.every((key) => !('d' in key))).toBe(true);
    return keys.map(({ kid }) => kid);
  };
  const DAY = 86_400;

  it('are published a day before they sign, renewed after a month, and good for as long as their tokens', async () => {
    const served = openServer({ tokens: { kind: 'jwt', accessSeconds: 10 * DAY, refreshSeconds: 90 * DAY } });
    const before = await published(served);
    const first = await connect(served);
    const kid = kidOf(first.access_token);
    expect(before, 'the first one, before it signs').toEqual([kid]);
    const next = async (token: string) => tokensOf(await refresh(served, first.clientId, token));
    served.advance(29 * DAY);
    let last = await next(first.refresh_token);
    expect(await published(served)).toEqual([kid]);
    served.advance(DAY / 2);
    last = await next(last.refresh_token);
    const [second, ...rest] = await published(served);
    expect([second === kid, rest, kidOf(last.access_token)]).toEqual([false, [kid], kid]);
    served.advance(DAY);
    const old = last;
    last = await next(last.refresh_token);
    expect(kidOf(last.access_token)).toBe(second);
    for (const { access_token } of [old, last]) expect(await isValid(served, access_token)).toBe(true);
    served.advance(10 * DAY + 61);
    expect(await published(served)).toEqual([second]);
    expect(served.events('signing key made')).toHaveLength(2);
  });

  it('keep signing when they are old, until the next was published for a day', async () => {
    const served = openServer({ tokens: { kind: 'jwt', refreshSeconds: 90 * DAY } });
    const { clientId, ...first } = await connect(served);
    served.advance(60 * DAY);
    const late = await tokensOf(await refresh(served, clientId, first.refresh_token));
    expect(kidOf(late.access_token)).toBe(kidOf(first.access_token));
    served.advance(DAY - 1);
    expect(await isValid(served, late.access_token)).toBe(true);
    served.advance(2);
    const next = await tokensOf(await refresh(served, clientId, late.refresh_token));
    expect(await published(served)).toEqual([kidOf(next.access_token), kidOf(first.access_token)]);
  });

  it('are made by one of the servers that share the state, and verify on all', async () => {
    const tokens = { kind: 'jwt', refreshSeconds: 90 * DAY } as const;
    const one = openServer({ tokens });
    const other = openServer({ tokens, state: one.state });
    const first = await connect(one);
    const [here, there] = await Promise.all([connect(one), connect(other)]);
    for (const served of [one, other]) {
      expect(await published(served)).toEqual([kidOf(first.access_token)]);
      for (const { access_token } of [here, there]) expect(await isValid(served, access_token)).toBe(true);
    }
    for (const served of [one, other]) served.advance(31 * DAY);
    await Promise.all([one, other].map((served) => refresh(served, here.clientId, here.refresh_token)));
    expect(await published(one)).toHaveLength(2);
    expect(await published(other)).toEqual(await published(one));
    expect([...one.events('signing key made'), ...other.events('signing key made')]).toHaveLength(2);
  });

  it('sign what RFC 9068 asks for', async () => {
    const served = openServer({ tokens: { kind: 'jwt' } });
    const { access_token, clientId } = await connect(served, { query: { scope: 'notes:read' } });
    const seconds = served.clock.now / 1000;
    expect(claimsOf(access_token)).toMatchObject({
      iss: ISSUER,
      aud: ISSUER,
      sub: 'user:alex',
      client_id: clientId,
      scope: 'notes:read',
      iat: seconds,
      exp: seconds + 86_400,
      jti: expect.stringMatching(/^[0-9a-f]{32}\.[0-9a-f]{32}$/),
    });
    expect(JSON.parse(Buffer.from(access_token.split('.')[0] ?? '', 'base64url').toString())).toMatchObject({
      alg: 'EdDSA',
      typ: 'at+jwt',
    });
  });

  it('are not published when they are a shared secret or sign nothing', async () => {
    for (const options of [{ signingKey: 'k'.repeat(32), tokens: { kind: 'jwt' } }, {}] as const) {
      const served = openServer(options);
      await connect(served);
      expect(await (await served.call('/jwks')).json()).toEqual({ keys: [] });
    }
  });
});

describe('resource indicators (RFC 8707)', () => {
  it.each([
    undefined,
    ISSUER,
    `${ISSUER}/`,
    `${ISSUER}/mcp`,
    `${ISSUER}/mcp/`,
    'https://NOTES.example.com:443/mcp',
  ])('takes %s for its own', async (resource) => {
    const served = openServer();
    const { access_token, clientId, refresh_token } = await connect(served, { query: { resource } });
    expect(await isValid(served, access_token)).toBe(true);
    const more: Record<string, string> = resource === undefined ? {} : { resource };
    expect((await refresh(served, clientId, refresh_token, more)).status).toBe(200);
  });
});

describe('start-up', () => {
  it.each<[string, Parameters<typeof openServer>[0], string]>([
    [
      'an address with a slash at its end',
      { issuer: 'https://notes.example.com/' },
      'The public address of the server cannot be used',
    ],
    [
      'an address that is none',
      { issuer: 'notes.example.com' },
      'The public address of the server cannot be used',
    ],
    ['plain http to the outside', { issuer: 'http://notes.example.com' }, 'OAuth needs https'],
    [
      'neither users nor an owner',
      { users: undefined as never },
      'OAuth needs either users or an owner token',
    ],
    ['both', { users: USERS, ownerToken: 'x' }, 'OAuth needs either users or an owner token'],
    ['an empty owner token', { ownerToken: '' }, 'The owner token is empty'],
    [
      'a short signing key',
      { signingKey: 'short', tokens: { kind: 'jwt' } },
      'The key that signs tokens is too short',
    ],
    [
      'a client without a secret',
      { clients: [{ id: 'a', secret: '' }] },
      'An OAuth client has no id or no secret',
    ],
    [
      'a client twice',
      {
        clients: [
          { id: 'a', secret: 'b' },
          { id: 'a', secret: 'c' },
        ],
      },
      'An OAuth client is configured twice',
    ],
    [
      'a client with a bad address',
      { clients: [{ id: 'a', secret: 'b', redirectUris: ['http://x.example'] }] },
      'A redirect URI of an OAuth client is not https',
    ],
    ['tokens without a life', { tokens: { accessSeconds: 0 } }, 'Tokens need a life of at least a second'],
  ])('is refused with %s', (_, options, title) => {
    expect(() => openServer(options)).toThrow(title);
  });

  it('works on plain http on this device, with cookies that fit', async () => {
    const served = openServer({ issuer: 'http://127.0.0.1:8090', resource: 'http://127.0.0.1:8090/mcp' });
    const { client_id } = await served.register();
    const browser = served.browser();
    const [cookie] = (await browser.open(authorizeUrl({ client_id }))).headers.getSetCookie();
    expect(cookie).toMatch(/^quire-browser=[0-9a-f]{64}; Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax$/);
    expect((await browser.logIn()).status).toBe(200);
    expect(calledBack(await browser.send({ action: 'approve' })).searchParams.get('iss')).toBe(
      'http://127.0.0.1:8090',
    );
  });
});
