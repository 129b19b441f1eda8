/** From a reviewed command to the one file it stands for, and whether somebody else could put another one there. */
import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Rejection } from '../types.ts';
import { isShellOrLauncher } from './words.ts';

export interface FoundCommand {
  /** Where it was found, links not followed. Programs such as a virtual environment's python must be called by it. */
  readonly path: string;
  /** The file itself. */
  readonly realPath: string;
}

export interface Places {
  /** For commands with a `/`. */
  readonly configFolder: string;
  /** Of the operator, for commands without. */
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

/** What is wrong with the file a command leads to. */
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

/** What vanished meanwhile is treated as open: it is no longer the file that was found. */
async function othersMayWrite(path: string): Promise<boolean> {
  const { mode } = await stat(path).catch(() => ({ mode: OTHERS_MAY_WRITE }));
  return (mode & OTHERS_MAY_WRITE) !== 0;
}
