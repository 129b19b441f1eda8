/** Chooses the sandbox that the configuration asks for, and wraps a launch plan in it. */
import { lstat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ifPresent } from '../../shared/fs/errno.ts';
import type { Rejection } from '../definition.ts';
import {
  bubblewrapLaunch,
  countedLaunch,
  isWithin,
  type Launch,
  type LaunchPlan,
  minimalEnvironment,
  type PlacedPath,
  type SandboxBackend,
  type SandboxProfile,
  srtLaunch,
  srtSettings,
} from './backends.ts';
import type { Confinement } from './confinement.ts';
import type { Backends } from './detect.ts';
import { nameFiles, relayLaunch } from './relay.ts';

export interface SandboxSettings {
  readonly backend: 'auto' | SandboxBackend;
  /** Without a sandbox: `warn` starts the server with a warning, `enforce` does not start it. */
  readonly policy: 'warn' | 'enforce';
}

interface SandboxChoice {
  /** `process`: no sandbox, only an environment and a process group of its own. */
  readonly backend: SandboxBackend;
  readonly warnings: readonly string[];
}

/** Programs that fetch packages from the network, which most profiles do not have. */
export const INSTALL = 'sudo apt-get install -y bubblewrap';

const FETCHERS = ['npx', 'uvx', 'bunx', 'npx-cli.js', 'pipx'];

/** What a sandbox must be able to do. */
interface Wanted {
  readonly profile: SandboxProfile;
  /** The server reaches some hosts, and no others. */
  readonly hasHosts?: boolean;
}

export function chooseBackend(
  settings: SandboxSettings,
  backends: Backends,
  wanted: Wanted,
): SandboxChoice | Rejection {
  const without = wanted.hasHosts ? withoutHosts : withoutSandbox;
  if (settings.backend === 'process') return without(settings, 'the configuration asks for none');
  const names = settings.backend === 'auto' ? (['bwrap', 'srt'] as const) : ([settings.backend] as const);
  const problems = names.map((name) => ({ name, problem: problemOf(name, backends, wanted) }));
  const found = problems.find(({ problem }) => problem === undefined);
  if (found) return { backend: found.name, warnings: [] };
  return without(settings, problems.map(({ name, problem }) => `${name}: ${problem}`).join('; '));
}

function problemOf(
  name: 'bwrap' | 'srt',
  backends: Backends,
  { profile, hasHosts }: Wanted,
): string | undefined {
  if (!backends[name].works) return backends[name].detail ?? 'does not work here';
  if (name === 'srt' && hasHosts) return 'cannot limit the network to the hosts of sandbox_network';
  // sandbox-runtime allows the network by domain, and the configuration has no domains.
  return name === 'srt' && profile === 'network' ? 'has no profile network' : undefined;
}

function withoutSandbox({ policy }: SandboxSettings, why: string): SandboxChoice | Rejection {
  if (policy === 'enforce')
    return {
      code: 'sandbox_unavailable',
      reason: `There is no sandbox for it (${why}), and without one it is not started. Install bubblewrap (${INSTALL}). To start it without, as before: mcp_sandbox: { policy: warn } for all servers, or sandbox_profile: none with a sandbox_waiver for this one.`,
    };
  return {
    backend: 'process',
    warnings: [`Runs without a sandbox, because mcp_sandbox.policy is warn (${why}).`],
  };
}

/** A list of hosts that limits nothing would be believed: here `policy: warn` does not count. */
function withoutHosts(_: SandboxSettings, why: string): Rejection {
  return {
    code: 'sandbox_unavailable',
    reason: `Only bubblewrap limits it to the hosts of sandbox_network (${why}), and without it the server is not started, whatever mcp_sandbox.policy says. Install bubblewrap (${INSTALL}), or take sandbox_network out.`,
  };
}

export function isRejection(value: object): value is Rejection {
  return 'code' in value && 'reason' in value;
}

/** Of the relay and the second bubblewrap around a server that reaches some hosts. */
const RELAY_THREADS = 32;

/** `settingsFolder` is for settings files and the socket of the network; the server cannot see it. */
export async function sandboxedLaunch(
  plan: LaunchPlan,
  { backend, profile, network }: Pick<Confinement, 'backend' | 'profile' | 'network'>,
  { backends, settingsFolder }: { backends: Backends; settingsFolder: string },
): Promise<Launch> {
  if (backend === 'process' || profile === 'none') return bareLaunch(plan);
  const bubblewrap = backends.bwrap.path ?? 'bwrap';
  if (backend === 'bwrap' && network) {
    const names = await writeNames(settingsFolder, network, plan);
    const inner = bubblewrapLaunch(bubblewrap, { ...plan, names }, profile);
    const launch = relayLaunch(bubblewrap, inner, { list: network, folder: settingsFolder });
    return countedLaunch(launch, plan, RELAY_THREADS);
  }
  if (backend === 'bwrap') return countedLaunch(bubblewrapLaunch(bubblewrap, plan, profile), plan);
  const cli = backends.srt.path ?? 'srt';
  const settings = join(settingsFolder, 'srt-settings.json');
  await writeFile(settings, JSON.stringify(srtSettings(cli, plan, profile)), { mode: 0o600 });
  return srtLaunch(cli, plan, settings);
}

/** In a readable /etc they can be mounted over files only; a link there, as many have for resolv.conf, leads nowhere. */
async function writeNames(
  folder: string,
  list: readonly string[],
  { read, write = [] }: LaunchPlan,
): Promise<PlacedPath[]> {
  const names: PlacedPath[] = [];
  for (const [path, text] of Object.entries(nameFiles(list))) {
    const isShown = [...read, ...write].some((one) => isWithin(path, one.path));
    if (isShown && !(await ifPresent(lstat(path)))?.isFile()) continue;
    const realPath = join(folder, basename(path));
    await writeFile(realPath, text, { mode: 0o644 });
    names.push({ path, realPath });
  }
  return names;
}

function bareLaunch(plan: LaunchPlan): Launch {
  const env = minimalEnvironment(plan, { home: plan.cwd, temporary: plan.cwd });
  const { file, path, args, cwd } = plan;
  return { file, args, cwd, env, argv0: path };
}

/** Warnings about a launch that is likely to fail. */
export function launchWarnings(plan: Pick<LaunchPlan, 'file' | 'path'>, profile: SandboxProfile): string[] {
  const path = plan.path ?? plan.file;
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (profile === 'network' || !FETCHERS.includes(name)) return [];
  return [
    `${name} fetches packages, and the profile ${profile} has no network. Install the server beforehand and name its program, or use the profile network.`,
  ];
}
