import type { CommandSpec } from './command.ts';
import { serveCommand } from './serve.ts';

const PLACE = ['serve.host', 'serve.port', 'serve.publicUrl', 'auth.users', 'state.dir', 'state.postgres'];

/** `quire users`: which server's users they are. The notes are not opened, so their tokens are not needed. */
export const usersCommand: CommandSpec = {
  settings: {},
  log: { env: 'QUIRE_LOG', usual: 'warn' },
  options: serveCommand.options.filter(({ setting }) => PLACE.includes(setting)),
  keepsVariables: true,
};
