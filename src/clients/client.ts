/** What is known about an AI client: where it keeps its configuration, and the shape of an MCP server there. */

export type ConfigFormat = 'json' | 'toml' | 'yaml';

/** The machine as clients see it; given, so that the places of every system can be tested on one. */
export interface ClientSystem {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** A program that a client starts. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/** How a client reaches Quire: as a program that it starts, or as a server at an address. */
export type Target = { readonly launch: Launch } | { readonly url: string };

export type EntryValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>>;
/** The settings of one MCP server in a client's configuration. */
export type Entry = Readonly<Record<string, EntryValue>>;

/** A file of configuration that a client reads. `*` stands for any one folder name. */
export interface ConfigPlace {
  readonly file: string;
  /** The client is installed, and reads this file, when this file or folder exists. */
  readonly sign: string;
  /** The client does not read this file when that one exists. */
  readonly without?: string;
  /** Which edition of the client reads it, where there are several. */
  readonly edition?: string;
}

export interface Client {
  /** Its name on the command line. */
  readonly name: string;
  readonly title: string;
  readonly format: ConfigFormat;
  /** The key that holds the servers: a map by name, or a list whose items have a `name`. */
  readonly servers: string;
  readonly isList?: true;
  /** Of this system, the usual place first. */
  readonly places: (system: ClientSystem) => readonly ConfigPlace[];
  /** Environment variables that move those places. */
  readonly movedBy?: readonly string[];
  readonly stdio: (launch: Launch, name: string) => Entry;
  /** Undefined for a client that only starts programs: it gets the bridge `mcp-remote`. */
  readonly http?: (url: string, name: string) => Entry;
  /** What a new file starts with. */
  readonly newFile?: string;
  /** How to open the file in the client. */
  readonly opens?: string;
  /** What to do in the client when its file has changed. */
  readonly next: string;
  /** A command of its own that adds the server, for instructions. */
  readonly command?: (target: Target, name: string) => string;
}

/** Keys that say how a server is reached; all others in an entry are the user's and stay. */
export const TRANSPORT_KEYS: readonly string[] = [
  'type',
  'transport',
  'source',
  'command',
  'cmd',
  'args',
  'url',
  'uri',
  'serverUrl',
  'httpUrl',
];

export function entryFor(
  client: Client,
  target: Target,
  name: string,
  system: Pick<ClientSystem, 'platform'>,
): Entry {
  if ('launch' in target) return client.stdio(target.launch, name);
  return client.http?.(target.url, name) ?? client.stdio(bridgeTo(target.url, system), name);
}

/** For clients that only start programs. */
export function bridgeTo(url: string, { platform }: Pick<ClientSystem, 'platform'>): Launch {
  const insecure = url.startsWith('http:') ? ['--allow-http'] : [];
  return npxLaunch(platform, ['mcp-remote', url, ...insecure]);
}

/** On Windows `npx` is a script, which only a shell can start. */
export function npxLaunch(platform: NodeJS.Platform, args: readonly string[]): Launch {
  return platform === 'win32'
    ? { command: 'cmd', args: ['/c', 'npx', '-y', ...args] }
    : { command: 'npx', args: ['-y', ...args] };
}

/** A command as one line for a shell. */
export function commandLine({ command, args }: Launch): string {
  return [command, ...args].map(quoted).join(' ');
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  // A Windows path is quoted as its shells do, in which a backslash is an ordinary character.
  return /^[A-Za-z]:\\/.test(word) ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`;
}
