/** What must not be started, and what an operator should be told of before it is. */
import { constants } from 'node:buffer';
import { authOf, type GatewayConfig } from '../config/gateway-schema.ts';
import { looseClaims } from '../config/loose-claims.ts';
import type { Config, NotebookConfig } from '../config/schema.ts';
import { AppError } from '../shared/errors.ts';
import { reachOf } from '../shared/ip-ranges.ts';

const SHORT_SECRET = 16;
const SHORT_KEY = 32;

export function assertGateway(
  gateway: GatewayConfig,
  { notebooks }: Pick<Config, 'notebooks'>,
  notebook: NotebookConfig | undefined,
): void {
  if (gateway.multiTenant && Object.keys(notebooks).length > 0)
    throw refused('With --multi-tenant every client brings its own Trilium', 'Serve no notebook beside it.');
  if (!gateway.multiTenant && notebook?.trilium === undefined)
    throw refused('There is no Trilium to serve', 'Give --url and --token, or --multi-tenant.');
  if (notebook && notebook.tools !== 'trilium')
    throw refused('quire trilium serves the Trilium tools', 'Use quire serve for the others.');
  assertKeys(gateway);
  assertReach(gateway);
}

function assertKeys(gateway: GatewayConfig): void {
  const { tokens, jwtSecrets, jwtJwksUrl, metrics, metricsAuth, metricsTokens } = gateway;
  const auth = authOf(gateway);
  if (auth === 'bearer' && tokens.length === 0)
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

/** Whoever can reach the server can read the notes: beyond this machine only with a key. */
function assertReach(gateway: GatewayConfig): void {
  const isLocal = gateway.host === 'localhost' || reachOf(gateway.host) === 'loopback';
  if (isLocal || gateway.multiTenant || authOf(gateway) !== 'none') return;
  throw new AppError('invalid_input', 'Refusing to serve notes to the network without authentication', {
    subject: gateway.host,
    hint: 'Choose --gateway-auth bearer with --gateway-token, or jwt, or listen on 127.0.0.1.',
  });
}

function refused(title: string, hint: string): AppError {
  return new AppError('invalid_input', title, { hint });
}

/** What works, and may not be what was meant. */
export function warningsOf(gateway: GatewayConfig): string[] {
  const { metrics, metricsAuth, tokens, jwtSecrets, rateLimitRps, rateLimitBurst } = gateway;
  const auth = authOf(gateway);
  const isShort = (least: number) => (text: string) => text.length < least;
  const warnings: readonly (readonly [boolean, string])[] = [
    [
      metrics && metricsAuth === 'gateway' && auth === 'none',
      '--metrics-auth gateway has no gateway token to ask for: /metrics is open, as with --metrics-auth none.',
    ],
    [
      gateway.multiTenant && auth === 'none',
      '--multi-tenant with --gateway-auth none: whoever reaches this server can send requests through it.',
    ],
    [
      auth === 'bearer' && tokens.some(isShort(SHORT_SECRET)),
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
