/** The start page: what is served, and how each client connects to this address. */
import { isPublicAddress, PUBLIC_ADDRESS_NEEDS, waysToConnect } from '../../oauth/pages/ways-to-connect.ts';
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
  /** Whole paths of folders by notebook, which only an admin sees. */
  readonly folders: ReadonlyMap<string, string>;
}

export function startPage({ origin, version, notebooks, folders }: StartFacts): ConsolePage {
  return {
    path: '/',
    menu: 'Start',
    show: async ({ viewer }) => {
      const known = viewer.isAdmin && folders.size > 0 ? folders : undefined;
      const ways = waysToConnect({ origin, folders: known });
      return {
        title: 'Connect an assistant to your notes',
        body: html`${servedPart(notebooks(), origin)}
<h2>Connect</h2>
${ways.map(({ client, how, what }, at) => html`<section class="card"><h3 id="client-${at}">${client}</h3><p>${how}</p>${copied(`way-${at}`, what)}</section>`)}
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
<div class="wide"><table><thead><tr><th scope="col">Notebook</th><th scope="col">Notes are in</th><th scope="col">Notes</th><th scope="col">Address</th></tr></thead>
<tbody>${notebooks.map(
    ({
      name,
      place,
      notes,
      isReadOnly,
      path,
    }) => html`<tr><th scope="row">${name}${isReadOnly && html` <span class="badge">read-only</span>`}</th><td>${place}</td><td>${notes === undefined ? 'not counted' : plural(notes, 'note')}</td><td class="mono">${origin}${path}</td></tr>
`,
  )}</tbody></table></div>`;
}

function copied(id: string, what: string): Html {
  return html`<pre id="${id}">${what}</pre><button hidden data-copy="${id}" aria-describedby="${id.replace('way', 'client')}">Copy</button>`;
}
