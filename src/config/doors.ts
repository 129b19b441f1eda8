/** A door is data: which flag and which environment variable fill which setting. */
import type { LogLevel } from '../shared/log.ts';
import type { NotebookSettings } from './schema.ts';

export interface Door {
  /** What this way in always means. */
  readonly settings: Partial<NotebookSettings>;
  /** What it means unless something else is said. */
  readonly usual?: Readonly<Record<string, unknown>>;
  readonly options: readonly DoorOption[];
  readonly log: { readonly env: string; readonly usual: LogLevel };
}

export interface DoorOption {
  /** Of a notebook; or with the section it is in before a dot. */
  readonly setting: keyof NotebookSettings | `${'serve' | 'auth' | 'state'}.${string}`;
  /** As commander reads it. */
  readonly flag: string;
  readonly env: string;
  readonly description: string;
  /** The value is a secret; it is better given by the environment. */
  readonly secret?: true;
  /** The flag may be given several times; each time adds. */
  readonly repeatable?: true;
  /** Text to the setting's value; flags that stand alone give `true`. */
  readonly parse: (text: string) => unknown;
}

const asIs = (text: string) => text;

/** Commas inside `{a,b}` belong to the glob. */
const list = (text: string) =>
  text
    .split(/,(?![^{]*\})/)
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** Only these words, so that a mistyped value is an error and not a silent "no". */
const yesOrNo = (text: string): unknown => {
  const word = text.trim().toLowerCase();
  if (['1', 'true', 'yes', 'on'].includes(word)) return true;
  return ['0', 'false', 'no', 'off', ''].includes(word) ? false : text;
};

/** `user:hash` pairs; a pair that is none is left for the schema to refuse by name. */
const users = (text: string): unknown =>
  Object.fromEntries(
    list(text).map((pair) => {
      const colon = pair.indexOf(':');
      return colon < 0 ? [pair, ''] : [pair.slice(0, colon), pair.slice(colon + 1)];
    }),
  );

/** What is not a number is left for the schema to refuse by name. */
const wholeNumber = (text: string): unknown => (/^\s*\d+\s*$/.test(text) ? Number(text) : text);

const ignore: DoorOption = {
  setting: 'ignore',
  flag: '--ignore <glob>',
  env: 'QUIRE_IGNORE',
  description: 'paths to hide, e.g. "drafts/**"; may be given several times',
  repeatable: true,
  parse: list,
};

const readOnly: DoorOption = {
  setting: 'readOnly',
  flag: '--read-only',
  env: 'QUIRE_READ_ONLY',
  description: 'offer no tool that changes notes',
  parse: yesOrNo,
};

export const notebookDoor: Door = {
  settings: {},
  log: { env: 'QUIRE_LOG', usual: 'warn' },
  options: [
    {
      setting: 'extensions',
      flag: '--extensions <list>',
      env: 'QUIRE_EXTENSIONS',
      description: 'file extensions to serve, with commas between (default: .md,.markdown,.txt)',
      parse: list,
    },
    ignore,
    readOnly,
    {
      setting: 'noDelete',
      flag: '--no-delete',
      env: 'QUIRE_NO_DELETE',
      description: 'offer no tool that deletes or replaces notes',
      parse: yesOrNo,
    },
    {
      setting: 'permanentDelete',
      flag: '--permanent-delete',
      env: 'QUIRE_PERMANENT_DELETE',
      description: 'delete for good instead of moving to .trash in the notebook',
      parse: yesOrNo,
    },
  ],
};

/** `:8090`, `0.0.0.0:8090` or `8090`; what is none of these is left for the schema to refuse by name. */
const portOf = (text: string): unknown => wholeNumber(text.slice(text.lastIndexOf(':') + 1));
const hostOf = (text: string): string => {
  const host = text.includes(':') ? text.slice(0, text.lastIndexOf(':')) : '';
  return host === '' ? '0.0.0.0' : host.replace(/^\[|\]$/g, '');
};

const serving: readonly DoorOption[] = [
  {
    setting: 'serve.protocol',
    flag: '--protocol <version>',
    env: 'QUIRE_PROTOCOL',
    description: 'speak this protocol version only',
    parse: asIs,
  },
  {
    setting: 'serve.trustedProxies',
    flag: '--trusted-proxies <list>',
    env: 'QUIRE_TRUSTED_PROXIES',
    description: 'addresses or networks of proxies in front, with commas between',
    parse: list,
  },
  {
    setting: 'serve.forwardedHeader',
    flag: '--forwarded-header <name>',
    env: 'QUIRE_FORWARDED_HEADER',
    description: 'what they name the caller in: x-forwarded-for or forwarded (default: x-forwarded-for)',
    parse: (text) => text.trim().toLowerCase(),
  },
  {
    setting: 'serve.allowedOrigins',
    flag: '--allowed-origins <list>',
    env: 'QUIRE_ALLOWED_ORIGINS',
    description: 'web origins that may call, with commas between',
    parse: list,
  },
  {
    setting: 'serve.legacySse',
    flag: '--legacy-sse',
    env: 'QUIRE_LEGACY_SSE',
    description: 'also serve the old /sse and /message',
    parse: yesOrNo,
  },
  {
    setting: 'serve.metrics',
    flag: '--metrics <mode>',
    env: 'QUIRE_METRICS',
    description: '/metrics: off, open, token or same (default: off)',
    parse: asIs,
  },
  {
    setting: 'serve.metricsToken',
    flag: '--metrics-token <token>',
    env: 'QUIRE_METRICS_TOKEN',
    description: 'the token for --metrics token',
    secret: true,
    parse: asIs,
  },
  {
    setting: 'state.dir',
    flag: '--state-dir <folder>',
    env: 'QUIRE_STATE_DIR',
    description: 'folder for what must survive a restart; "memory" to keep nothing',
    parse: asIs,
  },
];

/** Any notebook over HTTP. */
export const serveDoor: Door = {
  settings: {},
  log: { env: 'QUIRE_LOG', usual: 'info' },
  options: [
    {
      setting: 'serve.host',
      flag: '--host <address>',
      env: 'QUIRE_HOST',
      description: 'address to listen on (default: 127.0.0.1)',
      parse: asIs,
    },
    {
      setting: 'serve.port',
      flag: '--port <number>',
      env: 'QUIRE_PORT',
      description: 'port to listen on (default: 8090)',
      parse: wholeNumber,
    },
    {
      setting: 'serve.publicUrl',
      flag: '--public-url <url>',
      env: 'QUIRE_PUBLIC_URL',
      description: 'the address clients reach this server at',
      parse: asIs,
    },
    {
      setting: 'auth.mode',
      flag: '--auth <mode>',
      env: 'QUIRE_AUTH',
      description: 'who may call: none, bearer, jwt or oauth (default: none, on loopback only)',
      parse: asIs,
    },
    {
      setting: 'auth.tokens',
      flag: '--auth-tokens <list>',
      env: 'QUIRE_AUTH_TOKENS',
      description: 'bearer: the tokens that open it, with commas between',
      secret: true,
      parse: list,
    },
    {
      setting: 'auth.users',
      flag: '--auth-users <list>',
      env: 'QUIRE_AUTH_USERS',
      description: 'oauth: user:bcrypt_hash pairs, with commas between',
      parse: users,
    },
    {
      setting: 'auth.jwtSecret',
      flag: '--jwt-secret <secret>',
      env: 'QUIRE_JWT_SECRET',
      description: 'jwt: shared secret of at least 32 characters',
      secret: true,
      parse: asIs,
    },
    {
      setting: 'auth.jwtPublicKey',
      flag: '--jwt-public-key <pem>',
      env: 'QUIRE_JWT_PUBLIC_KEY',
      description: 'jwt: public key in PEM form',
      parse: asIs,
    },
    {
      setting: 'auth.jwtIssuer',
      flag: '--jwt-issuer <issuer>',
      env: 'QUIRE_JWT_ISSUER',
      description: 'jwt: required issuer',
      parse: asIs,
    },
    {
      setting: 'auth.jwtAudience',
      flag: '--jwt-audience <audience>',
      env: 'QUIRE_JWT_AUDIENCE',
      description: 'jwt: required audience',
      parse: asIs,
    },
    ...serving,
    ...notebookDoor.options,
  ],
};

/** No tool of the vault deletes, so there is no switch against it. */
export const vaultDoor: Door = {
  settings: { tools: 'vault' },
  usual: { 'serve.host': '0.0.0.0', 'auth.mode': 'oauth' },
  log: { env: 'LOG_LEVEL', usual: 'info' },
  options: [
    {
      setting: 'folder',
      flag: '--vault-path <folder>',
      env: 'VAULT_PATH',
      description: 'the vault: a folder of notes and other files',
      parse: asIs,
    },
    {
      setting: 'readThreshold',
      flag: '--read-threshold <lines>',
      env: 'READ_THRESHOLD',
      description: 'lines shown of a longer file when no range is asked for (default: 200)',
      parse: wholeNumber,
    },
    ignore,
    readOnly,
    {
      setting: 'serve.host',
      flag: '--listen-addr <address>',
      env: 'LISTEN_ADDR',
      description: 'address to listen on, as host:port or :port (default: :8090)',
      parse: hostOf,
    },
    {
      setting: 'serve.port',
      flag: '--listen-addr <address>',
      env: 'LISTEN_ADDR',
      description: '',
      parse: portOf,
    },
    {
      setting: 'serve.publicUrl',
      flag: '--server-url <url>',
      env: 'SERVER_URL',
      description: 'the https address clients reach this server at; the OAuth resource',
      parse: asIs,
    },
    {
      setting: 'auth.users',
      flag: '--auth-users <list>',
      env: 'AUTH_USERS',
      description: 'user:bcrypt_hash pairs, with commas between (quire hash-password)',
      parse: users,
    },
    ...serving,
  ],
};
