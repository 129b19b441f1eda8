/** The page of connected apps: what it shows, what revoking ends, and who cannot do it. */
import { describe, expect, it } from 'vitest';
import {
  type AuthorizedClient,
  authorizeUrl,
  type Browser,
  connect,
  errorOf,
  isValid,
  type OAuthServer,
  OTHER_PASSWORD,
  openServer,
  PASSWORD,
  refresh,
  tokensOf,
  USERS,
} from './kit.ts';

async function signIn(served: OAuthServer, name = 'alex', password = PASSWORD): Promise<Browser> {
  const browser = served.browser();
  await browser.open('/account');
  const answer = await browser.logIn(name, password);
  expect([answer.status, answer.headers.get('location')?.endsWith('/account')]).toEqual([303, true]);
  await browser.open('/account');
  return browser;
}

const grantsIn = ({ html }: Browser) =>
  [...html.matchAll(/name="revoke" value="([0-9a-f]{32})"/g)].map(([, id = '']) => id);

async function revokeFirst(browser: Browser): Promise<Response> {
  const [id = ''] = grantsIn(browser);
  const answer = await browser.send({ revoke: id });
  await browser.open('/account');
  return answer;
}

describe('the page of connected apps', () => {
  it('asks for a login, and shows each grant: client, scopes, since when, last used', async () => {
    const served = openServer();
    const { access_token: token } = await connect(served, {
      metadata: { client_name: 'Pocket <b>reader' },
      query: { scope: 'notes:read' },
    });
    served.advance(7_200);
    await isValid(served, token);
    const browser = await signIn(served);
    expect(grantsIn(browser)).toHaveLength(1);
    expect(browser.html).toContain('<h2>Pocket &#60;b&#62;reader</h2>');
    expect(browser.html).toContain('read and search all your notes');
    expect(browser.html).not.toContain('create, change');
    expect(browser.html).toContain('<dd>claude.ai</dd>');
    expect(browser.html).toMatch(/Connected<\/dt><dd><time[^>]*>2027-01-15 08:00 UTC/);
    expect(browser.html).toMatch(/Last used<\/dt><dd><time[^>]*>2027-01-15 10:00 UTC/);
    expect(browser.html).toContain('Signed in as <b>alex</b>');
  });

  it.each(['opaque', 'jwt'] as const)(
    'revoking ends access and refresh tokens at once (%s)',
    async (kind) => {
      const served = openServer({ tokens: { kind } });
      const other = await connect(served, { metadata: { client_name: 'Other' } });
      served.advance(1);
      const first = await connect(served);
      const again = await refresh(served, first.clientId, first.refresh_token);
      const second = await tokensOf(again);
      const browser = await signIn(served);
      expect(grantsIn(browser)).toHaveLength(2);
      expect((await revokeFirst(browser)).status).toBe(303);
      for (const token of [first.access_token, second.access_token])
        expect(await isValid(served, token)).toBe(false);
      for (const token of [first.refresh_token, second.refresh_token])
        expect(await errorOf(await refresh(served, first.clientId, token))).toBe('invalid_grant');
      expect(await isValid(served, other.access_token)).toBe(true);
      expect(grantsIn(browser)).toHaveLength(1);
      expect(served.events('access revoked')).toMatchObject([{ fields: { user: 'alex', client: 'Claude' } }]);
    },
  );

  it('after revoking, the app is not let in without being asked about', async () => {
    const served = openServer();
    const { clientId } = await connect(served);
    await revokeFirst(await signIn(served));
    const browser = served.browser();
    await browser.open(authorizeUrl({ client_id: clientId }));
    expect((await browser.logIn()).status).toBe(200);
    expect(browser.html).toContain('Allow Claude to use your notes?');
  });

  it('leaves out what ended in other ways', async () => {
    const served = openServer();
    const given = await connect(served);
    await served.post('/oauth/revoke', { client_id: given.clientId, token: given.refresh_token });
    await connect(served);
    const replayed = await connect(served);
    const next = await tokensOf(await refresh(served, replayed.clientId, replayed.refresh_token));
    await tokensOf(await refresh(served, replayed.clientId, next.refresh_token));
    await refresh(served, replayed.clientId, replayed.refresh_token);
    expect(grantsIn(await signIn(served))).toHaveLength(1);
  });

  it('keeps an app as long as its tokens can be refreshed, and no longer', async () => {
    const served = openServer({ tokens: { refreshSeconds: 10 * 86_400 } });
    const { clientId, refresh_token } = await connect(served);
    served.advance(9 * 86_400);
    await tokensOf(await refresh(served, clientId, refresh_token));
    served.advance(9 * 86_400);
    expect(grantsIn(await signIn(served))).toHaveLength(1);
    served.advance(2 * 86_400);
    expect(grantsIn(await signIn(served))).toHaveLength(0);
  });

  it('survives a restart, and a changed password empties it', async () => {
    const served = openServer();
    await connect(served);
    const restarted = openServer({ state: served.state });
    const browser = await signIn(restarted);
    expect(grantsIn(browser)).toHaveLength(1);
    const changed = openServer({
      state: served.state,
      users: new Map([...USERS, ['alex', USERS.get('bob') ?? '']]),
    });
    expect(grantsIn(await signIn(changed, 'alex', OTHER_PASSWORD))).toHaveLength(0);
  });

  it('is there for an owner without a name', async () => {
    const served = openServer({ ownerToken: 'what the owner types' });
    const browser = served.browser();
    await browser.open('/account');
    expect(browser.html).toContain('Owner token');
    await browser.send({ action: 'login', password: 'what the owner types' });
    await browser.open('/account');
    expect(browser.html).toContain('No app is connected');
    expect(browser.html).not.toContain('Signed in as');
  });
});

type Attempt = (served: OAuthServer, connected: AuthorizedClient) => Promise<void>;

const REFUSED: Readonly<Record<string, Attempt>> = {
  'a wrong password': async (served) => {
    const browser = served.browser();
    await browser.open('/account');
    expect((await browser.logIn('alex', 'wrong')).status).toBe(403);
    await browser.open('/account');
    expect(browser.html).toContain('name="password"');
  },
  'a form of another site': async (served) => {
    const browser = await signIn(served);
    const [revoke = ''] = grantsIn(browser);
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': '', origin: 'https://evil.example' },
    ] as Record<string, string>[])
      expect((await browser.send({ revoke }, headers)).status).toBe(403);
  },
  'a form without a ticket': async (served) => {
    const browser = await signIn(served);
    const [revoke = ''] = grantsIn(browser);
    expect((await browser.send({ revoke, ticket: '' })).status).toBe(400);
    await browser.open('/account');
    expect((await browser.send({ revoke, ticket: 'a.b' })).status).toBe(403);
  },
  'a form of another browser': async (served) => {
    const [mine, other] = [await signIn(served), await signIn(served)];
    const [revoke = ''] = grantsIn(mine);
    expect((await mine.send({ revoke, ticket: other.ticket })).status).toBe(403);
  },
  'the ticket of a consent page': async (served, { clientId }) => {
    const browser = await signIn(served);
    const [revoke = ''] = grantsIn(browser);
    await browser.open(authorizeUrl({ client_id: clientId }));
    const { ticket } = browser;
    await browser.open('/account');
    expect((await browser.send({ revoke, ticket })).status).toBe(403);
  },
  'a page that is still open after signing out': async (served) => {
    const browser = await signIn(served);
    const [revoke = ''] = grantsIn(browser);
    const before = browser.ticket;
    await browser.open('/account');
    await browser.send({ action: 'leave' });
    await browser.open('/account');
    expect(browser.html).toContain('name="password"');
    await browser.send({ revoke, ticket: before });
    expect(browser.html).toContain('name="password"');
  },
  'the grant of another user': async (served) => {
    const [revoke = ''] = grantsIn(await signIn(served));
    const bob = await signIn(served, 'bob', OTHER_PASSWORD);
    expect(grantsIn(bob)).toHaveLength(0);
    await bob.send({ revoke });
  },
};

it.each(Object.keys(REFUSED))('%s revokes nothing', async (name) => {
  const served = openServer();
  const connected = await connect(served);
  await REFUSED[name]?.(served, connected);
  expect(await isValid(served, connected.access_token)).toBe(true);
  expect(served.events('access revoked')).toEqual([]);
});

it('its ticket approves no client', async () => {
  const served = openServer();
  const { client_id } = await served.register();
  const browser = await signIn(served);
  const { ticket } = browser;
  await browser.open(authorizeUrl({ client_id }));
  const answer = await browser.send({ action: 'approve', ticket });
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(served.events('access approved')).toEqual([]);
});
