/** What the configuration says beside its servers: rules, keys, folders, the endpoint, the model. */
import { createServer, isIP } from 'node:net';
import type { ControlPlane } from '../../config/control-plane.ts';
import { shadowedRules } from '../../config/control-plane-checks.ts';
import type { Config } from '../../config/schema.ts';
import { isLoopbackName, reachOf } from '../../shared/ip-ranges.ts';
import { isReadableFolder } from '../files.ts';
import { parsePublicKey } from '../manifest/keys.ts';
import { type Check, checksOf } from './check.ts';
import { type Fixes, quoted } from './fix.ts';

export async function configChecks(config: Config, plane: ControlPlane, fixes: Fixes): Promise<Check[]> {
  return [
    rulesLive(plane, fixes),
    keysValid(plane, fixes),
    ...(await rootsExist(plane)),
    ...(await vaultsReadable(config, fixes)),
    await servePort(config, fixes),
    serveToken(config, fixes),
    checksOf('-').skip('embedder.loaded', 'search needs none'),
  ];
}

function rulesLive({ policy, servers }: ControlPlane, fixes: Fixes): Check {
  const { ok, warn } = checksOf('mcp_policy');
  const [first] = shadowedRules(policy, servers);
  return first
    ? warn(
        'config.rules_live',
        `rule ${first.rule} changes nothing: rule ${first.by} denies all of it`,
        fixes.edit(`take rule ${first.rule} out of mcp_policy`, 'mcp_policy'),
      )
    : ok('config.rules_live', `${policy.length} rules, each can decide something`);
}

function keysValid({ manifestKeys }: ControlPlane, fixes: Fixes): Check {
  const { ok, skip, fail } = checksOf('mcp_manifest_keys');
  const keys = Object.entries(manifestKeys);
  if (keys.length === 0) return skip('keys.valid', 'there are none');
  const wrong = keys.find(([, text]) => parsePublicKey(text) === undefined);
  return wrong
    ? fail(
        'keys.valid',
        `${wrong[0]} is neither ed25519:<base64> nor the line of a minisign public key`,
        fixes.edit(`write the public key of ${wrong[0]}`, wrong[0]),
      )
    : ok('keys.valid', `${keys.length} keys`);
}

async function rootsExist({ allowedFileRoots }: ControlPlane): Promise<Check[]> {
  if (allowedFileRoots.length === 0)
    return [checksOf('allowed_file_roots').skip('roots.exist', 'there are none')];
  return Promise.all(
    allowedFileRoots.map(async (root) => {
      const { ok, fail } = checksOf(root);
      return (await isReadableFolder(root))
        ? ok('roots.exist', 'a folder that can be read')
        : fail('roots.exist', 'no folder that can be read', `mkdir -p ${quoted(root)}`);
    }),
  );
}

async function vaultsReadable({ notebooks }: Config, fixes: Fixes): Promise<Check[]> {
  const all = Object.entries(notebooks);
  if (all.length === 0) return [checksOf('notebooks').skip('vault.readable', 'there are none')];
  return Promise.all(
    all.map(async ([name, { folder }]) => {
      const { ok, skip, fail } = checksOf(name);
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

async function servePort({ serve }: Config, fixes: Fixes): Promise<Check> {
  const { ok, skip, warn } = checksOf('serve');
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

function serveToken({ serve, auth }: Config, fixes: Fixes): Check {
  const { ok, skip, fail } = checksOf('auth');
  if (!serve) return skip('serve.token', 'nothing is served over HTTP');
  const mode = auth?.mode ?? 'none';
  if (mode !== 'none') return ok('serve.token', `callers are asked who they are (${mode})`);
  const { host } = serve;
  return (isIP(host) === 0 ? isLoopbackName(host) : reachOf(host) === 'loopback')
    ? ok('serve.token', 'nobody is asked, and only this machine can call')
    : fail(
        'serve.token',
        `anybody who reaches ${serve.host} may call`,
        fixes.edit('set auth.mode to bearer or oauth, or serve.host to 127.0.0.1', 'serve'),
      );
}
