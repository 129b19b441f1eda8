/** The consent page, where a person decides whether a client may use their notes. */
import { type Html, html } from '../../shared/html.ts';
import { type AccessLevel, accessOf, type Scope } from '../../shared/principal.ts';
import { capScopes } from '../cut-scopes.ts';
import {
  describeScopes,
  levelsFor,
  NOTES_ACCESS,
  notebooksToChoose,
  reviewerFor,
  type ServedAccess,
} from '../served-access.ts';
import { layout } from './layout.ts';

/** A client as shown to people. */
export interface ShownClient {
  /** Chosen by the client. */
  readonly name: string;
  /** The source that vouches for the name: the operator, the site of its metadata document, or only the client itself. */
  readonly vouchedBy:
    | { readonly kind: 'operator' }
    | { readonly kind: 'site'; readonly host: string }
    | { readonly kind: 'client' };
  readonly destination: ShownDestination;
}

/** The recipient of the answer: a site, a program on the person's own device, or an app with a scheme. */
interface ShownDestination {
  readonly kind: 'web' | 'device' | 'app';
  readonly host: string;
}

/** Completes the phrase "back to". */
export function describeDestination({ kind, host }: ShownDestination): Html {
  switch (kind) {
    case 'web':
      return html`<b>${host}</b>`;
    case 'device':
      return html`a program on <b>this device</b> (${host})`;
    case 'app':
      return html`the app on this device that opens <b>${host}</b> links`;
  }
}

function describeVoucher({ vouchedBy }: ShownClient): Html {
  switch (vouchedBy.kind) {
    case 'operator':
      return html`<b>the operator of this server</b>, who set it up`;
    case 'site':
      return html`<b>${vouchedBy.host}</b>`;
    case 'client':
      return html`<b>no one</b>: the app chose this name itself`;
  }
}

interface ConsentPageFacts {
  /** Target of the form. */
  readonly action: string;
  readonly ticket: string;
  readonly client: ShownClient;
  /** The scopes it asks for. */
  readonly scopes: readonly Scope[];
  readonly served?: ServedAccess;
  /** What the person chose for this client before. Default: all that it asks for. */
  readonly chosen?: AccessLevel;
  /** The notebooks that the person chose for it before. Default: all. */
  readonly among?: readonly string[];
  /** Undefined where there is only an owner. */
  readonly user?: string;
}

export function consentPage(facts: ConsentPageFacts): string {
  const { action, ticket, client, scopes, served = NOTES_ACCESS, chosen, among, user } = facts;
  const levels = levelsFor(scopes, served);
  const most = levels.at(-1) ?? 'read';
  const notebooks = accessOf(scopes) === undefined ? [] : notebooksToChoose(served);
  return layout(
    'Allow access',
    html`<h1>Allow ${client.name} to use your notes?</h1>
<p>${levels.length === 1 ? 'It will be able to:' : 'It asks to be able to:'}</p>
<ul>${describeScopes(capScopes(scopes, most), served).map((words) => html`<li>${words}</li>`)}</ul>
<dl>
<dt>Its name is vouched for by</dt><dd>${describeVoucher(client)}</dd>
<dt>You will be sent back to</dt><dd>${describeDestination(client.destination)}</dd>
</dl>
${warningAbout(client.destination)}
<form method="post" action="${action}">
<input type="hidden" name="ticket" value="${ticket}">
${levels.length > 1 && choiceOf(levels, chosen ?? most, served)}
${notebooks.length > 0 && notebookChoice(notebooks, among ?? notebooks)}
<button class="strong" name="action" value="approve">Allow</button>
<button name="action" value="deny">Do not allow</button>
${user !== undefined && html`<p class="quiet">Signed in as <b>${user}</b>. <button class="link" name="action" value="switch">Someone else?</button></p>`}
</form>`,
  );
}

const CHOICES: Readonly<Record<AccessLevel, string>> = {
  read: 'Read: it changes nothing',
  propose: 'Propose: its changes wait for your review',
  write: 'Write: its changes are made at once',
};

function choiceOf(
  levels: readonly AccessLevel[],
  chosen: AccessLevel | undefined,
  served: ServedAccess,
): Html {
  const words = (level: AccessLevel) =>
    level === 'propose' && reviewerFor(served) !== 'you'
      ? `Propose: its changes wait for ${reviewerFor(served)}`
      : CHOICES[level];
  return html`<fieldset><legend>What may it do?</legend>
${levels.map((level) => html`<label>${words(level)}<input type="radio" name="access" value="${level}"${level === chosen && html` checked`} required></label>`)}
</fieldset>`;
}

function notebookChoice(notebooks: readonly string[], chosen: readonly string[]): Html {
  return html`<fieldset><legend>In which notebooks?</legend><input type="hidden" name="notebooks" value="chosen">
${notebooks.map((name) => html`<label>${name}<input type="checkbox" name="in:${name}" value="yes"${chosen.includes(name) && html` checked`}></label>`)}
</fieldset>
<p class="quiet">With all of them, it may also use notebooks that are added later, and what works on all at once.</p>`;
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
