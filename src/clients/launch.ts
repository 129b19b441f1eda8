/** The command that starts Quire again from where it stands, for clients that know no shell and no `PATH`. */
import { realpath } from 'node:fs/promises';
import { type ClientSystem, type Launch, npxLaunch } from './client.ts';
import { pathsOf } from './places.ts';

export const PACKAGE = 'quire-mcp';

export interface RunningProgram {
  /** The running Node. */
  readonly node: string;
  /** The launcher of Quire. */
  readonly script: string;
}

/** Folders that npx, `pnpm dlx` and the like make for one run. */
const PASSING = /[\\/](?:_npx|dlx|bunx)[\\/-]/;

/** From a folder that will go, the package by its name; else this very program. */
export async function launchOf(program: RunningProgram, system: ClientSystem): Promise<Launch> {
  if (PASSING.test(program.script)) return npxLaunch(system.platform, [PACKAGE]);
  return { command: await lastingNode(program.node, system), args: [program.script] };
}

/** The Node on the path, where it is the running one: its own name may have a version in it, and go with the next update. */
async function lastingNode(node: string, system: ClientSystem): Promise<string> {
  const { join, delimiter, isAbsolute } = pathsOf(system);
  if (system.platform === 'win32') return node;
  const running = await realpath(node).catch(() => node);
  for (const folder of (system.env.PATH ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const candidate = join(folder, 'node');
    if ((await realpath(candidate).catch(() => undefined)) === running) return candidate;
  }
  return node;
}

/** Serves a folder, with the tools by which an assistant says what it changed and undoes it. */
export function servingFolder(launch: Launch, folder: string): Launch {
  return launching(launch, folder, '--tools', 'notebook,history');
}

/** The same program with more arguments. */
export function launching({ command, args }: Launch, ...more: readonly string[]): Launch {
  return { command, args: [...args, ...more] };
}
