/** What can be completed, read from the program that commander has built and from the tables behind it. */
import type { Command, Option } from 'commander';
import { LOG_LEVELS } from '../../config/commands/command.ts';
import { flagOf } from '../../config/origins.ts';
import { choicesOf } from '../../config/problems.ts';
import type { ProgramCommand } from '../command.ts';

/** What comes after a flag or a command: nothing, any text, a path, or one of these words. */
export type Value = 'none' | 'text' | 'file' | 'folder' | readonly string[];

export interface FlagNode {
  readonly names: readonly string[];
  readonly description: string;
  readonly value: Value;
}

export interface CommandNode {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly FlagNode[];
  readonly argument: Value;
  readonly commands: readonly CommandNode[];
}

/** The fixed words of a flag of a command, by the command's path and the flag's long name. */
export type Choices = (path: readonly string[], flag: string) => readonly string[];

const HELP: FlagNode = { names: ['-h', '--help'], description: 'print help', value: 'none' };

export function nodeOf(command: Command, choices: Choices, path: readonly string[] = []): CommandNode {
  const commands = command.commands.map((below) => nodeOf(below, choices, [...path, below.name()]));
  const [first] = command.registeredArguments;
  const flags = command.options.map((option) => flagNode(option, choices(path, option.long ?? '')));
  return {
    name: command.name(),
    description: command.description(),
    flags: [...flags.filter(({ names }) => !names.includes('--help')), HELP],
    argument: first ? (first.argChoices ?? valueNamed(first.name())) : 'none',
    commands,
  };
}

function flagNode(option: Option, words: readonly string[]): FlagNode {
  const { short, long, description, required, optional, argChoices } = option;
  const fixed = argChoices ?? words;
  const named = /[<[]([^>\].]+)/.exec(option.flags)?.[1] ?? '';
  const value = required || optional ? (fixed.length > 0 ? fixed : valueNamed(named)) : 'none';
  return { names: [short, long].flatMap((name) => name ?? []), description, value };
}

/** Placeholders say what they stand for: three words or more are all there are. */
function valueNamed(name: string): Value {
  const words = name.split('|');
  if (words.length > 2) return words;
  if (/folder/.test(name)) return 'folder';
  return /file|path/.test(name) ? 'file' : 'text';
}

/** The whole program: a line without a command is one of the default command, and `mcp` has a program of its own. */
export function wholeTree(
  root: Command,
  { commands, mcp, usual }: { commands: readonly ProgramCommand[]; mcp: CommandNode; usual: string },
): CommandNode {
  const node = nodeOf(root, tableChoices(commands));
  const first = node.commands.find(({ name }) => name === usual);
  return {
    ...node,
    flags: [...node.flags, ...(first?.flags ?? []).filter(({ names }) => !names.includes('--help'))],
    argument: first?.argument ?? 'none',
    commands: node.commands.map((one) => (one.name === mcp.name ? mcp : one)),
  };
}

function tableChoices(commands: readonly ProgramCommand[]): Choices {
  return (path, flag) => {
    const command = commands.find(
      ({ below, name }) => [below, name].filter(Boolean).join(' ') === path.join(' '),
    );
    if (!command) return [];
    const { spec, transports } = command;
    if (flag === '--log-level') return Object.keys(spec.log.levels ?? LOG_LEVELS);
    if (flag === '--log-format') return ['json', 'text'];
    if (flag === '--transport' && transports) return transports;
    const settings = spec.options.filter((option) => flagOf(option) === flag);
    return [...new Set(settings.flatMap(({ setting }) => choicesOf(setting)))];
  };
}
