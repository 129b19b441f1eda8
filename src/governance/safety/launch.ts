/** The launch plan of a reviewed server, as data. Only for a server without rejections. */
import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { UpstreamServer } from '../../config/control-plane.ts';
import { type Environment, resolveReferences } from '../../config/plane-file.ts';
import { type Rejection, rejectIf } from '../../upstream/definition.ts';
import type { ReviewedFile, StdioTarget } from '../../upstream/target.ts';
import { variablesMissing } from '../refusals.ts';
import { isShellOrLauncher } from './inline-code.ts';

/** A script by the path it is named by, and with all links followed. */
export interface Script {
  readonly path: string;
  readonly realPath: string;
}

/** The file that a reviewed command resolves to. */
export interface FoundCommand {
  /** Links not followed: a virtual environment's python must be called by this path. */
  readonly path: string;
  /** All links followed. */
  readonly realPath: string;
  /** The scripts that it is told to run, where there are any. */
  readonly scripts?: readonly Script[];
  /** Files whose content a verified signature covers; compared again before every start. */
  readonly reviewed?: readonly ReviewedFile[];
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

/** Empty and relative entries of `PATH` depend on the working folder, so they are skipped. */
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

/** Rejects a shell, and a file that another user could replace. */
export async function judgeFound({ path, realPath }: FoundCommand): Promise<Rejection[]> {
  const places = [...new Set([realPath, dirname(realPath), dirname(path)])];
  const isOpen = await Promise.all(places.map(othersMayWrite));
  return [
    ...rejectIf(
      isShellOrLauncher(realPath),
      'command_resolves_to_shell',
      'command points to a shell or to a program that starts others. Name the server itself.',
    ),
    ...rejectIf(
      isOpen.includes(true),
      'command_world_writable',
      'Everybody on this machine may change the executable or its folder. Take the right away (chmod o-w).',
    ),
  ];
}

/** A file that vanished meanwhile counts as writable: it is no longer the file that was found. */
export async function othersMayWrite(path: string): Promise<boolean> {
  const { mode } = await stat(path).catch(() => ({ mode: OTHERS_MAY_WRITE }));
  return (mode & OTHERS_MAY_WRITE) !== 0;
}

/** Throws for a variable that is not set. The sandbox adds the usual variables, and folders are in the confinement. */
export function planLaunch(
  server: UpstreamServer,
  { path, realPath }: FoundCommand,
  environment: Environment,
): StdioTarget['plan'] {
  const { values, missing } = resolveReferences(server.env, environment);
  if (missing.length > 0) throw variablesMissing(server.name, missing, 'env');
  return {
    file: realPath,
    path: path !== realPath ? path : undefined,
    args: Array.isArray(server.args) ? server.args.map(String) : [],
    env: values,
  };
}
