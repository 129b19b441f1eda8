/** Who may come to the gateway, and who may read its counts. */
import { createRemoteJWKSet, customFetch } from 'jose';
import { authOf, type GatewayConfig } from '../config/gateway-schema.ts';
import { type Authenticate, anyOf, bearerTokens } from '../http/auth/authenticate.ts';
import { type JwtClaims, signedTokens, tokensOfKeySet } from '../http/auth/jwt.ts';
import type { MetricsAccess } from '../http/tenants/metrics-route.ts';
import { ANONYMOUS } from '../shared/principal.ts';
import { safeFetch } from '../shared/safe-fetch.ts';

const KEY_SET_BYTES = 512 * 1024;
const KEY_SET_MS = 5_000;

export function gatewayAuthenticator(gateway: GatewayConfig): Authenticate {
  switch (authOf(gateway)) {
    case 'none':
      return async () => ANONYMOUS;
    case 'bearer':
      return bearerTokens(gateway.tokens);
    case 'jwt':
      return jwtAuthenticator(gateway);
  }
}

/** Each secret in turn, then the keys of the set. */
function jwtAuthenticator(gateway: GatewayConfig): Authenticate {
  const { jwtIssuer, jwtAudience, jwtPrincipalClaim, jwtSecrets, jwtJwksUrl } = gateway;
  const claims: JwtClaims = {
    principalClaim: jwtPrincipalClaim,
    issuer: jwtIssuer,
    audience: jwtAudience,
  };
  return anyOf(
    ...jwtSecrets.map((secret) => signedTokens({ secret, ...claims })),
    ...(jwtJwksUrl === undefined ? [] : [tokensOfKeySet(keySetAt(jwtJwksUrl), claims)]),
  );
}

/** Fetched when it is needed and kept for a while; what the operator wrote may be in his own network. */
function keySetAt(url: string) {
  return createRemoteJWKSet(new URL(url), {
    [customFetch]: (address) =>
      safeFetch(address, {
        allow: 'private',
        maxBytes: KEY_SET_BYTES,
        timeoutMs: KEY_SET_MS,
        headers: { accept: 'application/json' },
      }),
  });
}

export function metricsAccess(gateway: GatewayConfig, authenticate: Authenticate): MetricsAccess {
  if (!gateway.metrics) return undefined;
  switch (gateway.metricsAuth) {
    case 'none':
      return { authenticate: 'nobody' };
    case 'bearer':
      return { authenticate: bearerTokens(gateway.metricsTokens) };
    case 'gateway':
      return { authenticate: authOf(gateway) === 'none' ? 'nobody' : authenticate };
  }
}
