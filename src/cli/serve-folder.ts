/** From what a door's command was given to a folder served over stdio. */
import { serveFolderOverStdio } from '../app.ts';
import type { Config, NotebookConfig } from '../config/schema.ts';
import { AppError } from '../shared/errors.ts';
import { cacheFolderOf, configOf, type FolderCommand, logOf } from './command.ts';

export async function serveFolder(command: FolderCommand): Promise<void> {
  await serveOverStdio(command, await configOf(command, process.env));
}

/** Over stdio unless something else is said, wherever it is said. */
export async function serveTrilium(command: FolderCommand): Promise<void> {
  const config = await configOf(command, process.env);
  if (config.gateway?.transport === 'http') {
    const { serveGateway } = await import('./serve-http.ts');
    return serveGateway(command, config);
  }
  if (config.gateway?.multiTenant)
    throw new AppError('invalid_input', '--multi-tenant needs --transport http', {
      hint: 'Over stdio there is one client. Add --transport http, or leave --multi-tenant out.',
    });
  if (config.gateway?.metrics)
    process.stderr.write('quire: warning: --metrics is ignored over stdio: there is nothing to ask.\n');
  await serveOverStdio(command, config);
}

async function serveOverStdio(command: FolderCommand, config: Config): Promise<void> {
  const { env } = process;
  const log = logOf(command, env, (line) => process.stderr.write(line));
  await serveFolderOverStdio(chosen(config, command.name), { log, cacheFolder: cacheFolderOf(env) });
}

export function chosen({ notebooks }: Config, name: string | undefined): NotebookConfig {
  const names = Object.keys(notebooks);
  const only = name ?? (names.length === 1 ? names[0] : undefined);
  const notebook = only === undefined ? undefined : notebooks[only];
  if (notebook) return notebook;
  throw new AppError('invalid_input', `Choose one notebook with --notebook: ${names.join(', ')}`, {
    ...(name !== undefined && { subject: `there is no "${name}"` }),
  });
}
