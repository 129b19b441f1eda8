/** Everything that could be wrong with the plane, looked at once. Only `probe` starts or reaches a server. */
import type { UpstreamServer } from '../../config/control-plane.ts';
import type { Environment } from '../../config/plane-file.ts';
import type { Config } from '../../config/schema.ts';
import { isAppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import { safeRead } from '../../shared/safe-fetch.ts';
import type { Backends } from '../../upstream/sandbox/detect.ts';
import { openToOthers } from '../files.ts';
import type { Plane } from '../plane.ts';
import { type Posture, posturesOf } from '../posture.ts';
import { type Check, checksOf, type Fixes, quoted, serverPlace } from './check.ts';
import { type ConfigFile, configChecks } from './config-checks.ts';
import { serverChecks } from './server-checks.ts';
import { remoteClock, stateChecks } from './state-checks.ts';

/** What only a server itself can tell: it is started or reached, asked once, and let go. */

const PROBES = ['handshake', 'version', 'list_tools', 'roundtrip'] as const;
const KNOWN_VERSIONS = ['2025-11-25', '2026-07-28'];
const MAX_DETAIL = 300;

/** For servers that are not asked. */
function notProbed({ name, transport }: UpstreamServer, why: string): Check[] {
  const { skip } = checksOf(name);
  return [...(transport === 'streamable_http' ? ['http.reach/tls'] : []), ...PROBES].map((check) =>
    skip(check, why),
  );
}

async function probe(
  plane: Plane,
  server: UpstreamServer,
  { fixes, signal }: { readonly fixes: Fixes; readonly signal: AbortSignal },
): Promise<Check[]> {
  const { ok, skip, warn, fail } = checksOf(server.name);
  const isHttp = server.transport === 'streamable_http';
  const again = fixes.mcp(`discover ${server.name}`);
  const checks: Check[] = [];
  try {
    const upstream = await plane.upstream(server);
    const { protocolVersion = 'none', server: told } = await upstream.connect(signal);
    if (isHttp) checks.push(ok('http.reach/tls', `reached ${new URL(server.url ?? '').host}`));
    checks.push(ok('handshake', printable(`${told?.name ?? 'it'} ${told?.version ?? ''}`, 100)));
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
    const all = [...(isHttp ? ['http.reach/tls'] : []), ...PROBES];
    const [failed = 'handshake', ...rest] = all.filter((name) => !done.includes(name));
    checks.push(fail(failed, reasonOf(error), again), ...rest.map((name) => skip(name, `${failed} failed`)));
  }
  return checks;
}

function reasonOf(error: unknown): string {
  const text = isAppError(error) ? `${error.message} ${error.hint ?? ''}` : String(error);
  return printable(text, MAX_DETAIL);
}

interface DoctorOptions {
  readonly config: Config;
  readonly file: ConfigFile;
  readonly environment: Environment;
  readonly fixes: Fixes;
  /** One server alone; it is looked at even where it is switched off. */
  readonly server?: string;
  readonly isProbing: boolean;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

export async function examinePlane(plane: Plane, options: DoctorOptions): Promise<Check[]> {
  const { config, file, environment, fixes, server } = options;
  const servers = server === undefined ? plane.config.servers : [plane.server(server)];
  return [
    checksOf('-').ok('config.parse', `${plane.config.servers.length} servers`),
    ...(await configChecks({ config, plane: plane.config, file, environment, fixes })),
    ...(await stateChecks(plane)),
    nodeVersion(process.versions.node),
    sandboxBackend(plane, await plane.backends()),
    await llmReachable(plane, options),
    ...(await allServers(plane, servers, options)),
  ];
}

/** When the configuration is no good, nothing else can be said. */
export function unreadableConfig(message: string, fixes: Fixes): Check[] {
  return [checksOf('-').fail('config.parse', message, fixes.edit(message))];
}

async function allServers(
  plane: Plane,
  servers: readonly UpstreamServer[],
  options: DoctorOptions,
): Promise<Check[]> {
  const checks: Check[] = [];
  const probed = new Map<string, Check[]>();
  for (const server of servers) {
    options.progress(`looking at ${server.name}`);
    probed.set(server.name, await probesOf(plane, server, options));
  }
  // After the probes: what a server offers now is what pins and scan speak of.
  for (const posture of await posturesOf(plane, servers))
    checks.push(
      ...oneServer(posture, options),
      ...(await commandIsOurs(plane, posture.server)),
      ...(probed.get(posture.server.name) ?? []),
    );
  return checks;
}

/** Its own folder is a reason not to start it; those above are told here. */
async function commandIsOurs(plane: Plane, server: UpstreamServer): Promise<Check[]> {
  const { found } = await plane.judged(server);
  if (!found || !server.enabled) return [];
  const { ok, fail } = checksOf(server.name);
  const open = await openToOthers(found.path);
  return [
    open === undefined
      ? ok('command.writable', 'nobody else may change it')
      : fail('command.writable', `everybody on this machine may write ${open}`, `chmod o-w ${quoted(open)}`),
  ];
}

function oneServer(posture: Posture, { server: named, environment, fixes }: DoctorOptions): Check[] {
  const { server } = posture;
  if (!server.enabled && named === undefined)
    return [
      checksOf(server.name).skip('safety', `switched off: ${fixes.mcp(`doctor ${server.name}`)} looks at it`),
    ];
  return serverChecks(posture, environment, fixes);
}

async function probesOf(plane: Plane, server: UpstreamServer, options: DoctorOptions): Promise<Check[]> {
  if (!server.enabled) return options.server === undefined ? [] : notProbed(server, 'switched off');
  if (!options.isProbing) return notProbed(server, 'only with --probe');
  const { rejections } = await plane.judged(server);
  if (rejections.length > 0 || server.trust === 'blocked') return notProbed(server, 'it may not be used');
  return probe(plane, server, options);
}

/** The oldest that everything was tried with. */
const OLDEST_NODE = [20, 19] as const;

export function nodeVersion(version: string): Check {
  const { ok, fail } = checksOf('-');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isGood = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  return isGood
    ? ok('node.version', version)
    : fail('node.version', `${version}, and ${OLDEST_NODE.join('.')} is needed`, 'nvm install 22');
}

function sandboxBackend({ config }: Plane, { bwrap, srt }: Backends): Check {
  const { ok, warn, fail } = checksOf('-');
  const install = 'sudo apt-get install -y bubblewrap';
  if (config.sandbox.backend === 'process')
    return warn(
      'sandbox.backend',
      'the configuration asks for none: mcp_sandbox.backend is process',
      install,
    );
  if (bwrap.works) return ok('sandbox.backend', `bubblewrap works (${bwrap.path})`);
  if (srt.works) return ok('sandbox.backend', 'sandbox-runtime works');
  const detail = `bubblewrap: ${bwrap.detail ?? 'does not work'}`;
  return config.sandbox.policy === 'enforce'
    ? fail('sandbox.backend', detail, install)
    : warn('sandbox.backend', `${detail}. Servers run without a sandbox.`, install);
}

const LLM_TIMEOUT_MS = 5_000;

async function llmReachable({ config }: Plane, { isProbing, fixes, signal }: DoctorOptions): Promise<Check> {
  const address = config.llm?.baseUrl ?? '';
  const { ok, skip, warn, fail } = checksOf('llm');
  if (address === '') return skip('llm.reachable', 'no model is configured');
  if (!isProbing) return skip('llm.reachable', 'only with --probe');
  const fix = fixes.edit('correct llm.base_url', 'base_url');
  try {
    const { status } = await safeRead(`${address.replace(/\/+$/, '')}/models`, {
      allow: 'private',
      schemes: ['http', 'https'],
      timeoutMs: LLM_TIMEOUT_MS,
      maxBytes: 4 * 1024 * 1024,
      signal,
    });
    // Who asks for a key is there.
    return status < 500
      ? ok('llm.reachable', `answers with ${status}`)
      : warn('llm.reachable', `answers with ${status}`, fix);
  } catch (error) {
    signal.throwIfAborted();
    return fail('llm.reachable', error instanceof Error ? error.message : String(error), fix);
  }
}
