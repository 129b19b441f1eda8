/** The start page: what is served, and how each client connects to this address. */
import {
  isPublicAddress,
  PUBLIC_ADDRESS_NEEDS,
  type ServerMachine,
  type WayToConnect,
  waysToConnect,
} from '../../clients/ways-to-connect.ts';
import { type Html, html } from '../../shared/html.ts';
import { plural } from '../change-words.ts';
import type { ConsolePage } from '../page.ts';

export interface ServedNotebook {
  readonly name: string;
  /** Name of the folder, or kind and host of the server that keeps the notes. */
  readonly place: string;
  /** Undefined where notes are not counted. */
  readonly notes?: number;
  readonly isReadOnly: boolean;
  /** Where clients reach it. */
  readonly path: string;
}

export interface StartFacts {
  readonly origin: string;
  readonly version: string;
  /** Counted when the page is shown. */
  readonly notebooks: () => readonly ServedNotebook[];
  /** What only an admin sees: how Quire is started there, and whole paths of folders. */
  readonly machine?: ServerMachine;
}

export function startPage({ origin, version, notebooks, machine }: StartFacts): ConsolePage {
  return {
    path: '/',
    menu: 'Start',
    show: async ({ viewer }) => {
      const ways = waysToConnect({ origin, machine: viewer.isAdmin ? machine : undefined });
      const tiles = ways.map((way, at) => ({ ...way, tile: wayView(way, at) }));
      const others = tiles.filter(({ isCommon }) => !isCommon);
      return {
        title: 'Connect an assistant to your notes',
        body: html`${servedPart(notebooks(), origin)}
<h2>Connect</h2>
<div class="tiles">${tiles.filter(({ isCommon }) => isCommon).map(({ tile }) => tile)}</div>
<details><summary>Other clients: ${others.map(({ client }) => client).join(', ')}</summary><div class="tiles">${others.map(({ tile }) => tile)}</div></details>
${!isPublicAddress(origin) && html`<p class="note">${PUBLIC_ADDRESS_NEEDS}</p>`}
<p class="quiet">Quire ${version}</p>`,
      };
    },
  };
}

function servedPart(notebooks: readonly ServedNotebook[], origin: string): Html {
  if (notebooks.length === 0)
    return html`<p class="note">No notebook is served here, only other servers.</p>`;
  return html`<h2>Served here</h2>
<div class="card"><ul class="plain rows">${notebooks.map(
    ({ name, place, notes, isReadOnly, path }) =>
      html`<li class="row"><b>${name}</b>${isReadOnly && html` <span class="badge">read-only</span>`} <span>${place}</span> <span class="quiet">${notes === undefined ? 'notes not counted' : plural(notes, 'note')}</span> <code class="end">${origin}${path}</code></li>
`,
  )}</ul></div>`;
}

function wayView({ client, how, what }: WayToConnect, at: number): Html {
  return html`<section class="card" aria-labelledby="client-${at}">
<div class="row"><h3 id="client-${at}">${client}</h3><button class="end" hidden data-copy="way-${at}" aria-describedby="client-${at}">Copy</button></div>
<p class="quiet">${how}</p><pre id="way-${at}">${what}</pre></section>`;
}
