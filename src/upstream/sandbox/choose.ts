/** Chooses the sandbox that the configuration asks for, and wraps a launch plan in it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Rejection } from '../definition.ts';
import {
  bubblewrapLaunch,
  type Launch,
  type LaunchPlan,
  minimalEnvironment,
  type SandboxBackend,
  type SandboxProfile,
  srtLaunch,
  srtSettings,
} from './backends.ts';
import type { Confinement } from './confinement.ts';
import type { Backends } from './detect.ts';

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

export function chooseBackend(
  settings: SandboxSettings,
  backends: Backends,
  profile: SandboxProfile,
): SandboxChoice | Rejection {
  if (settings.backend === 'process') return withoutSandbox(settings, 'the configuration asks for none');
  const wanted = settings.backend === 'auto' ? (['bwrap', 'srt'] as const) : ([settings.backend] as const);
  const problems = wanted.map((name) => ({ name, problem: problemOf(name, backends, profile) }));
  const found = problems.find(({ problem }) => problem === undefined);
  if (found) return { backend: found.name, warnings: [] };
  return withoutSandbox(settings, problems.map(({ name, problem }) => `${name}: ${problem}`).join('; '));
}

function problemOf(name: 'bwrap' | 'srt', backends: Backends, profile: SandboxProfile): string | undefined {
  if (!backends[name].works) return backends[name].detail ?? 'does not work here';
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

export function isRejection(value: object): value is Rejection {
  return 'code' in value && 'reason' in value;
}

/** `settingsFolder` is for settings files; the server cannot see it. */
export async function sandboxedLaunch(
  plan: LaunchPlan,
  { backend, profile }: Pick<Confinement, 'backend' | 'profile'>,
  { backends, settingsFolder }: { backends: Backends; settingsFolder: string },
): Promise<Launch> {
  if (backend === 'process' || profile === 'none') return bareLaunch(plan);
  if (backend === 'bwrap') return bubblewrapLaunch(backends.bwrap.path ?? 'bwrap', plan, profile);
  const cli = backends.srt.path ?? 'srt';
  const settings = join(settingsFolder, 'srt-settings.json');
  await writeFile(settings, JSON.stringify(srtSettings(cli, plan, profile)), { mode: 0o600 });
  return srtLaunch(cli, plan, settings);
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
