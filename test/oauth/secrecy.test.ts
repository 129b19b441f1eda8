/** After everything has happened that can, no secret is in the state or in the log. */
import { expect, it } from 'vitest';
import {
  authorizeUrl,
  calledBack,
  connect,
  exchange,
  type OAuthServer,
  openServer,
  PASSWORD,
  pkce,
  refresh,
  tokensOf,
  USERS,
} from './kit.ts';

const OPERATOR_SECRET = 'what the operator gave the robot';
const SIGNING_KEY = 'what signs tokens and is given by the operator';
const OWNER_TOKEN = 'what the owner types';
const MISTYPED = 'the password, almost';

async function liveFully(served: OAuthServer, password: string): Promise<string[]> {
  const confidential = await served.register({ token_endpoint_auth_method: 'client_secret_post' });
  const { client_id, client_secret = '' } = confidential;
  const { verifier, challenge } = pkce();
  const browser = served.browser();
  const tickets: string[] = [];
  const url = authorizeUrl({ client_id, code_challenge: challenge });
  await browser.open(url);
  tickets.push(browser.ticket);
  await browser.logIn('alex', MISTYPED);
  await browser.logIn(MISTYPED, '');
  tickets.push(browser.ticket);
  await browser.send({ action: 'login', username: 'alex', password });
  tickets.push(browser.ticket);
  const code = calledBack(await browser.send({ action: 'approve' })).searchParams.get('code') ?? '';
  const form = { client_id, client_secret, code, code_verifier: verifier };
  const first = await tokensOf(await exchange(served, form));
  const proof = { client_secret };
  const second =
    first.refresh_token === undefined
      ? first
      : await tokensOf(await refresh(served, client_id, first.refresh_token, proof));
  await served.server.verify(second.access_token);
  await served.post('/oauth/token', {
    grant_type: 'client_credentials',
    client_id: 'robot',
    client_secret: OPERATOR_SECRET,
  });
  await served.post('/oauth/token', {
    grant_type: 'client_credentials',
    client_id: 'robot',
    client_secret: MISTYPED,
  });
  await exchange(served, form);
  served.advance(60);
  if (first.refresh_token !== undefined) await refresh(served, client_id, first.refresh_token, proof);
  await served.post('/oauth/revoke', { client_id, ...proof, token: second.access_token });
  return [
    PASSWORD,
    OWNER_TOKEN,
    MISTYPED,
    OPERATOR_SECRET,
    SIGNING_KEY,
    client_secret,
    code,
    verifier,
    first.access_token,
    first.refresh_token,
    second.access_token,
    second.refresh_token,
    ...browser.cookies.values(),
    ...tickets,
    ...USERS.values(),
  ].filter((secret) => secret !== undefined && secret !== '');
}

it.each([
  ['opaque tokens', {}],
  ['JWTs with keys of our own', { tokens: { kind: 'jwt' } }],
  ['JWTs with the operator’s key', { tokens: { kind: 'jwt' }, signingKey: SIGNING_KEY }],
  ['an owner token', { ownerToken: OWNER_TOKEN }],
] as const)('no secret is kept or logged with %s', async (_, options) => {
  const clients = [{ id: 'robot', secret: OPERATOR_SECRET, clientCredentials: true }];
  const served = openServer({ clients, ...options });
  const secrets = await liveFully(served, 'ownerToken' in options ? OWNER_TOKEN : PASSWORD);
  expect(secrets.length).toBeGreaterThan(15);
  const [state, log] = [await served.dump(), JSON.stringify(served.lines)];
  for (const secret of secrets) {
    expect(state).not.toContain(secret);
    expect(log).not.toContain(secret);
  }
  for (const event of [
    'login failed',
    'login succeeded',
    'client registered',
    'access approved',
    'token issued',
    'code replayed',
    'client authentication failed',
  ])
    expect([event, served.events(event).length > 0]).toEqual([event, true]);
});

it('every event names the user and the client', async () => {
  const served = openServer();
  const { clientId, refresh_token } = await connect(served);
  await refresh(served, clientId, refresh_token);
  expect(served.lines.map(({ level, message, fields }) => [level, message, fields])).toEqual([
    ['info', 'client registered', { clientId, client: 'Claude', address: '203.0.113.7' }],
    ['info', 'login succeeded', { user: 'alex', address: '198.51.100.20' }],
    [
      'info',
      'access approved',
      {
        user: 'alex',
        clientId,
        client: 'Claude',
        scopes: ['notes:read', 'notes:write'],
        grant: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    ],
    [
      'info',
      'token issued',
      expect.objectContaining({ user: 'alex', clientId, grantType: 'authorization_code' }),
    ],
    ['info', 'token refreshed', expect.objectContaining({ user: 'alex', clientId })],
  ]);
});
