/** The landing page at the server's address, for anybody: what it is and how to connect, and nothing of the notes. */
import {
  isPublicAddress,
  PUBLIC_ADDRESS_NEEDS,
  type WayToConnect,
  waysToConnect,
} from '../../clients/ways-to-connect.ts';
import { type Html, html } from '../../shared/html.ts';
import { layout } from './layout.ts';

export interface LandingFacts {
  readonly origin: string;
  readonly version: string;
  readonly needsLogin: boolean;
  readonly hasConsole: boolean;
}

export function landingPage({ origin, version, needsLogin, hasConsole }: LandingFacts): string {
  const ways = waysToConnect({ origin });
  const others = ways.filter(({ isCommon }) => !isCommon);
  return layout(
    'Connect',
    html`<h1>Connect an assistant to these notes</h1>
<p>This server gives AI assistants access to notes.</p>
${needsLogin && html`<p>The client will send you here to sign in. The apps you have allowed are on <a href="/account">your page of connected apps</a>.</p>`}
${hasConsole && html`<p>If the notes are yours, <a href="/console/enter">open the console</a>: it shows what assistants change, and undoes it.</p>`}
${ways.filter(({ isCommon }) => isCommon).map(wayView)}
<details><summary>Other clients: ${others.map(({ client }) => client).join(', ')}</summary>${others.map(wayView)}</details>
${!isPublicAddress(origin) && html`<p class="note">${PUBLIC_ADDRESS_NEEDS}</p>`}
<p class="quiet">Quire ${version}</p>`,
  );
}

export function unknownPage(path: string): string {
  return layout(
    'No such page',
    html`<h1>There is no such page</h1>
<p>There is nothing at <code>${path}</code> on this server.</p>
<p><a href="/">Go to the start page</a></p>`,
  );
}

function wayView({ client, how, what }: WayToConnect): Html {
  return html`<h2>${client}</h2><p>${how}</p><pre>${what}</pre>`;
}
