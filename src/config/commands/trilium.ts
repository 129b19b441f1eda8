/** The flags of `quire trilium`: the Trilium, serving over HTTP, and the multi-tenant gateway. */
import {
  type CommandFlag,
  type CommandSpec,
  LOG_LEVELS,
  list,
  number,
  unlessBlank,
  users,
  wholeNumber,
  yesOrNo,
} from './command.ts';
import { stateDir, statePostgres, toolSets } from './shared-options.ts';

const one = (text: string) => [text];

const connection: readonly CommandFlag[] = [
  {
    setting: 'trilium.url',
    flag: '-u, --url <url>',
    env: 'TRILIUM_URL',
    description: 'address of Trilium, with or without /etapi (default: http://localhost:37740)',
  },
  {
    setting: 'trilium.token',
    flag: '-t, --token <token>',
    env: 'TRILIUM_TOKEN',
    description: 'ETAPI token, made in Trilium under Options, ETAPI',
    isNeeded: true,
    neededUnless: 'gateway.multiTenant',
    secret: true,
  },
  {
    setting: 'trilium.publicUrl',
    flag: '--public-url <url>',
    env: 'TRILIUM_PUBLIC_URL',
    description: 'address people open notes at (default: the one of Trilium)',
  },
  {
    setting: 'trilium.subtree',
    flag: '--subtree <noteId>',
    env: 'TRILIUM_SUBTREE',
    description: 'reach nothing but this note and what is below it',
  },
  toolSets('trilium'),
];

const serving: readonly CommandFlag[] = [
  {
    setting: 'gateway.transport',
    flag: '--transport <kind>',
    env: 'TRILIUM_TRANSPORT',
    description: 'how clients reach it: stdio or http (default: stdio)',
  },
  {
    setting: 'gateway.host',
    flag: '--host <address>',
    env: 'TRILIUM_HOST',
    description: 'http: address to listen on (default: 127.0.0.1)',
  },
  {
    setting: 'gateway.port',
    flag: '-p, --port <number>',
    env: 'TRILIUM_HTTP_PORT',
    description: 'http: port to listen on (default: 3000)',
    parse: wholeNumber,
  },
  {
    setting: 'gateway.publicUrl',
    flag: '--gateway-url <url>',
    env: 'TRILIUM_GATEWAY_URL',
    description: 'oauth: the address clients reach this server at',
  },
  {
    setting: 'gateway.multiTenant',
    flag: '--multi-tenant',
    env: 'TRILIUM_MULTI_TENANT',
    description: 'http: every client brings its own Trilium (X-Trilium-Url, X-Trilium-Token)',
    parse: yesOrNo,
  },
  {
    setting: 'gateway.auth',
    flag: '--gateway-auth <mode>',
    env: 'TRILIUM_GATEWAY_AUTH',
    description:
      'http: who may connect: none, bearer, jwt or oauth (default: bearer with --multi-tenant, else none)',
  },
  {
    setting: 'gateway.tokens',
    flag: '--gateway-token <token>',
    env: 'TRILIUM_GATEWAY_TOKENS',
    description: 'bearer: a token that opens it; may be given several times',
    secret: true,
    repeatable: true,
    parse: list,
    parseFlag: one,
  },
  {
    setting: 'auth.users',
    flag: '--auth-users <list>',
    env: 'TRILIUM_AUTH_USERS',
    description: 'oauth: user:bcrypt_hash pairs, with commas between',
    parse: users,
  },
  stateDir,
  statePostgres,
  {
    setting: 'gateway.urlAllowlist',
    flag: '--trilium-url-allowlist <hosts>',
    env: 'TRILIUM_URL_ALLOWLIST',
    description: 'the only hosts clients may name, with what is below them; commas between',
    parse: list,
  },
  {
    setting: 'gateway.allowPrivateUrls',
    flag: '--allow-private-urls',
    env: 'TRILIUM_ALLOW_PRIVATE_URLS',
    description: 'clients may name hosts in private networks',
    parse: yesOrNo,
  },
  {
    setting: 'gateway.messageAuth',
    flag: '--message-auth',
    env: 'TRILIUM_MESSAGE_AUTH',
    description: 'http: every POST /message must bring the credentials its stream was opened with',
    parse: yesOrNo,
  },
  {
    setting: 'gateway.maxPostBytes',
    flag: '--max-post-bytes <size>',
    env: 'TRILIUM_MAX_POST_BYTES',
    description:
      'largest body of a call that carries files, and of all of one caller at a time, such as 100mb (default: 500mb)',
  },
  {
    setting: 'gateway.metrics',
    flag: '--metrics',
    env: 'TRILIUM_METRICS',
    description: 'serve /metrics for Prometheus',
    parse: yesOrNo,
  },
  {
    setting: 'gateway.metricsAuth',
    flag: '--metrics-auth <mode>',
    env: 'TRILIUM_METRICS_AUTH',
    description: 'who may read /metrics: gateway, bearer or none (default: gateway)',
  },
  {
    setting: 'gateway.metricsTokens',
    flag: '--metrics-token <token>',
    env: 'TRILIUM_METRICS_TOKENS',
    description: 'a token for --metrics-auth bearer; may be given several times',
    secret: true,
    repeatable: true,
    parse: list,
    parseFlag: one,
  },
  {
    setting: 'gateway.metricsIncludePrincipal',
    flag: '--metrics-include-principal',
    env: 'TRILIUM_METRICS_INCLUDE_PRINCIPAL',
    description: 'also count the tool calls of each caller',
    parse: yesOrNo,
  },
  {
    setting: 'gateway.corsOrigins',
    flag: '--cors-origin <origin>',
    env: 'TRILIUM_CORS_ORIGINS',
    description: 'a web origin that may call, or "*"; may be given several times',
    repeatable: true,
    parse: list,
  },
  {
    setting: 'gateway.rateLimitRps',
    flag: '--rate-limit-rps <number>',
    env: 'TRILIUM_RATE_LIMIT_RPS',
    description: 'requests a second for each address and each token; with --rate-limit-burst',
    parse: number,
  },
  {
    setting: 'gateway.rateLimitBurst',
    flag: '--rate-limit-burst <number>',
    env: 'TRILIUM_RATE_LIMIT_BURST',
    description: 'and how many at once',
    parse: number,
  },
  {
    setting: 'gateway.jwtSecrets',
    flag: '--jwt-secret <secret>',
    env: 'TRILIUM_JWT_SECRETS',
    description: 'jwt: a shared secret; may be given several times',
    secret: true,
    repeatable: true,
    parse: list,
    parseFlag: one,
  },
  {
    setting: 'gateway.jwtJwksUrl',
    flag: '--jwt-jwks-url <url>',
    env: 'TRILIUM_JWT_JWKS_URL',
    description: 'jwt: where the public keys are',
  },
  {
    setting: 'gateway.jwtIssuer',
    flag: '--jwt-issuer <issuer>',
    env: 'TRILIUM_JWT_ISSUER',
    description: 'jwt: required issuer',
  },
  {
    setting: 'gateway.jwtAudience',
    flag: '--jwt-audience <audience>',
    env: 'TRILIUM_JWT_AUDIENCE',
    description: 'jwt: required audience',
  },
  {
    setting: 'gateway.jwtPrincipalClaim',
    flag: '--jwt-principal-claim <claim>',
    env: 'TRILIUM_JWT_PRINCIPAL_CLAIM',
    description: 'jwt: the claim that says who it is (default: sub)',
  },
  {
    setting: 'gateway.allowedHosts',
    flag: '--allowed-hosts <list>',
    env: 'TRILIUM_ALLOWED_HOSTS',
    description: 'http without auth: further Host values that are answered, commas between',
    parse: list,
  },
  {
    setting: 'gateway.trustedProxies',
    flag: '--trusted-proxies <list>',
    env: 'TRILIUM_TRUSTED_PROXIES',
    description: 'addresses or networks of proxies in front, with commas between',
    parse: list,
  },
  {
    setting: 'gateway.forwardedHeader',
    flag: '--forwarded-header <name>',
    env: 'TRILIUM_FORWARDED_HEADER',
    description: 'what they name the caller in: x-forwarded-for or forwarded (default: x-forwarded-for)',
    parse: (text) => text.toLowerCase(),
  },
];

/** Keys of `trilium-mcp.json` that have another name here, and those without a flag. */
const FILE_KEYS: NonNullable<CommandSpec['file']>['keys'] = {
  httpHost: 'gateway.host',
  httpPort: 'gateway.port',
  gatewayUrl: 'gateway.publicUrl',
  gatewayAuth: 'gateway.auth',
  gatewayTokens: 'gateway.tokens',
  sessions: 'gateway.sessions',
  sessionIdleMinutes: 'gateway.sessionIdleMinutes',
  tenants: 'gateway.tenants',
};

/** The other keys of `trilium-mcp.json`, the file of triliumnext-mcp, are the names of the settings. */
function fileKeys() {
  const renamed = new Set(Object.values(FILE_KEYS));
  const same = [...connection, ...serving]
    .map(({ setting }) => setting)
    .filter((setting) => /^(?:trilium|gateway)\./.test(setting) && !renamed.has(setting));
  return { ...Object.fromEntries(same.map((setting) => [setting.split('.')[1], setting])), ...FILE_KEYS };
}

const limits: readonly CommandFlag[] = [
  {
    setting: 'readOnly',
    flag: '--read-only',
    env: 'TRILIUM_READ_ONLY',
    description: 'offer no tool that changes notes',
    parse: yesOrNo,
  },
  {
    setting: 'noDelete',
    flag: '--no-delete',
    env: 'TRILIUM_NO_DELETE',
    description: 'offer no tool that deletes',
    parse: yesOrNo,
  },
];

/** The limits also apply in multi-tenant mode, where there is no notebook to hold them. */
const limitsOfTenants = limits.map(
  (option): CommandFlag => ({ ...option, setting: `gateway.${option.setting}`, description: '' }),
);

/** One Trilium over stdio or HTTP, or a gateway to any Trilium that clients name. */
export const triliumCommand: CommandSpec = {
  settings: { tools: 'trilium' },
  log: {
    env: 'LOG_LEVEL',
    formatEnv: 'LOG_FORMAT',
    usual: 'info',
    format: 'text',
    shape: 'events',
    levels: {
      ...LOG_LEVELS,
      ...{ off: 'silent', none: 'silent', warning: 'warn', verbose: 'debug', trace: 'debug' },
    },
  },
  file: { name: 'trilium-mcp.json', keys: fileKeys() },
  options: [...connection.map(unlessBlank), ...limits, ...limitsOfTenants, ...serving.map(unlessBlank)],
};
