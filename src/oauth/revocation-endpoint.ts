/** Where a client gives tokens back (RFC 7009). What is not known is as good as revoked. */
import type { Handler } from '../shared/exchange.ts';
import type { AccessTokens } from './access-tokens.ts';
import type { Client } from './client.ts';
import type { AuthenticateClient } from './client-authentication.ts';
import { OAuthError } from './errors.ts';
import type { Grant, Revocations } from './grants.ts';
import { readForm } from './parameters.ts';
import type { RefreshTokens } from './refresh-tokens.ts';
import type { SecurityLog } from './security-log.ts';

interface RevocationEndpointOptions {
  readonly authenticateClient: AuthenticateClient;
  readonly accessTokens: AccessTokens;
  readonly refreshTokens?: RefreshTokens;
  readonly revocations: Revocations;
  readonly security: SecurityLog;
}

export function createRevocationEndpoint(options: RevocationEndpointOptions): Handler {
  const { accessTokens, refreshTokens, revocations, security } = options;
  return async (request, { address }) => {
    const form = await readForm(request);
    const client = await options.authenticateClient(request, form, address);
    const token = form.require('token');
    const refresh = await refreshTokens?.find(token);
    if (refresh) {
      assertOwn(refresh.grant, client);
      // With the refresh token goes everything that came of it.
      await revocations.revoke(refresh.grant.id);
      security('token revoked', { clientId: client.id, grant: refresh.grant.id, kind: 'refresh_token' });
      return done();
    }
    const access = await accessTokens.read(token);
    if (access) {
      assertOwn(access, client);
      await accessTokens.revoke(token);
      security('token revoked', { clientId: client.id, grant: access.id, kind: 'access_token' });
    }
    return done();
  };
}

function assertOwn({ clientId }: Pick<Grant, 'clientId'>, client: Client): void {
  if (clientId !== client.id) throw new OAuthError('invalid_grant', 'The token was given to another client');
}

function done(): Response {
  return new Response(null, { status: 200, headers: { 'Cache-Control': 'no-store' } });
}
