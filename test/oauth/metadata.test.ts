import { describe, expect, it } from 'vitest';
import { ISSUER, openServer } from './kit.ts';

const json = async (answer: Response) => {
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  return answer.json();
};

describe('protected resource metadata (RFC 9728)', () => {
  const pinned = {
    resource: ISSUER,
    authorization_servers: [ISSUER],
    bearer_methods_supported: ['header'],
    scopes_supported: ['notes:read', 'notes:write', 'notes:propose'],
    dpop_signing_alg_values_supported: ['ES256', 'ES384', 'EdDSA', 'Ed25519', 'PS256', 'RS256'],
  };

  it('is at the root with the resource as configured, and in path form for the endpoint', async () => {
    const { call, server } = openServer();
    expect(await json(await call('/.well-known/oauth-protected-resource'))).toEqual(pinned);
    expect(server.protectedResource()).toEqual(pinned);
    expect(await json(await call('/.well-known/oauth-protected-resource/mcp'))).toEqual({
      ...pinned,
      resource: `${ISSUER}/mcp`,
    });
  });
});

describe('authorization server metadata (RFC 8414)', () => {
  const pinned = {
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/oauth/authorize`,
    token_endpoint: `${ISSUER}/oauth/token`,
    registration_endpoint: `${ISSUER}/oauth/register`,
    revocation_endpoint: `${ISSUER}/oauth/revoke`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: [
      'none',
      'client_secret_post',
      'client_secret_basic',
      'private_key_jwt',
    ],
    token_endpoint_auth_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA'],
    revocation_endpoint_auth_methods_supported: [
      'none',
      'client_secret_post',
      'client_secret_basic',
      'private_key_jwt',
    ],
    revocation_endpoint_auth_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA'],
    introspection_endpoint: `${ISSUER}/oauth/introspect`,
    introspection_endpoint_auth_methods_supported: [
      'client_secret_post',
      'client_secret_basic',
      'private_key_jwt',
    ],
    introspection_endpoint_auth_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA'],
    dpop_signing_alg_values_supported: ['ES256', 'ES384', 'EdDSA', 'Ed25519', 'PS256', 'RS256'],
    scopes_supported: ['notes:read', 'notes:write', 'notes:propose', 'offline_access'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };

  it.each(['/.well-known/oauth-authorization-server', '/.well-known/oauth-authorization-server/mcp'])(
    'is at %s',
    async (path) => {
      const { call } = openServer();
      expect(await json(await call(path))).toEqual(pinned);
    },
  );

  it.each([
    '/.well-known/openid-configuration',
    '/.well-known/openid-configuration/mcp',
    '/mcp/.well-known/openid-configuration',
  ])('has an alias at %s, with the fields such clients insist on', async (path) => {
    const { call } = openServer();
    expect(await json(await call(path))).toEqual({
      ...pinned,
      jwks_uri: `${ISSUER}/oauth/jwks`,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['EdDSA'],
    });
  });

  it('says only what this server does', async () => {
    const { call } = openServer({
      registration: { enabled: false },
      fetchDocument: undefined as never,
      tokens: { kind: 'jwt', refreshSeconds: 0 },
    });
    const metadata = (await json(await call('/.well-known/oauth-authorization-server'))) as object;
    expect(metadata).not.toHaveProperty('registration_endpoint');
    expect(metadata).not.toHaveProperty('client_id_metadata_document_supported');
    expect(metadata).toMatchObject({
      jwks_uri: `${ISSUER}/oauth/jwks`,
      grant_types_supported: ['authorization_code', 'client_credentials'],
      scopes_supported: ['notes:read', 'notes:write', 'notes:propose'],
    });
    expect((await call('/oauth/register', { method: 'POST' })).status).toBe(404);
  });

  it('is found where an issuer with a path has it', async () => {
    const issuer = 'https://example.com/notes';
    const { call } = openServer({ issuer, resource: `${issuer}/mcp` });
    expect(await json(await call('/.well-known/oauth-authorization-server/notes'))).toMatchObject({ issuer });
    expect(await json(await call('/.well-known/oauth-protected-resource/notes/mcp'))).toMatchObject({
      resource: `${issuer}/mcp`,
    });
  });
});

describe('routes', () => {
  it('are under /oauth and at the root alike', () => {
    const { routes } = openServer().server;
    const paths = (method: string) =>
      routes.filter((route) => route.method === method).map(({ path }) => path);
    for (const name of ['authorize', 'token', 'revoke', 'register'])
      expect(paths('POST')).toEqual(expect.arrayContaining([`/oauth/${name}`, `/${name}`]));
    for (const name of ['authorize', 'jwks'])
      expect(paths('GET')).toEqual(expect.arrayContaining([`/oauth/${name}`, `/${name}`]));
    expect(new Set(routes.map(({ method, path }) => `${method} ${path}`)).size).toBe(routes.length);
  });

  it.each([
    '/.well-known/oauth-protected-resource',
    '/oauth/token',
    '/token',
    '/register',
    '/revoke',
    '/jwks',
  ])('answer a browser that asks whether it may: %s', async (path) => {
    const answer = await openServer().call(path, { method: 'OPTIONS' });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-headers')).toContain('Authorization');
  });

  it('keep the login page from other sites', async () => {
    const { call } = openServer();
    expect((await call('/oauth/authorize', { method: 'OPTIONS' })).status).toBe(404);
    for (const answer of [
      await call('/oauth/authorize'),
      await call('/oauth/authorize', { method: 'POST', body: new URLSearchParams() }),
    ])
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});
