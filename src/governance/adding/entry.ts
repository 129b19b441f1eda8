/**
 * The configuration entry of a server that is added: complete but for its signature. It runs with nothing but its own
 * program, a folder of its own that stays, and the folders it was given as arguments.
 */
import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fromHome } from '../../shared/fs/folder.ts';
import type { MarketInput } from '../marketplace/entry.ts';

export interface AddedServer {
  readonly name: string;
  readonly transport: 'stdio' | 'streamable_http';
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly stdio_allowed_commands?: readonly string[];
  readonly sandbox_profile?: string;
  readonly sandbox_cwd?: string;
  readonly sandbox_read?: readonly string[];
  readonly sandbox_write?: readonly string[];
  readonly sandbox_network?: readonly string[];
  readonly client_consent: 'approved';
  readonly trust: 'reviewed';
  readonly enabled: true;
  readonly expose: true;
}

const AGREED = { client_consent: 'approved', trust: 'reviewed', enabled: true, expose: true } as const;

export function remoteEntry(name: string, url: string): AddedServer {
  return { name, transport: 'streamable_http', url, ...AGREED };
}

/** What an added server reaches: nothing, these hosts and ports, or all of the network. */
export type AddedNetwork = 'none' | 'all' | readonly string[];

interface LocalServer {
  readonly name: string;
  readonly command: string;
  /** Its program where the command is an interpreter. */
  readonly program?: string;
  /** What belongs to the program and is read only. */
  readonly read: readonly string[];
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The folder of its own. */
  readonly data: string;
  readonly workingFolder: string;
  readonly network: AddedNetwork;
}

export function localEntry(server: LocalServer): AddedServer {
  const { name, command, program, data, env, network } = server;
  const { args, folders, files } = argumentsOf(server);
  const read = [...server.read, ...files.map(projectOf)];
  return {
    name,
    transport: 'stdio',
    command,
    args: [...(program === undefined ? [] : [program]), ...args],
    ...(Object.keys(env).length > 0 && { env }),
    stdio_allowed_commands: [command],
    sandbox_profile: network === 'all' ? 'network' : 'restricted',
    sandbox_cwd: data,
    ...(read.length > 0 && { sandbox_read: read }),
    sandbox_write: [data, ...folders],
    ...(typeof network !== 'string' && { sandbox_network: network }),
    ...AGREED,
  };
}

/** Arguments that name something on this machine are made whole paths: the server does not run in this folder. */
function argumentsOf({ words, workingFolder }: Pick<LocalServer, 'words' | 'workingFolder'>) {
  const folders: string[] = [];
  const files: string[] = [];
  const args = words.map((word) => {
    if (!/^[./~]/.test(word)) return word;
    const path = resolve(workingFolder, fromHome(word));
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return word;
    (found.isDirectory() ? folders : files).push(path);
    return path;
  });
  return { args, folders, files };
}

/** Where the modules of a program are: the folder it was installed into, or its project; else the file alone. */
function projectOf(file: string): string {
  const [modules] = /^.*?\/node_modules(?=\/)/.exec(file) ?? [];
  if (modules !== undefined) return modules;
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    if (PROJECT_FILES.some((name) => existsSync(join(folder, name)))) return folder;
  return file;
}

const PROJECT_FILES = ['package.json', 'pyproject.toml'];

/** A variable of a server's catalogue entry that names a file or folder is set to one in its own folder. */
export function ownFiles(inputs: readonly MarketInput[], data: string): Record<string, string> {
  const places = inputs.filter(
    ({ name, value, isSecret }) =>
      !isSecret && value === undefined && /_(?:FILE(?:_PATH)?|PATH|DIR|FOLDER)$/.test(name),
  );
  return Object.fromEntries(
    places.map(({ name }) => {
      const isFolder = /_(?:DIR|FOLDER)$/.test(name);
      return [
        name,
        isFolder ? data : join(data, `${name.toLowerCase().replace(/_(?:file_)?path$|_file$/, '')}.json`),
      ];
    }),
  );
}

/** Beside the state folder: what a server keeps, and its program. No other server sees them. */
export function foldersOf(
  stateDir: string,
  name: string,
): { readonly data: string; readonly package: string } {
  const place = join(dirname(stateDir), 'servers', name);
  return { data: join(place, 'data'), package: join(place, 'package') };
}
