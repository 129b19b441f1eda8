/** Calls that wait for a person: what exactly would be called, and the form that answers. */
import {
  type ApprovalAnswer,
  answerApproval,
  ruleThatAsked,
} from '../../../governance/approvals/answer-approval.ts';
import type { Approval } from '../../../governance/approvals/approval.ts';
import { readableText } from '../../../governance/catalog/compare.ts';
import { AppError } from '../../../shared/errors.ts';
import { type Html, html } from '../../../shared/html.ts';
import { printable } from '../../../shared/printable.ts';
import {
  type ConsolePage,
  type Done,
  formOf,
  linkTo,
  type PageRequest,
  type PostRequest,
  timeOf,
} from '../../page.ts';
import {
  APPROVAL_PATH,
  APPROVALS_PATH,
  AUDIT_PATH,
  badgeOf,
  deciderOf,
  type PlaneSource,
  planeLinks,
  SERVERS_PATH,
  serverLink,
} from './source.ts';

const PAGE_SIZE = 50;
const MAX_COMMENT = 500;
const WHILES = [
  [15, '15 minutes'],
  [60, 'an hour'],
  [8 * 60, '8 hours'],
] as const;

export function approvalsPage(source: PlaneSource): ConsolePage {
  return {
    path: APPROVALS_PATH,
    under: SERVERS_PATH,
    isForAdmins: true,
    async show({ query }) {
      const showsAnswered = query.get('show') === 'answered';
      const all = await source.plane.approvals.list();
      const shown = all.filter(({ state }) => (state === 'pending') !== showsAnswered);
      const from = Math.max(0, Math.trunc(Number(query.get('from')) || 0));
      const at = (start: number) =>
        linkTo(APPROVALS_PATH, { show: query.get('show') ?? '', from: start > 0 ? start : undefined });
      return {
        title: showsAnswered ? 'Approvals that were answered' : 'Approvals that wait for you',
        body: html`${await planeLinks(source, APPROVALS_PATH)}
${shown.length === 0 && emptyNote(showsAnswered)}
<ul class="plain rows">${shown.slice(from, from + PAGE_SIZE).map(rowOf)}</ul>
<p class="pages">${from > 0 && html`<a href="${at(from - PAGE_SIZE)}">Newer</a>`}${from + PAGE_SIZE < shown.length && html`<a href="${at(from + PAGE_SIZE)}">Older</a>`}</p>
<p>${showsAnswered ? html`<a href="${APPROVALS_PATH}">Those that wait</a>` : html`<a href="${linkTo(APPROVALS_PATH, { show: 'answered' })}">Those that were answered</a>`}</p>`,
      };
    },
  };
}

function emptyNote(showsAnswered: boolean): Html {
  return showsAnswered
    ? html`<p class="note">Nothing was answered yet.</p>`
    : html`<p class="note">Nothing waits. When an assistant calls a tool that your rules have to ask about, the call comes here, and the assistant is told so.</p>`;
}

function rowOf(approval: Approval): Html {
  const { id, server, createdAt, expiresAt, decidedBy, decidedAt } = approval;
  const times =
    decidedAt === undefined
      ? html`asked ${timeOf(createdAt)}${expiresAt !== undefined && html`, open until ${timeOf(expiresAt)}`}`
      : html`${decidedBy === undefined ? '' : printable(decidedBy, 100)}, ${timeOf(decidedAt)}`;
  return html`<li><div class="row"><a href="${linkTo(APPROVAL_PATH, { id })}"><b>${nameOf(approval)}</b></a> on ${printable(server, 100)}
${stateBadge(approval)}<span class="end quiet">${times}</span></div>
<p class="quiet mono">${printable(approval.argsPreview, 200)}</p></li>`;
}

function nameOf({ capability }: Approval): string {
  return printable(capability, 200) || '(no name)';
}

function stateBadge({ state, class: actionClass }: Approval): Html {
  return html`${badgeOf({ label: CLASSES[actionClass], isBad: actionClass === 'destructive' })}${state !== 'pending' && html` <span class="badge">${state}</span>`}`;
}

const CLASSES: Readonly<Record<Approval['class'], string>> = {
  read_only: 'only reads',
  local_write: 'changes something',
  external: 'reaches others',
  destructive: 'destroys something',
};

export function approvalPage(source: PlaneSource): ConsolePage {
  const { plane } = source;
  return {
    path: APPROVAL_PATH,
    under: SERVERS_PATH,
    isForAdmins: true,
    async show(request) {
      const approval = await plane.approvals.get(request.query.get('id') ?? '');
      const { server, requestedBy, createdAt, expiresAt } = approval;
      const rule = approval.state === 'pending' ? await ruleThatAsked(plane, approval) : undefined;
      return {
        title: `${nameOf(approval)} on ${printable(server, 100)}`,
        body: html`${await planeLinks(source, APPROVALS_PATH)}
<dl><dt>What it is</dt><dd>${KINDS[approval.kind]} ${stateBadge(approval)}</dd>
<dt>Server</dt><dd>${serverLink(server)}</dd>
<dt>Asked by</dt><dd>${printable(requestedBy, 200)}</dd><dt>Asked</dt><dd>${timeOf(createdAt)}</dd>
${expiresAt !== undefined && html`<dt>${approval.state === 'approved' ? 'Good until' : 'Open until'}</dt><dd>${timeOf(expiresAt)}</dd>`}
${rule !== undefined && html`<dt>Rule that asked</dt><dd class="mono">${printable(rule, 200)}</dd>`}
<dt>Approval</dt><dd class="mono">${approval.id}</dd></dl>
${answerView(approval)}
<h2>${approval.kind === 'call' ? 'Arguments' : 'What would be sent'}</h2>
${await argumentsView(approval, source)}
${formView(request, approval)}
<p><a href="${linkTo(AUDIT_PATH, { text: approval.id })}">Its records in the audit log</a></p>`,
      };
    },
    post: (request) => carryOut(request, source),
  };
}

const KINDS: Readonly<Record<Approval['kind'], string>> = {
  call: 'A call of a tool',
  definition: 'A definition',
  server: 'A server',
  compile: 'A note made of a resource',
  sampling: 'A prompt of the server for your model',
  elicitation: 'A question of the server',
  result: 'The answer of a tool, kept because of what was found in it',
};

async function argumentsView(approval: Approval, { plane }: PlaneSource): Promise<Html> {
  const whole = await plane.approvals.argumentsOf(approval);
  const isCut = whole === undefined ? approval.argsPreview.includes('…') : whole.endsWith('…');
  return html`<pre tabindex="0" aria-label="Arguments">${whole ?? readableText(indented(approval.argsPreview))}</pre>
${isCut && html`<p class="problem">This is not all of it: the rest is too long, or was kept only until it was answered.</p>`}
<p class="quiet">Secrets are masked, and characters that cannot be seen are spelled out.</p>`;
}

/** A preview that was cut is no JSON. */
function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return json;
  }
}

function answerView({ state, decidedBy, decidedAt, scope, note, usesLeft }: Approval): Html | undefined {
  if (decidedAt === undefined) return undefined;
  const how = scope === undefined ? '' : scope === 'once' ? ', once' : `, ${scope}`;
  return html`<p class="note">${state}${how} by <b>${printable(decidedBy ?? '', 100)}</b>, ${timeOf(decidedAt)}${usesLeft === 0 && '; used'}${note !== undefined && html`: ${printable(note, MAX_COMMENT)}`}</p>`;
}

function formView(request: PageRequest, approval: Approval): Html | undefined {
  const hidden = html`<input type="hidden" name="id" value="${approval.id}">`;
  if (approval.state === 'approved')
    return formOf(
      request,
      APPROVAL_PATH,
      html`${hidden}<p class="row"><button class="danger" name="action" value="revoke">Take it back</button></p>`,
    );
  if (approval.state !== 'pending') return undefined;
  const name = nameOf(approval);
  const forAWhile = html`<p class="choice"><input type="radio" name="for" value="while" id="for-while"> <label for="for-while">For a while: every call of <b>${name}</b> by ${printable(approval.requestedBy, 100)}, <b>whatever its arguments</b>, until this server is started again or at most</label>
<select name="minutes" aria-label="How long">${WHILES.map(([minutes, label]) => html`<option value="${minutes}">${label}</option>`)}</select></p>`;
  return formOf(
    request,
    APPROVAL_PATH,
    html`${hidden}<section class="card"><h2>Your answer</h2>
<fieldset><legend class="quiet">An approval holds</legend>
<p class="choice"><input type="radio" name="for" value="once" id="for-once" checked> <label for="for-once">Once: exactly this call, with these arguments</label></p>
${approval.kind === 'call' && forAWhile}</fieldset>
<p><label for="comment">Comment, for those who read it later</label><textarea id="comment" name="comment" rows="2" maxlength="${MAX_COMMENT}"></textarea></p>
<p class="row"><button class="strong" name="action" value="approve">Approve</button><button class="danger" name="action" value="deny">Deny</button></p></section>`,
  );
}

async function carryOut({ viewer, fields }: PostRequest, { plane }: PlaneSource): Promise<Done> {
  const id = fields.get('id') ?? '';
  const comment = (fields.get('comment') ?? '').trim().slice(0, MAX_COMMENT);
  const decider = { ...deciderOf(viewer), ...(comment !== '' && { note: printable(comment, MAX_COMMENT) }) };
  const approval = await answerApproval(plane, id, answerIn(fields), decider);
  const name = nameOf(approval);
  switch (approval.state) {
    case 'approved':
      return {
        to: APPROVALS_PATH,
        notice: `Approved: ${name}. The assistant has to call it again; it does not learn by itself that you answered.`,
      };
    case 'denied':
      return {
        to: APPROVALS_PATH,
        notice: `Denied: ${name}. The assistant is told so when it calls it again.`,
      };
    default:
      return { to: APPROVALS_PATH, notice: `Taken back: ${name}. The next call has to ask again.` };
  }
}

function answerIn(fields: URLSearchParams): ApprovalAnswer {
  const action = fields.get('action');
  if (action === 'deny' || action === 'revoke') return { kind: action };
  const choice = fields.get('for') ?? 'once';
  if (action === 'approve' && choice === 'once') return { kind: 'approve', scope: 'once' };
  const minutes = Number(fields.get('minutes'));
  if (action === 'approve' && choice === 'while' && WHILES.some(([known]) => known === minutes))
    return { kind: 'approve', scope: 'session', ttlSeconds: minutes * 60 };
  throw new AppError('invalid_input', 'This form names no action that exists', {
    hint: 'Nothing was answered. Go back, load the page again, and choose approve or deny.',
  });
}
