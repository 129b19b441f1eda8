/** The command line, built from the commands' tables. */
import { Command, Option } from 'commander';
import { brainCommand, strictBrainCommand } from '../config/commands/brain.ts';
import type { CommandFlag, CommandSpec } from '../config/commands/command.ts';
import { notebookCommand } from '../config/commands/notebook.ts';
import { serveCommand } from '../config/commands/serve.ts';
import { doctorCommand, silverbulletCommand, spaceFlags } from '../config/commands/silverbullet.ts';
import { triliumCommand } from '../config/commands/trilium.ts';
import { vaultCommand } from '../config/commands/vault.ts';
import { AppError } from '../shared/errors.ts';
import { VERSION } from '../version.ts';
import { choiceOf, type FolderCommand } from './command.ts';
import { failingWith, inNameOf, nameOf } from './exit-code.ts';
import { serveFolder, serveTrilium } from './serve-folder.ts';

/** Only the named command, or the one whose help is requested, gets its options built: this shortens the start. */
export function createProgram(named: readonly string[] = process.argv): Command {
  const called = nameOf(named);
  const asCalled = (write: (text: string) => void) => (text: string) => write(inNameOf(called, text));
  const program = new Command(called)
    .description('Gives AI assistants safe, fast access to your notes over the Model Context Protocol.')
    .version(VERSION, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError(`Run ${called} --help for usage.`)
    .configureOutput({
      writeOut: asCalled((text) => process.stdout.write(text)),
      outputError: (text, write) => write(inNameOf(called, text.replace(/^error:/, 'quire:'))),
    })
    .exitOverride();

  const notebook = program
    .command('notebook', { isDefault: true })
    .description('serve a folder of markdown notes over stdio: quire <folder>')
    .argument('[folder]', 'the folder that holds the notes');
  addOptions(notebook, notebookCommand, named).action((folder: string | undefined) =>
    serveFolder({
      spec: notebookCommand,
      usage: 'quire <folder>, for example: quire ~/notes',
      folder,
      ...optionsOf(notebook, notebookCommand),
    }),
  );

  const vault = program
    .command('vault')
    .description('serve a vault, files of every type, over HTTP with a login, or over stdio')
    .option('--transport <kind>', 'how clients reach it: http or stdio', 'http');
  addOptions(vault, vaultCommand, named).action(async () => {
    const command = {
      spec: vaultCommand,
      usage:
        'quire vault --vault-path <folder> --server-url <url> --auth-users <user:hash>, or --transport stdio',
      ...optionsOf(vault, vaultCommand),
    };
    if (transportOf(vault.opts().transport) === 'stdio') return serveFolder(command);
    const { serveHttp } = await import('./serve-http.ts');
    return serveHttp(command);
  });

  const silverbullet = program
    .command('silverbullet')
    .description('serve a SilverBullet space over HTTP with its owner as the login, or over stdio')
    .option('--transport <kind>', 'how clients reach it: http or stdio', 'http');
  addOptions(silverbullet, silverbulletCommand, named).action(async () => {
    const overStdio = transportOf(silverbullet.opts().transport) === 'stdio';
    const spec = overStdio ? spaceFlags : silverbulletCommand;
    const command = {
      spec,
      usage: 'quire silverbullet, with SB_URL, SB_TOKEN and the rest of .env.example in the environment',
      ...optionsOf(silverbullet, spec),
    };
    if (overStdio) return serveFolder(command);
    const { serveHttp } = await import('./serve-http.ts');
    return serveHttp(command);
  });

  const trilium = program
    .command('trilium')
    .description('serve the notes of a Trilium over stdio, or over HTTP those of one or of many Triliums');
  addOptions(trilium, triliumCommand, named).action(() =>
    failingWith(1, () =>
      serveTrilium({
        spec: triliumCommand,
        usage:
          'quire trilium --url <url> --token <token>, or TRILIUM_URL and TRILIUM_TOKEN in the environment',
        ...optionsOf(trilium, triliumCommand),
      }),
    ),
  );

  const serve = program
    .command('serve')
    .description('serve notebooks over HTTP: quire serve <folder>, or quire serve --config quire.yaml')
    .argument('[folder]', 'the folder that holds the notes');
  const served = called === 'sb' ? strictBrainCommand : serveCommand;
  addOptions(serve, served, named).action(async (folder: string | undefined) => {
    // What was called so before is the second brain and nothing else.
    if (served === strictBrainCommand) {
      const { serveBrain } = await import('./serve-brain.ts');
      const folders = folder === undefined ? [] : [folder];
      const command = {
        ...BRAIN,
        spec: strictBrainCommand,
        folders,
        ...optionsOf(serve, strictBrainCommand),
      };
      return serveBrain(command, 'http');
    }
    const { serveHttp } = await import('./serve-http.ts');
    return serveHttp({
      spec: serveCommand,
      usage: 'quire serve <folder>, for example: quire serve ~/notes',
      folder,
      ...optionsOf(serve, serveCommand),
    });
  });

  const brain = program
    .command('brain')
    .description(
      'all notes as one second brain, to ask, recall and extract from: quire brain <folder...>, or quire brain --config quire.yaml',
    )
    .argument('[folders...]', 'the folders that hold the notes')
    .option('--transport <kind>', 'how clients reach it: stdio or http', 'stdio');
  addOptions(brain, brainCommand, named).action(async (folders: string[]) => {
    const { serveBrain } = await import('./serve-brain.ts');
    const command = { ...BRAIN, folders, ...optionsOf(brain, brainCommand) };
    return serveBrain(command, transportOf(brain.opts().transport));
  });

  const examined = program
    .command('doctor')
    .description(
      'look the notes over: a folder, a SilverBullet space (SB_URL, SB_TOKEN), a Trilium (TRILIUM_URL, TRILIUM_TOKEN), or all of --config',
    )
    .argument('[folder]', 'the folder that holds the notes')
    .option('--json', 'print what was found as JSON');
  addOptions(examined, doctorCommand, named).action(async (folder: string | undefined) => {
    const { doctor } = await import('./doctor.ts');
    const command = {
      spec: doctorCommand,
      usage:
        'quire doctor <folder>, or quire doctor --config quire.yaml, or quire doctor with SB_URL and SB_TOKEN, or with TRILIUM_URL and TRILIUM_TOKEN',
      folder,
      ...optionsOf(examined, doctorCommand),
    };
    return doctor(command, {
      asJson: examined.opts().json === true,
      write: (text) => process.stdout.write(text),
    });
  });

  program
    .command('mcp')
    .description('govern other MCP servers: quire mcp --help')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async () => {
      const { mcp } = await import('./mcp/program.ts');
      process.exitCode = await mcp(named.slice(named.indexOf('mcp') + 1), called);
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

  return program.addHelpText('after', HELP);
}

const BRAIN = {
  spec: brainCommand,
  usage: 'quire brain <folder...>, or quire brain --config quire.yaml',
};

const HELP = `
Examples:
  quire ~/notes                        serve ~/notes to the client that starts this
  quire ~/notes --read-only            the assistant can look, not touch
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
  quire doctor                         is that space or that Trilium reachable, protected and usable?
  quire mcp marketplace                which MCP servers there are, and how to add one

Options: quire notebook --help, quire vault --help, quire silverbullet --help, quire trilium --help,
         quire serve --help, quire brain --help, quire mcp --help`;

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

function optionsOf(
  command: Command,
  spec: CommandSpec,
): Pick<FolderCommand, 'flags' | 'file' | 'name' | 'logLevel' | 'logFormat'> {
  const values = command.opts();
  const given = spec.options.filter(({ flag }) => values[flag] !== undefined);
  const { config, notebook, logLevel, logFormat } = values;
  return {
    flags: Object.fromEntries(
      given.map((option) => [option.setting, settingFrom(option, values[option.flag])]),
    ),
    file: typeof config === 'string' ? config : undefined,
    name: typeof notebook === 'string' ? notebook : undefined,
    logLevel: typeof logLevel === 'string' ? logLevel : undefined,
    logFormat: typeof logFormat === 'string' ? logFormat : undefined,
  };
}

function settingFrom({ parse, parseFlag = parse }: CommandFlag, given: unknown): unknown {
  if (Array.isArray(given)) return given.flatMap((text: string) => parseFlag(text));
  return typeof given === 'string' ? parseFlag(given) : given;
}

function transportOf(transport: unknown): 'http' | 'stdio' {
  if (transport === 'http' || transport === 'stdio') return transport;
  throw new AppError('invalid_input', 'Unknown transport', {
    subject: String(transport),
    hint: 'Use --transport http or --transport stdio.',
  });
}
