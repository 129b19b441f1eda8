/** Settings of the servers over HTTP: `serve` and `auth`, and `gateway` of `quire trilium`. All are built lazily. */
import * as z from 'zod';
import { httpAddress, httpUrl } from '../shared/http-url.ts';
import { ROLES } from '../shared/principal.ts';

const names = z.array(z.string().min(1));
export const oneOf = <const Words extends readonly string[]>(...words: Words) =>
  z.enum(words, `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`);
export const yesOrNo = z.boolean('must be true or false');

/** The keys of both servers. */
const listenerKeys = (port: number, bodyTimeoutSeconds: number) => ({
  host: z.string().min(1).default('127.0.0.1').describe('Address to listen on'),
  port: z
    .number('must be a port, 0 to 65535')
    .int()
    .min(0)
    .max(65_535)
    .default(port)
    .describe('Port to listen on'),
  publicUrl: httpUrl.exactOptional().describe('Address clients reach this server at; the OAuth resource'),
  allowedHosts: names.default([]).describe('Further Host values that are answered'),
  trustedProxies: names
    .default([])
    .describe(
      'Addresses or networks of the proxies in front of this server; what they say about where a request comes from is believed',
    ),
  forwardedHeader: oneOf('x-forwarded-for', 'forwarded')
    .default('x-forwarded-for')
    .describe(
      'The header in which those proxies name the address of the client; the other one is ignored, because any client can send it',
    ),
  headerTimeoutSeconds: z
    .number()
    .min(0.1)
    .default(15)
    .describe('How long the headers of a request may take to arrive'),
  bodyTimeoutSeconds: z
    .number()
    .min(0.1)
    .default(bodyTimeoutSeconds)
    .describe('How long the body of a request may take to arrive'),
  sessions: z.number().int().min(1).default(2_000).describe('Most sessions at a time'),
  sessionIdleMinutes: z.number().min(0.001).default(30).describe('How long an unused session is kept'),
});

export const serveSchema = z.lazy(() =>
  z.strictObject({
    ...listenerKeys(8090, 60),
    protocol: z
      .enum(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])
      .exactOptional()
      .describe('Speak this protocol version only'),
    strict: z
      .boolean()
      .default(false)
      .describe(
        'Speak 2025-11-25 only, to the letter: no other version, one stream, cancelled calls answered',
      ),
    legacySse: z.boolean().default(false).describe('Also serve the old /sse and /message'),
    allowedOrigins: z.array(z.string()).default([]).describe('Web origins that may call; * for all'),
    bodyLimitMb: z
      .number()
      .min(0.01)
      .max(160)
      .default(8)
      .describe(
        'Largest request body; all that are being read or answered have 16 times this together (from 16 MB to 256 MB, or twice this), and those of one caller half of it',
      ),
    requestsPerMinute: z.number().int().min(0).default(600).describe('Per address; 0 for no limit'),
    callsPerMinute: z.number().int().min(0).default(1_200).describe('Per caller; 0 for no limit'),
    metrics: z
      .enum(['off', 'open', 'token', 'same'])
      .default('off')
      .describe('/metrics: off, open to all, with a token of its own, or with the same credentials as /mcp'),
    metricsToken: z.string().min(16).exactOptional().describe('Token for metrics: token'),
  }),
);

export type ServeConfig = z.infer<typeof serveSchema>;

export const authSchema = z.lazy(() =>
  z.strictObject({
    mode: z.enum(['none', 'bearer', 'jwt', 'oauth']).default('none').describe('Who may call'),
    tokens: z
      .array(z.string().min(16))
      .default([])
      .describe('bearer: the tokens that open it; oauth: tokens that open it without a login'),
    users: z
      .record(z.string().min(1), z.string().min(1))
      .default({})
      .describe(
        'oauth: who may log in, and the bcrypt hash of the password (quire hash-password); quire users adds others while the server runs',
      ),
    admins: names
      .default([])
      .describe(
        'oauth: the users who see the changes of others and the governed servers in the console; a single user is one',
      ),
    roles: z
      .record(z.string().min(1), oneOf(...ROLES))
      .default({})
      .describe(
        'oauth: what users may do: reader, proposer (changes wait for a review), writer (where none is given) or admin, as if named in admins',
      ),
    ownerToken: z
      .string()
      .min(8)
      .exactOptional()
      .describe('oauth: instead of users, the one password that approves a client'),
    clients: z
      .array(
        z.strictObject({
          id: z.string().min(1),
          secret: z.string().min(16),
          name: z.string().min(1).exactOptional(),
          redirectUris: z.array(z.string()).exactOptional(),
          clientCredentials: z.boolean().exactOptional(),
        }),
      )
      .default([])
      .describe(
        'oauth: clients that are known beforehand, with id, secret, name, redirect addresses, and whether the secret alone is enough (clientCredentials)',
      ),
    clientId: z
      .string()
      .min(1)
      .exactOptional()
      .describe('oauth: a client known beforehand, with clientSecret'),
    clientSecret: z.string().min(16).exactOptional().describe('oauth: the secret of that client'),
    registration: z.boolean().default(true).describe('oauth: whether clients may register themselves'),
    signingKey: z
      .string()
      .min(32)
      .exactOptional()
      .describe('oauth: give out signed tokens, signed with this, instead of random ones'),
    signedTokens: z
      .boolean()
      .default(false)
      .describe(
        'oauth: give out signed tokens (JWT, EdDSA) with keys that are made here, published at /oauth/jwks and renewed every 30 days',
      ),
    accessHours: z
      .number()
      .min(1 / 3_600, 'must be a second (1/3600) or more')
      .default(24)
      .describe('oauth: how long a token is good for'),
    oidc: z
      .strictObject({
        issuer: httpUrl.describe('Address of the provider, as its tokens name it'),
        clientId: z.string().min(1).describe('What this server is registered as there'),
        clientSecret: z.string().min(1).exactOptional().describe('Its secret there'),
        name: z.string().min(1).exactOptional().describe('What people call the provider'),
        scopes: names.default(['openid', 'profile', 'email']).describe('What is asked for there'),
        groupsClaim: z
          .string()
          .min(1)
          .default('groups')
          .describe('The claim that lists the groups of a person'),
        roles: z
          .record(z.string().min(1), oneOf(...ROLES))
          .default({})
          .describe('The role of each group; the highest counts, and others are not let in'),
        otherRole: oneOf(...ROLES)
          .exactOptional()
          .describe('The role of people without such a group, who are then let in'),
        days: z
          .number()
          .min(0.01)
          .default(30)
          .describe('How long apps of a person work without a new login there'),
        insecureLoopback: z
          .boolean()
          .default(false)
          .describe('Whether the provider may be at an http address of this machine, for tests'),
      })
      .exactOptional()
      .describe(
        'oauth: an OpenID Connect provider that people sign in with, beside users; its redirect address is /oauth/oidc/callback here',
      ),
    jwtSecret: z.string().min(32).exactOptional().describe('jwt: shared secret (HS256)'),
    jwtPublicKey: z.string().exactOptional().describe('jwt: public key in PEM form (RS256, ES256, EdDSA)'),
    jwtJwksUrl: httpAddress
      .exactOptional()
      .describe('jwt: where the issuer publishes its keys, which may change (RS256, ES256, EdDSA)'),
    jwtIssuer: z.string().exactOptional().describe('jwt: required issuer'),
    jwtAudience: z
      .union([z.string(), names.min(1)], 'must be text or a list of texts')
      .exactOptional()
      .describe('jwt: required audience, or several of which a token has one'),
  }),
);

export type AuthConfig = z.infer<typeof authSchema>;

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };
const SIZE = /^\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b|i)?\s*$/i;

/** Parses `500mb`, `1gb`, `512Ki` or a number of bytes, in powers of 1024; undefined for anything else. */
export function bytesIn(text: string): number | undefined {
  const [, number = '', unit = ''] = SIZE.exec(text) ?? [];
  const bytes = Math.floor(Number(number) * (UNITS[unit.toLowerCase()] ?? Number.NaN));
  return number !== '' && bytes >= 1 && Number.isSafeInteger(bytes) ? bytes : undefined;
}

const size = z.union([z.number().int().min(1), z.string()]).transform((value, context) => {
  const bytes = typeof value === 'number' ? value : bytesIn(value);
  if (bytes !== undefined) return bytes;
  context.addIssue({ code: 'custom', message: 'must be a size, such as 500mb, 1gb, 512Ki, or bytes' });
  return z.NEVER;
});

const perMinute = z.number('must be a number').int().min(1);

/** A tenant with a name: whom it consists of, and its limits. */
const namedTenantSchema = z.strictObject({
  tokens: names.default([]).describe('auth bearer: its tokens, which open the gateway too'),
  principals: names.default([]).describe('auth jwt, oauth: its callers'),
  urls: z.array(httpUrl).default([]).describe('multiTenant: its Triliums, of callers that no tenant names'),
  requestsPerMinute: perMinute.exactOptional().describe('Of all its callers together'),
  callerRequestsPerMinute: perMinute.exactOptional().describe('Of each of its callers'),
  sessions: z.number('must be a number').int().min(1).exactOptional().describe('Its most sessions at a time'),
});

export const gatewaySchema = z.lazy(() =>
  z.strictObject({
    ...listenerKeys(3000, 300),
    transport: oneOf('stdio', 'http').default('stdio').describe('How clients reach it'),
    multiTenant: yesOrNo.default(false).describe('http: every client brings its own Trilium and token'),
    auth: oneOf('none', 'bearer', 'jwt', 'oauth')
      .exactOptional()
      .describe(
        'http: who may connect; bearer with multiTenant, else none, when left out. oauth: who may log in is in the auth section',
      ),
    tokens: names.default([]).describe('auth bearer: the tokens that open it'),
    urlAllowlist: names
      .default([])
      .describe('multiTenant: the only hosts clients may name, with what is below them; may be private'),
    allowPrivateUrls: yesOrNo.default(false).describe('multiTenant: hosts may be in private networks'),
    messageAuth: yesOrNo
      .default(false)
      .describe('http: every POST /message must bring the credentials its stream was opened with'),
    maxPostBytes: size
      .default(500 * 1024 ** 2)
      .describe(
        'http: largest request body of a call that carries files, and of all such bodies together; others may have 16 MB',
      ),
    metrics: yesOrNo.default(false).describe('http: serve /metrics'),
    metricsAuth: oneOf('gateway', 'bearer', 'none')
      .default('gateway')
      .describe('Who may read /metrics: who may connect, who has a token of metricsTokens, or everybody'),
    metricsTokens: names.default([]).describe('metricsAuth bearer: the tokens that open it'),
    metricsIncludePrincipal: yesOrNo.default(false).describe('Also count the tool calls of each caller'),
    corsOrigins: names.default([]).describe('http: web origins that may call; * for all'),
    rateLimitRps: z
      .number('must be a number')
      .min(0)
      .default(0)
      .describe('http: requests a second for each address and each token; 0 for no limit'),
    rateLimitBurst: z
      .number('must be a number')
      .min(0)
      .default(0)
      .describe('http: how many requests may come at once before rateLimitRps counts'),
    jwtSecrets: names.default([]).describe('auth jwt: shared secrets (HS256, HS384, HS512)'),
    jwtJwksUrl: httpAddress.exactOptional().describe('auth jwt: where the public keys are (RS, ES, EdDSA)'),
    jwtIssuer: z.string().min(1).exactOptional().describe('auth jwt: required issuer'),
    jwtAudience: z.string().min(1).exactOptional().describe('auth jwt: required audience'),
    jwtPrincipalClaim: z.string().min(1).default('sub').describe('auth jwt: the claim that says who it is'),
    tenants: z
      .record(
        z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'must be letters, digits, dots, dashes or underscores'),
        namedTenantSchema,
      )
      .default({})
      .describe(
        'http: tenants by name, each with its tokens, principals or urls, and with requestsPerMinute, callerRequestsPerMinute and sessions of its own',
      ),
    readOnly: yesOrNo.default(false).describe('multiTenant: offer no tool that changes notes'),
    noDelete: yesOrNo.default(false).describe('multiTenant: offer no tool that deletes'),
  }),
);

export type GatewayConfig = z.infer<typeof gatewaySchema>;

/** The authentication mode: as configured, else bearer for many tenants and none for one Trilium. */
export function authOf({
  auth,
  multiTenant,
}: Pick<GatewayConfig, 'auth' | 'multiTenant'>): AuthConfig['mode'] {
  return auth ?? (multiTenant ? 'bearer' : 'none');
}

/** Warnings about JWTs whose issuer or audience is not checked. */
export function looseClaims(
  issuer: string | undefined,
  audience: string | readonly string[] | undefined,
): string | undefined {
  const missing = [
    ...(issuer === undefined ? ['issuer'] : []),
    ...(audience === undefined ? ['audience'] : []),
  ];
  if (missing.length === 0) return undefined;
  return `tokens are not checked for their ${missing.join(' and ')}: every token that key has signed, for whatever service, opens this one.`;
}
