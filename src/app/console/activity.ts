/** The changes of all served notebooks for the console: an admin sees all, everybody else their own. */
import { createHash } from 'node:crypto';
import type { Config, NotebookConfig } from '../../config/schema.ts';
import type {
  ActivityPage,
  ActivityQuery,
  ActivitySource,
  EditTextPair,
  ShownChange,
  UndoPlan,
  UndoSelection,
} from '../../console/activity.ts';
import type { Viewer } from '../../console/page.ts';
import type { Change, RecordedEdit } from '../../history/change.ts';
import { timeOfId } from '../../history/change-heads.ts';
import type { ChangeFilter } from '../../history/change-log.ts';
import { textsOf } from '../../history/edit-texts.ts';
import { isChangeId } from '../../history/history.ts';
import { type OutsideChange, outsideChanges } from '../../history/outside.ts';
import { changesNamed, effective, unknownChange } from '../../history/selection.ts';
import { createSharedRuns } from '../../shared/async/shared-runs.ts';
import { AppError } from '../../shared/errors.ts';
import { LruMap } from '../../shared/memoize.ts';
import { type Caller, SCOPES } from '../../shared/principal.ts';
import { storeAt } from '../../stores/registry.ts';
import { type HistoryBackend, isShown, type OpenChanges } from '../../surfaces/history/backend.ts';
import { historyBackend } from '../history-tools.ts';
import type { NotebookServer } from '../notebooks.ts';
import type { Services } from '../services.ts';

interface ActivityParts extends Pick<Services, 'log' | 'history'> {
  readonly config: Config;
  readonly notebooks: ReadonlyMap<string, NotebookServer>;
  /** The name by which a viewer's changes are recorded. */
  readonly principalOf: (viewer: Viewer) => string;
}

const PAGE = 50;
/** Changes among which the one before a listed change is looked for first. */
const CONTEXT = 100;
const MOST_LOOKED_UP = 20;
/** The texts of all their notes are in memory for the preview. */
const MOST_UNDONE = 1_000;
const MOST_MARKS = 100;
/** The id of a change may be a little later than its time. */
const ID_AHEAD_MS = 60_000;

interface ServedHistory {
  /** All notebooks over the same notes. */
  readonly names: readonly string[];
  readonly backends: ReadonlyMap<string, HistoryBackend>;
  readonly open: () => Promise<OpenChanges>;
}

export function activityOf(parts: ActivityParts): ActivitySource {
  const { config, notebooks, principalOf, history: place } = parts;
  const histories = place ? historiesOf(parts) : [];
  const historyOf = (notebook: string): ServedHistory => {
    const found = histories.find(({ names }) => names.includes(notebook));
    if (found) return found;
    throw new AppError('not_found', 'There is no such notebook', {
      subject: notebook.slice(0, 100),
      hint: 'The Start page lists those that are served.',
    });
  };
  const own = (viewer: Viewer): ChangeFilter => (viewer.isAdmin ? {} : { principal: principalOf(viewer) });
  const isFor = (viewer: Viewer, { by }: Change) => viewer.isAdmin || by.principal === principalOf(viewer);
  const callerFor = (viewer: Viewer): Caller => ({
    principal: { id: principalOf(viewer), kind: 'user', scopes: SCOPES },
    program: 'console',
  });

  const shownOf = (viewer: Viewer, history: ServedHistory, change: Change): ShownChange => {
    const notebook = nameFor(history, change);
    const backend = history.backends.get(notebook)!;
    const edits = change.edits.filter((edit) => backend.isVisible(edit));
    const refusal = refusalOf(viewer, change, backend, config.notebooks[notebook]!);
    return { notebook, change: { ...change, edits }, refusal };
  };
  const refusalOf = (viewer: Viewer, change: Change, backend: HistoryBackend, notebook: NotebookConfig) => {
    if (notebook.readOnly) return 'These notes are served read-only.';
    if (!viewer.mayChange) return 'Your role does not let you change notes. An admin can undo it.';
    if (viewer.isAdmin)
      return change.edits.every(backend.isVisible)
        ? undefined
        : 'It also changed notes that are hidden here.';
    return backend.refusalOf(change, callerFor(viewer))?.hint;
  };

  const selected = async (viewer: Viewer, { notebook, id }: UndoSelection) => {
    const history = historyOf(notebook);
    const opened = await history.open();
    const found = await changesNamed(opened.history, id);
    if (found.length === 0 || !found.every((change) => isFor(viewer, change) && isVisibleIn(history, change)))
      throw unknownChange(id, 'The Activity page lists those that are kept.');
    const changes = effective(found);
    if (changes.length === 0)
      throw new AppError('invalid_input', 'This change is already undone', {
        subject: id,
        hint: 'To bring it back, undo the change that undid it: the Activity page shows which one.',
      });
    if (changes.length > MOST_UNDONE)
      throw new AppError('invalid_input', 'Too many changes at once', {
        subject: `${changes.length} of at most ${MOST_UNDONE}`,
        hint: `Nothing was undone. In a terminal, quire undo ${id} has no limit.`,
      });
    const refusal = changes.map((change) => shownOf(viewer, history, change).refusal).find(Boolean);
    if (refusal !== undefined)
      throw new AppError('forbidden', 'This cannot be undone here', { subject: id, hint: refusal });
    return { changes, undo: opened.undo };
  };
  const runUndo = async (viewer: Viewer, selection: UndoSelection, dryRun: boolean): Promise<UndoPlan> => {
    const { changes, undo } = await selected(viewer, selection);
    return { ...(await undo(changes, callerFor(viewer), { dryRun, copies: selection.copies })), changes };
  };

  const ownMarks = new LruMap<{ readonly all: string; readonly own: string }>(MOST_MARKS);
  // Open pages ask for the same list at the same moment: when something is new.
  const lists = createSharedRuns<ActivityPage>();
  const list = async (viewer: Viewer, query: ActivityQuery): Promise<ActivityPage> => {
    const wanted = query.notebook === undefined ? histories : [historyOf(query.notebook)];
    const lists = await Promise.all(
      wanted.map(async (history) => {
        const changes = await pageOf(history, query, own(viewer));
        return changes.map((change) => ({ history, change }));
      }),
    );
    const merged = lists.flat().sort((a, b) => (a.change.id < b.change.id ? 1 : -1));
    const { shown, ...more } = cutPage(merged, query);
    // Found among the changes of all: what another user did through Quire was not done outside.
    const outside = await Promise.all(
      wanted.map((history) => {
        const changes = shown.flatMap((one) => (one.history === history ? [one.change] : []));
        return outsideOf(history, changes);
      }),
    );
    return {
      ...more,
      changes: shown.map(({ history, change }) => shownOf(viewer, history, change)),
      outside: outside.flat(),
    };
  };

  return {
    notebooks: histories.flatMap(({ names }) => names),
    tools: changingTools(notebooks),
    isKept: place !== undefined,
    list: (viewer, query) =>
      lists(JSON.stringify([viewer.isAdmin || viewer.user, query]), () => list(viewer, query)),
    async change(viewer, notebook, id) {
      const history = historyOf(notebook);
      const { history: opened } = await history.open();
      const change = isChangeId(id) ? await opened.change(id) : undefined;
      if (!change || !isFor(viewer, change) || !isVisibleIn(history, change))
        throw unknownChange(id.slice(0, 60), 'The Activity page lists those that are kept.');
      return shownOf(viewer, history, change);
    },
    async texts(notebook, edit) {
      const { history } = await historyOf(notebook).open();
      const texts = await textsOf(history, edit.kind === 'move' ? { ...edit, kind: 'write' } : edit);
      return typeof texts === 'string' ? texts : pairOf(edit, texts);
    },
    async replacedText(notebook, edit) {
      if (edit.replaced === undefined) return undefined;
      const { history } = await historyOf(notebook).open();
      const texts = await textsOf(history, edit);
      return typeof texts === 'string' ? texts : { before: texts.before };
    },
    plan: (viewer, selection) => runUndo(viewer, selection, true),
    undo: (viewer, selection) => runUndo(viewer, selection, false),
    async mark(viewer) {
      const opened = await Promise.all(histories.map(({ open }) => open()));
      const all = hashOf(await Promise.all(opened.map(({ history }) => history.mark())));
      if (viewer.isAdmin) return all;
      // What others change is not theirs to know, not even when.
      const principal = principalOf(viewer);
      const known = ownMarks.get(principal);
      if (known?.all === all) return known.own;
      const lists = await Promise.all(opened.map(({ history }) => history.list({ principal }, PAGE)));
      const states = lists
        .flat()
        .map(({ id, undoneBy, edits }) => [id, undoneBy, edits.map(({ state }) => state)]);
      ownMarks.set(principal, { all, own: hashOf(states) });
      return hashOf(states);
    },
  };
}

/** One for each set of notes: notebooks over the same notes share their history. */
function historiesOf({ config, notebooks, log, history }: ActivityParts): ServedHistory[] {
  const byNotes = new Map<string, string[]>();
  for (const name of notebooks.keys()) {
    const identity = JSON.stringify(storeAt(config.notebooks[name]!).identity);
    byNotes.set(identity, [...(byNotes.get(identity) ?? []), name]);
  }
  return [...byNotes.values()].map((names) => {
    const backends = new Map(
      names.map((name) => [
        name,
        historyBackend(notebooks.get(name)!, config.notebooks[name]!, { log, history }),
      ]),
    );
    // Of several, one that may write can undo.
    const writer = names.find((name) => !config.notebooks[name]?.readOnly) ?? names[0]!;
    return { names, backends, open: () => backends.get(writer)!.open() };
  });
}

/** Another process may have recorded it under another name. */
function nameFor({ names }: ServedHistory, { notebook }: Change): string {
  return names.includes(notebook) ? notebook : names[0]!;
}

function isVisibleIn(history: ServedHistory, change: Change): boolean {
  return isShown(change, history.backends.get(nameFor(history, change))!);
}

function changingTools(notebooks: ReadonlyMap<string, NotebookServer>): string[] {
  const tools = [...notebooks.values()].flatMap(({ limited }) => limited.surface.tools);
  const names = tools.filter(({ effect }) => effect !== 'read').map(({ name }) => name);
  return [...new Set([...names.filter((name) => name !== 'undo_changes'), 'undo'])].sort();
}

/** The nearest changes to the cursor, one more than a page has; the newest first. */
async function pageOf(history: ServedHistory, query: ActivityQuery, own: ChangeFilter): Promise<Change[]> {
  const opened = await history.open();
  const { app, tool, since, until, before, after, notebook } = query;
  const place = await placeOf(opened, own, query.path);
  const filter: ChangeFilter = { ...own, ...place, client: app, tool, since, until, before };
  const isWanted = (change: Change) =>
    isVisibleIn(history, change) && (notebook === undefined || nameFor(history, change) === notebook);
  if (after !== undefined) return pageAfter(after, opened, filter, isWanted);
  for (let most = PAGE + 1; ; most *= 4) {
    const changes = await opened.history.list(filter, most);
    const wanted = changes.filter(isWanted);
    if (wanted.length > PAGE || changes.length < most) return wanted.slice(0, PAGE + 1);
  }
}

const FIRST_SPAN_MS = 60_000;

/** Looked for in longer and longer spans of time: the history lists from its newest change on. */
async function pageAfter(
  after: string,
  { history }: OpenChanges,
  { since = 0, until = Number.POSITIVE_INFINITY, ...filter }: ChangeFilter,
  isWanted: (change: Change) => boolean,
): Promise<Change[]> {
  const from = timeOfId(after) - ID_AHEAD_MS;
  for (let span = ID_AHEAD_MS + FIRST_SPAN_MS; ; span *= 8) {
    const end = Math.min(until, from + span);
    const within = { ...filter, since: Math.max(since, from), until: end };
    const changes = await history.list(within, Number.POSITIVE_INFINITY);
    const wanted = changes.filter((change) => change.id > after && isWanted(change));
    if (wanted.length > PAGE || end >= Math.min(until, Date.now())) return wanted.slice(-(PAGE + 1));
  }
}

/** The changes of a note, or else of what is below a folder. */
async function placeOf({ history }: OpenChanges, own: ChangeFilter, path = ''): Promise<ChangeFilter> {
  const place = path.replace(/^\/+|\/+$/g, '');
  if (place === '') return {};
  return path.endsWith('/') || (await history.list({ ...own, path: place }, 1)).length === 0
    ? { under: place }
    : { path: place };
}

function cutPage<Entry>(entries: readonly Entry[], { before, after }: ActivityQuery) {
  if (after === undefined)
    return { shown: entries.slice(0, PAGE), hasOlder: entries.length > PAGE, hasNewer: before !== undefined };
  return { shown: entries.slice(-PAGE), hasOlder: true, hasNewer: entries.length > PAGE };
}

async function outsideOf(history: ServedHistory, shown: readonly Change[]): Promise<OutsideChange[]> {
  const [newest] = shown;
  if (!newest) return [];
  const { history: opened } = await history.open();
  // Sorts right behind the id itself.
  const context = await opened.list({ before: `${newest.id}0` }, CONTEXT);
  const earlier = await Promise.all(
    firstEdits(context).map(async ({ id, path }) => {
      const [change] = await opened.list({ path, before: id }, 1);
      // Of other notes there may be later changes that were not looked up.
      const edits = change?.edits.filter((edit) => edit.path === path || edit.to === path) ?? [];
      return change ? [{ ...change, edits }] : [];
    }),
  );
  const ids = new Set(shown.map(({ id }) => id));
  const isVisible = (path: string) =>
    [...history.backends.values()].every((backend) => backend.isVisible({ path }));
  return outsideChanges([...context, ...earlier.flat()]).filter(
    ({ foundBy, path }) => ids.has(foundBy) && isVisible(path),
  );
}

/** The first edits of notes that were there before, for which an earlier change has to be looked up. */
function firstEdits(changes: readonly Change[]): { readonly id: string; readonly path: string }[] {
  const first = new Map<string, { id: string; path: string; hasText: boolean }>();
  for (const { id, edits } of changes.toReversed())
    for (const { path, to, before } of edits) {
      if (!first.has(path)) first.set(path, { id, path, hasText: before !== undefined });
      if (to !== undefined && !first.has(to)) first.set(to, { id, path: to, hasText: false });
    }
  return [...first.values()].filter(({ hasText }) => hasText).slice(-MOST_LOOKED_UP);
}

function pairOf(
  { kind, before, after }: RecordedEdit,
  texts: { before: string; after: string },
): EditTextPair {
  return {
    before: kind === 'create' || before === undefined ? undefined : texts.before,
    after: kind === 'delete' || after === undefined ? undefined : texts.after,
  };
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 24);
}
