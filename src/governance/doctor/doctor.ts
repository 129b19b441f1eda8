/** The checks of `quire mcp doctor`. Only `--probe` starts or reaches a server. */
import type { UpstreamServer } from '../../config/control-plane.ts';
import type { Environment } from '../../config/plane-file.ts';
import type { Config } from '../../config/schema.ts';
import { type CheckResult, resultsFor, runChecks } from '../../shared/checks.ts';
import { isAppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import { safeRead } from '../../shared/safe-fetch.ts';
import { hintWithEnding } from '../../upstream/ending.ts';
import { chooseBackend, INSTALL, isRejection } from '../../upstream/sandbox/choose.ts';
import type { Backends } from '../../upstream/sandbox/detect.ts';
import { type SharedPlace, sharedPlaceOf } from '../files.ts';
import type { Plane } from '../plane.ts';
import { type Posture, type PostureContext, posturesOf } from '../posture.ts';
import { mayStart } from '../safety/judge.ts';
import { type ConfigFile, configChecks, writableCheck } from './config-checks.ts';
import { type Fixes, quoted, serverPlace } from './fixes.ts';
import { serverChecks } from './server-checks.ts';
import { remoteClock, stateChecks } from './state-checks.ts';

type DoctorContext = PostureContext &
  Pick<Plane, 'approvals' | 'backends' | 'upstream' | 'discover' | 'loginTarget'>;

const PROBES = ['handshake', 'version', 'list_tools', 'roundtrip'] as const;
const KNOWN_VERSIONS = ['2025-11-25', '2026-07-28'];
/** With the last lines of a process that did not start. */
const MAX_REASON = 1_500;

function probeNames({ transport }: UpstreamServer): string[] {
  return transport === 'streamable_http' ? ['http.reach/tls', ...PROBES] : [...PROBES];
}

/** For servers that are not asked. */
function notProbed(server: UpstreamServer, why: string): CheckResult[] {
  const { skip } = resultsFor(server.name);
  return probeNames(server).map((check) => skip(check, why));
}

/** The checks that start or reach a server. */
async function probe(
  plane: DoctorContext,
  server: UpstreamServer,
  { fixes, signal }: { readonly fixes: Fixes; readonly signal: AbortSignal },
): Promise<CheckResult[]> {
  const { ok, skip, warn, fail } = resultsFor(server.name);
  const isHttp = server.transport === 'streamable_http';
  const again = fixes.mcp(`discover ${server.name}`);
  const checks: CheckResult[] = [];
  try {
    const upstream = await plane.upstream(server);
    const { protocolVersion = 'none', server: info } = await upstream.connect(signal);
    if (isHttp) checks.push(ok('http.reach/tls', `reached ${new URL(server.url ?? '').host}`));
    checks.push(ok('handshake', printable(`${info?.name ?? 'it'} ${info?.version ?? ''}`, 100)));
    checks.push(
      KNOWN_VERSIONS.includes(protocolVersion)
        ? ok('version', protocolVersion)
        : warn(
            'version',
            `${protocolVersion}, and not ${KNOWN_VERSIONS[0]}`,
            fixes.edit('use a newer version of it', serverPlace(server.name)),
          ),
    );
    const { entries } = await plane.discover(server, { signal });
    const tools = entries.filter(({ definition }) => definition.kind === 'tool').length;
    checks.push(ok('list_tools', `${tools} tools`));
    const clock = isHttp ? await remoteClock(plane, server, signal) : undefined;
    if (clock) checks.push(clock);
    checks.push(ok('roundtrip', `${Math.round(await upstream.ping({ signal }))} ms`));
  } catch (error) {
    signal.throwIfAborted();
    const done = checks.map(({ check }) => check);
    const [failed = 'handshake', ...rest] = probeNames(server).filter((name) => !done.includes(name));
    checks.push(fail(failed, reasonOf(error), again), ...rest.map((name) => skip(name, `${failed} failed`)));
  }
  return checks;
}

function reasonOf(error: unknown): string {
  const text = isAppError(error) ? `${error.message} ${hintWithEnding(error) ?? ''}` : String(error);
  return printable(text, MAX_REASON);
}

interface DoctorOptions {
  readonly config: Config;
  readonly file: ConfigFile;
  readonly environment: Environment;
  readonly fixes: Fixes;
  /** Only this server, also when it is disabled. */
  readonly server?: string;
  readonly isProbing: boolean;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

export function examinePlane(plane: DoctorContext, options: DoctorOptions): Promise<CheckResult[]> {
  const { config, file, environment, fixes, server } = options;
  const servers = server === undefined ? plane.config.servers : [plane.server(server)];
  return runChecks([
    () => resultsFor('-').ok('config.parse', `${plane.config.servers.length} servers`),
    ...configChecks({ config, plane: plane.config, file, environment, fixes }),
    () => embedderReachable(options),
    () => stateChecks(plane),
    () => nodeVersion(process.versions.node),
    async () => sandboxBackend(plane, await plane.backends()),
    () => llmReachable(plane, options),
    () => allServers(plane, servers, options),
  ]);
}

/** The only result where the configuration cannot be read. */
export function unreadableConfig(message: string, fixes: Fixes): CheckResult[] {
  return [resultsFor('-').fail('config.parse', message, fixes.edit(message))];
}

async function allServers(
  plane: DoctorContext,
  servers: readonly UpstreamServer[],
  options: DoctorOptions,
): Promise<CheckResult[]> {
  const checks: CheckResult[] = [];
  const probed = new Map<string, CheckResult[]>();
  for (const server of servers) {
    options.progress(`looking at ${server.name}`);
    probed.set(server.name, await probesOf(plane, server, options));
  }
  // After the probes, which update the snapshots that pins and scan are checked by.
  for (const posture of await posturesOf(plane, servers))
    checks.push(
      ...oneServer(posture, options),
      ...(await commandIsOurs(plane, posture.server)),
      ...(probed.get(posture.server.name) ?? []),
    );
  return checks;
}

/**
 * A file or folder that everybody may write keeps the server from starting; the folders above, and what one other user
 * could change, are reported here.
 */
async function commandIsOurs(plane: Pick<Plane, 'verdict'>, server: UpstreamServer): Promise<CheckResult[]> {
  const { found } = await plane.verdict(server);
  if (!found || !server.enabled) return [];
  const files = [found.path, ...(found.scripts ?? []).map(({ path }) => path)];
  const checks = await Promise.all(files.map((path) => writableCheck('command.writable', server.name, path)));
  const open = checks.find(({ status }) => status !== 'ok');
  if (open) return [open];
  const [shared] = (await Promise.all(files.map(sharedPlaceOf))).filter((place) => place !== undefined);
  return [
    shared
      ? sharedResult(server, shared)
      : resultsFor(server.name).ok('command.writable', 'no other user may change it'),
  ];
}

function sharedResult({ name }: UpstreamServer, { path, by }: SharedPlace): CheckResult {
  const { warn } = resultsFor(name);
  return by === 'owner'
    ? warn(
        'command.writable',
        `${path} belongs to another user, who may change it`,
        `sudo chown "$(id -u)" ${quoted(path)}`,
      )
    : warn('command.writable', `the group of ${path} may change it`, `chmod g-w ${quoted(path)}`);
}

function oneServer(posture: Posture, { server: named, environment, fixes }: DoctorOptions): CheckResult[] {
  const { server } = posture;
  const again = fixes.mcp(`doctor ${server.name}`);
  if (!server.enabled && named === undefined)
    return [resultsFor(server.name).skip('safety', `switched off: ${again} looks at it`)];
  return serverChecks(posture, environment, fixes);
}

async function probesOf(
  plane: DoctorContext,
  server: UpstreamServer,
  options: DoctorOptions,
): Promise<CheckResult[]> {
  if (!server.enabled) return options.server === undefined ? [] : notProbed(server, 'switched off');
  if (!options.isProbing) return notProbed(server, 'only with --probe');
  const { rejections } = await plane.verdict(server);
  if (!mayStart(server, rejections)) return notProbed(server, 'it may not be used');
  return probe(plane, server, options);
}

const OLDEST_NODE = [20, 19] as const;

export function nodeVersion(version: string): CheckResult {
  const { ok, fail } = resultsFor('-');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isGood = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  return isGood
    ? ok('node.version', version)
    : fail('node.version', `${version}, and ${OLDEST_NODE.join('.')} is needed`, 'nvm install 22');
}

/** What the configuration asks for, not what else there is: a sandbox that works and is not used protects nobody. */
function sandboxBackend({ config }: Pick<Plane, 'config'>, backends: Backends): CheckResult {
  const { ok, warn, fail } = resultsFor('-');
  const check = 'sandbox.backend';
  const choice = chooseBackend(config.sandbox, backends, { profile: 'restricted' });
  if (isRejection(choice)) return fail(check, choice.reason, INSTALL);
  switch (choice.backend) {
    case 'bwrap':
      return ok(check, `bubblewrap works (${backends.bwrap.path})`);
    case 'srt':
      return ok(check, 'sandbox-runtime works');
    case 'process':
      return warn(check, `servers run without a sandbox: ${choice.warnings.join(' ')}`, INSTALL);
  }
}

const MODEL_TIMEOUT_MS = 5_000;

async function llmReachable({ config }: Pick<Plane, 'config'>, options: DoctorOptions): Promise<CheckResult> {
  const address = config.llm?.baseUrl ?? '';
  const { skip } = resultsFor('llm');
  if (address === '') return skip('llm.reachable', 'no model is configured');
  const fix = options.fixes.edit('correct llm.base_url', 'base_url');
  return modelReachable({ check: 'llm.reachable', target: 'llm', address, fix }, options);
}

/** Notes teach by themselves what words mean; a server of embeddings is for more. */
async function embedderReachable(options: DoctorOptions): Promise<CheckResult> {
  const { embeddings = 'auto' } = options.config.brain ?? {};
  const check = 'embedder.loaded';
  if (typeof embeddings === 'string')
    return resultsFor('-').skip(check, 'no embedding server is configured, and none is needed');
  const fix = options.fixes.edit('correct brain.embeddings.base_url', 'embeddings:');
  return modelReachable({ check, target: 'brain.embeddings', address: embeddings.base_url, fix }, options);
}

interface ModelCheck {
  readonly check: string;
  readonly target: string;
  readonly address: string;
  readonly fix: string;
}

async function modelReachable(
  { check, target, address, fix }: ModelCheck,
  { isProbing, signal }: DoctorOptions,
): Promise<CheckResult> {
  const { ok, skip, warn, fail } = resultsFor(target);
  if (!isProbing) return skip(check, 'only with --probe');
  try {
    const { status } = await safeRead(`${address.replace(/\/+$/, '')}/models`, {
      allow: 'private',
      schemes: ['http', 'https'],
      timeoutMs: MODEL_TIMEOUT_MS,
      maxBytes: 4 * 1024 * 1024,
      signal,
    });
    // A model that answers 401 is reachable.
    return status < 500 ? ok(check, `answers with ${status}`) : warn(check, `answers with ${status}`, fix);
  } catch (error) {
    signal.throwIfAborted();
    return fail(check, error instanceof Error ? error.message : String(error), fix);
  }
}
