/** Serves notebooks over HTTP, from a parsed command line, until a signal stops the process. */
import * as z from 'zod';
import { historyPlaceOf } from '../app/change-tracking.ts';
import { openGatewayApp } from '../app/gateway.ts';
import { openHttpApp } from '../app/http.ts';
import type { HistoryPlace } from '../app/services.ts';
import type { Config, NotebookConfig } from '../config/schema.ts';
import { stateFolderOf } from '../shared/fs/errno.ts';
import type { Log } from '../shared/log.ts';
import { serverStartup } from '../startup/hook.ts';
import { createQuestions } from './ask.ts';
import {
  chosen,
  configOf,
  type FolderCommand,
  logOf,
  noticesOf,
  placesOf,
  servicesOf,
  startLogged,
  toStderr,
} from './command.ts';
import { launchOfThis } from './launch.ts';
import { askNewPassword, pipedPassword } from './new-password.ts';
import { publicUrlOf, stateFolderFor } from './server-places.ts';

/** The doctor opens what a server opens, so it is a part of the same bundle. */
export { examine } from './doctor.ts';
/** A user's record is what the server reads. */
export { runUsers } from './users/run.ts';

// esbuild initializes modules of a dynamic import at their first use; this use must come before all others.
z.config();

/** `loaded` is the configuration, where the command has loaded it already. */
export async function serveHttp(command: FolderCommand, loaded?: Config): Promise<void> {
  const log = httpLog(command);
  const { say, warn } = noticesOf(command, process.env);
  const ended = untilEnded();
  const running = await startLogged(command, log, async () => {
    const config = loaded ?? (await configOf(command, process.env));
    return openHttpApp(config, {
      ...servicesOf(log, process.env, serverStartup),
      history: historyPlaceOf(config, stateFolderOf(process.env), process.env.PATH),
      warn,
      environment: process.env,
      ...publicUrlOf(command.spec),
      stateFolderFor: stateFolderFor(process.env),
      launch: await launchOfThis(process.env),
      showLink: (link) => say(`the console opens with this link, once: ${link}`),
    });
  });
  say(`serving ${running.notebooks.join(', ') || 'other servers'} at ${running.origin}`);
  await ended;
  log('info', 'stopping');
  await running.close();
}

/** Serves `quire trilium` over HTTP, for one Trilium or many tenants. */
export async function serveGateway(command: FolderCommand, config: Config): Promise<void> {
  const log = httpLog(command);
  const { say, warn } = noticesOf(command, process.env);
  const notebook = config.gateway?.multiTenant ? undefined : chosen(config, command.name);
  const ended = untilEnded();
  const running = await startLogged(command, log, () =>
    openGatewayApp(config, notebook, {
      log,
      warn,
      ...placesOf(process.env),
      stateFolderFor: stateFolderFor(process.env),
      history: gatewayHistory(config, notebook),
    }),
  );
  say(`serving ${notebook ? 'a Trilium' : 'any Trilium'} at ${running.origin}`);
  await ended;
  await running.close();
}

/** What tenants write is kept only where the operator has named a place for it. */
function gatewayHistory(config: Config, notebook: NotebookConfig | undefined): HistoryPlace | undefined {
  const { dir, postgres } = config.state ?? {};
  if (!notebook && dir === undefined && postgres === undefined) return undefined;
  return historyPlaceOf(config, stateFolderOf(process.env));
}

function httpLog(command: FolderCommand): Log {
  const toStdout = (line: string) => void process.stdout.write(line);
  return logOf(command, process.env, command.spec.log.to === 'stderr' ? toStderr : toStdout);
}

/** Windows sends SIGBREAK for Ctrl+Break and SIGHUP when the window is closed, and never SIGTERM. */
const END_SIGNALS: readonly NodeJS.Signals[] =
  process.platform === 'win32' ? ['SIGINT', 'SIGBREAK', 'SIGHUP'] : ['SIGTERM', 'SIGINT'];

/**
 * Resolves at the first signal to end. Must be called before the server listens, because a client may stop the
 * process as soon as it is answered. A second signal ends the process at once.
 */
function untilEnded(): Promise<void> {
  return new Promise<void>((resolve) => {
    for (const signal of END_SIGNALS) process.once(signal, () => resolve());
  });
}

export async function hashPasswordCommand(): Promise<void> {
  const hash = await (process.stdin.isTTY ? askNewPassword(createQuestions()) : pipedPassword());
  process.stdout.write(`${hash}\n`);
}
