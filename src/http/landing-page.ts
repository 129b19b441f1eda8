/** What somebody sees who opens the server's address in a browser: what it is, and how to connect to it. */
import type { Route } from '../shared/exchange.ts';

export interface LandingFacts {
  readonly origin: string;
  readonly version: string;
  readonly notebooks: readonly string[];
  readonly needsLogin: boolean;
}

const STYLE = `
:root { color-scheme: light dark; font: 1.05rem/1.55 system-ui, sans-serif; }
body { max-width: 44rem; margin: 3rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .4rem; }
pre { padding: .8rem 1rem; border: 1px solid #8885; border-radius: .5rem; overflow-x: auto; font-size: .9rem; }
p { margin: .4rem 0; }
.quiet { opacity: .7; }`;

export function landingRoute(facts: LandingFacts): Route {
  const page = landingPage(facts);
  return {
    method: 'GET',
    path: '/',
    handle: async () =>
      new Response(page, {
        headers: {
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Security-Policy':
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
          'Referrer-Policy': 'no-referrer',
        },
      }),
  };
}

function landingPage({ origin, version, notebooks, needsLogin }: LandingFacts): string {
  const url = `${origin}/mcp`;
  const ways: readonly (readonly [string, string, string])[] = [
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
  const sections = ways.map(
    ([client, how, what]) =>
      `<h2>${escapeHtml(client)}</h2>\n<p>${escapeHtml(how)}</p>\n<pre>${escapeHtml(what)}</pre>`,
  );
  const login = needsLogin ? '<p>The client will send you here to log in.</p>' : '';
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Quire</title><style>${STYLE}</style></head>
<body>
<h1>Quire</h1>
<p>This server gives AI assistants access to notes: ${escapeHtml(notebooks.join(', '))}.</p>
${login}
${sections.join('\n')}
<p class="quiet">Quire ${escapeHtml(version)}</p>
</body>
</html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
