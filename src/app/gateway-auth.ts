/** Authentication of the gateway, and the checks of its settings before it starts. */
import { constants } from 'node:buffer';
import {
  type AuthConfig,
  authOf,
  authSchema,
  type GatewayConfig,
  looseClaims,
} from '../config/http-schema.ts';
import type { Config, NotebookConfig } from '../config/schema.ts';
import { type Authenticate, anyOf, bearerTokens, withGeneralScope } from '../http/auth/authenticate.ts';
import { signedTokens, tokensOfKeySet } from '../http/auth/jwt.ts';
import { hasUnknownProxy } from '../http/client-address.ts';
import type { MetricsAccess } from '../http/health.ts';
import { sharedByTenants } from '../http/tenants/named.ts';
import { NOTES_ACCESS } from '../oauth/served-access.ts';
import { AppError, isAppError } from '../shared/errors.ts';
import { ANONYMOUS } from '../shared/principal.ts';
import {
  type AuthServices,
  assertAddressKnown,
  assertProtected,
  externalIssuer,
  isLocal,
  type OpenAuth,
  openAuth,
  type PublicUrlNeed,
  refused,
} from './auth.ts';

const PUBLIC_URL: PublicUrlNeed = { always: false, option: '--gateway-url or TRILIUM_GATEWAY_URL' };

/** The tools of Trilium change notes at once. */
const TRILIUM_ACCESS = { ...NOTES_ACCESS, canPropose: false };

type GatewaySections = Pick<Config, 'auth' | 'state'>;

export async function openGatewayAuth(
  gateway: GatewayConfig,
  config: GatewaySections,
  origin: string,
  services: AuthServices,
): Promise<OpenAuth> {
  if (authOf(gateway) === 'oauth')
    return openAuth(
      oauthSettings(config),
      config,
      { origin, endpoints: ['/mcp'], served: TRILIUM_ACCESS },
      services,
    );
  const issuer = authOf(gateway) === 'jwt' ? gateway.jwtIssuer : undefined;
  return {
    authenticate: authenticatorOf(gateway),
    ...externalIssuer(issuer, { origin, endpoints: ['/mcp'] }, services.log),
    close: async () => {},
  };
}

/** The section of `quire serve`, whose mode the gateway's replaces. */
function oauthSettings({ auth = authSchema.parse({}) }: GatewaySections): AuthConfig {
  return { ...auth, mode: 'oauth' };
}

function authenticatorOf(gateway: GatewayConfig): Authenticate {
  switch (authOf(gateway)) {
    case 'bearer':
      return bearerTokens(tokensOf(gateway));
    case 'jwt':
      return jwtAuthenticator(gateway);
    default:
      return async () => ANONYMOUS;
  }
}

/** The tokens of the whole gateway, and those of its tenants. */
function tokensOf({ tokens, tenants }: GatewayConfig): string[] {
  return [...tokens, ...Object.values(tenants).flatMap((tenant) => tenant.tokens)];
}

/** Each secret in turn, then the keys of the set. */
function jwtAuthenticator(gateway: GatewayConfig): Authenticate {
  const { jwtIssuer, jwtAudience, jwtPrincipalClaim, jwtSecrets, jwtJwksUrl } = gateway;
  const claims = { principalClaim: jwtPrincipalClaim, issuer: jwtIssuer, audience: jwtAudience };
  return anyOf(
    ...jwtSecrets.map((secret) => signedTokens({ secret, ...claims })),
    ...(jwtJwksUrl === undefined ? [] : [refusingWithoutKeys(tokensOfKeySet(jwtJwksUrl, claims))]),
  );
}

/** Clients of a gateway are refused with 401 when the keys cannot be fetched, as they always were. */
function refusingWithoutKeys(authenticate: Authenticate): Authenticate {
  return (token, presented) =>
    authenticate(token, presented).catch((error: unknown) => {
      if (isAppError(error, 'upstream_failed')) return undefined;
      throw error;
    });
}

/** Undefined where the metrics are switched off. */
export function metricsAccess(gateway: GatewayConfig, authenticate: Authenticate): MetricsAccess | undefined {
  if (!gateway.metrics) return undefined;
  const auth = authOf(gateway);
  switch (gateway.metricsAuth) {
    case 'none':
      return { mode: 'open' };
    case 'bearer':
      return { mode: 'token', tokens: gateway.metricsTokens };
    case 'gateway':
      if (auth === 'none') return { mode: 'open' };
      return { mode: 'same', authenticate: auth === 'oauth' ? withGeneralScope(authenticate) : authenticate };
  }
}

const SHORT_SECRET = 16;
const SHORT_KEY = 32;

export function assertGateway(
  gateway: GatewayConfig,
  config: Pick<Config, 'notebooks' | 'auth' | 'state'>,
  notebook: NotebookConfig | undefined,
): void {
  if (gateway.multiTenant && Object.keys(config.notebooks).length > 0)
    throw refused('With --multi-tenant every client brings its own Trilium', 'Serve no notebook beside it.');
  if (!gateway.multiTenant && notebook?.trilium === undefined)
    throw refused('There is no Trilium to serve', 'Give --url and --token, or --multi-tenant.');
  if (notebook && notebook.tools !== 'trilium')
    throw refused('quire trilium serves the Trilium tools', 'Use quire serve for the others.');
  assertKeys(gateway);
  assertTenants(gateway);
  assertReach(gateway);
  if (authOf(gateway) !== 'oauth') return;
  assertProtected(gateway, oauthSettings(config), { state: config.state });
  assertAddressKnown(gateway, oauthSettings(config), PUBLIC_URL);
}

function assertKeys(gateway: GatewayConfig): void {
  const { jwtSecrets, jwtJwksUrl, metrics, metricsAuth, metricsTokens } = gateway;
  const auth = authOf(gateway);
  if (auth === 'bearer' && tokensOf(gateway).length === 0)
    throw refused(
      '--gateway-auth bearer needs at least one token',
      'Give --gateway-token or TRILIUM_GATEWAY_TOKENS; openssl rand -hex 32 makes one.',
    );
  if (auth === 'jwt' && jwtSecrets.length === 0 && jwtJwksUrl === undefined)
    throw refused('--gateway-auth jwt needs a key', 'Give --jwt-secret or --jwt-jwks-url.');
  if (metrics && metricsAuth === 'bearer' && metricsTokens.length === 0)
    throw refused(
      '--metrics-auth bearer needs at least one token',
      'Give --metrics-token or TRILIUM_METRICS_TOKENS.',
    );
}

/** Nobody could belong to a tenant that is described in the terms of another setting. */
function assertTenants(gateway: GatewayConfig): void {
  const auth = authOf(gateway);
  for (const [name, { tokens, principals, urls }] of Object.entries(gateway.tenants)) {
    const problem =
      tokens.length + principals.length + urls.length === 0
        ? 'Say who belongs to it: tokens, principals or urls.'
        : tokens.length > 0 && auth !== 'bearer'
          ? `Its tokens need auth bearer, and it is ${auth}.`
          : principals.length > 0 && auth !== 'jwt' && auth !== 'oauth'
            ? `Its principals need auth jwt or oauth, and it is ${auth}.`
            : urls.length > 0 && !gateway.multiTenant
              ? 'Its urls need multiTenant: without it, there is one Trilium for all.'
              : undefined;
    if (problem !== undefined) throw refused(`No caller can belong to gateway.tenants.${name}`, problem);
  }
  const shared = sharedByTenants(gateway.tenants);
  if (shared !== undefined)
    throw refused('Two tenants of the gateway have the same callers', `Leave one out: ${shared}.`);
}

/** One Trilium is served beyond this machine only with authentication. */
function assertReach(gateway: GatewayConfig): void {
  if (isLocal(gateway) || gateway.multiTenant || authOf(gateway) !== 'none') return;
  throw new AppError('invalid_input', 'Refusing to serve notes to the network without authentication', {
    subject: gateway.host,
    hint: 'Choose --gateway-auth bearer with --gateway-token, or jwt, or listen on 127.0.0.1.',
  });
}

/** Settings that work but may not be what was meant. */
export function warningsOf(gateway: GatewayConfig): string[] {
  const { metrics, metricsAuth, jwtSecrets, rateLimitRps, rateLimitBurst } = gateway;
  const auth = authOf(gateway);
  const isShort = (least: number) => (text: string) => text.length < least;
  const warnings: readonly (readonly [boolean, string])[] = [
    [
      metrics && metricsAuth === 'gateway' && auth === 'none',
      '--metrics-auth gateway has no gateway token to ask for: /metrics is open, as with --metrics-auth none.',
    ],
    [
      gateway.multiTenant && auth === 'none',
      '--multi-tenant with --gateway-auth none: everyone who reaches this server can send requests through it.',
    ],
    [
      auth === 'bearer' && tokensOf(gateway).some(isShort(SHORT_SECRET)),
      'a gateway token is short enough to be guessed; openssl rand -hex 32 makes a better one.',
    ],
    [
      auth === 'jwt' && jwtSecrets.some(isShort(SHORT_KEY)),
      'a JWT secret has fewer than 32 characters and can be found by trying.',
    ],
    ...looseTokens(gateway),
    [
      rateLimitRps > 0 !== rateLimitBurst > 0,
      'no rate limit: --rate-limit-rps and --rate-limit-burst work together.',
    ],
    [
      hasUnknownProxy(gateway),
      'all callers behind a proxy count as one address: give --trusted-proxies with the address of the proxy in front.',
    ],
    [
      gateway.maxPostBytes > constants.MAX_STRING_LENGTH,
      `bodies above ${Math.floor(constants.MAX_STRING_LENGTH / 1024 ** 2)} MB are refused whatever --max-post-bytes says.`,
    ],
  ];
  return warnings.flatMap(([isSo, text]) => (isSo ? [text] : []));
}

function looseTokens(gateway: GatewayConfig): (readonly [boolean, string])[] {
  const { jwtIssuer, jwtAudience } = gateway;
  const problem = authOf(gateway) === 'jwt' ? looseClaims(jwtIssuer, jwtAudience) : undefined;
  return problem === undefined ? [] : [[true, `${problem} Give --jwt-issuer and --jwt-audience.`]];
}
