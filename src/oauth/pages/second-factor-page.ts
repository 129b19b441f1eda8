/** The page that asks for a second factor after the password. */
import { html } from '../../shared/html.ts';
import { layout, PASSKEY_ELEMENTS } from './layout.ts';

interface SecondFactorFacts {
  /** Target of the form. */
  readonly action: string;
  readonly ticket: string;
  /** What the person wants to do, where it is not plain. */
  readonly purpose?: string;
  /** Why the page is shown again. */
  readonly after?: 'refused' | 'slowed';
  /** Options for the browser, where the person has passkeys. */
  readonly passkey?: object;
  readonly hasTotp: boolean;
  readonly hasRecovery: boolean;
}

const NOTICES = {
  refused: 'This did not fit. A code can be used once, and only while the app shows it.',
  slowed: 'There were too many attempts, so this one was not checked. Wait some minutes and try again.',
};

export function secondFactorPage(facts: SecondFactorFacts): string {
  const { action, ticket, purpose, after, passkey, hasTotp, hasRecovery } = facts;
  const hidden = html`<input type="hidden" name="ticket" value="${ticket}">`;
  const hasCode = hasTotp || hasRecovery;
  const words = hasTotp ? 'Code of your app, or a recovery code' : 'Recovery code';
  return layout(
    'One more step',
    html`<h1>One more step</h1>
${purpose !== undefined && html`<p><b>${purpose}</b></p>`}
<p>Your password was right. Now show that it is you.</p>
${after !== undefined && html`<p class="problem" role="alert">${NOTICES[after]}</p>`}
${
  passkey &&
  html`<form method="post" action="${action}" data-kind="get" data-passkey="${JSON.stringify(passkey)}">
${hidden}<input type="hidden" name="passkey" value="">
<button class="strong" name="action" value="login">Use a passkey</button>
</form>${PASSKEY_ELEMENTS}`
}
${
  hasCode &&
  html`<form method="post" action="${action}">
${hidden}
<label>${words}
<input name="code" autocomplete="one-time-code" autocapitalize="none" autocorrect="off" spellcheck="false" required${!passkey && html` autofocus`}></label>
<button${!passkey && html` class="strong"`} name="action" value="login">Continue</button>
</form>`
}`,
  );
}
