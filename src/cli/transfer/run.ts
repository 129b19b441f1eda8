/** Runs `quire import` and `quire export` from a parsed command line. */
import { resolve } from 'node:path';
import type { TransferReport } from '../../app/transfer/transfer.ts';
import type { NotebookConfig } from '../../config/schema.ts';
import { AppError } from '../../shared/errors.ts';
import { fromHome } from '../../shared/fs/folder.ts';
import { printable } from '../../shared/printable.ts';
import { type CommandInput, configOf, type FolderCommand, logOf } from '../command.ts';
import { textIn } from '../history/run.ts';
import { plural } from '../history/text.ts';
import { systemTerminal, type Terminal } from '../mcp/terminal.ts';

export async function importNotes(command: FolderCommand, input: CommandInput): Promise<void> {
  const terminal = systemTerminal();
  const [folder = ''] = input.operands;
  const notebook = textIn(input.extras, 'to');
  if (notebook === undefined) throw missingTarget(command, 'the notebook that takes the notes');
  const config = await notebookOf(command, notebook, terminal);
  const { importFolder } = await import('../../app/transfer/transfer.ts');
  const report = await importFolder(placeOf(folder, terminal), config, optionsOf(command, input, terminal));
  await tell(report, 'imported', input, terminal);
}

export async function exportNotes(command: FolderCommand, input: CommandInput): Promise<void> {
  const terminal = systemTerminal();
  const [notebook = ''] = input.operands;
  const folder = textIn(input.extras, 'to');
  if (folder === undefined) throw missingTarget(command, 'the folder that takes the files');
  const config = await notebookOf(command, notebook, terminal);
  const { exportNotebook } = await import('../../app/transfer/transfer.ts');
  const report = await exportNotebook(config, placeOf(folder, terminal), optionsOf(command, input, terminal));
  await tell(report, 'exported', input, terminal);
}

function missingTarget({ usage }: FolderCommand, what: string): AppError {
  return new AppError('invalid_input', `Name ${what} with --to`, { hint: `Usage: ${usage}` });
}

async function notebookOf(
  command: FolderCommand,
  name: string,
  { environment }: Terminal,
): Promise<NotebookConfig> {
  const { notebooks } = await configOf(command, environment);
  const found = Object.hasOwn(notebooks, name) ? notebooks[name] : undefined;
  if (found) return found;
  throw new AppError('not_found', 'No such notebook', {
    subject: name,
    hint: `Notebooks: ${Object.keys(notebooks).join(', ')}.`,
  });
}

function placeOf(folder: string, { workingFolder }: Terminal): string {
  return resolve(workingFolder, fromHome(folder));
}

const PROGRESS_MS = 2_000;

function optionsOf(command: FolderCommand, { extras }: CommandInput, terminal: Terminal) {
  let told = Date.now();
  return {
    log: logOf(command, terminal.environment, (line) => void terminal.err(line)),
    overwrite: extras.overwrite === true,
    onProgress: (done: number, total: number) => {
      if (!terminal.isWatched || Date.now() - told < PROGRESS_MS) return;
      told = Date.now();
      void terminal.err(`${done} of ${total} files\n`);
    },
  };
}

async function tell(
  report: TransferReport,
  verb: 'imported' | 'exported',
  { asJson }: CommandInput,
  terminal: Terminal,
): Promise<void> {
  const { copied, same, bytes, hidden, problems } = report;
  const lines = [
    `${plural(copied, 'file')} ${verb} and compared byte for byte (${(bytes / 1e6).toFixed(1)} MB), ${same} there already with the same bytes.`,
    ...(hidden > 0 ? [`${hidden} hidden left out, such as .git and .obsidian.`] : []),
    ...problems.map(({ path, reason }) => `not ${verb}: ${printable(path)}: ${printable(reason)}`),
  ];
  await terminal.out(asJson ? `${JSON.stringify(report, undefined, 2)}\n` : `${lines.join('\n')}\n`);
  if (problems.length === 0) return;
  throw new AppError('conflict', `${plural(problems.length, 'file')} could not be ${verb}`, {
    hint: 'All others are there. Correct what is named above, then run the command again: it goes on from there.',
  });
}
