/** One change: who made it, when, by which tool, and what it did to each note. */
import type { RecordedEdit } from '../../history/change.ts';
import { AppError } from '../../shared/errors.ts';
import { type Html, html } from '../../shared/html.ts';
import {
  ACTIVITY_PATH,
  type ActivitySource,
  CHANGE_PATH,
  type EditTextPair,
  type ShownChange,
  UNDO_PATH,
} from '../activity.ts';
import { appOf, noteOf, personOf, plural, stateOf, titleOf, verbOf } from '../change-words.ts';
import { diffView } from '../diff/diff-view.ts';
import { type ConsolePage, linkTo, timeOf } from '../page.ts';

/** Notes on one page. */
const PAGE = 20;

export function changePage(source: ActivitySource): ConsolePage {
  return {
    path: CHANGE_PATH,
    under: ACTIVITY_PATH,
    async show({ viewer, query }) {
      const shown = await source.change(viewer, query.get('notebook') ?? '', query.get('id') ?? '');
      const { edits } = shown.change;
      const from = Math.min(Math.max(0, Math.trunc(Number(query.get('from') ?? 0)) || 0), edits.length);
      const views: Html[] = [];
      for (const edit of edits.slice(from, from + PAGE)) views.push(await editView(source, shown, edit));
      return {
        title: titleOf(shown.change),
        body: html`${factsOf(shown)}
${undoPart(shown)}
${views}
${morePart(shown, from)}`,
      };
    },
  };
}

function factsOf({ notebook, change }: ShownChange): Html {
  const { at, by, tool, undoes = [], undoneBy, acceptedBy } = change;
  const person = personOf(by);
  const state = stateOf(change);
  const link = (id: string) => html`<a href="${linkTo(CHANGE_PATH, { notebook, id })}">${id}</a> `;
  return html`<dl>
<dt>When</dt><dd>${timeOf(at)}</dd>
<dt>App</dt><dd>${appOf(by)}${person !== undefined && html` for ${person}`}</dd>
${acceptedBy !== undefined && html`<dt>Accepted by</dt><dd>${acceptedBy}</dd>`}
<dt>Tool</dt><dd><code>${tool}</code></dd>
<dt>Notebook</dt><dd>${notebook}</dd>
<dt>Notes</dt><dd>${plural(change.edits.length, 'note')}</dd>
${state !== undefined && html`<dt>State</dt><dd>${state}</dd>`}
${undoes.length > 0 && html`<dt>Undoes</dt><dd>${undoes.slice(0, PAGE).map(link)}${undoes.length > PAGE && html`and ${undoes.length - PAGE} more`}</dd>`}
${undoneBy !== undefined && html`<dt>Undone by</dt><dd>${link(undoneBy)}</dd>`}
</dl>`;
}

function undoPart({ notebook, change, refusal }: ShownChange): Html {
  if (change.undoneBy !== undefined)
    return html`<p class="note">This change is undone. To bring it back, undo the one that undid it.</p>`;
  if (refusal !== undefined) return html`<p class="note">You cannot undo this here. ${refusal}</p>`;
  const link = (id: string) => linkTo(UNDO_PATH, { notebook, id });
  return html`<p class="row"><a class="button strong" href="${link(change.id)}">Undo this change…</a> <a class="button" href="${link(change.group)}">Undo its whole session…</a> <span class="quiet">You see what it does first.</span></p>`;
}

async function editView(
  source: ActivitySource,
  { notebook }: ShownChange,
  edit: RecordedEdit,
): Promise<Html> {
  const texts = await source.texts(notebook, edit);
  const replaced = await source.replacedText(notebook, edit);
  const isMoved = edit.kind === 'move' && typeof texts !== 'string' && texts.before === texts.after;
  return html`<section><h2>${verbOf(edit)} ${noteOf(edit)}</h2>
${isMoved ? html`<p class="quiet">Its text stayed the same.</p>` : await textsView(texts)}
${replaced !== undefined && html`<h3>It replaced this note</h3>${await textsView(replaced)}`}
</section>`;
}

async function textsView(texts: EditTextPair | 'not text' | 'not kept'): Promise<Html> {
  if (texts === 'not text') return html`<p class="note">This file is not text.</p>`;
  if (texts === 'not kept')
    return html`<p class="note">Its texts are no longer kept, so they cannot be shown or brought back. The setting <code>history</code> says for how long they are.</p>`;
  return diffView(texts.before, texts.after);
}

function morePart({ notebook, change: { id, edits } }: ShownChange, from: number): Html | undefined {
  if (edits.length <= PAGE) return undefined;
  const link = (at: number) => linkTo(CHANGE_PATH, { notebook, id, from: at });
  if (from >= edits.length)
    throw new AppError('not_found', 'The change has fewer notes', { hint: 'Open it again from Activity.' });
  return html`<nav class="pages" aria-label="Notes of this change"><span class="quiet">Notes ${from + 1} to ${Math.min(from + PAGE, edits.length)} of ${edits.length}</span>
${from > 0 && html`<a rel="prev" href="${link(Math.max(0, from - PAGE))}">Notes before</a>`}
${from + PAGE < edits.length && html`<a rel="next" href="${link(from + PAGE)}">More notes</a>`}</nav>`;
}
