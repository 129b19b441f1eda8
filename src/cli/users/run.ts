/** Runs `quire users` from a parsed command line. Passwords are asked for, never arguments. */
import { askUsers } from '../../app/users.ts';
import { loadConfig } from '../../config/load.ts';
import { type ListedUser, roleIn, type UserRequest } from '../../oauth/users.ts';
import { AppError } from '../../shared/errors.ts';
import { createQuestions } from '../ask.ts';
import { type CommandInput, type FolderCommand, logOf, sourcesOf, withUsualFile } from '../command.ts';
import { systemTerminal, viewOf } from '../mcp/terminal.ts';
import { askNewPassword, pipedPassword } from '../new-password.ts';
import { stateFolderFor } from '../server-places.ts';
import { type Column, tableOf } from '../table.ts';

export async function runUsers(
  command: FolderCommand,
  { asJson, operands, extras }: CommandInput,
  action: UserRequest['action'],
): Promise<void> {
  const terminal = systemTerminal();
  const { environment } = terminal;
  const placed = await withUsualFile(command, environment);
  const config = await loadConfig(sourcesOf(placed, environment));
  const request = await requestFor(action, operands, extras);
  const users = await askUsers(config, request, {
    log: logOf(command, environment, (line) => void terminal.err(line)),
    stateFolderFor: stateFolderFor(environment),
  });
  if (asJson) return void (await terminal.out(`${JSON.stringify({ users }, null, 2)}\n`));
  if (request.action !== 'list') return void (await terminal.out(`${doneText(request)}\n`));
  if (users.length === 0)
    return void (await terminal.out('No users. Add one with: quire users add <name>\n'));
  const { lines } = tableOf(COLUMNS, users, viewOf(terminal, false));
  await terminal.out(`${lines.join('\n')}\n`);
}

async function requestFor(
  action: UserRequest['action'],
  [name = '', role]: readonly string[],
  extras: CommandInput['extras'],
): Promise<UserRequest> {
  switch (action) {
    case 'list':
      return { action };
    case 'add': {
      // Refused before a password is typed.
      const given = roleIn(extras.role ?? 'writer');
      return { action, name, role: given, hash: await newPassword() };
    }
    case 'reset':
      return { action, name, hash: await newPassword() };
    case 'role':
      if (role === undefined)
        throw new AppError('invalid_input', 'Which role?', {
          hint: `Usage: quire users role ${name} writer`,
        });
      return { action, name, role: roleIn(role) };
    default:
      return { action, name };
  }
}

function newPassword(): Promise<string> {
  return process.stdin.isTTY ? askNewPassword(createQuestions()) : pipedPassword();
}

function doneText(request: Exclude<UserRequest, { action: 'list' }>): string {
  const { name } = request;
  switch (request.action) {
    case 'add':
      return `${name} may log in now, as ${request.role}.`;
    case 'disable':
      return `${name} is disabled: no app of theirs has access any more, and they are signed out.`;
    case 'enable':
      return `${name} may log in again. Apps have to be connected again.`;
    case 'reset':
      return `${name} has another password. Apps have to be connected again.`;
    case 'factors':
      return `${name} logs in with the password alone now, until they set up a second factor again.`;
    case 'role':
      return `${name} is ${request.role} now, also for apps that are connected.`;
  }
}

const SOURCES: Readonly<Record<ListedUser['source'], string>> = {
  configuration: 'the configuration',
  state: 'the state',
  provider: 'the identity provider',
};

function stateOf({ isDisabled, isOver }: ListedUser): string {
  if (isDisabled) return 'disabled';
  return isOver ? 'has to sign in again' : 'active';
}

const COLUMNS: readonly Column<ListedUser>[] = [
  { title: 'NAME', value: ({ name }) => name, priority: 3 },
  { title: 'ROLE', value: ({ role }) => role, priority: 2 },
  { title: 'STATE', value: stateOf, priority: 2 },
  {
    title: 'KEPT IN',
    value: ({ source }) => SOURCES[source],
    priority: 1,
  },
];
