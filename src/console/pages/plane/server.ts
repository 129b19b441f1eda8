/** One governed server: what it says of itself now against what was accepted, and the forms that accept it. */
import {
  acceptDefinitions,
  digestOfWaiting,
  isWaiting,
  preselectedOf,
} from '../../../governance/catalog/accept.ts';
import {
  changedValues,
  changesBetween,
  readableText,
  type ValueChange,
} from '../../../governance/catalog/compare.ts';
import { keyOf } from '../../../governance/catalog/pins.ts';
import { confinementLines, confinementText } from '../../../governance/confinement-view.ts';
import { reviewOf, type ServerReview } from '../../../governance/posture.ts';
import { switchServer } from '../../../governance/switch-server.ts';
import type { CatalogEntry, ScanFinding } from '../../../governance/types.ts';
import { AppError } from '../../../shared/errors.ts';
import { type Html, html } from '../../../shared/html.ts';
import { printable } from '../../../shared/printable.ts';
import { diffView } from '../../diff/diff-view.ts';
import { type ConsolePage, formOf, linkTo, type PageRequest, type PostRequest, timeOf } from '../../page.ts';
import { transportOf } from './servers.ts';
import {
  badgeOf,
  deciderOf,
  type PlaneSource,
  planeLinks,
  SERVER_PATH,
  SERVERS_PATH,
  standingOf,
} from './source.ts';

const PAGE_SIZE = 50;
const MOST_OPEN = 200;

export function serverPage(source: PlaneSource): ConsolePage {
  const { plane } = source;
  return {
    path: SERVER_PATH,
    under: SERVERS_PATH,
    isForAdmins: true,
    async show(request) {
      const server = plane.server(request.query.get('name') ?? '');
      const review = await reviewOf(plane, server);
      return {
        title: server.name,
        body: html`${await planeLinks(source, SERVERS_PATH)}
${factsView(review, source)}
${switchForm(request, review)}
${lookForm(request, review)}
${await waitingView(request, review)}
${allView(request, review)}`,
      };
    },
    post: (request) => carryOut(request, source),
  };
}

async function carryOut({ viewer, fields, signal }: PostRequest, source: PlaneSource) {
  const { plane } = source;
  const server = plane.server(fields.get('server') ?? '');
  const to = linkTo(SERVER_PATH, { name: server.name });
  const action = fields.get('action');
  if (action === 'on' || action === 'off') {
    await switchServer(plane, server, action === 'on', deciderOf(viewer));
    source.refresh();
    return { to, notice: `${server.name} is switched ${action}.` };
  }
  if (!['look', 'accept', 'accept clean', 'accept all'].includes(action ?? ''))
    throw new AppError('invalid_input', 'This form names no action that exists');
  // The server is asked again, so that nothing is accepted that it no longer says.
  const found = await plane.discover(server, { signal });
  const accept = async (entries: readonly CatalogEntry[], baseline: boolean, instructions = false) => {
    const acceptance = { baseline, entries, instructions };
    const accepted = await acceptDefinitions(plane, found, acceptance, deciderOf(viewer));
    await plane.discover(server, { signal });
    source.refresh();
    const count = accepted.entries.length + accepted.gone.length;
    return { to, notice: `Accepted: ${count === 1 ? 'one definition' : `${count} definitions`}.` };
  };
  switch (action) {
    case 'look':
      source.refresh();
      return { to, notice: `The server answered. It offers ${found.entries.length} things.` };
    case 'accept':
      return accept([entryIn(found.entries, fields)], false);
    default:
      if (digestOfWaiting(found) !== fields.get('seen')) throw changedAgain();
      if (action === 'accept all') return accept([], true);
      return accept(preselectedOf(found, server).entries, false, preselectedOf(found, server).instructions);
  }
}

function entryIn(entries: readonly CatalogEntry[], fields: URLSearchParams): CatalogEntry {
  const found = entries.find(({ definition }) => keyOf(definition) === fields.get('definition'));
  if (found?.fingerprint === fields.get('fingerprint')) return found;
  throw changedAgain();
}

function changedAgain(): AppError {
  return new AppError('conflict', 'The server changed its definitions since you loaded the page', {
    hint: 'Nothing was accepted. Go back, load the page again, and look at what it says now.',
  });
}

function factsView(review: ServerReview, { plane, failureOf }: PlaneSource): Html {
  const { server, seenAt, rejections } = review;
  const standing = standingOf(review, failureOf(server.name), plane.config.serversKey);
  return html`<section class="card"><dl>
<dt>Status</dt><dd>${badgeOf(standing)} ${standing.reason}</dd>
${rejections.length > 1 && html`<dt>Also</dt><dd>${rejections.slice(1).map(({ code, reason }) => html`<div>${code}: ${reason}</div>`)}</dd>`}
<dt>Reached as</dt><dd>${transportOf(server.transport)}<div class="mono">${addressOf(server)}</div></dd>
<dt>Last listed</dt><dd>${seenAt === undefined ? 'never' : timeOf(seenAt)}</dd>
<dt>Trust</dt><dd>${server.trust}</dd>
<dt>Enabled</dt><dd>${server.enabled ? 'yes' : 'no'}</dd>
<dt>Consent</dt><dd>${server.clientConsent}</dd>
<dt>Offered to assistants</dt><dd>${server.expose ? 'yes' : 'no'}</dd>${confinementView(review)}</dl>
<p class="quiet">Trust, enabled, consent and expose are in the configuration, under <code>${plane.config.serversKey}</code>. They are changed there, and hold after the next start.</p></section>`;
}

/** What it runs in, value by value, as it is started. */
function confinementView({ server, confinement }: ServerReview): Html | undefined {
  if (server.transport !== 'stdio') return undefined;
  if (!confinement)
    return html`<dt>Sandbox</dt><dd>${confinementText(server, confinement)}, not started</dd>`;
  return html`<dt>Runs in</dt><dd>${confinementLines(confinement).map((line) => html`<div>${printable(line, 2_000)}</div>`)}
${confinement.warnings.map((warning) => html`<div><span class="badge bad">warning</span> ${warning}</div>`)}</dd>`;
}

/** Without the query and user of an address, where secrets may be. */
function addressOf({ command, args, url }: ServerReview['server']): string {
  if (url === undefined) return printable([command, args].flat().join(' '), 500);
  const address = URL.canParse(url) ? new URL(url) : undefined;
  return address ? `${address.origin}${address.pathname}` : '';
}

/** Only where the configuration lets the server be used at all. */
function switchForm(request: PageRequest, { server, isSwitchedOff }: ServerReview): Html | undefined {
  if (!server.enabled) return undefined;
  const hidden = html`<input type="hidden" name="server" value="${server.name}">`;
  return formOf(
    request,
    SERVER_PATH,
    isSwitchedOff
      ? html`${hidden}<p class="row"><button class="strong" name="action" value="on">Switch it on again</button></p>`
      : html`${hidden}<p class="row"><button class="danger" name="action" value="off">Switch it off</button><span class="quiet">Ends it at once. No assistant can use it until it is switched on again; the configuration stays as it is.</span></p>`,
  );
}

function lookForm(request: PageRequest, { server, status }: ServerReview): Html | undefined {
  if (status !== 'ready' && status !== 'quarantined') return undefined;
  return formOf(
    request,
    SERVER_PATH,
    html`<input type="hidden" name="server" value="${server.name}">
<p class="row"><button name="action" value="look">Ask the server again</button><span class="quiet">It is started, if it does not run yet.</span></p>`,
  );
}

/** Everything that a person has to look at before it is offered. */
async function waitingView(request: PageRequest, review: ServerReview): Promise<Html | undefined> {
  const { server, entries, pins, instructions } = review;
  if (review.seenAt === undefined) return undefined;
  const changes = pins ? changesBetween(pins, entries) : [];
  const removed = changes.filter(({ change }) => change === 'removed');
  const open = entries.filter(({ state }) => state !== 'approved');
  const text = instructions && instructions.state !== 'approved' ? instructions : undefined;
  if (open.length + removed.length === 0 && !text)
    return html`<p class="note">Everything this server says of itself is as it was accepted.</p>`;
  const clean = preselectedOf({ entries, instructions }, server).entries;
  const count =
    open.filter(isWaiting).length + removed.length + (text && text.state !== 'quarantined' ? 1 : 0);
  return html`<h2>To be reviewed</h2>
<p>Read it as an assistant would: a description is an instruction to it. Until you accept it, it is not offered.</p>
${await Promise.all(open.slice(0, MOST_OPEN).map((entry) => openEntry(request, review, entry)))}
${open.length > MOST_OPEN && html`<p class="note">${open.length - MOST_OPEN} more follow when these are accepted. <code>quire mcp discover ${server.name} --full</code> shows all at once.</p>`}
${removed.map(({ kind, name }) => html`<section class="card"><h3>${kind} <span class="mono">${printable(name, 200)}</span> <span class="badge">gone</span></h3></section>`)}
${
  text &&
  html`<section class="card"><h3>Instructions of the server ${badgeOf({ label: text.state, isBad: true })}</h3>${findingsView(text.findings)}
${await valuesView([{ place: 'instructions', before: pins?.instructions && readableText(pins.instructions.text), now: readableText(text.text) }])}</section>`
}
${
  count > 0 &&
  open.length <= MOST_OPEN &&
  formOf(
    request,
    SERVER_PATH,
    html`<input type="hidden" name="server" value="${server.name}"><input type="hidden" name="seen" value="${digestOfWaiting({ entries, instructions, changes })}">
${clean.length > 0 && html`<p class="row"><button class="strong" name="action" value="accept clean">Accept the ${clean.length} that only read</button><span class="quiet">New, and nothing was found in them: ${clean.map(({ definition }) => printable(definition.name, 60)).join(', ')}.</span></p>`}
<p class="row"><button name="action" value="accept all">Accept all of this</button><span class="quiet">Everything above but what is quarantined.</span></p>`,
  )
}`;
}

async function openEntry(
  request: PageRequest,
  { server, pins }: ServerReview,
  entry: CatalogEntry,
): Promise<Html> {
  const { definition, fingerprint, state, findings } = entry;
  const pin = pins?.pins[keyOf(definition)];
  const isChanged = pin !== undefined && pin.fingerprint !== fingerprint;
  const name = printable(definition.name, 200);
  return html`<section class="card"><h3>${definition.kind} <span class="mono">${name}</span> ${badgeOf({ label: isChanged ? 'changed' : state, isBad: state !== 'pending' })}</h3>
${findingsView(findings)}
${isChanged ? html`<p class="quiet">Accepted ${timeOf(pin.acceptedAt)} by ${printable(pin.acceptedBy, 100)}; different since:</p>${await valuesView(changedValues(pin.definition, definition))}` : definitionView(entry)}
${formOf(
  request,
  SERVER_PATH,
  html`<input type="hidden" name="server" value="${server.name}"><input type="hidden" name="definition" value="${keyOf(definition)}"><input type="hidden" name="fingerprint" value="${fingerprint}">
<button name="action" value="accept">Accept ${name} as it is now</button>`,
)}</section>`;
}

async function valuesView(changes: readonly ValueChange[]): Promise<readonly Html[]> {
  return Promise.all(
    changes.map(
      async ({ place, before, now }) =>
        html`<p class="mono quiet">${place}</p>${await diffView(before, now)}`,
    ),
  );
}

function findingsView(findings: readonly ScanFinding[]): Html | undefined {
  if (findings.length === 0) return undefined;
  return html`<ul class="plain rows" aria-label="Findings">${findings.map(
    ({ severity, code, where, excerpt }) =>
      html`<li>${badgeOf({ label: severity === 'hard' ? 'attack?' : 'notice', isBad: severity === 'hard' })} <b>${code}</b> in <span class="mono">${printable(where, 200)}</span>: ${readableText(excerpt)}</li>`,
  )}</ul>`;
}

function definitionView({ definition }: CatalogEntry): Html {
  return html`<pre>${readableText(JSON.stringify(definition, undefined, 2))}</pre>`;
}

function allView({ query }: PageRequest, { server, entries }: ServerReview): Html | undefined {
  if (entries.length === 0) return undefined;
  const from = Math.max(0, Math.trunc(Number(query.get('from')) || 0));
  const at = (start: number) =>
    linkTo(SERVER_PATH, { name: server.name, from: start > 0 ? start : undefined });
  return html`<h2>Everything it offers (${entries.length})</h2>
<ul class="plain rows">${entries.slice(from, from + PAGE_SIZE).map(
    (
      entry,
    ) => html`<li><details><summary>${entry.definition.kind} <span class="mono">${printable(entry.definition.name, 200)}</span>
${badgeOf({ label: entry.state === 'approved' ? 'accepted' : entry.state, isBad: entry.state !== 'approved' })}</summary>
${findingsView(entry.findings)}${definitionView(entry)}</details></li>`,
  )}</ul>
<p class="pages">${from > 0 && html`<a href="${at(from - PAGE_SIZE)}">Back</a>`}${from + PAGE_SIZE < entries.length && html`<a href="${at(from + PAGE_SIZE)}">More</a>`}</p>`;
}
