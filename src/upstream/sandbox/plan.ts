/** The launch of a stdio server, before and after a sandbox is put around it. */

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
