/** Serves the second brain over stdio or HTTP, from a parsed command line. */
import { historyPlaceOf } from '../app/change-tracking.ts';
import { openAllServed } from '../app/notebooks.ts';
import { historyOfOneClient, openDatabaseOf } from '../app/shared-state.ts';
import { type StdioServer, serveNotesOverStdio } from '../app/stdio.ts';
import type { Config } from '../config/schema.ts';
import { brainSchema } from '../config/schema.ts';
import { stateFolderOf } from '../shared/fs/errno.ts';
import type { Log } from '../shared/log.ts';
import { serverStartup } from '../startup/hook.ts';
import {
  configOf,
  explainOnTerminal,
  type FolderCommand,
  logOf,
  servicesOf,
  startLogged,
  toStderr,
} from './command.ts';

export async function serveBrain(command: FolderCommand, transport: 'http' | 'stdio'): Promise<void> {
  const log = logOf(command, process.env, toStderr);
  const config = await startLogged(command, log, () => brainConfigOf(command));
  if (transport === 'http') {
    const { serveHttp } = await import('./serve-http.ts');
    return serveHttp(command, config);
  }
  const served = await startLogged(command, log, () => openServedBrain(config, log));
  explainOnTerminal(command, process.env);
  await serveNotesOverStdio(served, { log }, () => {});
}

async function brainConfigOf(command: FolderCommand): Promise<Config> {
  const config = await configOf(command, process.env);
  const settings = config.brain ?? brainSchema.parse({});
  return { ...config, brain: { ...settings, enabled: true, alone: true } };
}

async function openServedBrain(config: Config, log: Log): Promise<StdioServer> {
  const database = await openDatabaseOf(config, log);
  const place = historyPlaceOf(config, stateFolderOf(process.env), process.env.PATH);
  const history = await historyOfOneClient(database, place);
  const databaseUrl = config.state?.postgres;
  const services = { ...servicesOf(log, process.env, serverStartup), database, databaseUrl, history };
  const notebooks = await openAllServed(config, services);
  const { openBrainTools } = await import('../app/brain.ts');
  const alone = await openBrainTools(config, notebooks, {
    ...services,
    environment: process.env,
    withSearchTool: false,
  });
  const { withHistoryOf } = await import('../app/history-tools.ts');
  const { withReviewOffers } = await import('../app/review-offers.ts');
  const withTools = withHistoryOf(alone, notebooks, config, services);
  const brain = withReviewOffers(withTools, notebooks.values(), services);
  return {
    ...brain,
    warmUpSearches: [],
    start: () => {
      for (const notebook of notebooks.values()) notebook.start();
      brain.start();
    },
    close: async () => {
      await brain.close();
      for (const notebook of notebooks.values()) await notebook.close();
      await database?.close();
    },
  };
}
