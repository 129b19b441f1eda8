/** Clients that introduce themselves (RFC 7591). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openMemoryState, type StateStore } from '../../src/state/memory.ts';
import { authorizeUrl, CALLBACK, connect, errorOf, type OAuthServer, openServer } from './kit.ts';

let address = 0;
function register(served: OAuthServer, body: unknown): Promise<Response> {
  return served.call('/oauth/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    address: `10.9.${++address >> 8}.${address & 255}`,
  });
}

describe('registration', () => {
  it('answers as the document of the vault server says', async () => {
    const served = openServer();
    const answer = await register(served, {
      client_name: 'Claude',
      redirect_uris: ['https://claude.ai/oauth/callback'],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect(await answer.json()).toEqual({
      client_id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      client_id_issued_at: served.clock.now / 1000,
      client_name: 'Claude',
      redirect_uris: ['https://claude.ai/oauth/callback'],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
  });

  it('takes what real clients send', async () => {
    const served = openServer();
    for (const more of [
      {},
      { client_name: 'Claude Code (quire)', redirect_uris: ['http://localhost:54321/callback'] },
      {
        client_name: 'Visual Studio Code',
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
        redirect_uris: ['https://vscode.dev/redirect', 'http://127.0.0.1/', 'http://127.0.0.1:33418/'],
        application_type: 'native',
        scope: 'notes:read something:else',
      },
      { redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'], client_uri: '', logo_uri: null },
      {
        redirect_uris: ['com.example.app:/oauth'],
        contacts: ['a@example.com'],
        software_id: 'x',
        made_up: { a: 1 },
      },
      { token_endpoint_auth_method: 'client_secret_basic', client_uri: 'http://localhost:3000' },
    ]) {
      const answer = await register(served, { redirect_uris: [CALLBACK], ...more });
      expect([more, answer.status]).toEqual([more, 201]);
      expect(await answer.json()).toMatchObject({ grant_types: ['authorization_code', 'refresh_token'] });
    }
  });

  it.each<[string, object | string, string]>([
    ['no JSON', 'nonsense', 'invalid_request'],
    ['no object', [], 'invalid_client_metadata'],
    ['null', 'null', 'invalid_client_metadata'],
    ['no redirect URIs', { redirect_uris: undefined }, 'invalid_redirect_uri'],
    ['an empty list of them', { redirect_uris: [] }, 'invalid_redirect_uri'],
    [
      'eleven of them',
      { redirect_uris: Array.from({ length: 11 }, (_, at) => `${CALLBACK}${at}`) },
      'invalid_redirect_uri',
    ],
    ['a text instead of a list', { redirect_uris: CALLBACK }, 'invalid_redirect_uri'],
    ['a number among them', { redirect_uris: [1] }, 'invalid_redirect_uri'],
    ['a name that is no text', { client_name: { a: 1 } }, 'invalid_client_metadata'],
    ['a name that is too long', { client_name: 'x'.repeat(501) }, 'invalid_client_metadata'],
    ['a home page that is none', { client_uri: 'javascript:alert(1)' }, 'invalid_client_metadata'],
    ['too many contacts', { contacts: Array.from({ length: 21 }, () => 'a') }, 'invalid_client_metadata'],
    ['grants without a code', { grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    ['grants that are no list', { grant_types: 'authorization_code' }, 'invalid_client_metadata'],
    ['only implicit responses', { response_types: ['token'] }, 'invalid_client_metadata'],
    [
      'an unknown way to authenticate',
      { token_endpoint_auth_method: 'tls_client_auth' },
      'invalid_client_metadata',
    ],
    ['a kind of app there is not', { application_type: 'robot' }, 'invalid_client_metadata'],
    [
      'keys at an address that is not https',
      { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'http://a.example/k' },
      'invalid_client_metadata',
    ],
    [
      'keys in two places',
      {
        token_endpoint_auth_method: 'private_key_jwt',
        jwks_uri: 'https://a.example/k',
        jwks: { keys: [{}] },
      },
      'invalid_client_metadata',
    ],
    ['a software statement', { software_statement: 'eyJ' }, 'invalid_client_metadata'],
  ])('refuses %s', async (_, part, code) => {
    const body =
      typeof part === 'string' || Array.isArray(part) ? part : { redirect_uris: [CALLBACK], ...part };
    const answer = await register(openServer(), body);
    expect([answer.status, await errorOf(answer)]).toEqual([400, code]);
  });

  it('refuses keys at an address when nothing can be fetched', async () => {
    const served = openServer({ fetchDocument: undefined as never });
    const answer = await register(served, {
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: 'https://a.example/k',
    });
    expect(await errorOf(answer)).toBe('invalid_client_metadata');
  });

  it('is forgotten after a day unless a user approved it, and kept if one did', async () => {
    const served = openServer();
    const unused = await served.register();
    const used = await connect(served);
    served.advance(86_399);
    expect((await served.browser().open(authorizeUrl({ client_id: unused.client_id }))).status).toBe(200);
    served.advance(1);
    expect((await served.browser().open(authorizeUrl({ client_id: unused.client_id }))).status).toBe(400);
    const form = { grant_type: 'refresh_token', client_id: unused.client_id, refresh_token: 'x' };
    const answer = await served.post('/oauth/token', form);
    expect([answer.status, await errorOf(answer)]).toEqual([401, 'invalid_client']);
    served.advance(300 * 86_400);
    expect((await served.browser().open(authorizeUrl({ client_id: used.clientId }))).status).toBe(200);
  });

  it('reads few of the others at once, however many there are', async () => {
    const state = openMemoryState();
    for (let at = 0; at < 1_000; at++)
      await state.put(`registration:${at}`, { id: `${at}`, registeredAt: at });
    let [reading, most] = [0, 0];
    const get: StateStore['get'] = async (key) => {
      most = Math.max(most, ++reading);
      await nextTurn();
      reading--;
      return state.get(key);
    };
    const served = openServer({ state: { ...state, get } });
    expect((await register(served, { redirect_uris: [CALLBACK] })).status).toBe(201);
    expect(await state.get('registration:0')).toBeUndefined();
    expect(most).toBeLessThan(10);
  });

  it('shows a secret once and keeps its hash', async () => {
    const served = openServer();
    const { client_secret = '' } = await served.register({
      token_endpoint_auth_method: 'client_secret_post',
    });
    expect(client_secret).toMatch(/^[0-9a-f]{64}$/);
    expect(await served.dump()).not.toContain(client_secret);
  });
});
