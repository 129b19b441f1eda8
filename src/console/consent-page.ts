/** Where somebody decides whether a client may use their notes. */
import type { Scope } from '../shared/principal.ts';
import {
  describeDestination,
  describeVoucher,
  type ShownClient,
  type ShownDestination,
} from './client-words.ts';
import { type Html, html } from './html.ts';
import { layout } from './layout.ts';
import { describeScopes } from './scope-words.ts';

export interface ConsentPageFacts {
  /** Where the form goes. */
  readonly action: string;
  readonly ticket: string;
  readonly client: ShownClient;
  readonly scopes: readonly Scope[];
  /** Undefined where there is only an owner. */
  readonly user?: string;
}

export function consentPage({ action, ticket, client, scopes, user }: ConsentPageFacts): string {
  return layout(
    'Allow access',
    html`<h1>Allow ${client.name} to use your notes?</h1>
<p>It will be able to:</p>
<ul>${describeScopes(scopes).map((words) => html`<li>${words}</li>`)}</ul>
<dl>
<dt>Its name is vouched for by</dt><dd>${describeVoucher(client)}</dd>
<dt>You will be sent back to</dt><dd>${describeDestination(client.destination)}</dd>
</dl>
${warningAbout(client.destination)}
<form method="post" action="${action}">
<input type="hidden" name="ticket" value="${ticket}">
<button class="strong" name="action" value="approve">Allow</button>
<button name="action" value="deny">Do not allow</button>
${user !== undefined && html`<p class="quiet">Signed in as <b>${user}</b>. <button class="link" name="action" value="switch">Someone else?</button></p>`}
</form>`,
  );
}

const LOCAL_WARNING = html`<p class="note">Any program on your device could ask like this. Allow it only if you started this yourself just now.</p>`;

function warningAbout({ kind, host }: ShownDestination): Html | undefined {
  switch (kind) {
    case 'web':
      return undefined;
    case 'device':
      return LOCAL_WARNING;
    case 'app':
      return html`<p class="problem">This server cannot tell which app gets this access: any app on your device can claim <b>${host}</b> links.</p>
${LOCAL_WARNING}`;
  }
}
