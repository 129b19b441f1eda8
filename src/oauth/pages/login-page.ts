/** The login page: name and password, or the owner's token alone. */
import { type Html, html } from '../../shared/html.ts';
import { describeDestination, type ShownClient } from './consent-page.ts';
import { layout } from './layout.ts';

export interface LoginPageFacts {
  /** Target of the form. */
  readonly action: string;
  readonly ticket: string;
  /** The client that requests the login; undefined for a visit to the account page. */
  readonly client?: ShownClient;
  readonly asks: 'name and password' | 'owner token';
  /** The heading, where no client requests the login. */
  readonly purpose?: string;
  /** An identity provider to sign in at instead. */
  readonly provider?: { readonly name: string; readonly href: string };
  /** Why the page is shown again. */
  readonly after?: 'refused' | 'slowed' | 'busy' | 'again';
}

const REFUSED = {
  'name and password':
    'The name or the password is wrong, or there were too many attempts. Wait a little before you try again.',
  'owner token': 'The token is wrong, or there were too many attempts. Wait a little before you try again.',
};
const NOTICES = {
  slowed:
    'There were too many attempts from your network, so this one was not checked. Wait half a minute and try again; nothing is locked.',
  busy: 'Too many people are signing in right now. Try again in a moment.',
  again: 'The page was open for too long or was sent twice. Please sign in again.',
};

export function loginPage({
  action,
  ticket,
  client,
  asks,
  after,
  provider,
  purpose = 'Sign in to see your connected apps',
}: LoginPageFacts): string {
  const isRefused = after === 'refused';
  const notice = after === undefined || after === 'refused' ? undefined : NOTICES[after];
  const fields = asks === 'owner token' ? ownerField(isRefused) : userFields(isRefused);
  return layout(
    'Sign in',
    html`${client ? headingFor(client) : html`<h1>${purpose}</h1>`}
${isRefused && html`<p class="problem" id="problem" role="alert">${REFUSED[asks]}</p>`}
${notice !== undefined && html`<p class="note" role="status">${notice}</p>`}
${
  provider &&
  html`<p><a class="strong" href="${provider.href}" rel="nofollow">Sign in with ${provider.name}</a></p>
<p class="quiet">Or with a name and password of this server:</p>`
}
<form method="post" action="${action}">
<input type="hidden" name="ticket" value="${ticket}">
${fields}
<button class="strong" name="action" value="login">Sign in</button>
${client && html`<button name="action" value="deny" formnovalidate>Cancel</button>`}
</form>`,
  );
}

function headingFor({ name, destination }: ShownClient): Html {
  return html`<h1>Sign in to connect ${name}</h1>
<p>You will be sent back to ${describeDestination(destination)}.</p>`;
}

function userFields(isRefused: boolean): Html {
  return html`<label>Name
<input name="username" autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" required autofocus${marked(isRefused)}></label>
<label>Password
<input name="password" type="password" autocomplete="current-password" required${marked(isRefused)}></label>`;
}

function ownerField(isRefused: boolean): Html {
  return html`<label>Owner token
<input name="password" type="password" autocomplete="current-password" required autofocus${marked(isRefused)}></label>`;
}

function marked(isRefused: boolean): Html | false {
  return isRefused && html` aria-invalid="true" aria-describedby="problem"`;
}
