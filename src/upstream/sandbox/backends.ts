/**
 * A launch plan inside a sandbox. bubblewrap: own namespaces, the system read-only, one folder, nothing else.
 * `@anthropic-ai/sandbox-runtime`, where it is installed: a settings file. Variables are passed as the environment, never
 * as arguments, which every user of the machine can read.
 */
import { dirname } from 'node:path';

export type SandboxProfile = 'restricted' | 'readonly' | 'network';
export type SandboxBackend = 'bwrap' | 'srt' | 'process';

/** A reviewed command, ready to run. */
export interface LaunchPlan {
  /** The executable, all links followed. */
  readonly file: string;
  /** The path before links were followed, where it differs: a virtual environment's python finds its packages by it. */
  readonly path?: string;
  readonly args: readonly string[];
  /** The server's own folder on this machine. */
  readonly cwd: string;
  /** The configured variables, without those that `minimalEnvironment` sets. */
  readonly env: Readonly<Record<string, string>>;
  /** Further paths that the server may read. */
  readonly read: readonly string[];
  /** Further paths that it may also write, unless its profile is `readonly`. */
  readonly write?: readonly string[];
}

/** The arguments of `spawn`. */
export interface Launch {
  readonly file: string;
  /** argv[0] of the program; its file when left out. */
  readonly argv0?: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';

/** The environment of a server: a fixed minimum and the configured variables. */
export function minimalEnvironment(
  plan: LaunchPlan,
  { home, temporary }: { readonly home: string; readonly temporary: string },
): Record<string, string> {
  const path = plan.path ?? plan.file;
  const folder = path.slice(0, Math.max(path.lastIndexOf('/'), 1));
  return {
    LANG: 'C.UTF-8',
    ...plan.env,
    PATH: `${folder}:${SYSTEM_PATH}`,
    HOME: home,
    TMPDIR: temporary,
  };
}

/** The server's own folder as seen from inside; the second where the first would hide a readable path. */
const INSIDE = '/work';
const INSIDE_INSTEAD = '/quire-work';

/** The user id of `nobody`. */
const NO_USER = '65534';

const NAMESPACES = ['--unshare-all', '--die-with-parent', '--new-session'];

const SYSTEM = [
  ...['--ro-bind', '/usr', '/usr'],
  ...['--symlink', 'usr/bin', '/bin'],
  ...['--symlink', 'usr/lib', '/lib'],
  ...['--symlink', 'usr/lib64', '/lib64'],
  ...['--proc', '/proc'],
  ...['--dev', '/dev'],
  ...['--tmpfs', '/tmp'],
];

const NO_RIGHTS = ['--cap-drop', 'ALL', '--uid', NO_USER, '--gid', NO_USER];

/** Files for name resolution and TLS trust. */
const NETWORK_FILES = ['/etc/resolv.conf', '/etc/hosts', '/etc/nsswitch.conf', '/etc/ssl/certs'];

export function bubblewrapLaunch(bubblewrap: string, plan: LaunchPlan, profile: SandboxProfile): Launch {
  const shown = shownPaths(plan);
  const called = plan.path ?? plan.file;
  const inside = [called, ...shown, ...(plan.write ?? [])].some((path) => isWithin(path, INSIDE))
    ? INSIDE_INSTEAD
    : INSIDE;
  const args = [
    ...NAMESPACES,
    ...SYSTEM,
    ...(profile === 'network' ? networkArgs() : []),
    ...shown.flatMap((path) => ['--ro-bind', path, path]),
    ...(plan.write ?? []).flatMap((path) => [profile === 'readonly' ? '--ro-bind' : '--bind', path, path]),
    ...nameArgs(called, plan),
    ...[profile === 'readonly' ? '--ro-bind' : '--bind', plan.cwd, inside],
    ...['--chdir', inside],
    ...NO_RIGHTS,
    '--',
    called,
    ...plan.args,
  ];
  const env = minimalEnvironment(plan, { home: inside, temporary: '/tmp' });
  return { file: bubblewrap, args, cwd: plan.cwd, env };
}

function networkArgs(): string[] {
  return ['--share-net', ...NETWORK_FILES.flatMap((path) => ['--ro-bind-try', path, path])];
}

/** bubblewrap runs a program by its path, so a symbolic link to the checked file must exist there. */
function nameArgs(called: string, { file, read }: LaunchPlan): string[] {
  const isThere = called === file || ['/usr', ...read].some((folder) => isWithin(called, folder));
  return isThere ? [] : ['--symlink', file, called];
}

/** The program, unless it is below /usr, and the paths that it may read. */
function shownPaths({ file, read }: LaunchPlan): readonly string[] {
  return isWithin(file, '/usr') ? read : [file, ...read];
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

interface SrtSettings {
  readonly network: { readonly allowedDomains: readonly string[]; readonly deniedDomains: readonly string[] };
  readonly filesystem: {
    readonly denyRead: readonly string[];
    readonly allowRead: readonly string[];
    readonly allowWrite: readonly string[];
    readonly denyWrite: readonly string[];
  };
}

/** sandbox-runtime leaves every path readable by default: personal and system folders are denied, then single paths allowed. */
const CLOSED = ['/home', '/root', '/Users', '/etc', '/var', '/srv', '/opt', '/mnt', '/media', '/tmp'];

/** `cli` is the program of sandbox-runtime, whose helpers are started inside the sandbox. */
export function srtSettings(cli: string, plan: LaunchPlan, profile: SandboxProfile): SrtSettings {
  return {
    network: { allowedDomains: [], deniedDomains: [] },
    filesystem: {
      denyRead: CLOSED,
      allowRead: [
        ...[plan.cwd, plan.file, plan.path ?? plan.file, dirname(dirname(cli))],
        ...[...plan.read, ...(plan.write ?? [])],
      ],
      allowWrite: profile === 'readonly' ? [] : [plan.cwd, ...(plan.write ?? [])],
      denyWrite: [],
    },
  };
}

export function srtLaunch(cli: string, plan: LaunchPlan, settings: string): Launch {
  return {
    file: process.execPath,
    args: [cli, '--settings', settings, '--', plan.path ?? plan.file, ...plan.args],
    cwd: plan.cwd,
    env: minimalEnvironment(plan, { home: plan.cwd, temporary: plan.cwd }),
  };
}
