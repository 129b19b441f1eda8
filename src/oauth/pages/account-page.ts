/** The account page, which lists the apps that may use a person's notes, and the error page. */

import { type Html, html } from '../../shared/html.ts';
import type { Scope } from '../../shared/principal.ts';
import { describeScopes, type ServedAccess } from '../served-access.ts';
import { layout } from './layout.ts';

interface AccountPageFacts {
  /** Target of the form. */
  readonly action: string;
  readonly ticket: string;
  readonly apps: readonly ShownApp[];
  readonly served?: ServedAccess;
  /** Undefined where there is only an owner. */
  readonly user?: string;
  /** Whether the person has a password here, and so may have second factors. */
  readonly hasPassword?: boolean;
}

interface ShownApp {
  readonly id: string;
  /** Chosen by the app. */
  readonly clientName: string;
  readonly destination: string;
  readonly scopes: readonly Scope[];
  /** Milliseconds since 1970. */
  readonly grantedAt: number;
  readonly usedAt: number;
}

export function accountPage({ action, ticket, apps, served, user, hasPassword }: AccountPageFacts): string {
  return layout(
    'Connected apps',
    html`<h1>Connected apps</h1>
${apps.length === 0 ? html`<p>No app is connected to your notes.</p>` : html`<p>These apps can use your notes. Revoking ends their access at once; they can ask for it again.</p>`}
<form method="post" action="${action}">
<input type="hidden" name="ticket" value="${ticket}">
${apps.map((app) => appOf(app, served))}
<p class="quiet">${user !== undefined && html`Signed in as <b>${user}</b>. `}<button class="link" name="action" value="leave">Sign out</button></p>
${hasPassword && html`<p class="quiet"><a href="${action}/security">Password and second factors</a></p>`}
</form>`,
  );
}

function appOf(app: ShownApp, served: ServedAccess | undefined): Html {
  const { id, clientName, destination, scopes, grantedAt, usedAt } = app;
  return html`<section>
<h2>${clientName}</h2>
<dl>
<dt>May</dt><dd>${describeScopes(scopes, served).join('; ')}</dd>
<dt>Connected through</dt><dd>${destination}</dd>
<dt>Connected</dt><dd>${timeOf(grantedAt)}</dd>
<dt>Last used</dt><dd>${timeOf(usedAt)}</dd>
</dl>
<button name="revoke" value="${id}" aria-label="Revoke the access of ${clientName}">Revoke access</button>
</section>`;
}

function timeOf(milliseconds: number): Html {
  const iso = new Date(milliseconds).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

/** For a person whose session at an identity provider goes on. */
export function signedOutPage(
  again: string,
  { name, href }: { readonly name: string; readonly href: string },
): string {
  return layout(
    'Signed out',
    html`<h1>You are signed out here</h1>
<p>At ${name} you may still be signed in, so that the next person at this browser could come back without a password.</p>
<p><a class="strong" href="${href}">Sign out at ${name} too</a></p>
<p class="quiet"><a href="${again}">Sign in again</a></p>`,
  );
}

/** The error page: the problem, the next step, and a link back if there is a safe one. */
interface ErrorPageFacts {
  readonly title: string;
  readonly message: string;
  readonly hint: string;
  /** Link to the client, followed only by the person. */
  readonly wayBack?: { readonly host: string; readonly address: string };
}

export function errorPage({ title, message, hint, wayBack }: ErrorPageFacts): string {
  return layout(
    title,
    html`<h1>${title}</h1>
<p class="problem" role="alert">${message}</p>
<p>${hint}</p>
${wayBack && html`<p><a href="${wayBack.address}" rel="noreferrer">Go back to ${wayBack.host}</a></p>`}`,
  );
}
