/** `quire history`: the timeline of the changes of notes, the newest first. */
import type { NotebookHistory } from '../../app/history.ts';
import type { Change } from '../../history/change.ts';
import type { ChangeFilter } from '../../history/change-log.ts';
import { countLines, type LineCounts, textsOf } from '../../history/edit-texts.ts';
import type { History } from '../../history/history.ts';
import { type OutsideChange, outsideChanges } from '../../history/outside.ts';
import { AppError } from '../../shared/errors.ts';
import { type Column, cutTo, tableOf, type View } from '../table.ts';
import type { HistoryScope } from './scope.ts';
import { authorOf, bold, notesOf, plural, stateOf, timeOf } from './text.ts';

export interface ListOptions {
  readonly filter: ChangeFilter;
  /** Undefined for all. */
  readonly most: number | undefined;
}

/** The changes of one notebook, the newest first. */
export interface NotebookTimeline {
  readonly name: string;
  readonly changes: readonly Change[];
  readonly outside: readonly OutsideChange[];
  /** By id of the change. */
  readonly counts: ReadonlyMap<string, LineCounts>;
}

/** Changes among which those before the listed ones are looked for. */
const CONTEXT = 2_000;
/** The lines of the newest changes are counted, as far as this suffices. */
const COUNTING_MS = 500;

/** None when nothing is recorded yet. */
export async function timelinesOf(
  { notebooks, path }: HistoryScope,
  { filter, most = Number.POSITIVE_INFINITY }: ListOptions,
): Promise<NotebookTimeline[]> {
  const timelines: NotebookTimeline[] = [];
  const until = performance.now() + COUNTING_MS;
  const isFiltered = Object.values(filter).some((condition) => condition !== undefined);
  let isEmpty = true;
  for (const { name, history } of notebooks) {
    const context = await listAt(history, path, {}, Math.max(CONTEXT, most));
    const changes = isFiltered ? await listAt(history, path, filter, most) : context.slice(0, most);
    const ids = new Set(changes.map(({ id }) => id));
    const outside = outsideChanges(context).filter(({ foundBy }) => ids.has(foundBy));
    timelines.push({ name, changes, outside, counts: await countsOf(history, changes, until) });
    isEmpty &&= context.length === 0;
  }
  if (isEmpty && path !== undefined) await assertRecorded(notebooks, path);
  return isEmpty ? [] : timelines;
}

/** The changes of a note, or of what is below a folder. */
async function listAt(
  history: History,
  path: string | undefined,
  filter: ChangeFilter,
  most: number,
): Promise<Change[]> {
  if (path === undefined || path === '') return history.list(filter, most);
  const changes = await history.list({ ...filter, path }, most);
  return changes.length > 0 ? changes : history.list({ ...filter, under: path }, most);
}

/** A path without changes, among notes that have some, is a mistake. */
async function assertRecorded(notebooks: readonly NotebookHistory[], path: string): Promise<void> {
  const any = await Promise.all(notebooks.map(({ history }) => history.list({}, 1)));
  if (any.every(({ length }) => length === 0)) return;
  throw new AppError('not_found', 'No change of this note or folder is recorded', {
    subject: path,
    hint: 'Paths are those in the notebook, with the extension: projects/plan.md. Without one, all changes are listed.',
  });
}

const NOTHING_RECORDED = `No change of these notes is recorded yet.
Changes are recorded when an assistant makes them through Quire. If a server was started with --state-dir, name the same folder here.
`;

async function countsOf(
  history: History,
  changes: readonly Change[],
  until: number,
): Promise<Map<string, LineCounts>> {
  const counts = new Map<string, LineCounts>();
  for (const { id, edits } of changes) {
    let sum: LineCounts = { added: 0, removed: 0 };
    for (const edit of edits) {
      if (performance.now() > until) return counts;
      if (edit.form !== undefined) continue;
      const { added = 0, removed = 0 } = countLines(await textsOf(history, edit)) ?? {};
      sum = { added: sum.added + added, removed: sum.removed + removed };
    }
    if (sum.added + sum.removed > 0) counts.set(id, sum);
  }
  return counts;
}

export function timelineJson(timelines: readonly NotebookTimeline[]): string {
  const changes = timelines.flatMap(({ name, changes, counts }) =>
    changes.map((change) => ({ ...changeJson(name, change), lines: counts.get(change.id) })),
  );
  const outside = timelines.flatMap(({ name, outside }) =>
    outside.map(({ since, until, ...found }) => ({
      notebook: name,
      ...found,
      since: new Date(since).toISOString(),
      until: new Date(until).toISOString(),
    })),
  );
  return `${JSON.stringify({ changes, outside }, null, 2)}\n`;
}

/** The notebook by its name in this configuration. */
export function changeJson(notebook: string, { at, ...change }: Change) {
  return { ...change, notebook, at: new Date(at).toISOString() };
}

interface Row {
  readonly change: Change;
  readonly counts: LineCounts | undefined;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'Time', value: ({ change }) => timeOf(change.at), min: 16, priority: 5 },
  { title: 'Change', value: ({ change }) => change.id, min: 16, priority: 6 },
  // On a narrow terminal the heading of the group names the author.
  { title: 'By', value: ({ change }) => authorOf(change.by), min: 16, priority: 1 },
  { title: 'Tool', value: ({ change }) => change.tool, min: 12, priority: 3 },
  { title: 'Lines', value: ({ counts }) => linesOf(counts), min: 5, priority: 2 },
  { title: 'Notes', value: ({ change }) => notesOf(change), min: 20, priority: 4 },
];

function linesOf(counts: LineCounts | undefined): string {
  return counts ? `+${counts.added} -${counts.removed}` : '';
}

export function timelineText(timelines: readonly NotebookTimeline[], most: number, view: View): string {
  if (timelines.length === 0) return NOTHING_RECORDED;
  const isOne = timelines.length === 1;
  const lines = timelines.flatMap((timeline) => [
    ...(isOne ? [] : [bold(`Notebook ${timeline.name}`, view)]),
    ...(timeline.changes.length === 0 ? ['No change fits.'] : linesFor(timeline, view)),
    ...(timeline.changes.length < most ? [] : [`There may be older changes: --limit ${most * 2}.`]),
    ...(isOne ? [] : ['']),
  ]);
  return `${lines.join('\n').trimEnd()}\n`;
}

function linesFor({ changes, outside, counts }: NotebookTimeline, view: View): string[] {
  const rows = changes.map((change) => ({ change, counts: counts.get(change.id) }));
  const {
    lines: [head = ''],
    rows: table,
  } = tableOf(COLUMNS, rows, view);
  const note = (text: string) => cutTo(`    ${text}`, view.width);
  const lines = changes.flatMap((change, at) => {
    const isFirst = changes[at - 1]?.group !== change.group;
    const state = stateOf(change);
    const found = outside.filter(({ foundBy }) => foundBy === change.id);
    return [
      ...(isFirst ? [cutTo(headingOf(change, changes), view.width)] : []),
      ...(table[at] ?? []),
      ...(change.undoes ? [note(`undoes ${change.undoes.join(', ')}`)] : []),
      ...(change.acceptedBy === undefined ? [] : [note(`accepted by ${change.acceptedBy}`)]),
      ...(change.undoneBy === undefined ? [] : [note(`undone by ${change.undoneBy}`)]),
      ...(state === undefined ? [] : [note(state)]),
      ...found.map(({ path, since, until }) =>
        note(`changed outside Quire between ${timeOf(since)} and ${timeOf(until)}: ${path}`),
      ),
    ];
  });
  return [head, ...lines];
}

function headingOf({ group, by }: Change, changes: readonly Change[]): string {
  const count = changes.filter((change) => change.group === group).length;
  return `-- ${group}: ${plural(count, 'change')} by ${authorOf(by)}`;
}
