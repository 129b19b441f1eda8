/** npm and npx as programs of a chosen Node, and the package as npm packs it. */
import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CLEAN_ENVIRONMENT } from './temp.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIN = dirname(process.env.npm_execpath ?? realpathSync(join(dirname(process.execPath), 'npm')));
const run = promisify(execFile);

export interface NpmOptions {
  /** Where it works. */
  readonly cwd: string;
  /** Home of the one who runs it: nothing of the user's own is read or written. */
  readonly home: string;
  /** The Node that runs npm, and everything npm starts. */
  readonly node?: string;
}

/** What the commands of npm see. */
export function npmEnvironment({ home, node = process.execPath }: Omit<NpmOptions, 'cwd'>) {
  return {
    ...CLEAN_ENVIRONMENT,
    HOME: home,
    PATH: [dirname(node), CLEAN_ENVIRONMENT.PATH].join(delimiter),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_STATE_HOME: join(home, '.local/state'),
    npm_config_cache: join(home, '.npm'),
    npm_config_update_notifier: 'false',
  };
}

async function runScript(script: string, args: readonly string[], options: NpmOptions): Promise<string> {
  const { cwd, node = process.execPath } = options;
  const env = npmEnvironment(options);
  const { stdout } = await run(node, [join(BIN, script), ...args], { cwd, env, timeout: 120_000 });
  return stdout;
}

/** Resolves to what it printed. */
export function npm(args: readonly string[], options: NpmOptions): Promise<string> {
  return runScript('npm-cli.js', args, options);
}

export function npx(args: readonly string[], options: NpmOptions): Promise<string> {
  return runScript('npx-cli.js', args, options);
}

export interface Tarball {
  readonly file: string;
  readonly size: number;
  readonly unpackedSize: number;
}

/** The package as it would be published, of what is built. */
export async function packInto(folder: string): Promise<Tarball> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [packed] = JSON.parse(await npm(args, { cwd: ROOT, home: folder })) as (Omit<Tarball, 'file'> & {
    filename: string;
  })[];
  return { ...packed!, file: join(folder, packed!.filename) };
}
