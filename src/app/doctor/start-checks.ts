/** Whether a server would start with a configuration: found out by everything a start does before it listens. */
import {
  type AuthConfig,
  authOf,
  authSchema,
  type GatewayConfig,
  type ServeConfig,
  serveSchema,
} from '../../config/http-schema.ts';
import type { Config, NotebookConfig } from '../../config/schema.ts';
import { originOf } from '../../http/listen.ts';
import { type CheckResult, resultsFor } from '../../shared/checks.ts';
import { assertStateDatabase } from '../database.ts';
import { rehearseGatewayApp } from '../gateway.ts';
import { type HttpServices, rehearseHttpApp } from '../http.ts';
import { loginChecks, someoneChecks } from './login-checks.ts';
import { checkPort } from './port-check.ts';
import { stateChecks } from './state-checks.ts';

/** What would be started. */
export type StartKind = 'http' | 'gateway' | 'stdio';

/** `warn` is not needed: warnings of a start become results. */
export type StartServices = Omit<HttpServices, 'warn'>;

const { ok, warn, failWith } = resultsFor('Start');

/** A server that cannot start fails at least one check, with the sentence of the start. */
export async function startChecks(
  config: Config,
  kind: StartKind,
  { cacheFolder, ...given }: StartServices & { readonly cacheFolder: string },
): Promise<CheckResult[]> {
  const warnings: string[] = [];
  const services = { ...given, warn: (text: string) => void warnings.push(text) };
  const database = await databaseChecks(config);
  const listener = listenerOf(config, kind);
  if (!listener) return [...database, ...(await rehearse(() => rehearseHttpApp(anyPort(config), services)))];
  const { at, auth, sections } = listener;
  const { result: port, runningPid } = await checkPort(at);
  const own = runningPid === undefined ? config : sections({ ...at, port: 0 });
  const gatewayNotebook = onlyNotebook(config);
  const stateFolder = stateFolderOf(config, at, services);
  const started = await rehearse(() =>
    kind === 'gateway' ? rehearseGatewayApp(own, gatewayNotebook, services) : rehearseHttpApp(own, services),
  );
  const state = await stateChecks({
    stateFolder,
    isNeeded: auth.mode === 'oauth',
    cacheFolder,
    runningPid,
  });
  const warned = warnings.map((text) => warn('settings', text, 'Change the setting, unless it is meant so.'));
  const isSeen = runningPid === undefined && config.state?.postgres === undefined;
  const someone = isSeen ? await someoneChecks(auth, stateFolder) : [];
  return [port, ...loginChecks(auth, at), ...someone, ...state, ...database, ...warned, ...started];
}

interface Listener {
  readonly at: ServeConfig | GatewayConfig;
  readonly auth: AuthConfig;
  /** The configuration with other settings of the listener. */
  readonly sections: (at: ServeConfig | GatewayConfig) => Config;
}

function listenerOf(config: Config, kind: StartKind): Listener | undefined {
  const auth = config.auth ?? authSchema.parse({});
  if (kind === 'stdio') return undefined;
  if (kind === 'http')
    return {
      at: config.serve ?? serveSchema.parse({}),
      auth,
      sections: (at) => ({ ...config, serve: at as ServeConfig }),
    };
  const { gateway } = config;
  if (!gateway) return undefined;
  return {
    at: gateway,
    auth: { ...auth, mode: authOf(gateway), tokens: gateway.tokens },
    sections: (at) => ({ ...config, gateway: at as GatewayConfig }),
  };
}

/** Over stdio nothing listens; the rest of a start is the same. */
function anyPort({ serve: _, auth: __, gateway: ___, ...config }: Config): Config {
  return { ...config, serve: { ...serveSchema.parse({}), port: 0 } };
}

function onlyNotebook({ notebooks, gateway }: Config): NotebookConfig | undefined {
  return gateway?.multiTenant ? undefined : Object.values(notebooks)[0];
}

function stateFolderOf(
  { state: { dir } = {} }: Config,
  at: ServeConfig | GatewayConfig,
  { stateFolderFor }: StartServices,
): string | undefined {
  return dir === 'memory' ? undefined : (dir ?? stateFolderFor(originOf(at)));
}

/** The start itself is rehearsed without the database of the state, which it could change. */
async function databaseChecks({ state }: Config): Promise<CheckResult[]> {
  if (state?.postgres === undefined) return [];
  try {
    await assertStateDatabase(state.postgres);
    return [ok('database', 'The database of the state can be used.')];
  } catch (error) {
    return [failWith('database', error, 'Correct its address.')];
  }
}

async function rehearse(start: () => Promise<void>): Promise<CheckResult[]> {
  try {
    await start();
    return [ok('start', 'It would start.')];
  } catch (error) {
    return [failWith('start', error, 'Correct the configuration.')];
  }
}
