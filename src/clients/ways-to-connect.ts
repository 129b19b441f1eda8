/** How each client connects to the address of this server, as far as that client can reach it. */
import { isLoopbackHost, reachOf } from '../shared/ip-ranges.ts';
import {
  bridgeTo,
  type Client,
  type ClientSystem,
  commandLine,
  type Entry,
  entryFor,
  type Launch,
  type Target,
} from './client.ts';
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
      what: commandLine(bridgeTo(url, systemOf(place))),
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
  const entries = new Map<string, Entry>(
    targets.map(([entry, one]) => [entry, entryFor(client, one, entry, systemOf(place))]),
  );
  const isBridgedToHere = !client.http && !place.machine && isLocal(place);
  const where = `In ${filesOf(client, place)}${client.opens === undefined ? '' : `, which opens with ${client.opens}`}:`;
  return {
    client: client.title,
    how: isBridgedToHere ? `${SIMPLER} ${where}` : where,
    what: snippet(client, entries),
    isCommon,
  };
}

const SIMPLER =
  'Simpler: run quire connect in a terminal, or sign in here to see an entry that starts Quire itself. Without either:';

function systemOf({ machine }: ServerPlace): Pick<ClientSystem, 'platform'> {
  return { platform: machine?.platform ?? 'linux' };
}

function isLocal({ origin }: ServerPlace): boolean {
  return isLoopbackHost(new URL(origin).hostname);
}

/** On the server's own machine, a client that only starts programs can start a Quire over the same notes. */
function targetsOf({ http }: Client, place: ServerPlace): [string, Target][] {
  const { origin, machine } = place;
  if (http || !isLocal(place) || !machine || machine.folders.size === 0)
    return [[ENTRY_NAME, { url: `${origin}/mcp` }]];
  const folders = [...machine.folders];
  const names = entryNames(folders.map(([notebook]) => notebook));
  return folders.map(([notebook, folder], at) => [
    names[at] ?? notebook,
    { launch: servingFolder(machine.launch, folder) },
  ]);
}

const SYSTEMS = [
  ['macOS', 'darwin'],
  ['Linux', 'linux'],
  ['Windows', 'win32'],
] as const;

/** The file with its path: that of the viewer's system where it is known, else those of all systems. */
function filesOf(client: Client, place: ServerPlace): string {
  const platform = isLocal(place) ? place.machine?.platform : undefined;
  const fileOn = (system: NodeJS.Platform) => usualPlace(client, shownSystem(system))?.file ?? '';
  if (platform !== undefined) return fileOn(platform);
  const systems = new Map<string, string[]>();
  for (const [title, system] of SYSTEMS) {
    const inHome = fileOn(system).replace(
      /^%USERPROFILE%(.*)$/,
      (_, path) => `~${path.replaceAll('\\', '/')}`,
    );
    systems.set(inHome, [...(systems.get(inHome) ?? []), title]);
  }
  const all = [...systems];
  return all.length === 1
    ? (all[0]?.[0] ?? '')
    : all.map(([file, titles]) => `${file} (${titles.join(', ')})`).join(' or ');
}
