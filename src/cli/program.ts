/** The command line, built from the doors' tables. */
import { Command, Option } from 'commander';
import { type DoorOption, notebookDoor } from '../config/doors.ts';
import type { NotebookSettings } from '../config/schema.ts';
import { VERSION } from '../version.ts';
import { serveNotebook } from './notebook.ts';

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
  addOptions(notebook, notebookDoor)
    .option('--config <file>', 'read settings from a YAML file (also QUIRE_CONFIG)')
    .option('--notebook <name>', 'which notebook of the configuration file to serve')
    .option('--log-level <level>', 'debug, info, warn or error, on stderr (also QUIRE_LOG)')
    .action((folder: string | undefined, options: Record<string, unknown>) =>
      serveNotebook({
        ...(folder !== undefined && { folder }),
        ...pickGlobals(options),
        flags: settingsOf(notebook, notebookDoor),
      }),
    );

  return program.addHelpText('after', HELP);
}

const HELP = `
Examples:
  quire ~/notes                        serve ~/notes to the client that starts this
  quire ~/notes --read-only            the assistant can look, not touch
  quire ~/vault --ignore "private/**"  hide a folder
  quire --config quire.yaml            settings from a file

Options for serving a folder: quire notebook --help`;

function addOptions(command: Command, door: readonly DoorOption[]): Command {
  for (const option of door) {
    const flag = new Option(option.flag, `${option.description} (env: ${option.env})`);
    if (option.repeatable)
      flag.argParser((text: string, before: unknown) => [before ?? [], option.parse(text)].flat());
    else if (flag.required) flag.argParser(option.parse);
    // "--no-delete" is a switch of its own here, not the opposite of "--delete".
    if (flag.negate) Object.assign(flag, { negate: false, attributeName: () => option.setting });
    command.addOption(flag);
  }
  return command;
}

function settingsOf(command: Command, door: readonly DoorOption[]): Partial<NotebookSettings> {
  const values = command.opts();
  return Object.fromEntries(
    door
      .filter(({ setting }) => values[setting] !== undefined)
      .map(({ setting }) => [setting, values[setting]]),
  );
}

function pickGlobals(options: Record<string, unknown>): { file?: string; name?: string; logLevel?: string } {
  const { config, notebook, logLevel } = options;
  return {
    ...(typeof config === 'string' && { file: config }),
    ...(typeof notebook === 'string' && { name: notebook }),
    ...(typeof logLevel === 'string' && { logLevel }),
  };
}
