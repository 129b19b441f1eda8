import { type CommandSpec, hostOf, portOf, users, wholeNumber } from './command.ts';
import { ignore, openLinks, readOnly, serving, toolSets } from './shared-options.ts';

/** Has no `--no-delete`, because no vault tool deletes. */
export const vaultCommand: CommandSpec = {
  settings: { tools: 'vault' },
  needsPublicUrl: true,
  usual: { 'serve.host': '0.0.0.0', 'auth.mode': 'oauth' },
  log: { env: 'LOG_LEVEL', usual: 'info' },
  options: [
    {
      setting: 'folder',
      flag: '--vault-path <folder>',
      env: 'VAULT_PATH',
      description: 'the vault: a folder of notes and other files',
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
    openLinks,
    toolSets('vault'),
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
      description:
        'the https address clients reach this server at; the OAuth resource (needed unless it listens on loopback)',
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
