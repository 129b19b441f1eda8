/** The client of the official SDK, unchanged, from discovery to a refreshed token. Only its network is ours. */
import { auth, type OAuthClientProvider } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { ISSUER, isValid, type OAuthServer, openServer } from './kit.ts';

type SavedState = Record<string, unknown>;

function provider(metadata: object = {}): OAuthClientProvider & { saved: SavedState; sentTo: URL } {
  const saved: SavedState = {};
  const save = (part: SavedState) => void Object.assign(saved, part);
  const kept = {
    saved,
    sentTo: new URL('about:blank'),
    redirectUrl: 'http://localhost:7777/oauth/callback',
    clientMetadata: {
      client_name: 'SDK client',
      redirect_uris: ['http://localhost:7777/oauth/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      ...metadata,
    },
    clientInformation: () => saved.client,
    saveClientInformation: (client: unknown) => save({ client }),
    tokens: () => saved.tokens,
    saveTokens: (tokens: unknown) => save({ tokens }),
    codeVerifier: () => String(saved.verifier),
    saveCodeVerifier: (verifier: string) => save({ verifier }),
    discoveryState: () => saved.discovery,
    saveDiscoveryState: (discovery: unknown) => save({ discovery }),
    state: () => 'state-of-the-client',
    redirectToAuthorization(url: URL) {
      kept.sentTo = url;
    },
  };
  return kept as unknown as OAuthClientProvider & { saved: SavedState; sentTo: URL };
}

const fetchFrom =
  ({ call }: OAuthServer) =>
  (url: string | URL, init?: RequestInit) =>
    call(String(url), init);

async function connected(served: OAuthServer, client: ReturnType<typeof provider>) {
  const options = { serverUrl: `${ISSUER}/mcp`, fetchFn: fetchFrom(served) };
  expect(await auth(client, options)).toBe('REDIRECT');
  const back = await served.browser().approve(client.sentTo.href);
  expect(back.searchParams.get('state')).toBe('state-of-the-client');
  const authorizationCode = back.searchParams.get('code') ?? '';
  const iss = back.searchParams.get('iss') ?? '';
  expect(await auth(client, { ...options, authorizationCode, iss })).toBe('AUTHORIZED');
  return client.saved.tokens as { access_token: string; refresh_token: string };
}

it.each([
  ['a public client', {}],
  ['a client with a secret', { token_endpoint_auth_method: 'client_secret_post' }],
  ['a client with a secret in the header', { token_endpoint_auth_method: 'client_secret_basic' }],
])('the SDK as %s discovers, registers, logs in and refreshes', async (_, metadata) => {
  const served = openServer();
  const client = provider(metadata);
  const first = await connected(served, client);
  expect(await isValid(served, first.access_token)).toBe(true);
  expect(Object.fromEntries(client.sentTo.searchParams)).toMatchObject({
    resource: expect.stringMatching(new RegExp(`^${ISSUER}`)),
    code_challenge_method: 'S256',
    scope: expect.stringContaining('notes:read notes:write'),
  });
  const again = await auth(client, { serverUrl: `${ISSUER}/mcp`, fetchFn: fetchFrom(served) });
  expect(again).toBe('AUTHORIZED');
  const second = client.saved.tokens as typeof first;
  expect(second.refresh_token).not.toBe(first.refresh_token);
  expect(await isValid(served, second.access_token)).toBe(true);
});

it('the SDK as a client described by a document needs no registration', async () => {
  const served = openServer();
  const address = 'https://client.example/client.json';
  served.documents.set(address, {
    client_id: address,
    client_name: 'Described',
    redirect_uris: ['http://localhost/oauth/callback'],
  });
  const client = Object.assign(provider(), { clientMetadataUrl: address });
  const tokens = await connected(served, client);
  expect(await served.server.verify(tokens.access_token)).toMatchObject({ clientId: address });
  expect(await served.state.list('registration:')).toEqual([]);
});

it('the SDK finds its way when the resource has a path', async () => {
  const served = openServer({ resource: `${ISSUER}/mcp` });
  const client = provider();
  const tokens = await connected(served, client);
  expect(client.sentTo.searchParams.get('resource')).toBe(`${ISSUER}/mcp`);
  expect(await isValid(served, tokens.access_token)).toBe(true);
});
