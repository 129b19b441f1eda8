/** Serves notebooks over stdio, from a parsed command line. */
import { historyPlaceOf } from '../app/change-tracking.ts';
import { type NotebookServer, openServed, servedWithoutNotes } from '../app/notebooks.ts';
import type { PlaneTools } from '../app/plane.ts';
import type { Services } from '../app/services.ts';
import { historyOfOneClient, openDatabaseOf, planeStateOn } from '../app/shared-state.ts';
import { type StdioServer, serveNotesOverStdio } from '../app/stdio.ts';
import { exposesServers } from '../config/control-plane.ts';
import type { Config, NotebookConfig } from '../config/schema.ts';
import { noteSetsOf, offersHistory } from '../config/tool-sets.ts';
import { AppError } from '../shared/errors.ts';
import { stateFolderOf } from '../shared/fs/errno.ts';
import type { Log } from '../shared/log.ts';
import { jointStartup, stdioStartup } from '../startup/hook.ts';
import {
  chosen,
  configOf,
  explainOnTerminal,
  type FolderCommand,
  logOf,
  noticesOf,
  servicesOf,
  startLogged,
  toStderr,
} from './command.ts';

export async function serveFolder(command: FolderCommand): Promise<void> {
  const log = logOf(command, process.env, toStderr);
  await serveOverStdio(command, await startLogged(command, log, () => configOf(command, process.env)), log);
}

/** Transport: stdio unless flags, environment or file choose HTTP. */
export async function serveTrilium(command: FolderCommand): Promise<void> {
  const log = logOf(command, process.env, toStderr);
  const config = await startLogged(command, log, async () => checked(await configOf(command, process.env)));
  if (config.gateway?.transport === 'http') {
    if (command.flags.toolSets !== undefined)
      noticesOf(command, process.env).warn(
        '--tools counts over stdio only: this gateway has no history tools.',
      );
    const { serveGateway } = await import('./serve-http.ts');
    return serveGateway(command, config);
  }
  if (config.gateway?.metrics)
    noticesOf(command, process.env).warn('--metrics is ignored over stdio: there is nothing to ask.');
  await serveOverStdio(command, config, log);
}

function checked(config: Config): Config {
  if (config.gateway?.multiTenant && config.gateway.transport !== 'http')
    throw new AppError('invalid_input', '--multi-tenant needs --transport http', {
      hint: 'Over stdio there is one client. Add --transport http, or leave --multi-tenant out.',
    });
  return config;
}

async function serveOverStdio(command: FolderCommand, config: Config, log: Log): Promise<void> {
  const database = await startLogged(command, log, () => openDatabaseOf(config, log));
  const place = historyPlaceOf(config, stateFolderOf(process.env), process.env.PATH);
  const history = await historyOfOneClient(database, place);
  const areSeveral = command.name === undefined && Object.keys(config.notebooks).length > 1;
  const services = {
    ...servicesOf(log, process.env, areSeveral ? jointStartup : stdioStartup),
    database,
    databaseUrl: config.state?.postgres,
    history,
  };
  const served = await startLogged(command, log, async () => {
    if (isWithoutNotes(config)) return alone(servedWithoutNotes());
    return areSeveral ? openAll(config, services) : alone(await openChosen(config, command, services));
  });
  const plane = await startLogged(command, log, () => openPlane(config, log, database));
  explainOnTerminal(command, process.env);
  const closing = database ? closingLast(served, () => database.close()) : served;
  await serveNotesOverStdio(plane ? withPlane(closing, plane) : closing, services, () => {
    if (command.spec.log.shape === 'events') log('info', 'server_started', { transport: 'stdio' });
  });
}

function alone(served: NotebookServer): StdioServer {
  const { warmUpSearch } = served;
  return { ...served, warmUpSearches: warmUpSearch ? [warmUpSearch] : [] };
}

/** Loaded on demand, because most configurations have one notebook. */
async function openAll(config: Config, services: Services): Promise<StdioServer> {
  const { openJoined } = await import('../app/joined-notebooks.ts');
  return openJoined(config, services);
}

async function openChosen(
  config: Config,
  { name }: FolderCommand,
  services: Services,
): Promise<NotebookServer> {
  const notebook = chosen(config, name);
  const [served] = Object.entries(config.notebooks).find(([, other]) => other === notebook) ?? ['notes'];
  const opened = await withSets(await openServed(served, notebook, services), notebook);
  if (!offersHistory(notebook) && !opened.isReviewed) return opened;
  const { withHistoryTools } = await import('../app/history-tools.ts');
  const { withReviewOffers } = await import('../app/review-offers.ts');
  const withTools = withHistoryTools(opened, notebook, services);
  return withReviewOffers(withTools, [withTools], services);
}

/** Loaded on demand, because most notebooks are served without. */
async function withSets(served: NotebookServer, config: NotebookConfig): Promise<NotebookServer> {
  if (noteSetsOf(config).length === 0) return served;
  const { withNoteSets } = await import('../app/note-sets.ts');
  return withNoteSets(served, config);
}

function isWithoutNotes(config: Config): boolean {
  return Object.keys(config.notebooks).length === 0 && exposesServers(config);
}

/** Loaded on demand, because most configurations expose no upstream server. */
async function openPlane(
  config: Config,
  log: Log,
  database: Awaited<ReturnType<typeof openDatabaseOf>>,
): Promise<PlaneTools | undefined> {
  if (!exposesServers(config)) return undefined;
  const { openPlaneTools } = await import('../app/plane.ts');
  return openPlaneTools(config, { log, environment: process.env, shared: await planeStateOn(database) });
}

function closingLast(served: StdioServer, close: () => Promise<void>): StdioServer {
  return {
    ...served,
    close: async () => {
      await served.close();
      await close();
    },
  };
}

function withPlane(served: StdioServer, plane: PlaneTools): StdioServer {
  return {
    ...plane.beside(served),
    start: () => {
      served.start();
      plane.start();
    },
    close: async () => {
      await plane.close();
      await served.close();
    },
  };
}
