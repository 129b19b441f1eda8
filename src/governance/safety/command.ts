/** What a command may look like: one word that names a program, and not one that runs whatever it is told. */
import type { Rejection } from '../types.ts';
import { isShellOrLauncher } from './words.ts';

/** Signs a shell acts on; the last row is for what cannot be seen, line ends among it. */
const METACHARACTERS = /[|&;<>$()`\\"'{}[\]*?!#~]|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/u;

export function judgeCommand(command: unknown): Rejection[] {
  if (command === undefined || command === null || command === '')
    return [{ code: 'command_missing', reason: 'No command is given. Set command to the executable.' }];
  if (typeof command !== 'string')
    return [
      {
        code: 'command_not_string',
        reason: 'command must be a single executable token; put arguments in args',
      },
    ];
  return shapeProblems(command);
}

function shapeProblems(command: string): Rejection[] {
  const problems: Rejection[] = [];
  if (/\s/u.test(command))
    problems.push({
      code: 'command_not_single_token',
      reason: 'command holds white space. Put the executable in command and the rest in args.',
    });
  const sign = METACHARACTERS.exec(command)?.[0];
  if (sign !== undefined)
    problems.push({
      code: 'command_metacharacters',
      reason: `command holds ${shown(sign)}, which a shell would act on. Name a program only.`,
    });
  if (isShellOrLauncher(command.trim().split(/\s/u)[0] ?? ''))
    problems.push({
      code: 'command_is_shell',
      reason: 'command is a shell or starts other programs. Name the server itself.',
    });
  return problems;
}

function shown(sign: string): string {
  const isVisible = /^[\x21-\x7e]$/.test(sign);
  return isVisible ? sign : `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
