/** Settings of `quire trilium` beyond the store: transport, authentication, tenants and limits. */
import * as z from 'zod';

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

const names = z.array(z.string().min(1));
const oneOf = <const Words extends readonly string[]>(...words: Words) =>
  z.enum(words, `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`);
const yesOrNo = z.boolean('must be true or false');

/** Built lazily, for configurations that have the section. */
export const gatewaySchema = z.lazy(() =>
  z.strictObject({
    transport: oneOf('stdio', 'http').default('stdio').describe('How clients reach it'),
    host: z.string().min(1).default('127.0.0.1').describe('http: address to listen on'),
    port: z
      .number('must be a port, 0 to 65535')
      .int()
      .min(0)
      .max(65_535)
      .default(3000)
      .describe('http: port to listen on'),
    multiTenant: yesOrNo.default(false).describe('http: every client brings its own Trilium and token'),
    auth: oneOf('none', 'bearer', 'jwt')
      .exactOptional()
      .describe('http: who may connect; bearer with multiTenant, else none, when left out'),
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
    rateLimitBurst: z.number('must be a number').min(0).default(0).describe('And how many at once'),
    jwtSecrets: names.default([]).describe('auth jwt: shared secrets (HS256, HS384, HS512)'),
    jwtJwksUrl: z
      .url({ protocol: /^https?$/, error: 'must be an http or https address' })
      .exactOptional()
      .describe('auth jwt: where the public keys are (RS, ES, EdDSA)'),
    jwtIssuer: z.string().min(1).exactOptional().describe('auth jwt: required issuer'),
    jwtAudience: z.string().min(1).exactOptional().describe('auth jwt: required audience'),
    jwtPrincipalClaim: z.string().min(1).default('sub').describe('auth jwt: the claim that says who it is'),
    allowedHosts: names.default([]).describe('http without auth: further Host values that are answered'),
    trustedProxies: z
      .array(z.string())
      .default([])
      .describe('Addresses or networks of proxies that are believed where a request comes from'),
    forwardedHeader: oneOf('x-forwarded-for', 'forwarded')
      .default('x-forwarded-for')
      .describe('Which header they say it in'),
    sessions: z.number().int().min(1).default(2_000).describe('http: most sessions at a time'),
    sessionIdleMinutes: z.number().min(0.001).default(30).describe('http: an unused session ends after this'),
    readOnly: yesOrNo.default(false).describe('multiTenant: offer no tool that changes notes'),
    noDelete: yesOrNo.default(false).describe('multiTenant: offer no tool that deletes'),
  }),
);

export type GatewayConfig = z.infer<typeof gatewaySchema>;

/** The authentication mode: as configured, else bearer for many tenants and none for one Trilium. */
export function authOf({
  auth,
  multiTenant,
}: Pick<GatewayConfig, 'auth' | 'multiTenant'>): 'none' | 'bearer' | 'jwt' {
  return auth ?? (multiTenant ? 'bearer' : 'none');
}

/** Warnings about JWTs whose issuer or audience is not checked. */
export function looseClaims(issuer: string | undefined, audience: string | undefined): string | undefined {
  const missing = [
    ...(issuer === undefined ? ['issuer'] : []),
    ...(audience === undefined ? ['audience'] : []),
  ];
  if (missing.length === 0) return undefined;
  return `tokens are not checked for their ${missing.join(' and ')}: every token that key has signed, for whatever service, opens this one.`;
}
