/** The command line, built from the commands' tables. */
import { Command, Option } from 'commander';
import { asIs, type CommandFlag, type CommandSpec } from '../config/commands/command.ts';
import { notebookCommand } from '../config/commands/notebook.ts';
import type { Environment } from '../config/plane-file.ts';
import { AppError } from '../shared/errors.ts';
import { VERSION } from '../version.ts';
import { CHANGE_COMMANDS } from './change-commands.ts';
import { type CommandTransport, choiceOf, type FolderCommand, type ProgramCommand } from './command.ts';
import { commandOf, inNameOf, nameOf } from './exit-code.ts';
import { FOLDER, notebook, noteCommands } from './note-commands.ts';
import { TRANSFER_COMMANDS } from './transfer-commands.ts';
import { USER_COMMANDS } from './user-commands.ts';

/** Only the named command, or the one whose help is requested, gets its options built: this shortens the start. */
export function createProgram(named: readonly string[] = process.argv, env: Environment = {}): Command {
  const called = nameOf(named);
  const typed = commandOf(named, env);
  const program = rootOf(called, typed);
  const commands = [...noteCommands(called), ...CHANGE_COMMANDS, ...TRANSFER_COMMANDS, ...USER_COMMANDS];
  for (const command of commands) addCommand(program, command, named);

  program
    .command('mcp')
    .description('govern other MCP servers: quire mcp --help')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async () => {
      const { mcp } = await import('./mcp/program.ts');
      process.exitCode = await mcp(named.slice(named.indexOf('mcp') + 1), typed);
    });
  addInit(program);
  program
    .command('completion')
    .description('print a script that completes commands and flags: bash, zsh, fish or powershell')
    .argument('<bash|zsh|fish|powershell>', 'the shell')
    .action(async (shell: string) => {
      const { completion } = await import('./setup.ts');
      const { mcpNode } = await import('./mcp/program.ts');
      const root = createProgram([...named.slice(0, 2), ...commands.map(({ name }) => name)]);
      const tables = { commands, mcp: mcpNode(called), usual: notebook.name };
      process.stdout.write(completion(shell, { called, root, ...tables }));
    });
  program
    .command('connect')
    .description('add Quire to the configuration of the AI clients on this machine')
    .argument('[clients...]', 'names of clients; without one, every client found')
    .option('--folder <folder>', 'the notes to serve; without it, those of quire.yaml')
    .option('--config <file>', 'the configuration to serve')
    .option('--http <url>', 'connect to a running server instead of starting a program')
    .option('--name <name>', 'name of the entry')
    .option('--yes', 'write without asking')
    .option('--print', 'print the change, write nothing')
    .option('--remove', 'take the entry out again')
    .action(async (clients: string[], options) => {
      const { connect } = await import('./setup.ts');
      return connect({ ...options, clients });
    });
  program
    .command('tools')
    .description("list the tool sets, their tools, and the bytes that each adds to a model's context")
    .option('--json', 'print them as JSON')
    .action(async (options) => {
      const { listToolSets } = await import('./setup.ts');
      return listToolSets(options);
    });
  program
    .command('hash-password')
    .description(
      'make the hash of a password for --auth-users; the password is read from the terminal or stdin',
    )
    .action(async () => {
      const { hashPasswordCommand } = await import('./serve-http.ts');
      return hashPasswordCommand();
    });
  return program.addHelpText('after', helpText(typed));
}

function addInit(program: Command): void {
  program
    .command('init')
    .description('write a commented quire.yaml: which notes, and what assistants may do with them')
    .argument('[folders...]', 'folders that hold notes; without any, it asks')
    .addOption(
      new Option('--folder <folder>', 'a folder that holds notes; may be given several times').argParser(
        (folder: string, before: string[] | undefined) => [...(before ?? []), folder],
      ),
    )
    .option('--silverbullet <url>', 'a SilverBullet space; its token is read from SB_TOKEN')
    .option('--trilium <url>', 'a Trilium; its ETAPI token is read from TRILIUM_TOKEN')
    .option('--read-only', 'assistants can read notes and change nothing')
    .addOption(
      new Option('--review <changes>', 'changes that wait until you accept them (default: off)').choices([
        'off',
        'destructive',
        'all',
      ]),
    )
    .option('--public-url <url>', 'the address of a server that is reached from the internet')
    .option('--user <name>', 'who may log in there; the password is asked for')
    .option('--password-stdin', 'read the password from stdin')
    .option('--output <file>', 'the file to write (default: quire.yaml)')
    .option('--yes', 'ask nothing; without notes named, those of this folder, or a new folder "notes"')
    .option('--force', 'replace the file if it exists; a copy is kept')
    .action(async (folders: string[], options) => {
      const { init } = await import('./setup.ts');
      return init({ ...options, folders });
    });
}

/** `called` is its name, `typed` what people type to run it. */
function rootOf(called: string, typed: string): Command {
  const asTyped = (write: (text: string) => void) => (text: string) => write(inNameOf(typed, text));
  return new Command(called)
    .description('Gives AI assistants safe, fast access to your notes over the Model Context Protocol.')
    .version(VERSION, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError(`Run ${typed} --help for usage.`)
    .configureOutput({
      writeOut: asTyped((text) => process.stdout.write(text)),
      outputError: (text, write) => write(inNameOf(typed, text.replace(/^error:/, 'quire:'))),
    })
    .exitOverride();
}

function addCommand(program: Command, command: ProgramCommand, named: readonly string[]): void {
  const { name, description, usage, spec, stdioSpec = spec, argument, transports, hasJson, run } = command;
  const { below, extras = [], findsFile } = command;
  const parent = program.commands.find((other) => other.name() === below) ?? program;
  const made = parent.command(name, { isDefault: command === notebook }).description(description);
  // What stands behind the name of a subcommand is that one's.
  if (parent !== program) parent.enablePositionalOptions();
  if (argument) made.argument(...argument);
  for (const [flags, meaning] of extras) made.option(flags, meaning);
  if (transports)
    made.option('--transport <kind>', `how clients reach it: ${transports.join(' or ')}`, transports[0]);
  if (hasJson) made.option('--json', 'print what was found as JSON');
  addOptions(made, spec, named).action(() => {
    const { transport: given, json } = made.optsWithGlobals();
    const transport = transports && transportOf(given);
    const settings = transport === 'stdio' ? stdioSpec : spec;
    const operands = made.processedArgs.flat().filter((operand) => typeof operand === 'string');
    return run(
      {
        spec: settings,
        usage,
        findsFile,
        folder: argument === FOLDER ? operands[0] : undefined,
        folders: argument?.[0] === '[folders...]' ? operands : undefined,
        ...optionsOf(made, settings),
      },
      { transport, asJson: json === true, operands, extras: made.optsWithGlobals() },
    );
  });
}

const HELP = `
Examples:
  quire init                           write quire.yaml: which notes, and what assistants may do with them
  quire connect                        add Quire to the AI clients on this machine
  quire ~/notes                        serve ~/notes to the client that starts this
  quire ~/notes ~/work                 both at once: notes_read_note, work_read_note ...
  quire ~/notes --read-only            assistants can read notes and change nothing
  quire ~/vault --ignore "private/**"  hide a folder
  quire --config quire.yaml            settings from a file
  quire vault --vault-path ~/vault --transport stdio
                                       the same folder with the vault tools
  quire serve ~/notes                  serve ~/notes over HTTP on this machine
  quire vault --vault-path ~/vault --server-url https://vault.example.com --auth-users 'me:$2b$12$...'
                                       over HTTP, with a login
  quire silverbullet                   a SilverBullet space; SB_URL, SB_TOKEN ... in the environment
  quire trilium                        a Trilium; TRILIUM_URL and TRILIUM_TOKEN in the environment
  quire trilium --transport http --multi-tenant --gateway-token ...
                                       any Trilium, over HTTP: each client names its own
  quire brain ~/notes ~/work           both as one second brain: answers with sources, open loops, decisions
  quire brain eval ~/notes             how well your notes are found, by words and by meaning
  quire history ~/notes                what assistants changed there, the newest first
  quire undo --last --folder ~/notes   undo the last of it; --dry-run shows it first
  quire review --folder ~/notes        changes that wait for your decision; --interactive asks about each
  quire import ~/notes --to team       copy a folder into a notebook, such as one in PostgreSQL
  quire export team --to ~/copy        and a notebook into a folder
  quire users add kim --role reader    let a person log in, also while the server runs
  quire doctor --config quire.yaml     check the notes and the settings
  quire mcp marketplace                which MCP servers there are, and how to add one

Every command has a help of its own, for example: quire serve --help (of quire <folder>: quire notebook --help)`;

/** Second lines of examples stay below the first ones. */
function helpText(typed: string): string {
  const shift = typed.length - 'quire'.length;
  return inNameOf(typed, HELP).replace(/^ {39}/gm, ' '.repeat(39 + shift));
}

function addOptions(command: Command, spec: CommandSpec, named: readonly string[]): Command {
  if (spec !== notebookCommand && !named.includes(command.name())) return command;
  const added = new Set<string>();
  for (const option of spec.options) {
    // One flag may fill two settings.
    if (added.has(option.flag)) continue;
    added.add(option.flag);
    const flag = new Option(option.flag, `${option.description} (env: ${option.env})`);
    if (option.repeatable)
      flag.argParser((text: string, before: string[] | undefined) => [...(before ?? []), text]);
    // "--no-delete" is a switch of its own here, not commander's negation of "--delete".
    Object.assign(flag, { negate: false, attributeName: () => option.flag });
    command.addOption(flag);
  }
  return command
    .option('--config <file>', 'read settings from a YAML file (also QUIRE_CONFIG)')
    .option('--notebook <name>', 'which notebook of the configuration file to serve')
    .option('--log-level <level>', `${choiceOf(spec.log.levels)} (also ${spec.log.env})`)
    .option(
      '--log-format <format>',
      `json or text (also ${spec.log.formatEnv ?? 'QUIRE_LOG_FORMAT'}; default: ${spec.log.format ?? 'json'})`,
    );
}

/** Of every command; see `addOptions`. */
type CommonOptions = Readonly<Partial<Record<'config' | 'notebook' | 'logLevel' | 'logFormat', string>>>;

function optionsOf(
  command: Command,
  spec: CommandSpec,
): Pick<FolderCommand, 'flags' | 'file' | 'name' | 'logLevel' | 'logFormat'> {
  const values: Readonly<Record<string, unknown>> = command.optsWithGlobals();
  const given = spec.options.filter(({ flag }) => values[flag] !== undefined);
  const flags = given.map((option) => [option.setting, settingFrom(option, values[option.flag])]);
  const { config: file, notebook: name, logLevel, logFormat } = command.optsWithGlobals<CommonOptions>();
  return { flags: Object.fromEntries(flags), file, name, logLevel, logFormat };
}

function settingFrom({ parse = asIs, parseFlag = parse }: CommandFlag, given: unknown): unknown {
  if (Array.isArray(given)) return given.flatMap((text: string) => parseFlag(text));
  return typeof given === 'string' ? parseFlag(given) : given;
}

function transportOf(transport: unknown): CommandTransport {
  if (transport === 'http' || transport === 'stdio') return transport;
  throw new AppError('invalid_input', 'Unknown transport', {
    subject: String(transport),
    hint: 'Use --transport http or --transport stdio.',
  });
}
