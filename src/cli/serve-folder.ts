/** From what a door's command was given to a folder served over stdio. */
import { openServed, serveFolderOverStdio } from '../app.ts';
import type { Config, NotebookConfig } from '../config/schema.ts';
import { AppError } from '../shared/errors.ts';
import {
  cacheFolderOf,
  configOf,
  type FolderCommand,
  indexThreadFile,
  logOf,
  startLogged,
} from './command.ts';

export async function serveFolder(command: FolderCommand): Promise<void> {
  const { env } = process;
  const log = logOf(command, env, (line) => process.stderr.write(line));
  const served = await startLogged(command, log, async () =>
    openServed(chosen(await configOf(command, env), command.name), {
      log,
      cacheFolder: cacheFolderOf(env),
      indexThread: indexThreadFile(),
    }),
  );
  await serveFolderOverStdio(served, log, () => {
    if (command.door.log.shape === 'events') log('info', 'server_started', { transport: 'stdio' });
  });
}

function chosen({ notebooks }: Config, name: string | undefined): NotebookConfig {
  const names = Object.keys(notebooks);
  const only = name ?? (names.length === 1 ? names[0] : undefined);
  const notebook = only === undefined ? undefined : notebooks[only];
  if (notebook) return notebook;
  throw new AppError('invalid_input', `Choose one notebook with --notebook: ${names.join(', ')}`, {
    ...(name !== undefined && { subject: `there is no "${name}"` }),
  });
}
