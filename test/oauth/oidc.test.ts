/** The login with an OpenID provider: a real one, one that lies, and one that is away. */
import { describe, expect, it } from 'vitest';
import type { OidcOptions } from '../../src/oauth/oidc/login.ts';
import { createProvider } from '../../src/oauth/oidc/provider.ts';
import { carryOut } from '../../src/oauth/users.ts';
import type { Role } from '../../src/shared/principal.ts';
import { safeFetch } from '../../src/shared/safe-fetch.ts';
import { CLIENT, type Lie, signInAt, startFake, startProvider } from '../kit/identity-provider.ts';
import {
  authorizeUrl,
  type Browser,
  calledBack,
  exchange,
  ISSUER,
  isValid,
  type OAuthServer,
  openServer,
  pkce,
  tokensOf,
} from './kit.ts';

const CALLBACK = `${ISSUER}/oauth/oidc/callback`;
const ROLES = new Map<string, Role>([
  ['staff', 'reader'],
  ['editors', 'writer'],
]);

function serverWith(issuer: string, more: Partial<OidcOptions> = {}): OAuthServer {
  const send: Parameters<typeof createProvider>[0]['send'] = (url, { method, ...request }) =>
    safeFetch(url, {
      ...request,
      method: method === 'POST' ? 'POST' : 'GET',
      allow: 'loopback',
      maxBytes: 100_000,
      timeoutMs: 5_000,
    });
  const settings = {
    ...CLIENT,
    issuer,
    scopes: ['openid', 'profile'],
    groupsClaim: 'groups',
    redirectUri: CALLBACK,
    signedOutUri: `${ISSUER}/account`,
    insecureLoopback: true,
    send,
  };
  const open = async () => createProvider(settings);
  return openServer({ oidc: { issuer, name: 'Example Login', roles: ROLES, open, ...more } });
}

function never(): never {
  throw new Error('not opened');
}

/** The address at the provider that the link of the login page leads to. */
async function followLink(browser: Browser): Promise<Response> {
  const href = /href="([^"]*oidc\/start[^"]*)"/.exec(browser.html)?.[1] ?? '';
  return browser.open(href.replaceAll('&#38;', '&'));
}

async function comeBack(browser: Browser, login: string, abort?: boolean): Promise<Response> {
  const sent = await followLink(browser);
  expect(sent.status, browser.html).toBe(303);
  const back = await signInAt(sent.headers.get('location') ?? '', login, abort);
  expect(back.href.startsWith(CALLBACK)).toBe(true);
  return browser.open(back.href);
}

async function signIn(served: OAuthServer, login: string): Promise<Browser> {
  const browser = served.browser();
  await browser.open('/account');
  const answer = await comeBack(browser, login);
  if (answer.status === 303) await browser.open(answer.headers.get('location') ?? '');
  return browser;
}

const ACCOUNTS = {
  '248289761001': { preferred_username: 'kim', groups: ['staff', 'others'] },
  '2': { preferred_username: 'kim', groups: ['editors', 'staff'] },
  '3': { preferred_username: 'alex', groups: [] },
};

describe('with a real provider', () => {
  it('people sign in, groups become roles, and an app is connected', async () => {
    const { origin } = await startProvider(CALLBACK, ACCOUNTS);
    const served = serverWith(origin);
    const { client_id } = await served.register();
    const { verifier, challenge } = pkce();
    const browser = served.browser();
    const query = { client_id, code_challenge: challenge, prompt: 'login' };
    await browser.open(authorizeUrl(query));
    expect(browser.html).toContain('Sign in with Example Login');
    const answer = await comeBack(browser, '248289761001');
    await browser.open(answer.headers.get('location') ?? '');
    expect(browser.html).toContain('Signed in as <b>oidc:kim-');
    expect(browser.html).not.toContain('create, change');
    const code = calledBack(await browser.send({ action: 'approve' })).searchParams.get('code') ?? '';
    const tokens = await tokensOf(await exchange(served, { client_id, code, code_verifier: verifier }));
    expect(tokens.scope).toBe('notes:read');
    expect((await served.server.verify(tokens.access_token))?.id).toMatch(/^user:oidc:kim-[0-9a-f]{8}$/);
    const { directory } = served.server.pages;
    const [account] = (await directory.list()).filter(({ source }) => source === 'provider');
    await carryOut(directory, { action: 'disable', name: account?.name ?? '' }, 'operator');
    expect(await isValid(served, tokens.access_token)).toBe(false);
    expect((await signIn(served, '248289761001')).html).toContain('Your account here is disabled');
    const dump = await served.dump();
    for (const secret of [CLIENT.clientSecret, verifier]) expect(dump).not.toContain(secret);
  });

  it('two of the same name are two, the highest group counts, and who has none is not let in', async () => {
    const { origin } = await startProvider(CALLBACK, ACCOUNTS);
    const served = serverWith(origin);
    for (const login of ['248289761001', '2', '2']) await signIn(served, login);
    const people = (await served.server.pages.directory.list()).filter(({ source }) => source === 'provider');
    expect(people.map(({ role }) => role).sort()).toEqual(['reader', 'writer']);
    const refused = await signIn(served, '3');
    expect(refused.html).toContain('none of your groups');
    expect(refused.cookies.has('__Host-quire-session')).toBe(false);
    const other = await signIn(serverWith(origin, { otherRole: 'proposer' }), '3');
    expect(other.html, 'not the alex of the configuration').toContain('Signed in as <b>oidc:alex-');
  });

  it('signing out leads to the provider, and its word ends after some days', async () => {
    const { origin } = await startProvider(CALLBACK, ACCOUNTS);
    const served = serverWith(origin);
    const browser = await signIn(served, '2');
    await browser.send({ action: 'leave' });
    expect(browser.html).toContain('You are signed out here');
    const away = await browser.open('/oauth/oidc/sign-out');
    expect(away.headers.get('location')).toMatch(`${origin}/session/end?`);
    await browser.open('/account');
    expect(browser.html).toContain('name="password"');
    const [account] = (await served.server.pages.directory.list()).filter(
      ({ source }) => source === 'provider',
    );
    const subject = { kind: 'user' as const, name: account?.name ?? '' };
    expect(await served.server.pages.subjects.mostOf(subject)).toBe('write');
    served.advance(31 * 86_400);
    expect(await served.server.pages.subjects.mostOf(subject)).toBeUndefined();
  });

  it('its word counts no more when it is taken out of the settings, or another takes its place', async () => {
    const { origin } = await startProvider(CALLBACK, ACCOUNTS);
    const served = serverWith(origin);
    await signIn(served, '2');
    const { state } = served;
    const [account] = (await served.server.pages.directory.list()).filter(
      ({ source }) => source === 'provider',
    );
    const subject = { kind: 'user' as const, name: account?.name ?? '' };
    const mostIn = ({ server }: OAuthServer) => server.pages.subjects.mostOf(subject);
    expect(await mostIn(served)).toBe('write');
    expect(await mostIn(openServer({ state })), 'without a provider').toBeUndefined();
    const oidc = { issuer: 'https://other.example', name: 'Other', roles: ROLES, open: async () => never() };
    expect(await mostIn(openServer({ state, oidc })), 'with another').toBeUndefined();
    expect(await mostIn(openServer({ state, oidc: { ...oidc, issuer: origin } }))).toBe('write');
  });

  it('a person who cancels there is told so', async () => {
    const { origin } = await startProvider(CALLBACK, ACCOUNTS);
    const served = serverWith(origin);
    const browser = served.browser();
    await browser.open('/account');
    expect((await comeBack(browser, '2', true)).status).toBe(403);
    expect(browser.html).toContain('You were not signed in');
  });
});

async function openFake() {
  const fake = await startFake(CALLBACK);
  return { fake, served: serverWith(fake.origin) };
}

/** Another login in the same browser. */
async function openAgain(browser: Browser, served: OAuthServer): Promise<Response> {
  await browser.open('/account');
  expect(browser.html, JSON.stringify(served.lines.at(-1))).toContain('oidc/start');
  return comeBack(browser, 'eve');
}

describe('with providers as they are', () => {
  const names = async ({ server }: OAuthServer) =>
    (await server.pages.directory.list())
      .filter(({ source }) => source === 'provider')
      .map(({ name, role }) => `${name.replace(/-[0-9a-f]{8}$/, '')} ${role}`);

  it.each([
    [['post'], ['client_secret_post']],
    [['basic'], ['client_secret_basic']],
    [['basic'], undefined],
    [['post'], ['client_secret_basic', 'client_secret_post']],
    [['basic'], ['client_secret_post', 'client_secret_basic']],
  ])('the secret is sent as it is taken (%j), where they name %j', async (secretBy, named) => {
    const { fake, served } = await openFake();
    Object.assign(fake, { secretBy, metadata: { token_endpoint_auth_methods_supported: named } });
    for (let login = 0; login < 2; login++)
      expect((await signIn(served, 'eve')).html).toContain('Signed in as');
  });

  it('a person of a thousand groups has the role of the last one', async () => {
    const { fake, served } = await openFake();
    const groups = Array.from({ length: 1_000 }, (_, at) => `group ${at}`);
    fake.claims = { groups: [...groups, 7, null, { name: 'staff' }, 'editors'] };
    await signIn(served, 'eve');
    expect(await names(served)).toEqual(['oidc:eve writer']);
  });

  it.each([undefined, null, '', {}, 'staff editors', ['Staff'], ['__proto__', 'constructor']])(
    'groups %j let nobody in',
    async (groups) => {
      const { fake, served } = await openFake();
      fake.claims = { groups };
      expect((await signIn(served, 'eve')).html).toContain('none of your groups');
      expect(await names(served)).toEqual([]);
    },
  );

  it.each([
    ['नरेंद्र मोदी', 'नरेंद्र-मोदी'],
    ['Zoë', 'Zoë'],
    ['Zoe\u0308', 'Zoë'],
    [`a${'𠮷'.repeat(60)}`, `a${'𠮷'.repeat(39)}`],
    ['user:alex', 'user-alex'],
    ['\u202eadmin\u0000', '-admin-'],
    ['\ud842', '-'],
    ['\u0301', 'person'],
  ])('%j keeps a name that can be read', async (preferred_username, name) => {
    const { fake, served } = await openFake();
    fake.claims = { preferred_username };
    expect((await signIn(served, 'eve')).html).toContain('Signed in as');
    expect(await names(served)).toEqual([`oidc:${name} reader`]);
  });

  it('subjects are compared to the letter', async () => {
    const { fake, served } = await openFake();
    for (const sub of ['eve', 'eve ', 'Eve', ' eve', 'eve']) {
      fake.claims = { sub };
      await signIn(served, 'eve');
    }
    expect(await names(served)).toHaveLength(4);
  });

  it('a person who has left all groups loses what they had, until they are in one again', async () => {
    const { fake, served } = await openFake();
    await signIn(served, 'eve');
    const [account] = (await served.server.pages.directory.list()).filter(
      ({ source }) => source === 'provider',
    );
    const subject = { kind: 'user' as const, name: account?.name ?? '' };
    const most = () => served.server.pages.subjects.mostOf(subject);
    expect(await most()).toBe('read');
    fake.claims = { groups: ['others'] };
    expect((await signIn(served, 'eve')).html).toContain('none of your groups');
    expect(await most()).toBeUndefined();
    expect(served.events('login failed').at(-1)?.fields).toMatchObject({ user: subject.name });
    fake.claims = { groups: ['editors'] };
    await signIn(served, 'eve');
    expect(await most()).toBe('write');
  });

  it.each(['next', 'k'])(
    'a key that was replaced at once by %s is known at the next attempt',
    async (kid) => {
      const { fake, served } = await openFake();
      expect((await signIn(served, 'eve')).html).toContain('Signed in as');
      await fake.rotate(kid);
      expect((await signIn(served, 'eve')).html).toContain('Sign in again');
      expect((await signIn(served, 'eve')).html).toContain('Signed in as');
    },
  );
});

describe('with a provider that lies', () => {
  async function attempt(lie: Lie) {
    const fake = await startFake(CALLBACK);
    const served = serverWith(fake.origin);
    const browser = served.browser();
    await browser.open('/account');
    fake.lie = lie;
    const sent = await followLink(browser);
    if (sent.status !== 303) return { browser, fake, served, status: sent.status, back: undefined };
    const back = await signInAt(sent.headers.get('location') ?? '', 'eve');
    const { status } = await browser.open(back.href);
    return { browser, fake, served, status, back };
  }

  it('an honest answer is accepted once, and only in its browser', async () => {
    const { browser, status, back, served, fake } = await attempt('none');
    expect(status, browser.html).toBe(303);
    const replayed = served.browser();
    replayed.cookies.set('__Host-quire-browser', browser.cookies.get('__Host-quire-browser') ?? '');
    expect((await replayed.open(back?.href ?? '')).status).toBe(403);
    expect(replayed.html).toContain('cannot be finished here');
    const victim = served.browser();
    await victim.open('/account');
    await browser.open('/account');
    await browser.send({ action: 'leave' });
    await browser.open('/account');
    const sent = await followLink(browser);
    const other = await signInAt(sent.headers.get('location') ?? '', 'eve');
    expect((await victim.open(other.href)).status, 'login CSRF').toBe(403);
    expect(victim.cookies.has('__Host-quire-session')).toBe(false);
    expect(fake.verifiers.every((verifier) => /^[0-9a-f]{64}$/.test(verifier))).toBe(true);
    expect(await served.dump()).not.toContain(fake.verifiers[0]);
  });

  it.each([
    ['issuer', 502, 'cannot be trusted'],
    ['nonce', 502, 'cannot be trusted'],
    ['unsigned', 502, 'cannot be trusted'],
    ['foreign key', 502, 'cannot be trusted'],
    ['audience', 502, 'cannot be trusted'],
    ['no id token', 502, 'cannot be trusted'],
    ['iss parameter', 502, 'cannot be trusted'],
    ['expired', 502, 'The clocks do not agree'],
    ['future', 502, 'The clocks do not agree'],
    ['metadata issuer', 502, 'cannot be trusted'],
    ['down at the token endpoint', 503, 'cannot be reached'],
  ] as [Lie, number, string][])('%s: nobody is signed in', async (lie, status, words) => {
    const tried = await attempt(lie);
    expect([tried.status, tried.browser.html.includes(words)], tried.browser.html).toEqual([status, true]);
    expect(tried.browser.cookies.has('__Host-quire-session')).toBe(false);
    expect((await tried.served.dump()).includes('"role"')).toBe(false);
  });

  it.each([
    [
      { status: 401, body: { error: 'invalid_client' } },
      502,
      'does not accept this server',
      'invalid_client',
    ],
    [{ status: 503, body: 'busy' }, 503, 'cannot be reached', '503'],
    [{ status: 500, body: { error: 'server_error' } }, 503, 'cannot be reached', '500'],
    [
      { status: 400, body: { error: 'invalid_grant', error_description: 'redirect_uri\nmismatch' } },
      502,
      'cannot be trusted',
      'invalid_grant: redirect_uri mismatch',
    ],
  ])('that answers %j: the page and the log say what it is', async (refusal, status, words, logged) => {
    const { served, fake } = await openFake();
    fake.refusal = refusal;
    const browser = await signIn(served, 'eve');
    expect(browser.html).toContain(words);
    expect((await openAgain(browser, served)).status).toBe(status);
    const [line] = served.events('the answer of the identity provider was refused');
    expect(String(line?.fields.error)).toContain(logged);
  });

  it.each([
    ['temporarily_unavailable', 503, 'cannot be reached'],
    ['unauthorized_client', 502, 'does not accept this server'],
    ['access_denied', 403, 'You were not signed in'],
  ])('that sends people back with %s: they are told', async (error, status, words) => {
    const { served, fake } = await openFake();
    fake.error = error;
    const browser = await signIn(served, 'eve');
    expect(browser.html).toContain(words);
    expect((await openAgain(browser, served)).status).toBe(status);
  });

  it('whose description is another’s: the log says so', async () => {
    const tried = await attempt('metadata issuer');
    const [line] = tried.served.events('the identity provider cannot be asked');
    expect(String(line?.fields.error)).toContain('issuer');
  });

  it('that is away is found again when it is back', async () => {
    const fake = await startFake(CALLBACK);
    let origin = 'http://127.0.0.1:9';
    const served = serverWith(fake.origin, {
      open: async () => ({
        signInAddress: async () => {
          if (origin !== fake.origin)
            throw Object.assign(new Error('away'), { name: 'ProviderError', problem: 'down' });
          return new URL(`${origin}/authorize`);
        },
        identify: async () => ({ subject: 'x', label: 'x', groups: [] }),
        signOutAddress: async () => undefined,
      }),
    });
    const browser = served.browser();
    await browser.open('/account');
    expect((await followLink(browser)).status).toBe(503);
    expect(browser.html).toContain('Nothing is wrong with your account');
    origin = fake.origin;
    await browser.open('/account');
    expect((await followLink(browser)).status).toBe(303);
  });

  it('a state that was never given out, and a ticket of another browser, lead nowhere', async () => {
    const served = serverWith('http://127.0.0.1:9');
    const browser = served.browser();
    await browser.open('/account');
    expect((await browser.open(`/oauth/oidc/callback?code=x&state=${'0'.repeat(64)}`)).status).toBe(403);
    const [first, second] = [served.browser(), served.browser()];
    await first.open('/account');
    await second.open('/account');
    second.html = first.html;
    expect((await followLink(second)).status).toBe(403);
  });
});
