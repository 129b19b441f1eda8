/**
 * A launch plan inside a sandbox. bubblewrap: own namespaces, the system read-only, one folder, bounded, nothing else.
 * `@anthropic-ai/sandbox-runtime`, where it is installed: a settings file. Variables are passed as the environment, never
 * as arguments, which every user of the machine can read.
 */
import { dirname, join, relative } from 'node:path';
import { inCountedNamespace, type ProcessCount } from './process-count.ts';

export type SandboxProfile = 'restricted' | 'readonly' | 'network';
export type SandboxBackend = 'bwrap' | 'srt' | 'process';

/** A path as it is configured, and with all links followed. */
export interface PlacedPath {
  readonly path: string;
  readonly realPath: string;
}

/** A path that no server may see, all links followed. */
export interface MaskedPath {
  readonly path: string;
  readonly isFolder: boolean;
}

/** How much of this machine a server may use. */
export interface Bounds {
  /** Memory of each process. */
  readonly memoryMb: number;
  /** Processes and threads; undefined where the system does not bound them. */
  readonly processes?: number;
  readonly processCount?: ProcessCount;
  /** Processor time of each process. */
  readonly cpuS: number;
  /** Each of its temporary folders. */
  readonly tmpMb: number;
  readonly openFiles: number;
}

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
  readonly read: readonly PlacedPath[];
  /** Further paths that it may also write, unless its profile is `readonly`. */
  readonly write?: readonly PlacedPath[];
  readonly masked?: readonly MaskedPath[];
  readonly bounds?: Bounds;
  /** The server cannot make user namespaces of its own. */
  readonly isSealed?: boolean;
  /** For a server that reaches some hosts: the files by which it finds them. */
  readonly names?: readonly PlacedPath[];
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

const MB = 1_048_576;

function namespaceArgs({ isSealed }: LaunchPlan): string[] {
  const sealed = isSealed ? ['--unshare-user', '--disable-userns'] : [];
  return ['--unshare-all', ...sealed, '--die-with-parent', '--new-session'];
}

/** /proc is read-only because root inside is root outside to the files of /proc/sys, whatever its capabilities. */
function systemArgs({ bounds, isSealed }: LaunchPlan): string[] {
  // bubblewrap that cannot seal cannot limit a tmpfs either.
  const size = bounds && isSealed ? ['--size', String(bounds.tmpMb * MB)] : [];
  return [
    ...['--ro-bind', '/usr', '/usr'],
    ...['--symlink', 'usr/bin', '/bin'],
    ...['--symlink', 'usr/lib', '/lib'],
    ...['--symlink', 'usr/lib64', '/lib64'],
    ...['--proc', '/proc', '--remount-ro', '/proc'],
    ...['--dev', '/dev', ...size, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...[...size, '--tmpfs', '/tmp'],
  ];
}

const NO_RIGHTS = ['--cap-drop', 'ALL', '--uid', NO_USER, '--gid', NO_USER];

const CERTIFICATES = '/etc/ssl/certs';
/** Files for name resolution and TLS trust. */
const NETWORK_FILES = ['/etc/resolv.conf', '/etc/hosts', '/etc/nsswitch.conf', CERTIFICATES];

export function bubblewrapLaunch(bubblewrap: string, plan: LaunchPlan, profile: SandboxProfile): Launch {
  const shown = shownPaths(plan);
  const { write = [] } = plan;
  const called = plan.path ?? plan.file;
  const isTaken = [called, ...[...shown, ...write].map(({ path }) => path)].some((path) =>
    isWithin(path, INSIDE),
  );
  const inside = isTaken ? INSIDE_INSTEAD : INSIDE;
  const own = profile === 'readonly' ? '--ro-bind' : '--bind';
  const { masked = [] } = plan;
  // The server's own paths may lie in a masked folder: they are mounted over the mask.
  const around = shown.filter(({ realPath }) => !masked.some(({ path }) => isWithin(realPath, path)));
  const masks = masksOver([USR, ...around], masked);
  const ownMasks = masksOver([...write, { path: inside, realPath: plan.cwd }], masked);
  const args = [
    ...namespaceArgs(plan),
    ...systemArgs(plan),
    ...(profile === 'network' ? networkArgs() : []),
    ...around.flatMap((one) => bindArgs('--ro-bind', one)),
    ...masks.flatMap(({ args: mount }) => mount),
    ...shown.filter((one) => !around.includes(one)).flatMap((one) => bindArgs('--ro-bind', one)),
    ...write.flatMap((one) => bindArgs(own, one)),
    ...nameArgs(called, plan),
    ...bindArgs(own, { path: inside, realPath: plan.cwd }),
    ...ownMasks.flatMap(({ args: mount }) => mount),
    ...nameFileArgs(plan),
    ...[...masks, ...ownMasks].flatMap(({ place, isFolder }) => (isFolder ? ['--remount-ro', place] : [])),
    // The folder that all is mounted in is a tmpfs without a limit.
    ...['--remount-ro', '/', '--chdir', inside],
    ...NO_RIGHTS,
    '--',
    ...boundArgs(plan.bounds),
    called,
    ...plan.args,
  ];
  const env = minimalEnvironment(plan, { home: inside, temporary: '/tmp' });
  return { file: bubblewrap, args, cwd: plan.cwd, env };
}

/** `own`: processes and threads in the sandbox that are not the server's. */
export function countedLaunch(launch: Launch, { bounds }: Pick<LaunchPlan, 'bounds'>, own = 0): Launch {
  const { processes, processCount } = bounds ?? {};
  return processes !== undefined && processCount === 'namespace'
    ? inCountedNamespace(launch, processes + own)
    : launch;
}

const USR: PlacedPath = { path: '/usr', realPath: '/usr' };

function bindArgs(how: '--bind' | '--ro-bind', { path, realPath }: PlacedPath): string[] {
  return [how, realPath, path];
}

/** An empty folder or an unreadable file over each path that lies within a visible one. */
function masksOver(visible: readonly PlacedPath[], masked: readonly MaskedPath[]) {
  return visible.flatMap(({ path, realPath }) =>
    masked
      .filter((one) => isWithin(one.path, realPath))
      .map((one) => {
        const place = join(path, relative(realPath, one.path));
        const args = one.isFolder ? ['--tmpfs', place] : ['--ro-bind', '/dev/null', place];
        return { place, args, isFolder: one.isFolder };
      }),
  );
}

const PRLIMIT = '/usr/bin/prlimit';
/** Behind the work of people, ahead of nothing else. */
const NICE = ['/usr/bin/nice', '-n', '5'];

/**
 * Limits of processes (setrlimit), set inside: RLIMIT_NPROC then counts the processes of the sandbox alone. Memory is
 * RLIMIT_DATA, because V8 and Go reserve far more addresses than they use.
 */
function boundArgs(bounds: Bounds | undefined): string[] {
  if (!bounds) return [];
  const { memoryMb, processes, processCount, cpuS, openFiles } = bounds;
  return [
    ...NICE,
    PRLIMIT,
    `--data=${memoryMb * MB}`,
    ...(processes !== undefined && processCount === 'rlimit' ? [`--nproc=${processes}`] : []),
    `--cpu=${cpuS}`,
    `--nofile=${openFiles}`,
    '--core=0',
    '--',
  ];
}

function networkArgs(): string[] {
  return ['--share-net', ...NETWORK_FILES.flatMap((path) => ['--ro-bind-try', path, path])];
}

/** The network is that of the relay beside it. The files are mounted over those of a readable /etc. */
function nameFileArgs({ names }: LaunchPlan): string[] {
  if (!names) return [];
  return [
    '--share-net',
    ...names.flatMap((one) => bindArgs('--ro-bind', one)),
    ...['--ro-bind-try', CERTIFICATES, CERTIFICATES],
  ];
}

/** bubblewrap runs a program by its path, so a symbolic link to the checked file must exist there. */
function nameArgs(called: string, { file, read, write = [] }: LaunchPlan): string[] {
  const folders = ['/usr', ...[...read, ...write].map(({ path }) => path)];
  const isThere = called === file || folders.some((folder) => isWithin(called, folder));
  return isThere ? [] : ['--symlink', file, called];
}

/** The program, unless it is below /usr, and the paths that it may read. */
function shownPaths({ file, read }: LaunchPlan): readonly PlacedPath[] {
  return isWithin(file, '/usr') ? read : [{ path: file, realPath: file }, ...read];
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
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
  const masked = (plan.masked ?? []).map(({ path }) => path);
  const write = (plan.write ?? []).map(({ realPath }) => realPath);
  return {
    network: { allowedDomains: [], deniedDomains: [] },
    filesystem: {
      denyRead: [...CLOSED, ...masked],
      allowRead: [
        plan.cwd,
        plan.file,
        plan.path ?? plan.file,
        ...plan.read.map(({ realPath }) => realPath),
        ...write,
        dirname(dirname(cli)),
      ],
      allowWrite: profile === 'readonly' ? [] : [plan.cwd, ...write],
      denyWrite: masked,
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
