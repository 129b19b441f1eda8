import { serveNotebookOverStdio } from '../app.ts';
import { notebookDoor } from '../config/doors.ts';
import { loadConfig } from '../config/load.ts';
import type { Config, NotebookConfig, NotebookSettings } from '../config/schema.ts';
import { AppError } from '../shared/errors.ts';
import { createLog, type LogLevel } from '../shared/log.ts';

export interface NotebookCommand {
  readonly folder?: string;
  readonly file?: string;
  readonly name?: string;
  readonly logLevel?: string;
  readonly flags: Partial<NotebookSettings>;
}

export async function serveNotebook(command: NotebookCommand): Promise<void> {
  const { env } = process;
  const file = command.file ?? env.QUIRE_CONFIG;
  if (command.folder === undefined && file === undefined) {
    throw new AppError('invalid_input', 'No folder given', {
      hint: 'Usage: quire <folder>, for example: quire ~/notes',
    });
  }
  const config = await loadConfig({
    flags: command.flags,
    env,
    door: notebookDoor,
    ...(command.folder !== undefined && { folder: command.folder }),
    ...(file !== undefined && { file }),
  });
  const log = createLog(logLevel(command.logLevel ?? env.QUIRE_LOG ?? 'warn'), (line) =>
    process.stderr.write(line),
  );
  await serveNotebookOverStdio(chosen(config, command.name), log);
}

function chosen({ notebooks }: Config, name: string | undefined): NotebookConfig {
  const names = Object.keys(notebooks);
  const only = name ?? (names.length === 1 ? names[0] : undefined);
  const notebook = only === undefined ? undefined : notebooks[only];
  if (notebook) return notebook;
  throw new AppError(
    'invalid_input',
    names.length === 0
      ? 'The configuration names no notebook'
      : `Choose one notebook with --notebook: ${names.join(', ')}`,
    {
      ...(name !== undefined && { subject: `there is no "${name}"` }),
    },
  );
}

function logLevel(text: string): LogLevel {
  if (text === 'debug' || text === 'info' || text === 'warn' || text === 'error') return text;
  throw new AppError('invalid_input', 'Unknown log level', {
    subject: text,
    hint: 'Use debug, info, warn or error.',
  });
}
