/** What somebody sees who opens the server's address in a browser: what it is, and how to connect to it. */
import { html, layout } from './layout.ts';

export interface LandingFacts {
  readonly origin: string;
  readonly version: string;
  /** Undefined where their names are not for strangers. */
  readonly notebooks?: readonly string[];
  readonly needsLogin: boolean;
}

export function landingPage({ origin, version, notebooks, needsLogin }: LandingFacts): string {
  const url = `${origin}/mcp`;
  const ways: readonly (readonly [client: string, how: string, what: string])[] = [
    ['Claude (web, desktop, phone)', 'Settings, Connectors, Add custom connector, then this address:', url],
    ['Claude Code', 'In a terminal:', `claude mcp add --transport http quire ${url}`],
    ['Cursor', 'In ~/.cursor/mcp.json:', JSON.stringify({ mcpServers: { quire: { url } } }, null, 2)],
    [
      'VS Code',
      'In .vscode/mcp.json:',
      JSON.stringify({ servers: { quire: { type: 'http', url } } }, null, 2),
    ],
    ['ChatGPT', 'Settings, Connectors, Create (developer mode), then this address:', url],
    ['Clients that only know stdio', 'As the command of the server:', `npx mcp-remote ${url}`],
  ];
  return layout(
    'Connect',
    html`<h1>Connect an assistant to these notes</h1>
<p>This server gives AI assistants access to notes${notebooks && html`: <b>${notebooks.join(', ')}</b>`}.</p>
${needsLogin && html`<p>The client will send you here to sign in. Those you have let in are on <a href="/account">your page of connected apps</a>.</p>`}
${ways.map(([client, how, what]) => html`<h2>${client}</h2><p>${how}</p><pre>${what}</pre>`)}
<p class="quiet">Quire ${version}</p>`,
  );
}
