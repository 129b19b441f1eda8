/** The review page: proposals that wait, each with its differences, and the forms that accept or reject them. */

import { type Hunk, hunksOf, linesOf } from '../../history/hunks.ts';
import type { LandConflict } from '../../history/land.ts';
import {
  describeEdit,
  isWaiting,
  type Proposal,
  type ProposedEdit,
  type Verdict,
} from '../../history/proposal.ts';
import { AppError } from '../../shared/errors.ts';
import { type Html, html } from '../../shared/html.ts';
import { EVENTS_PATH } from '../activity.ts';
import { diffView } from '../diff/diff-view.ts';
import {
  type ConsolePage,
  type Done,
  formOf,
  linkTo,
  type PageContent,
  type PageRequest,
  type PostRequest,
  timeOf,
  type Viewer,
} from '../page.ts';

export const REVIEW_PATH = '/console/review';

export interface ReviewSource {
  /** Those that the viewer may decide on, the newest first. */
  list(viewer: Viewer): Promise<readonly Proposal[]>;
  /** What open pages compare, to see that there is something new. */
  mark(viewer: Viewer): Promise<string>;
  /** The texts of an edit, as far as they are text and kept. */
  texts(
    proposal: Proposal,
    edit: ProposedEdit,
  ): Promise<{ readonly before?: string; readonly after?: string }>;
  conflicts(proposal: Proposal): Promise<readonly LandConflict[]>;
  decide(
    viewer: Viewer,
    proposal: Proposal,
    verdict: Verdict,
  ): Promise<{ readonly proposal: Proposal; readonly conflicts: readonly LandConflict[] }>;
}

const PAGE_SIZE = 50;

export function reviewPage(source: ReviewSource): ConsolePage {
  return {
    path: REVIEW_PATH,
    menu: 'Review',
    async show(request) {
      const { viewer, query } = request;
      const id = query.get('id');
      const all = await source.list(viewer);
      if (id === null || id === '')
        return listPage(request, all, linkTo(EVENTS_PATH, { mark: await source.mark(viewer) }));
      return proposalPage(request, found(all, id), source);
    },
    async post(request) {
      const { viewer, fields } = request;
      if (fields.has('all')) return decideAll(viewer, fields, source);
      const proposal = found(await source.list(viewer), fields.get('id') ?? '');
      const verdict = verdictOf(fields, proposal);
      const decided = await source.decide(viewer, proposal, verdict);
      if (decided.conflicts.length > 0) return conflictPage(request, proposal, decided.conflicts, source);
      return doneWith(decided.proposal, verdict);
    },
  };
}

function found(all: readonly Proposal[], id: string): Proposal {
  const proposal = all.find((one) => one.id === id);
  if (proposal) return proposal;
  throw new AppError('not_found', 'There is no such proposal', {
    subject: id.slice(0, 60),
    hint: 'It may have been decided on more than a month ago, or is not one of yours.',
  });
}

/** The oldest first: later proposals may build on earlier ones. */
async function decideAll(viewer: Viewer, fields: URLSearchParams, source: ReviewSource): Promise<Done> {
  const shown = new Set(fields.getAll('id'));
  const waiting = (await source.list(viewer)).filter((one) => isWaiting(one) && shown.has(one.id)).reverse();
  const isAccepted = fields.get('all') === 'accept';
  const comment = fields.get('comment') ?? undefined;
  let decided = 0;
  for (const proposal of waiting) {
    const indexes = proposal.edits.flatMap(({ state }, index) => (state === 'waiting' ? index : []));
    const accept = new Map(isAccepted ? indexes.map((index) => [index, 'whole'] as const) : []);
    const outcome = await source.decide(viewer, proposal, {
      accept,
      reject: isAccepted ? [] : indexes,
      comment,
    });
    if (outcome.conflicts.length === 0) decided++;
  }
  const left = waiting.length - decided;
  const rest =
    left === 0
      ? ''
      : ` ${left} of them cannot be accepted as they are: open each to see why; it still waits.`;
  return { to: REVIEW_PATH, notice: `${isAccepted ? 'Accepted' : 'Rejected'}: ${decided}.${rest}` };
}

function listPage(request: PageRequest, all: readonly Proposal[], live: string): PageContent {
  const { query } = request;
  const showsDecided = query.get('show') === 'decided';
  const shown = all.filter((proposal) => isWaiting(proposal) !== showsDecided);
  const from = Math.max(0, Math.trunc(Number(query.get('from')) || 0));
  const onPage = shown.slice(from, from + PAGE_SIZE);
  const others = linkTo(REVIEW_PATH, { show: showsDecided ? undefined : 'decided' });
  return {
    title: showsDecided
      ? 'Proposals that were decided'
      : `Proposals that wait for ${request.viewer.mayChange ? 'you' : 'an admin'}`,
    body: html`<div data-live="${live}">
${shown.length === 0 && emptyNote(showsDecided)}
<ul class="plain rows">${onPage.map(rowOf)}</ul>
<p class="pages">${from > 0 && html`<a href="${linkTo(REVIEW_PATH, { show: query.get('show') ?? '', from: Math.max(0, from - PAGE_SIZE) })}">Newer</a>`}
${from + PAGE_SIZE < shown.length && html`<a href="${linkTo(REVIEW_PATH, { show: query.get('show') ?? '', from: from + PAGE_SIZE })}">Older</a>`}</p>
${onPage.length > 1 && !showsDecided && allView(request, onPage)}
</div>
<p><a href="${others}">${showsDecided ? 'Those that wait' : 'Those that were decided'}</a></p>`,
  };
}

function allView(request: PageRequest, shown: readonly Proposal[]): Html {
  return formOf(
    request,
    REVIEW_PATH,
    html`${shown.map(({ id }) => html`<input type="hidden" name="id" value="${id}">`)}<p class="row">${request.viewer.mayChange && html`<button name="all" value="accept">Accept these ${shown.length}</button> `}<button class="danger" name="all" value="reject">Reject these ${shown.length}</button></p>`,
  );
}

function emptyNote(showsDecided: boolean): Html {
  return showsDecided
    ? html`<p>Nothing was decided in the last month.</p>`
    : html`<p>Nothing waits. Changes come here where a notebook has <code>review: destructive</code> or <code>review: all</code>, and from apps that may only propose.</p>`;
}

function rowOf({ id, at, by, notebook, tool, edits, decisions }: Proposal): Html {
  const [first] = edits;
  const more = edits.length - 1;
  const outcome = decisions.at(-1);
  return html`<li><div class="row"><a href="${linkTo(REVIEW_PATH, { id })}"><b>${first ? describeEdit(first) : id}</b>${more > 0 && html` and ${more} more`}</a>
${outcome && html`<span class="badge">${outcome.outcome} by ${outcome.by}</span>`}<span class="end quiet">${timeOf(at)}</span></div>
<p class="quiet">${authorOf(by)} with ${tool}, notebook ${notebook}</p></li>`;
}

async function proposalPage(
  request: PageRequest,
  proposal: Proposal,
  source: ReviewSource,
): Promise<PageContent> {
  const { id, at, by, notebook, tool, edits, decisions } = proposal;
  const shown = await Promise.all(edits.map((edit, index) => editView(proposal, edit, index, source)));
  const conflicts = isWaiting(proposal) ? await source.conflicts(proposal) : [];
  return {
    title: edits.length === 1 ? sentence(edits[0]!) : `Proposal for ${edits.length} notes`,
    body: html`<dl><dt>Proposed by</dt><dd>${authorOf(by)}</dd>
<dt>With</dt><dd>${tool}</dd><dt>Notebook</dt><dd>${notebook}</dd><dt>When</dt><dd>${timeOf(at)}</dd><dt>Proposal</dt><dd class="mono">${id}</dd></dl>
${decisions.map(({ outcome, by: person, at: when, comment }) => html`<p class="note">${outcome} by <b>${person}</b>, ${timeOf(when)}${comment !== undefined && html`: ${comment}`}</p>`)}
${conflictView(conflicts)}
${
  isWaiting(proposal)
    ? formOf(
        request,
        REVIEW_PATH,
        html`<input type="hidden" name="id" value="${id}">${shown.map(({ view }) => view)}${decisionView(
          edits,
          request.viewer.mayChange,
          shown.some(({ hasParts }) => hasParts),
        )}`,
      )
    : shown.map(({ view }) => view)
}
<p><a href="${REVIEW_PATH}">All proposals</a></p>`,
  };
}

/** The app, and the login that it came through. */
function authorOf({ client, principal }: Proposal['by']): string {
  const app = client ?? 'An app without a name';
  return principal?.startsWith('user:') ? `${app}, for ${principal.slice(5)}` : app;
}

function sentence(edit: ProposedEdit): string {
  const text = describeEdit(edit);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function decisionView(edits: readonly ProposedEdit[], mayAccept: boolean, hasParts: boolean): Html {
  const many = edits.filter(({ state }) => state === 'waiting').length > 1;
  if (!mayAccept)
    return html`<section class="card"><p>An admin decides on this proposal. You can take it back.</p>
<p class="row"><button class="danger" name="action" value="reject">Reject${many && ' all'}</button></p></section>`;
  const parts = many ? 'all, with the checked parts' : 'the checked parts';
  const whole = many ? 'all' : '';
  return html`<section class="card"><h2>Decide</h2>
<label for="comment">Comment for the assistant</label><textarea id="comment" name="comment" rows="2" maxlength="2000"></textarea>
<p class="row"><button class="strong" name="action" value="accept">Accept ${hasParts ? parts : whole}</button>
<button class="danger" name="action" value="reject">Reject${many && ' all'}</button></p>
<p class="quiet">${hasParts && 'Parts that are not checked are rejected. '}What is accepted is in the history, and can be undone.</p></section>`;
}

function conflictView(conflicts: readonly LandConflict[]): Html | undefined {
  if (conflicts.length === 0) return undefined;
  return html`<div class="problem" role="alert"><p>The notes changed since this was proposed, so it cannot be accepted as it is:</p>
<ul>${conflicts.map(({ path, reason }) => html`<li><span class="mono">${path}</span>: ${reason}</li>`)}</ul></div>`;
}

async function editView(
  proposal: Proposal,
  edit: ProposedEdit,
  index: number,
  source: ReviewSource,
): Promise<{ readonly view: Html; readonly hasParts: boolean }> {
  const { before, after } = await source.texts(proposal, edit);
  const isOpen = edit.state === 'waiting';
  const isInParts = edit.kind === 'write' && before !== undefined && after !== undefined && before !== after;
  const hunks = isInParts ? hunksOf(before, after) : undefined;
  const several = proposal.edits.filter(({ state }) => state === 'waiting').length > 1;
  const view = html`<section class="card"><h2>${sentence(edit)}</h2>
${!isOpen && html`<p><span class="badge">${edit.state}</span></p>`}
${hunks && isOpen && html`<input type="hidden" name="parts-${index}" value="${hunks.length}">`}
${hunks ? await Promise.all(hunks.map((hunk, at) => hunkView(hunk, { before: before ?? '', edit: index, at, isOpen }))) : await wholeView(edit, before, after)}
${isOpen && several && html`<p class="row"><button name="action" value="accept:${index}">Accept this note</button> <button name="action" value="reject:${index}">Reject this note</button></p>`}</section>`;
  return { view, hasParts: hunks !== undefined && isOpen };
}

const LINES_AROUND = 3;

/** One hunk with the lines around it. */
async function hunkView(
  { start, removed, added }: Hunk,
  { before, edit, at, isOpen }: { before: string; edit: number; at: number; isOpen: boolean },
): Promise<Html> {
  const lines = linesOf(before);
  const first = Math.max(0, start - LINES_AROUND);
  const above = lines.slice(first, start).join('');
  const end = start + removed.length;
  const below = lines.slice(end, end + LINES_AROUND).join('');
  const label = `Part ${at + 1}, line ${start + 1}`;
  const difference = await diffView(above + removed.join('') + below, above + added.join('') + below, {
    firstLine: { before: first + 1, after: first + 1 },
  });
  return html`${isOpen ? html`<p><label><input type="checkbox" name="part" value="${edit}.${at}" checked> ${label}</label></p>` : html`<p class="quiet">${label}</p>`}
${difference}`;
}

async function wholeView(
  { kind, to }: ProposedEdit,
  before: string | undefined,
  after: string | undefined,
): Promise<Html> {
  if (kind === 'move')
    return html`<p>The text stays as it is; the note moves to <span class="mono">${to ?? ''}</span>.</p>`;
  const isKnown = (kind === 'delete' ? before : after) !== undefined;
  return isKnown ? diffView(before, after) : html`<p>This is not text, or too large to be shown.</p>`;
}

async function conflictPage(
  request: PostRequest,
  proposal: Proposal,
  conflicts: readonly LandConflict[],
  source: ReviewSource,
): Promise<PageContent> {
  const page = await proposalPage(request, proposal, {
    ...source,
    conflicts: async () => conflicts,
  });
  return { ...page, status: 409 };
}

/** Unchecked parts of an accepted note are rejected; a note without any checked part is rejected whole. */
function verdictOf(fields: URLSearchParams, { edits }: Proposal): Verdict {
  const [action = '', only] = (fields.get('action') ?? '').split(':');
  if (action !== 'accept' && action !== 'reject')
    throw new AppError('invalid_input', 'Accept or reject?', { hint: 'Load the page again.' });
  const indexes = edits
    .map((_, index) => index)
    .filter((index) => edits[index]?.state === 'waiting' && (only === undefined || only === String(index)));
  const comment = fields.get('comment') ?? undefined;
  if (action === 'reject') return { accept: new Map(), reject: indexes, comment };
  const checked = new Map<number, Set<number>>();
  for (const part of fields.getAll('part')) {
    const [edit = Number.NaN, hunk = Number.NaN] = part.split('.').map(Number);
    checked.set(edit, (checked.get(edit) ?? new Set()).add(hunk));
  }
  const accept = new Map<number, 'whole' | ReadonlySet<number>>();
  const reject: number[] = [];
  for (const index of indexes) {
    const isInParts = edits[index]?.kind === 'write' && fields.get(`parts-${index}`) !== null;
    const parts = checked.get(index);
    if (!isInParts) accept.set(index, 'whole');
    else if (!parts) reject.push(index);
    else accept.set(index, parts.size === Number(fields.get(`parts-${index}`)) ? 'whole' : parts);
  }
  return { accept, reject, comment };
}

function doneWith(proposal: Proposal, { accept }: Verdict): Done {
  const notice =
    accept.size === 0
      ? 'Rejected. Nothing was changed.'
      : 'Accepted. The change is in the notes and in the history.';
  return { to: isWaiting(proposal) ? linkTo(REVIEW_PATH, { id: proposal.id }) : REVIEW_PATH, notice };
}
