/** How each client connects to the address of this server, as far as that client can reach it. */
import { isLoopbackHost, reachOf } from '../shared/ip-ranges.ts';
import { type Client, type Entry, entryFor, type Launch, type Target } from './client.ts';
import { snippet } from './formats/render.ts';
import { servingFolder } from './launch.ts';
import { shownSystem, usualPlace } from './places.ts';
import { ENTRY_NAME, entryNames } from './recognize.ts';
import { CLIENTS } from './table.ts';

export interface WayToConnect {
  readonly client: string;
  /** Where to put it. */
  readonly how: string;
  /** What to copy. */
  readonly what: string;
  /** Shown at once; the others are folded. */
  readonly isCommon: boolean;
}

interface ServerPlace {
  readonly origin: string;
  /** What the person who runs the server may know about its machine. */
  readonly machine?: ServerMachine;
}

export interface ServerMachine {
  /** What starts Quire there. */
  readonly launch: Launch;
  readonly platform: NodeJS.Platform;
  /** Folders of the notes by notebook. */
  readonly folders: ReadonlyMap<string, string>;
}

/** Whether clients on the internet can reach it, which connect by https only. */
export function isPublicAddress(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  if (protocol !== 'https:' || isLoopbackHost(hostname)) return false;
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  if (/^[\d.]+$|:/.test(bare)) return reachOf(bare) === 'public';
  return bare.includes('.') && !/\.(?:local|lan|home|internal|home\.arpa|test)\.?$/i.test(bare);
}

export const PUBLIC_ADDRESS_NEEDS =
  'Claude on the web and on phones, and ChatGPT, connect from the internet. For them this server needs a public https address: a reverse proxy or a tunnel with a certificate, that address as serve.publicUrl, and a login (auth.mode: oauth).';

const COMMON = ['claude-desktop', 'claude-code', 'cursor', 'vscode'];

export function waysToConnect(place: ServerPlace): WayToConnect[] {
  const url = `${place.origin}/mcp`;
  const isPublic = isPublicAddress(place.origin);
  const onTheWeb: WayToConnect[] = [
    {
      client: 'Claude on the web, on the desktop and on phones',
      how: 'Settings, Connectors, Add custom connector, then this address:',
      what: url,
      isCommon: true,
    },
    {
      client: 'ChatGPT',
      how: 'Settings, Connectors, Create (developer mode), then this address:',
      what: url,
      isCommon: true,
    },
  ];
  // Claude Desktop takes a public address as a connector, without a file.
  const clients = CLIENTS.filter(({ http }) => http !== undefined || !isPublic);
  return [
    ...(isPublic ? onTheWeb : []),
    ...clients.map((client) => wayOf(client, place)),
    {
      client: 'Clients that only know stdio',
      how: 'As the command of the server:',
      what: `npx -y mcp-remote ${url}`,
      isCommon: false,
    },
  ];
}

function wayOf(client: Client, place: ServerPlace): WayToConnect {
  const isCommon = COMMON.includes(client.name);
  const targets = targetsOf(client, place);
  const [[name, target] = []] = targets;
  if (client.command && name !== undefined && target && 'url' in target)
    return { client: client.title, how: 'In a terminal:', what: client.command(target, name), isCommon };
  const platform = place.machine?.platform ?? 'linux';
  const entries = new Map<string, Entry>(
    targets.map(([entry, one]) => [entry, entryFor(client, one, entry, { platform })]),
  );
  const opens = client.opens === undefined ? '' : `, which opens with ${client.opens}`;
  return {
    client: client.title,
    how: `In ${fileOf(client)}${opens}:`,
    what: snippet(client, entries),
    isCommon,
  };
}

/** On the server's own machine, a client that only starts programs can start a Quire over the same notes. */
function targetsOf({ http }: Client, { origin, machine }: ServerPlace): [string, Target][] {
  const isLocal = isLoopbackHost(new URL(origin).hostname);
  if (http || !isLocal || !machine || machine.folders.size === 0)
    return [[ENTRY_NAME, { url: `${origin}/mcp` }]];
  const folders = [...machine.folders];
  const names = entryNames(folders.map(([notebook]) => notebook));
  return folders.map(([notebook, folder], at) => [
    names[at] ?? notebook,
    { launch: servingFolder(machine.launch, folder) },
  ]);
}

/** The file with its path, where that is the same on all systems; else by its name. */
function fileOf(client: Client): string {
  const files = (['linux', 'darwin', 'win32'] as const).map((platform) => {
    const file = usualPlace(client, shownSystem(platform))?.file ?? '';
    return file.replace(/^%USERPROFILE%/, '~').replaceAll('\\', '/');
  });
  const [first = ''] = files;
  return new Set(files).size === 1 ? first : (first.split('/').at(-1) ?? first);
}
