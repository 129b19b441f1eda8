/** Which entries of a client's configuration are Quire's, and what they start. */
import type { ClientSystem, Launch } from './client.ts';
import { isThere, pathsOf } from './places.ts';

type AnyEntry = Readonly<Record<string, unknown>>;

/** The name of an entry, unless another is given. */
export const ENTRY_NAME = 'quire';

/** Names of the entries for some notebooks: a client starts one program for each. */
export function entryNames(notebooks: readonly string[], name = ENTRY_NAME): string[] {
  return notebooks.length < 2
    ? notebooks.map(() => name)
    : notebooks.map((notebook) => `${name}-${notebook}`);
}

/** Whether a name is one that we give by ourselves. */
export function isUsualName(name: string): boolean {
  return name === ENTRY_NAME || name.startsWith(`${ENTRY_NAME}-`);
}

/** The package, its program, or the file of that program. */
const PROGRAM = /(?:^|[\\/])(?:quire-mcp(?:@[\w.^~-]+)?|quire(?:\.(?:cjs|cmd|exe|ps1))?)$/;

/** Whether it starts Quire; an address does not tell what is behind it, so there the name of the entry decides. */
export function isQuires(name: string, entry: AnyEntry): boolean {
  const words = [commandOf(entry)?.command, ...(commandOf(entry)?.args ?? [])];
  if (words.some((word) => word !== undefined && PROGRAM.test(word))) return true;
  const url = urlOf(entry) ?? words.find((word) => /^https?:/.test(word ?? ''));
  return isUsualName(name) && url !== undefined && /\/mcp(?:\/[\w-]+)?\/?$/.test(url);
}

export function commandOf({ command, cmd, args }: AnyEntry): Launch | undefined {
  const program = command ?? cmd;
  if (typeof program !== 'string') return undefined;
  return { command: program, args: Array.isArray(args) ? args.filter((arg) => typeof arg === 'string') : [] };
}

export function urlOf({ url, uri, serverUrl, httpUrl }: AnyEntry): string | undefined {
  return [url, uri, serverUrl, httpUrl].find((value) => typeof value === 'string');
}

/** The program or script of an entry that is not where the entry says; undefined when all is there. */
export async function missingPart(
  { command, args }: Launch,
  system: ClientSystem,
): Promise<string | undefined> {
  const { isAbsolute } = pathsOf(system);
  const [script] = args;
  if (!(await isRunnable(command, system))) return command;
  if (script === undefined || !isAbsolute(script) || !/\.[cm]?js$/.test(script)) return undefined;
  return (await isThere(script)) ? undefined : script;
}

/** A name without a path is looked for as the shell does. */
async function isRunnable(command: string, system: ClientSystem): Promise<boolean> {
  const { isAbsolute, join, delimiter } = pathsOf(system);
  if (isAbsolute(command)) return isThere(command);
  const folders = (system.env.PATH ?? system.env.Path ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '');
  const endings = system.platform === 'win32' ? ['', '.exe', '.cmd', '.bat'] : [''];
  for (const folder of folders)
    for (const ending of endings) if (await isThere(join(folder, command + ending))) return true;
  return false;
}
