/** The pages for the password and second factors: the list, the steps that add one, and recovery codes. */
import { type Html, html } from '../../shared/html.ts';
import type { FactorSummary } from '../factors/factors.ts';
import { layout, PASSKEY_ELEMENTS } from './layout.ts';

interface SecurityPageFacts extends FactorSummary {
  readonly action: string;
  /** Address of the account page. */
  readonly account: string;
  readonly ticket: string;
  readonly user: string;
  /** Whether the password is kept here, not in the configuration. */
  readonly isOwn: boolean;
  readonly after?: keyof typeof NOTICES;
}

const NOTICES = {
  refused: 'The password is wrong, or there were too many attempts. Nothing was changed.',
  slowed: 'There were too many attempts, so this one was not checked. Wait half a minute and try again.',
  busy: 'Too many people are signing in right now. Try again in a moment.',
  again: 'The page was open for too long or was sent twice. Nothing was changed.',
  unfit: 'The passkey could not be added: it is there already, or its answer did not fit.',
};

/** Without it, Enter in the password field would press the first button: which change is meant is not known. */
const NO_DEFAULT: Html = { markup: '<button disabled hidden></button>' };

export function securityPage(facts: SecurityPageFacts): string {
  const { action, account, ticket, user, isOwn, after, hasTotp, passkeys, recoveryLeft } = facts;
  const hasAny = hasTotp || passkeys.length > 0;
  return layout(
    'Password and second factors',
    html`<h1>Password and second factors</h1>
<p>${hasAny ? 'After your password you are asked for one of these, here too.' : 'With a second factor, your password alone does not let anybody in.'}</p>
${after !== undefined && html`<p class="problem" role="alert">${NOTICES[after]}</p>`}
<form method="post" action="${action}">
<input type="hidden" name="ticket" value="${ticket}">
${NO_DEFAULT}<label>Your password
<input name="password" type="password" autocomplete="current-password" required></label>
<section><h2>Authenticator app</h2>
${
  hasTotp
    ? html`<p>It is set up.</p><button name="remove" value="app">Remove the app</button>`
    : html`<p>Shows a code of six digits, on your phone or in a password manager.</p><button name="action" value="app">Set up an app</button>`
}</section>
<section><h2>Passkeys</h2>
${passkeys.map(({ id, label, addedAt }) => html`<p><b>${label}</b>, since ${new Date(addedAt).toISOString().slice(0, 10)}</p><button name="remove" value="${id}" aria-label="Remove ${label}">Remove</button>`)}
<button name="action" value="passkey">Add a passkey</button></section>
${
  hasAny &&
  html`<section><h2>Recovery codes</h2>
<p>${recoveryLeft} left. Each lets you in once, when you have nothing else.</p>
<button name="action" value="recovery">Make new ones</button></section>`
}
${
  isOwn &&
  html`<section><h2>Password</h2>
<p>Another password signs you out everywhere, and ends the access of all your apps.</p>
<button name="action" value="password">Change the password</button></section>`
}
</form>
<p class="quiet">Signed in as <b>${user}</b>. <a href="${account}">Connected apps</a></p>`,
  );
}

export function newPasswordPage({
  action,
  ticket,
  isWeak,
}: {
  readonly action: string;
  readonly ticket: string;
  readonly isWeak: boolean;
}): string {
  return layout(
    'Change the password',
    html`<h1>Change the password</h1>
<p>You are then signed out everywhere, and your apps ask you to log in again.</p>
${isWeak && html`<p class="problem" role="alert">This password was not taken: use 8 characters or more, and 72 bytes at most. Nothing was changed.</p>`}
<form method="post" action="${action}">
<input type="hidden" name="ticket" value="${ticket}">
<label>New password
<input name="new_password" type="password" autocomplete="new-password" minlength="8" required autofocus></label>
<button class="strong" name="action" value="confirm">Change it</button>
</form>
<p class="quiet"><a href="${action}">Cancel</a></p>`,
  );
}

export function passwordChangedPage(account: string): string {
  return layout(
    'Password changed',
    html`<h1>Your password is changed</h1>
<p>You are signed out everywhere, and your apps ask you to log in again.</p>
<p><a class="strong" href="${account}">Sign in</a></p>`,
  );
}

interface TotpPageFacts {
  readonly action: string;
  readonly ticket: string;
  readonly secret: string;
  /** An SVG element. */
  readonly qr: string;
  readonly uri: string;
  readonly isWrong: boolean;
}

export function totpPage({ action, ticket, secret, qr, uri, isWrong }: TotpPageFacts): string {
  const picture: Html = { markup: qr };
  return layout(
    'Set up an app',
    html`<h1>Set up an app</h1>
<p>Scan this with your authenticator app, then type the code that it shows.</p>
${isWrong && html`<p class="problem" role="alert">This is not the code that the app should show now. Is the clock of the phone right?</p>`}
${picture}
<p>Or <a href="${uri}">open it on this device</a>, or type it in:</p>
<pre>${secret.match(/.{1,4}/g)?.join(' ') ?? secret}</pre>
<form method="post" action="${action}">
<input type="hidden" name="ticket" value="${ticket}">
<label>Code
<input name="code" inputmode="numeric" autocomplete="one-time-code" required autofocus></label>
<button class="strong" name="action" value="confirm">Turn it on</button>
</form>
<p class="quiet"><a href="${action}">Cancel</a></p>`,
  );
}

export function passkeyPage({
  action,
  ticket,
  passkey,
}: {
  readonly action: string;
  readonly ticket: string;
  readonly passkey: object;
}): string {
  return layout(
    'Add a passkey',
    html`<h1>Add a passkey</h1>
<p>Your browser asks for a fingerprint, a PIN or a security key.</p>
<form method="post" action="${action}" data-kind="create" data-passkey="${JSON.stringify(passkey)}">
<input type="hidden" name="ticket" value="${ticket}"><input type="hidden" name="passkey" value="">
<label>Name of the passkey
<input name="label" maxlength="60" value="Passkey"></label>
<button class="strong" name="action" value="confirm">Add it</button>
</form>${PASSKEY_ELEMENTS}
<p class="quiet"><a href="${action}">Cancel</a></p>`,
  );
}

export function recoveryPage(action: string, codes: readonly string[]): string {
  return layout(
    'Recovery codes',
    html`<h1>Your recovery codes</h1>
<p>Keep them where you find them without this device. Each lets you in once. They are shown only now; those of before count no more.</p>
<ul class="codes">${codes.map((code) => html`<li>${code}</li>`)}</ul>
<p><a class="strong" href="${action}">I have kept them</a></p>`,
  );
}
