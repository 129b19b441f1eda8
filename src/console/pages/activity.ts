/** The Activity page: the timeline of changes, by session, the newest first. */
import type { Change } from '../../history/change.ts';
import { isChangeId } from '../../history/history.ts';
import type { OutsideChange } from '../../history/outside.ts';
import { parseSince } from '../../history/since.ts';
import { AppError } from '../../shared/errors.ts';
import { type Html, html } from '../../shared/html.ts';
import {
  ACTIVITY_PATH,
  type ActivityPage,
  type ActivityQuery,
  type ActivitySource,
  CHANGE_PATH,
  EVENTS_PATH,
  type ShownChange,
  UNDO_PATH,
} from '../activity.ts';
import { appOf, personOf, plural, stateOf, summaryOf, titleOf } from '../change-words.ts';
import { type ConsolePage, linkTo, timeOf, type Viewer } from '../page.ts';

const FILTERS = ['notebook', 'app', 'tool', 'path', 'from', 'to'] as const;
type Filters = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>;

export function activityPage(source: ActivitySource): ConsolePage {
  return {
    path: ACTIVITY_PATH,
    menu: 'Activity',
    async show({ viewer, query }) {
      const filters = filtersOf(query);
      const cursor = { before: cursorOf(query, 'before'), after: cursorOf(query, 'after') };
      // Taken first: what comes later is announced.
      const mark = await source.mark(viewer);
      const page = await source.list(viewer, { ...queryOf(filters), ...cursor });
      const isNewest = !page.hasNewer;
      const timeline = html`${timelineOf(page, { viewer, source, isFiltered: hasAny(filters), isNewest })}
${pagesOf(page, filters)}`;
      const live = linkTo(EVENTS_PATH, { mark });
      return {
        title: 'Activity',
        body: html`${filterForm(source, filters)}
${isNewest ? html`<div data-live="${live}">${timeline}</div>` : timeline}`,
      };
    },
  };
}

function filtersOf(query: URLSearchParams): Filters {
  return Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = query.get(name)?.trim();
      return value ? [[name, value.slice(0, 1_000)]] : [];
    }),
  );
}

function hasAny(filters: Filters): boolean {
  return Object.keys(filters).length > 0;
}

function cursorOf(query: URLSearchParams, name: string): string | undefined {
  const id = query.get(name) ?? undefined;
  if (id === undefined || isChangeId(id)) return id;
  throw new AppError('invalid_input', 'This page of the list does not exist', {
    subject: id.slice(0, 60),
    hint: 'Begin again with the newest changes.',
  });
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

function queryOf({ from, to, ...filters }: Filters): ActivityQuery {
  const until = to === undefined ? undefined : dayOf(to) + (DAY.test(to) ? DAY_MS - 1 : 0);
  return { ...filters, since: from === undefined ? undefined : dayOf(from), until };
}

const LATEST_MS = 8.64e15;

/** A day begins in UTC: the server does not know where the reader is. It may be one to come. */
function dayOf(text: string): number {
  return DAY.test(text) ? parseSince(`${text}T00:00Z`, LATEST_MS) : parseSince(text);
}

function filterForm({ notebooks, tools }: ActivitySource, filters: Filters): Html {
  const { notebook, app, tool, path, from, to } = filters;
  const choice = (values: readonly string[], chosen: string | undefined) => {
    const all = chosen === undefined || values.includes(chosen) ? values : [...values, chosen];
    return all.map((value) => html`<option${value === chosen && html` selected`}>${value}</option>`);
  };
  return html`<form class="filters" method="get" action="${ACTIVITY_PATH}" aria-label="Filter the changes">
${
  notebooks.length > 1 &&
  html`<label>Notebook<select name="notebook"><option value="">All</option>${choice(notebooks, notebook)}</select></label>`
}
<label>App<input name="app" value="${app ?? ''}" placeholder="Any" autocomplete="off"></label>
<label>Tool<select name="tool"><option value="">Any</option>${choice(tools, tool)}</select></label>
<label>Note or folder<input name="path" value="${path ?? ''}" placeholder="Any" autocomplete="off" spellcheck="false"></label>
<label>From day (UTC)<input type="date" name="from" value="${from ?? ''}"></label>
<label>To day (UTC)<input type="date" name="to" value="${to ?? ''}"></label>
<button>Show</button>
${hasAny(filters) && html`<a class="button" href="${ACTIVITY_PATH}">Show all</a>`}
</form>`;
}

interface TimelineParts {
  readonly viewer: Viewer;
  readonly source: ActivitySource;
  readonly isFiltered: boolean;
  readonly isNewest: boolean;
}

function timelineOf(page: ActivityPage, parts: TimelineParts): Html {
  if (page.changes.length === 0) return emptyState(parts);
  const outside = new Map<string, OutsideChange[]>();
  for (const found of page.outside)
    outside.set(found.foundBy, [...(outside.get(found.foundBy) ?? []), found]);
  const hasSeveral = parts.source.notebooks.length > 1;
  const sessions = new Map<string, ShownChange[]>();
  for (const change of page.changes) {
    const key = `${change.notebook} ${change.change.group}`;
    sessions.set(key, [...(sessions.get(key) ?? []), change]);
  }
  return html`${[...sessions.values()].map((changes) => sessionView(changes, { outside, hasSeveral, viewer: parts.viewer }))}`;
}

function emptyState({ viewer, source, isFiltered, isNewest }: TimelineParts): Html {
  if (!source.isKept)
    return html`<p class="note">No history is kept of these notes, so there is nothing to show or undo. To keep one, leave <code>history: off</code> out of the configuration, and give <code>state.dir</code> a folder.</p>`;
  if (isFiltered)
    return html`<p class="note">No change matches. Use fewer filters, or <a href="${ACTIVITY_PATH}">show all changes</a>.</p>`;
  if (!isNewest)
    return html`<p class="note">There are no changes here. <a href="${ACTIVITY_PATH}">Show the newest</a>.</p>`;
  const whose = viewer.isAdmin ? 'an assistant' : 'an assistant of yours';
  return html`<p class="note">No change yet. As soon as ${whose} changes a note, it is listed here, and you can undo it. <a href="/">How to connect one</a></p>`;
}

interface SessionParts {
  readonly outside: ReadonlyMap<string, readonly OutsideChange[]>;
  readonly hasSeveral: boolean;
  readonly viewer: Viewer;
}

/** The changes of one session on this page. */
function sessionView(changes: readonly ShownChange[], { outside, hasSeveral, viewer }: SessionParts): Html {
  const [newest, oldest] = [changes[0]!, changes.at(-1)!];
  const { by, group } = newest.change;
  const person = viewer.isAdmin ? personOf(by) : undefined;
  const canUndo = changes.some(isUndoable);
  const label = `session-${newest.change.id}`;
  return html`<section class="card" aria-labelledby="${label}">
<div class="row"><h2 class="plain" id="${label}">${appOf(by)}${person !== undefined && html` <span class="quiet">for ${person}</span>`}</h2>
${hasSeveral && html`<span class="badge">${newest.notebook}</span>`}
<span class="quiet">${plural(changes.length, 'change')}, ${spanOf(oldest.change, newest.change)}</span>
${canUndo && changes.length > 1 && html`<a class="button end" href="${linkTo(UNDO_PATH, { notebook: newest.notebook, id: group })}">Undo this session…</a>`}</div>
<ol class="plain rows">${changes.map((change) => entryView(change, outside.get(change.change.id) ?? [], viewer))}</ol>
</section>`;
}

function spanOf(oldest: Change, newest: Change): Html {
  return newest.at - oldest.at < MINUTE_MS
    ? timeOf(newest.at)
    : html`${timeOf(oldest.at)} to ${timeOf(newest.at)}`;
}

function isUndoable({ change, refusal }: ShownChange): boolean {
  return refusal === undefined && change.undoneBy === undefined;
}

function entryView(shown: ShownChange, outside: readonly OutsideChange[], viewer: Viewer): Html {
  const { notebook, change } = shown;
  const { id, at, tool, undoneBy } = change;
  const state = stateOf(change);
  return html`<li${undoneBy !== undefined && html` class="undone"`}><div class="row">
<a class="what" href="${linkTo(CHANGE_PATH, { notebook, id })}">${summaryOf(change)}</a>
${undoneBy !== undefined && html`<a class="badge" href="${linkTo(CHANGE_PATH, { notebook, id: undoneBy })}">undone</a>`}
${state !== undefined && html`<span class="badge bad">${state}</span>`}
<span class="quiet end"><code>${tool}</code> ${timeOf(at)}${isUndoable(shown) && html` <a href="${linkTo(UNDO_PATH, { notebook, id })}" aria-label="Undo: ${titleOf(change)}">Undo…</a>`}</span>
</div>${outside.map((found) => outsideView(found, viewer))}</li>
`;
}

/** The time before is that of the last change through Quire, which may be another user's. */
function outsideView({ path, since, until }: OutsideChange, { isAdmin }: Viewer): Html {
  return html`<p class="quiet outside"><span class="badge">outside Quire</span> <b>${path}</b> was changed by another program ${
    isAdmin && until - since >= MINUTE_MS
      ? html`between ${timeOf(since)} and ${timeOf(until)}`
      : html`before ${timeOf(until)}`
  }.</p>`;
}

function pagesOf({ changes, hasOlder, hasNewer }: ActivityPage, filters: Filters): Html | undefined {
  const link = (cursor: Readonly<Record<string, string | undefined>>) =>
    linkTo(ACTIVITY_PATH, { ...filters, ...cursor });
  const [first, last] = [changes[0]?.change.id, changes.at(-1)?.change.id];
  if (!hasNewer && !hasOlder) return undefined;
  return html`<nav class="pages" aria-label="Pages">
${hasNewer && html`<a href="${link({})}">Newest</a> <a rel="prev" href="${link({ after: first })}">Newer</a>`}
${hasOlder && html`<a rel="next" href="${link({ before: last })}">Older</a>`}
</nav>`;
}
