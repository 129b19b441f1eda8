import { type CommandFlag, type CommandSpec, list, wholeNumber } from './command.ts';
import { openLinks, readOnly, serving, stateDir } from './shared-options.ts';
import { triliumCommand } from './trilium.ts';

const NINETY_DAYS_IN_HOURS = 90 * 24;

const space: readonly CommandFlag[] = [
  {
    setting: 'silverbullet.url',
    flag: '--sb-url <url>',
    env: 'SB_URL',
    description: 'address of the SilverBullet space, with its prefix if it has one',
    isNeeded: true,
  },
  {
    setting: 'silverbullet.token',
    flag: '--sb-token <token>',
    env: 'SB_TOKEN',
    description: "the space's SB_AUTH_TOKEN, or an API token of an account",
    isNeeded: true,
    secret: true,
  },
  {
    setting: 'extended',
    flag: '--tools <sets>',
    env: 'QUIRE_PAGE_TOOLS',
    description:
      'pages: the tools for whole pages; all: also edits, tasks, links, attachments and trash; with commas between, history: the history tools (default: pages)',
    parse: (text) => list(text).includes('all'),
  },
  {
    setting: 'toolSets',
    flag: '--tools <sets>',
    env: 'QUIRE_PAGE_TOOLS',
    description: '',
    // `all` is older than the other sets, and means the pages alone.
    parse: (text) => list(text).filter((set) => set !== 'all'),
  },
  {
    setting: 'writable',
    flag: '--writable <prefix>',
    env: 'QUIRE_WRITABLE',
    description: 'only pages below these may be written, e.g. "Inbox/"; may be given several times',
    repeatable: true,
    parse: list,
  },
  readOnly,
  openLinks,
];

/** A SilverBullet space over stdio. */
export const spaceFlags: CommandSpec = {
  settings: { tools: 'pages' },
  log: { env: 'QUIRE_LOG', usual: 'info', format: 'text' },
  options: [...space, stateDir],
};

/** A SilverBullet space over HTTP; its owner approves each client with a password. */
export const silverbulletCommand: CommandSpec = {
  settings: { tools: 'pages' },
  shorterWay:
    'For a client on this machine, quire silverbullet --transport stdio needs SB_URL and SB_TOKEN only.',
  usual: {
    'serve.host': '0.0.0.0',
    'serve.port': 8080,
    'auth.mode': 'oauth',
    'auth.accessHours': NINETY_DAYS_IN_HOURS,
  },
  log: { env: 'QUIRE_LOG', usual: 'info', format: 'text', to: 'stderr' },
  options: [
    ...space,
    {
      setting: 'auth.tokens',
      flag: '--mcp-token <token>',
      env: 'MCP_TOKEN',
      description: 'a token that opens it without a login, for curl and tests',
      isNeeded: true,
      secret: true,
      parse: list,
    },
    {
      setting: 'serve.publicUrl',
      flag: '--public-url <url>',
      env: 'PUBLIC_URL',
      description: 'the address clients reach this server at',
      isNeeded: true,
    },
    {
      setting: 'auth.clientId',
      flag: '--oauth-client-id <id>',
      env: 'OAUTH_CLIENT_ID',
      description: 'id of the client to enter in Claude',
      isNeeded: true,
    },
    {
      setting: 'auth.clientSecret',
      flag: '--oauth-client-secret <secret>',
      env: 'OAUTH_CLIENT_SECRET',
      description: 'secret of that client',
      isNeeded: true,
      secret: true,
    },
    {
      setting: 'auth.ownerToken',
      flag: '--owner-token <password>',
      env: 'OWNER_TOKEN',
      description: 'the password that approves a client',
      isNeeded: true,
      secret: true,
    },
    {
      setting: 'auth.signingKey',
      flag: '--jwt-signing-key <key>',
      env: 'JWT_SIGNING_KEY',
      description: 'signs access tokens, good for 90 days; another key ends them all',
      isNeeded: true,
      secret: true,
    },
    {
      setting: 'serve.host',
      flag: '--host <address>',
      env: 'QUIRE_HOST',
      description: 'address to listen on (default: 0.0.0.0)',
    },
    {
      setting: 'serve.port',
      flag: '--port <number>',
      env: 'PORT',
      description: 'port to listen on (default: 8080)',
      parse: wholeNumber,
    },
    ...serving,
  ],
};

/** Settings that say where notes are, of the kinds that are no folder. */
export const PLACES: readonly string[] = [
  'silverbullet.url',
  'silverbullet.token',
  'trilium.url',
  'trilium.token',
  'trilium.subtree',
];

/** `quire doctor`, for notebooks of any kind. */
export const doctorCommand: CommandSpec = {
  settings: {},
  log: { env: 'QUIRE_LOG', usual: 'warn' },
  options: [...spaceFlags.options, ...triliumCommand.options]
    .filter(({ setting }) => PLACES.includes(setting))
    .map(({ isNeeded: _, ...option }): CommandFlag => option),
};
