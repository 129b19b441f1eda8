/** Checks of the configuration beside its servers: rules, keys, folders, the endpoint, the model. */
import { createServer } from 'node:net';
import type { ControlPlane } from '../../config/control-plane.ts';
import { shadowedRules } from '../../config/control-plane-checks.ts';
import { type Environment, referencesIn } from '../../config/plane-file.ts';
import type { Config } from '../../config/schema.ts';
import { type Check, type CheckResult, resultsFor } from '../../shared/checks.ts';
import { isLoopbackHost } from '../../shared/ip-ranges.ts';
import { isReadableFolder, openToOthers } from '../files.ts';
import { exportLine, type Fixes, quoted } from './fixes.ts';

export interface ConfigFile {
  readonly path: string;
  readonly text: string;
}

interface ConfigFacts {
  readonly config: Config;
  readonly plane: ControlPlane;
  readonly file: ConfigFile;
  readonly environment: Environment;
  readonly fixes: Fixes;
}

export function configChecks(facts: ConfigFacts): Check[] {
  const { config, plane, fixes } = facts;
  return [
    () => writableCheck('config.writable', facts.file.path, facts.file.path),
    () => variablesSet(facts),
    () => rulesLive(plane, fixes),
    () => keysValid(plane),
    () => rootsExist(plane),
    () => vaultsReadable(config, fixes),
    () => servePort(config, fixes),
    () => serveToken(config, fixes),
  ];
}

/** A user who can change the file decides which programs are started. */
export async function writableCheck(check: string, target: string, path: string): Promise<CheckResult> {
  const { ok, fail } = resultsFor(target);
  const open = await openToOthers(path);
  return open === undefined
    ? ok(check, 'no other user may change it')
    : fail(check, `everybody on this machine may write ${open}`, `chmod o-w ${quoted(open)}`);
}

function variablesSet({ file, environment }: ConfigFacts): CheckResult {
  const { ok, warn } = resultsFor('-');
  const used = [...new Set(referencesIn(file.text))];
  const missing = used.filter((name) => !environment[name]);
  return missing.length === 0
    ? ok('config.variables', `${used.length} named, all set`)
    : warn('config.variables', `not set: ${missing.join(', ')}`, exportLine(missing));
}

function rulesLive({ policy, servers }: ControlPlane, fixes: Fixes): CheckResult {
  const { ok, warn } = resultsFor('mcp_policy');
  const [first] = shadowedRules(policy, servers);
  return first
    ? warn(
        'config.rules_live',
        `rule ${first.rule} changes nothing: rule ${first.by} denies all of it`,
        fixes.edit(`take rule ${first.rule} out of mcp_policy`, 'mcp_policy'),
      )
    : ok('config.rules_live', `${policy.length} rules, each can decide something`);
}

/** An invalid key is reported as an error of the file, before the checks. */
function keysValid({ manifestKeys }: ControlPlane): CheckResult {
  const { ok, skip } = resultsFor('mcp_manifest_keys');
  const count = Object.keys(manifestKeys).length;
  return count === 0 ? skip('keys.valid', 'there are none') : ok('keys.valid', `${count} keys`);
}

async function rootsExist({ allowedFileRoots }: ControlPlane): Promise<CheckResult[]> {
  if (allowedFileRoots.length === 0)
    return [resultsFor('allowed_file_roots').skip('roots.exist', 'there are none')];
  return Promise.all(
    allowedFileRoots.map(async (root) => {
      const { ok, fail } = resultsFor(root);
      return (await isReadableFolder(root))
        ? ok('roots.exist', 'a folder that can be read')
        : fail('roots.exist', 'no folder that can be read', `mkdir -p ${quoted(root)}`);
    }),
  );
}

async function vaultsReadable({ notebooks }: Config, fixes: Fixes): Promise<CheckResult[]> {
  const all = Object.entries(notebooks);
  if (all.length === 0) return [resultsFor('notebooks').skip('vault.readable', 'there are none')];
  return Promise.all(
    all.map(async ([name, { folder }]) => {
      const { ok, skip, fail } = resultsFor(name);
      if (folder === undefined)
        return skip('vault.readable', 'not a folder: quire doctor --config looks it over');
      return (await isReadableFolder(folder))
        ? ok('vault.readable', folder)
        : fail(
            'vault.readable',
            `${folder} cannot be read`,
            fixes.edit(`correct the folder of ${name}`, name),
          );
    }),
  );
}

async function servePort({ serve }: Config, fixes: Fixes): Promise<CheckResult> {
  const { ok, skip, warn } = resultsFor('serve');
  if (!serve || serve.port === 0)
    return skip('serve.port', serve ? 'any free port' : 'nothing is served over HTTP');
  const problem = await listenProblem(serve.host, serve.port);
  return problem === undefined
    ? ok('serve.port', `${serve.host}:${serve.port} is free`)
    : warn(
        'serve.port',
        `${serve.host}:${serve.port}: ${problem}. Fine if that is Quire itself.`,
        fixes.edit('choose another port', 'port'),
      );
}

function listenProblem(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

function serveToken({ serve, auth }: Config, fixes: Fixes): CheckResult {
  const { ok, skip, fail } = resultsFor('auth');
  if (!serve) return skip('serve.token', 'nothing is served over HTTP');
  const mode = auth?.mode ?? 'none';
  if (mode !== 'none') return ok('serve.token', `callers are asked who they are (${mode})`);
  const { host } = serve;
  return isLoopbackHost(host)
    ? ok('serve.token', 'no login is needed, and only this machine can call')
    : fail(
        'serve.token',
        `every client that reaches ${serve.host} may call`,
        fixes.edit('set auth.mode to bearer or oauth, or serve.host to 127.0.0.1', 'serve'),
      );
}
