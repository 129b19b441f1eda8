/** The start page: what is served, and how each client connects to this address. */
import { html } from '../../shared/html.ts';
import type { ConsolePage } from '../page.ts';

interface StartFacts {
  readonly origin: string;
  readonly version: string;
  readonly notebooks: readonly string[];
}

export function startPage({ origin, version, notebooks }: StartFacts): ConsolePage {
  return {
    path: '/',
    menu: 'Start',
    show: async () => ({
      title: 'Connect an assistant to your notes',
      body: html`<p>Served: <b>${notebooks.join(', ')}</b></p>
<pre id="mcp-url">${origin}/mcp</pre><button hidden data-copy="mcp-url">Copy</button>
<p class="quiet">Quire ${version}</p>`,
    }),
  };
}
