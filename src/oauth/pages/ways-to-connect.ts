/** How each client connects to the address of this server, as far as that client can reach it. */
import { isLoopbackHost, reachOf } from '../../shared/ip-ranges.ts';

export interface WayToConnect {
  readonly client: string;
  /** Where to put it. */
  readonly how: string;
  /** What to copy. */
  readonly what: string;
}

interface ServerPlace {
  readonly origin: string;
  /** Folders of the notes by notebook, for the person who runs the server; `/path/to/notes` for others. */
  readonly folders?: ReadonlyMap<string, string>;
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

export function waysToConnect({ origin, folders }: ServerPlace): WayToConnect[] {
  const url = `${origin}/mcp`;
  const overHttp: WayToConnect[] = [
    { client: 'Claude Code', how: 'In a terminal:', what: `claude mcp add --transport http quire ${url}` },
    { client: 'Cursor', how: 'In ~/.cursor/mcp.json:', what: jsonOf({ mcpServers: { quire: { url } } }) },
    {
      client: 'VS Code',
      how: 'In .vscode/mcp.json:',
      what: jsonOf({ servers: { quire: { type: 'http', url } } }),
    },
  ];
  const bridge = {
    client: 'Clients that only know stdio',
    how: 'As the command of the server:',
    what: `npx -y mcp-remote ${url}`,
  };
  if (isPublicAddress(origin))
    return [
      {
        client: 'Claude on the web, on the desktop and on phones',
        how: 'Settings, Connectors, Add custom connector, then this address:',
        what: url,
      },
      {
        client: 'ChatGPT',
        how: 'Settings, Connectors, Create (developer mode), then this address:',
        what: url,
      },
      ...overHttp,
      bridge,
    ];
  const desktop = isLoopbackHost(new URL(origin).hostname) ? overStdio(folders) : overBridge(url);
  return [
    {
      client: 'Claude Desktop',
      how: 'Settings, Developer, Edit Config, in claude_desktop_config.json:',
      what: desktop,
    },
    ...overHttp,
    bridge,
  ];
}

/** On this machine a client can start a Quire of its own over the same notes. */
function overStdio(folders: ReadonlyMap<string, string> = new Map([['notes', '/path/to/notes']])): string {
  const servers = [...folders].map(([name, folder]) => [
    name,
    { command: 'npx', args: ['-y', 'quire-mcp', folder] },
  ]);
  return jsonOf({ mcpServers: Object.fromEntries(servers) });
}

function overBridge(url: string): string {
  return jsonOf({
    mcpServers: { quire: { command: 'npx', args: ['-y', 'mcp-remote', url, '--allow-http'] } },
  });
}

/** Short lists stay on one line. */
function jsonOf(value: unknown): string {
  const onOneLine = (_: string, items: string) => `[${items.replace(/\n\s+/g, ' ')}]`;
  return JSON.stringify(value, null, 2).replace(/\[\n\s+([^\]]*)\n\s+\]/g, onOneLine);
}
