/** The command line of `quire mcp`: built from the table of subcommands, parsed, and the chosen subcommand run. */
import { Command, CommanderError, Option } from 'commander';
import * as z from 'zod';
import type { Environment } from '../../config/plane-file.ts';
import { VERSION } from '../../version.ts';
import { type Choices, type CommandNode, nodeOf } from '../completion/tree.ts';
import { runCommand } from '../entry.ts';
import { commandOf, inNameOf } from '../exit-code.ts';
import { add } from './add.ts';
import { approvals } from './approvals.ts';
import { audit } from './audit.ts';
import { call } from './call.ts';
import type { McpCommand } from './command.ts';
import { consent } from './consent.ts';
import { discover } from './discover.ts';
import { doctor } from './doctor.ts';
import { McpFailure } from './exit.ts';
import { login, logout } from './login.ts';
import { logs } from './logs.ts';
import { keygen, manifest } from './manifest.ts';
import { marketplace } from './marketplace.ts';
import { remove } from './remove.ts';
import { report, score } from './report.ts';
import { compileResource, readResource } from './resources.ts';
import { fail, type GlobalOptions, type McpInvocation, runMcp } from './run.ts';
import { exposure, servers } from './servers.ts';
import { disable, enable } from './switch.ts';
import { systemTerminal, type Terminal } from './terminal.ts';

/** In the order of the help text. A new subcommand is a file and a line here. */
const MCP_COMMANDS: readonly McpCommand[] = [
  add,
  servers,
  discover,
  call,
  readResource,
  compileResource,
  doctor,
  approvals,
  audit,
  consent,
  enable,
  disable,
  remove,
  login,
  logout,
  logs,
  score,
  exposure,
  report,
  marketplace,
  manifest,
  keygen,
];

// Compiled validators pay off after a hundred calls, as a server has them; a command makes a few.
z.config({ jitless: true });

interface McpLine {
  readonly words: readonly string[];
  readonly program: string;
  readonly terminal: Terminal;
  readonly commands?: readonly McpCommand[];
}

/** Called by the launcher for `quire mcp …`, which needs nothing of the other commands. */
export function runMcpAlone(argv: readonly string[], env: Environment): void {
  runCommand(async () => {
    process.exitCode = await mcp(argv.slice(3), commandOf(argv, env));
  });
}

/** `words` come after `quire mcp`. Resolves to the exit code. */
export function mcp(words: readonly string[], program: string): Promise<number> {
  return runLine({ words, program, terminal: systemTerminal() });
}

export async function runLine(line: McpLine): Promise<number> {
  const { words, program, terminal } = line;
  const json = words.includes('--json');
  const said = { out: '', err: '' };
  let chosen: McpInvocation | undefined;
  try {
    const root = rootOf(line, said, (invocation) => {
      chosen = invocation;
    });
    await root.parseAsync(words.length === 0 ? ['--help'] : [...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) return fail(error, { json, program }, terminal);
    if (error.exitCode !== 0) return fail(usageFailure(said.err, program), { json, program }, terminal);
    await terminal.out(inNameOf(program, said.out));
    return 0;
  }
  return chosen === undefined ? 0 : runMcp(chosen, terminal);
}

/** For `quire completion`. */
export function mcpNode(program: string): CommandNode {
  const root = rootOf({ program }, { out: '', err: '' }, () => {});
  const choices: Choices = (path, flag) => {
    let commands: readonly McpCommand[] = MCP_COMMANDS;
    let command: McpCommand | undefined;
    for (const name of path) {
      command = commands.find((one) => one.name === name);
      commands = command?.subcommands ?? [];
    }
    return command?.options?.find((option) => option.flag.startsWith(`${flag} `))?.choices ?? [];
  };
  return { ...nodeOf(root, choices), name: 'mcp', description: 'govern other MCP servers' };
}

function usageFailure(text: string, program: string): McpFailure {
  const [first = '', ...rest] = text.trim().split('\n');
  return new McpFailure('usage', {
    message: first.replace(/^error: /, ''),
    hint: [...rest, `Run ${program} mcp --help for usage.`].join('\n'),
  });
}

function rootOf(
  { program, commands = MCP_COMMANDS }: Pick<McpLine, 'program' | 'commands'>,
  said: { out: string; err: string },
  choose: (invocation: McpInvocation) => void,
): Command {
  const root = new Command(`${program} mcp`)
    .description('Governs other MCP servers: which there are, what they may do, and what they did.')
    .version(VERSION, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        said.out += text;
      },
      writeErr: (text) => {
        said.err += text;
      },
    });
  for (const option of globalOptions()) root.addOption(option);
  for (const command of commands) addCommand(root, command, { program, choose });
  return root.addHelpText('after', examplesOf(commands, `${program} mcp`) + EXIT_CODES_HELP);
}

const EXIT_CODES_HELP = `
Ends with 0 when all is well; 1 internal error, 2 usage, 3 configuration, 4 unknown name, 10 try again later,
11 blocked, 12 approval needed, 13 the tool failed, 14 the audit log cannot be judged here, 130 cancelled.
`;

interface CommandPath {
  readonly program: string;
  readonly choose: (invocation: McpInvocation) => void;
}

function addCommand(parent: Command, command: McpCommand, place: CommandPath): void {
  const made = parent
    .command(command.name)
    .description(command.summary)
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false);
  for (const { name, description, optional, isRest } of command.arguments ?? []) {
    const word = isRest ? `${name}...` : name;
    made.argument(optional ? `[${word}]` : `<${word}>`, description);
  }
  for (const option of optionsOf(command)) made.addOption(option);
  made.addHelpText('after', examplesOf([command], `${place.program} mcp`));
  made.action(() => place.choose(invocationOf(made, command, place.program)));
  for (const below of command.subcommands ?? []) addCommand(made, below, place);
}

function optionsOf({ options = [] }: McpCommand): Option[] {
  const own = options.map(({ flag, description, default: usual, repeatable }) => {
    const option = new Option(flag, description);
    if (usual !== undefined) option.default(usual);
    if (repeatable)
      option.argParser((text: string, before: string[] | undefined) => [...(before ?? []), text]);
    return option;
  });
  return [...own, ...globalOptions()];
}

/** May stand before or after the name of a subcommand. */
function globalOptions(): Option[] {
  return [
    new Option('--config <file>', 'the configuration file (also SB_CONFIG, QUIRE_CONFIG; else quire.yaml)'),
    new Option('--json', 'print {ok, data, error?} as JSON'),
    new Option('--no-color', 'print without colour (also NO_COLOR)'),
    new Option('--quiet', 'print results and errors only'),
    new Option('--wide', 'print tables as wide as they are (else they fit the terminal, or COLUMNS)'),
    new Option('--timeout <ms>', 'give up after this many milliseconds').argParser(milliseconds),
  ];
}

function invocationOf(made: Command, command: McpCommand, program: string): McpInvocation {
  const { config, json, color, quiet, wide, timeout, ...options } = given(made);
  const names = (command.arguments ?? []).map(({ name }) => name);
  const global: GlobalOptions = {
    json: json === true,
    noColor: color === false,
    quiet: quiet === true,
    wide: wide === true,
    config: typeof config === 'string' ? config : undefined,
    timeoutMs: typeof timeout === 'number' ? timeout : undefined,
  };
  return {
    command,
    program,
    args: Object.fromEntries(names.map((name, at) => [name, made.args[at]])),
    words: made.args,
    options,
    global,
  };
}

/** A command's own flags take precedence over those of its parents. */
function given(made: Command): Record<string, unknown> {
  const chain = [made];
  for (let above = made.parent; above !== null; above = above.parent) chain.unshift(above);
  const values: Record<string, unknown> = {};
  for (const one of chain)
    for (const [name, value] of Object.entries(one.opts()))
      if (!(name in values) || one.getOptionValueSource(name) !== 'default') values[name] = value;
  return values;
}

const MAX_TIMEOUT_MS = 3_600_000;

function milliseconds(text: string): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= MAX_TIMEOUT_MS) return value;
  throw new McpFailure('usage', {
    message: `--timeout must be a number of milliseconds, 1 to ${MAX_TIMEOUT_MS}`,
    hint: 'For example: --timeout 30000',
  });
}

function examplesOf(commands: readonly McpCommand[], prefix: string): string {
  const examples = commands.flatMap(({ examples: own }) => own);
  const width = Math.max(...examples.map(([line]) => line.length), 0);
  const lines = examples.map(([line, does]) => `  ${prefix} ${line.padEnd(width)}  ${does}`);
  return lines.length === 0 ? '' : `\nExamples:\n${lines.join('\n')}\n`;
}
