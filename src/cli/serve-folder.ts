/** From what a door's command was given to a folder served over stdio. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { serveFolderOverStdio } from '../app.ts';
import type { Door } from '../config/doors.ts';
import { loadConfig } from '../config/load.ts';
import type { Config, NotebookConfig } from '../config/schema.ts';
import { AppError } from '../shared/errors.ts';
import { createLog } from '../shared/log.ts';
import { logFormatOf, logLevelOf } from './log-level.ts';

export interface FolderCommand {
  readonly door: Door;
  /** How the command is called, for somebody who named no folder. */
  readonly usage: string;
  readonly folder?: string;
  readonly file?: string;
  readonly name?: string;
  readonly logLevel?: string;
  readonly logFormat?: string;
  readonly flags: Readonly<Record<string, unknown>>;
}

export async function serveFolder(command: FolderCommand): Promise<void> {
  const { env } = process;
  const { door, flags } = command;
  const file = command.file ?? env.QUIRE_CONFIG;
  const config = await loadConfig({
    flags,
    env,
    door,
    ...(command.folder !== undefined && { folder: command.folder }),
    ...(file !== undefined && { file }),
  });
  if (file === undefined && Object.keys(config.notebooks).length === 0)
    throw new AppError('invalid_input', 'No folder given', { hint: `Usage: ${command.usage}` });
  const log = createLog(
    logLevelOf(command.logLevel ?? env[door.log.env] ?? door.log.usual),
    (line) => process.stderr.write(line),
    logFormatOf(command.logFormat ?? env.QUIRE_LOG_FORMAT ?? 'json'),
  );
  const cacheFolder = join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'quire');
  await serveFolderOverStdio(chosen(config, command.name), { log, cacheFolder });
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
