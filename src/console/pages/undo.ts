/** Undoing changes: first what each note would become, then a form that does exactly that. */
import { createHash } from 'node:crypto';
import { decode } from '../../history/edit-texts.ts';
import type { UndoAction, UndoConflict, UndoStep } from '../../history/undo.ts';
import { type Html, html } from '../../shared/html.ts';
import {
  ACTIVITY_PATH,
  type ActivitySource,
  CHANGE_PATH,
  UNDO_PATH,
  type UndoPlan,
  type UndoSelection,
} from '../activity.ts';
import { plural } from '../change-words.ts';
import { diffView } from '../diff/diff-view.ts';
import { type ConsolePage, formOf, linkTo, type PageContent, type PageRequest } from '../page.ts';

export function undoPage(source: ActivitySource): ConsolePage {
  return {
    path: UNDO_PATH,
    under: ACTIVITY_PATH,
    async show(request) {
      const selection = selectionOf(request.query);
      return previewOf(await source.plan(request.viewer, selection), selection, request);
    },
    async post({ fields, ...request }) {
      const selection = selectionOf(fields);
      const plan = await source.plan(request.viewer, selection);
      if (plan.conflicts.length > 0 || markOf(plan) !== fields.get('plan'))
        return previewOf(plan, selection, request, MOVED_ON);
      const done = await source.undo(request.viewer, selection);
      if (done.conflicts.length > 0) return previewOf(done, selection, request, MOVED_ON);
      const what = plural(plan.changes.length, 'change');
      if (done.id === undefined)
        return {
          to: ACTIVITY_PATH,
          notice: `The notes are already as they were before: ${what} needed nothing.`,
        };
      const { notebook } = selection;
      return {
        to: linkTo(CHANGE_PATH, { notebook, id: done.id }),
        notice: `Undone: ${what}. This page shows how the notes changed by that; it can be undone like any change.`,
      };
    },
  };
}

const MOVED_ON =
  'The notes have changed since you looked, and nothing was undone. This is what undoing would do now.';

function selectionOf(values: URLSearchParams): UndoSelection {
  return {
    notebook: values.get('notebook') ?? '',
    id: values.get('id') ?? '',
    copies: values.get('copies') === 'yes',
  };
}

/** Equal for equal outcomes. */
function markOf({ steps, conflicts }: UndoPlan): string {
  const hash = createHash('sha256');
  for (const { path, from, action, texts } of steps) {
    hash.update(JSON.stringify([path, from, action, texts?.before?.length, texts?.after?.length]));
    for (const text of [texts?.before, texts?.after]) if (text) hash.update(text);
  }
  return hash.update(`${conflicts.length}`).digest('hex').slice(0, 32);
}

/** Notes that are shown with their texts. */
const MOST_SHOWN = 50;

async function previewOf(
  plan: UndoPlan,
  selection: UndoSelection,
  request: PageRequest,
  problem?: string,
): Promise<PageContent> {
  const { changes, conflicts } = plan;
  const outcomes = outcomesOf(plan.steps);
  const views: Html[] = [];
  for (const outcome of outcomes.slice(0, MOST_SHOWN)) views.push(await outcomeView(outcome));
  const what = plural(changes.length, 'change');
  const rest = outcomes.length - views.length;
  return {
    title: `Undo ${what}?`,
    status: problem === undefined ? 200 : 409,
    body: html`${problem !== undefined && html`<p class="problem" role="alert">${problem}</p>`}
${conflicts.length > 0 ? await conflictPart(conflicts, selection) : confirmPart(plan, selection, request)}
${views}
${rest > 0 && html`<p class="note">${plural(rest, 'more note')} would change, too many to show here.</p>`}`,
  };
}

function confirmPart(plan: UndoPlan, { notebook, id, copies }: UndoSelection, request: PageRequest): Html {
  const cancel = linkTo(
    id.startsWith('g') ? ACTIVITY_PATH : CHANGE_PATH,
    id.startsWith('g') ? {} : { notebook, id },
  );
  return html`<p>Nothing is changed yet. This is what would become of each note. What was changed in other lines since then stays.</p>
${formOf(
  request,
  UNDO_PATH,
  html`<input type="hidden" name="notebook" value="${notebook}"><input type="hidden" name="id" value="${id}">
<input type="hidden" name="copies" value="${copies ? 'yes' : ''}"><input type="hidden" name="plan" value="${markOf(plan)}">
<p class="row"><button class="strong">Undo ${plural(plan.changes.length, 'change')}</button> <a class="button" href="${cancel}">Cancel</a></p>`,
)}`;
}

async function conflictPart(
  conflicts: readonly UndoConflict[],
  { notebook, id, copies }: UndoSelection,
): Promise<Html> {
  const views: Html[] = [];
  for (const conflict of conflicts.slice(0, MOST_SHOWN)) views.push(await conflictView(conflict));
  const withCopies = linkTo(UNDO_PATH, { notebook, id, copies: 'yes' });
  return html`<p class="problem" role="alert">${plural(conflicts.length, 'note')} cannot be restored, so nothing is undone.</p>
${views}
<p>${
    copies
      ? 'Restore these notes by hand, or undo later changes of them first.'
      : html`You can <a href="${withCopies}">undo the rest, and put the old texts of these notes into new notes beside them</a>, or undo later changes of these notes first.`
  } <a href="${ACTIVITY_PATH}">Back to Activity</a></p>`;
}

async function conflictView({ path, title, reason, texts }: UndoConflict): Promise<Html> {
  const { before, after, current } = texts;
  return html`<section class="card"><h2>${title ?? path}</h2><p>${reason}</p>
<h3>What the change did</h3>${await bytesView(before, after)}
<h3>What happened since</h3>${await bytesView(after, current)}</section>`;
}

async function bytesView(before: Uint8Array | undefined, after: Uint8Array | undefined): Promise<Html> {
  const [old, fresh] = [before && decode(before), after && decode(after)];
  const isText = (before === undefined || old !== undefined) && (after === undefined || fresh !== undefined);
  return isText ? diffView(old, fresh) : html`<p class="note">This file is not text.</p>`;
}

interface Outcome {
  path: string;
  from?: string;
  actions: UndoAction[];
  readonly title?: string;
  readonly remarks: string[];
  before: Uint8Array | undefined;
  after: Uint8Array | undefined;
  hasTexts: boolean;
}

/** The steps of each note together: from what it is to what it becomes. */
function outcomesOf(steps: readonly UndoStep[]): Outcome[] {
  const byPath = new Map<string, Outcome>();
  for (const { path, from, action, title, remark, texts } of steps) {
    const known = byPath.get(from ?? path);
    const outcome: Outcome = known ?? {
      path,
      actions: [],
      title,
      remarks: [],
      before: undefined,
      after: undefined,
      hasTexts: false,
    };
    outcome.actions.push(action);
    if (remark !== undefined) outcome.remarks.push(remark);
    if (texts) {
      if (!outcome.hasTexts) outcome.before = texts.before;
      outcome.after = texts.after;
      outcome.hasTexts = true;
    }
    if (from !== undefined) {
      byPath.delete(from);
      outcome.from ??= from;
      outcome.path = path;
    }
    byPath.set(outcome.path, outcome);
  }
  return [...byPath.values()].filter(({ actions }) => actions.some((action) => action !== 'nothing to do'));
}

const TITLES: Readonly<Record<UndoAction, string>> = {
  restored: 'restored',
  merged: 'restored, later changes kept',
  removed: 'removed',
  'brought back': 'brought back',
  'moved back': 'moved back',
  'nothing to do': 'unchanged',
  copied: 'a new note with the old text',
};

async function outcomeView({
  path,
  from,
  actions,
  title,
  remarks,
  before,
  after,
  hasTexts,
}: Outcome): Promise<Html> {
  const words = [...new Set(actions.filter((action) => action !== 'nothing to do'))].map(
    (action) => TITLES[action],
  );
  return html`<section><h2>${from === undefined ? (title ?? path) : `${from} → ${path}`}: ${words.join(', ')}</h2>
${remarks.map((remark) => html`<p class="note">${remark}</p>`)}
${hasTexts && (await bytesView(before, after))}
</section>`;
}
