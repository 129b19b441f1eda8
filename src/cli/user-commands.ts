/** The commands about who may log in: `quire users`. */
import { usersCommand } from '../config/commands/users.ts';
import type { ProgramCommand } from './command.ts';

const NAME = ['<name>', 'the name of the user'] as const;
const LIST = 'list who may log in to a server';

const users: ProgramCommand = {
  name: 'users',
  description: 'list, add and change who may log in, while the server runs: quire users --help',
  usage: 'quire users [list|add|disable|enable|reset|factors|role] --config quire.yaml',
  spec: usersCommand,
  hasJson: true,
  findsFile: true,
  async run(command, input) {
    const { runUsers } = await import('./serve-http.ts');
    return runUsers(command, input, 'list');
  },
};

function below(
  name: 'list' | 'add' | 'disable' | 'enable' | 'reset' | 'factors' | 'role',
  description: string,
  parts: Pick<ProgramCommand, 'argument' | 'extras'> = { argument: NAME },
): ProgramCommand {
  return {
    ...users,
    name,
    below: 'users',
    description,
    usage: `quire users ${name} --config quire.yaml`,
    ...parts,
    async run(command, input) {
      const { runUsers } = await import('./serve-http.ts');
      return runUsers(command, input, name);
    },
  };
}

/** A command comes before those below it. */
export const USER_COMMANDS: readonly ProgramCommand[] = [
  users,
  below('list', LIST, {}),
  below('add', 'add a user; the password is read from the terminal or stdin', {
    argument: NAME,
    extras: [['--role <role>', 'reader, proposer, writer or admin (default: writer)']],
  }),
  below('disable', 'end all access of a user at once: apps, sessions and the login'),
  below('enable', 'let a disabled user log in again'),
  below('reset', 'give a user another password, which ends all their access; it is read as by add'),
  below('factors', 'remove the second factors of a user who has lost them'),
  below('role', 'change what a user may do: quire users role kim reader', {
    argument: ['<name-and-role...>', 'the user, and reader, proposer, writer or admin'],
  }),
];
