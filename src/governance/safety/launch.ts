/** The launch plan of a reviewed server, as data. Only for a server without rejections. */
import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { UpstreamServer } from '../../config/control-plane.ts';
import { type Environment, resolveReferences } from '../../config/plane-file.ts';
import type { Rejection } from '../../upstream/definition.ts';
import { variablesMissing } from '../refusals.ts';
import { isShellOrLauncher } from './arguments.ts';

/** Resolves a reviewed command to one file, and checks whether another user could replace that file. */
export interface FoundCommand {
  /** Where it was found, links not followed. Programs such as a virtual environment's python must be called by it. */
  readonly path: string;
  /** The file itself. */
  readonly realPath: string;
}

export interface Places {
  /** For commands with a `/`. */
  readonly configFolder: string;
  /** The operator's `PATH`, for commands without a `/`. */
  readonly searchPath: string;
}

const OTHERS_MAY_WRITE = 0o002;
const MAX_PLACES = 200;

export async function findCommand(
  command: string,
  { configFolder, searchPath }: Places,
): Promise<FoundCommand | undefined> {
  for (const path of candidates(command, configFolder, searchPath)) {
    const realPath = await executableAt(path);
    if (realPath !== undefined) return { path, realPath };
  }
  return undefined;
}

/** An empty or relative entry of the path would mean wherever we happen to be. */
function candidates(command: string, configFolder: string, searchPath: string): string[] {
  if (command.includes('/')) return [resolve(configFolder, command)];
  const folders = searchPath.split(':').filter(isAbsolute).slice(0, MAX_PLACES);
  return folders.map((folder) => join(folder, command));
}

async function executableAt(path: string): Promise<string | undefined> {
  try {
    const realPath = await realpath(path);
    if (!(await stat(realPath)).isFile()) return undefined;
    await access(realPath, constants.X_OK);
    return realPath;
  } catch {
    return undefined;
  }
}

/** Rejections of the file that a command resolves to. */
export async function judgeFound({ path, realPath }: FoundCommand): Promise<Rejection[]> {
  const problems: Rejection[] = [];
  if (isShellOrLauncher(realPath))
    problems.push({
      code: 'command_resolves_to_shell',
      reason: 'command leads to a shell or to a program that starts others. Name the server itself.',
    });
  const places = [...new Set([realPath, dirname(realPath), dirname(path)])];
  const isOpen = await Promise.all(places.map(othersMayWrite));
  if (isOpen.includes(true))
    problems.push({
      code: 'command_world_writable',
      reason:
        'Everybody on this machine may change the executable or its folder. Take the right away (chmod o-w).',
    });
  return problems;
}

/** A file that vanished meanwhile counts as writable: it is no longer the file that was found. */
async function othersMayWrite(path: string): Promise<boolean> {
  const { mode } = await stat(path).catch(() => ({ mode: OTHERS_MAY_WRITE }));
  return (mode & OTHERS_MAY_WRITE) !== 0;
}

interface ServerLaunch {
  /** The executable itself, all links followed: no link can be turned between the check and the start. */
  readonly file: string;
  /** How it was called; a virtual environment's python finds its packages by this. */
  readonly argv0: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of it: nothing of our own environment is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Further paths that the server may read. */
  readonly read: readonly string[];
}

interface LaunchOptions {
  readonly found: FoundCommand;
  /** Where the secrets are that the configuration names. */
  readonly environment: Environment;
  /** An empty folder of its own (0700), for a server that has none configured. */
  readonly freshFolder: string;
}

export function planLaunch(
  server: UpstreamServer,
  { found, environment, freshFolder }: LaunchOptions,
): ServerLaunch {
  const cwd = server.sandboxCwd ?? freshFolder;
  const { values, missing } = resolveReferences(server.env, environment);
  if (missing.length > 0) throw variablesMissing(server.name, missing, 'env');
  return {
    file: found.realPath,
    argv0: found.path,
    args: Array.isArray(server.args) ? server.args.map(String) : [],
    cwd,
    env: {
      HOME: cwd,
      TMPDIR: cwd,
      LANG: 'C.UTF-8',
      ...values,
      PATH: `${dirname(found.path)}:/usr/local/bin:/usr/bin:/bin`,
    },
    read: server.sandboxRead,
  };
}
