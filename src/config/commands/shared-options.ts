/** Flags shared by several commands. */
import { FURTHER_SETS } from '../tool-sets.ts';
import { type CommandFlag, list, unlessBlank, yesOrNo } from './command.ts';

/** A blank variable counts as unset; a blank flag is refused, because nothing would be left. */
export const extensions = (purpose: 'read' | 'serve'): CommandFlag => ({
  ...unlessBlank({
    setting: 'extensions',
    flag: '--extensions <list>',
    env: 'QUIRE_EXTENSIONS',
    description: `file extensions to ${purpose}, with commas between (default: .md,.markdown,.txt)`,
    parse: list,
  }),
  parseFlag: list,
});

export const ignore: CommandFlag = {
  setting: 'ignore',
  flag: '--ignore <glob>',
  env: 'QUIRE_IGNORE',
  description: 'paths to hide, e.g. "drafts/**"; may be given several times',
  repeatable: true,
  parse: list,
};

export const readOnly: CommandFlag = {
  setting: 'readOnly',
  flag: '--read-only',
  env: 'QUIRE_READ_ONLY',
  description: 'offer no tool that changes notes',
  parse: yesOrNo,
};

export const review: CommandFlag = {
  setting: 'review',
  flag: '--review <changes>',
  env: 'QUIRE_REVIEW',
  description:
    'changes that wait until a person accepts them: off, destructive or all (default: off); see quire review',
};

export const openLinks: CommandFlag = {
  setting: 'openLinks',
  flag: '--open-links',
  env: 'QUIRE_OPEN_LINKS',
  description: 'answers have links that open the notes: obsidian://open?vault=...',
  parse: yesOrNo,
};

export const stateDir: CommandFlag = {
  setting: 'state.dir',
  flag: '--state-dir <folder>',
  env: 'QUIRE_STATE_DIR',
  description: 'folder for what must survive a restart; "memory" to keep nothing',
};

export const statePostgres: CommandFlag = {
  setting: 'state.postgres',
  flag: '--state <url>',
  env: 'QUIRE_STATE',
  description: 'a PostgreSQL database that several servers share, instead of a folder: postgres://...',
  secret: true,
};

/** `own`: the tools that the command always has. */
export const toolSets = (
  own: string,
  usual = own,
  further: readonly string[] = FURTHER_SETS,
): CommandFlag => ({
  setting: 'toolSets',
  flag: '--tools <sets>',
  env: 'QUIRE_TOOLS',
  description: `tool sets to offer, with commas between, or all: ${own}, ${further.join(', ')} (default: ${usual})`,
  parse: (text) => (text.trim() === 'all' ? 'all' : list(text)),
});

export const serving: readonly CommandFlag[] = [
  {
    setting: 'serve.protocol',
    flag: '--protocol <version>',
    env: 'QUIRE_PROTOCOL',
    description: 'speak this protocol version only',
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
  },
  {
    setting: 'serve.metricsToken',
    flag: '--metrics-token <token>',
    env: 'QUIRE_METRICS_TOKEN',
    description: 'the token for --metrics token',
    secret: true,
  },
  stateDir,
  statePostgres,
];
