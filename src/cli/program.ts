/** The command line, built from the doors' tables. */
import { Command, Option } from 'commander';
import { type Door, notebookDoor, vaultDoor } from '../config/doors.ts';
import type { NotebookSettings } from '../config/schema.ts';
import { AppError } from '../shared/errors.ts';
import { VERSION } from '../version.ts';
import { serveFolder } from './serve-folder.ts';

export function createProgram(): Command {
  const program = new Command('quire')
    .description('Gives AI assistants safe, fast access to your notes over the Model Context Protocol.')
    .version(VERSION, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('Run quire --help for usage.')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, 'quire:')) })
    .exitOverride();

  const notebook = program
    .command('notebook', { isDefault: true })
    .description('serve a folder of markdown notes over stdio: quire <folder>')
    .argument('[folder]', 'the folder that holds the notes');
  addOptions(notebook, notebookDoor).action((folder: string | undefined) =>
    serveFolder({
      door: notebookDoor,
      usage: 'quire <folder>, for example: quire ~/notes',
      ...(folder !== undefined && { folder }),
      ...optionsOf(notebook, notebookDoor),
    }),
  );

  const vault = program
    .command('vault')
    .description('serve a vault, files of every type: quire vault --vault-path <folder> --transport stdio')
    .option('--transport <kind>', 'how clients reach it: stdio');
  addOptions(vault, vaultDoor).action(async () => {
    assertStdio(vault.opts().transport);
    return serveFolder({
      door: vaultDoor,
      usage: 'quire vault --vault-path <folder> --transport stdio (the folder also as VAULT_PATH)',
      ...optionsOf(vault, vaultDoor),
    });
  });

  return program.addHelpText('after', HELP);
}

const HELP = `
Examples:
  quire ~/notes                        serve ~/notes to the client that starts this
  quire ~/notes --read-only            the assistant can look, not touch
  quire ~/vault --ignore "private/**"  hide a folder
  quire --config quire.yaml            settings from a file
  quire vault --vault-path ~/vault --transport stdio
                                       the same folder with the vault tools

Options for serving a folder: quire notebook --help, quire vault --help`;

function addOptions(command: Command, door: Door): Command {
  for (const option of door.options) {
    const flag = new Option(option.flag, `${option.description} (env: ${option.env})`);
    if (option.repeatable)
      flag.argParser((text: string, before: unknown) => [before ?? [], option.parse(text)].flat());
    else if (flag.required) flag.argParser(option.parse);
    // "--no-delete" is a switch of its own here, not the opposite of "--delete".
    Object.assign(flag, { negate: false, attributeName: () => option.setting });
    command.addOption(flag);
  }
  return command
    .option('--config <file>', 'read settings from a YAML file (also QUIRE_CONFIG)')
    .option('--notebook <name>', 'which notebook of the configuration file to serve')
    .option('--log-level <level>', `debug, info, warn or error, on stderr (also ${door.log.env})`);
}

function optionsOf(
  command: Command,
  door: Door,
): { flags: Partial<NotebookSettings>; file?: string; name?: string; logLevel?: string } {
  const values = command.opts();
  const given = door.options.filter(({ setting }) => values[setting] !== undefined);
  const { config, notebook, logLevel } = values;
  return {
    flags: Object.fromEntries(given.map(({ setting }) => [setting, values[setting]])),
    ...(typeof config === 'string' && { file: config }),
    ...(typeof notebook === 'string' && { name: notebook }),
    ...(typeof logLevel === 'string' && { logLevel }),
  };
}

function assertStdio(transport: unknown): void {
  if (transport === 'stdio') return;
  const hint = 'Add --transport stdio. HTTP is not there yet.';
  throw transport === undefined || transport === 'http'
    ? new AppError('unsupported', 'A vault is served over stdio only so far', { hint })
    : new AppError('invalid_input', 'Unknown transport', { subject: String(transport), hint });
}
