/** Finds tasks and changes their state. */
import { AppError } from '../../shared/errors.ts';
import type { NotePath } from '../path.ts';
import type { SearchOptions } from '../searcher.ts';
import type { Notebook } from '../store.ts';
import { normalizeTag } from '../tags.ts';
import type { Priority, Task } from '../task.ts';
import { PRIORITIES } from '../task-fields.ts';
import { isOpen, scanTasks, tasksLike, withTaskState } from '../tasks.ts';
import { textOf } from '../text/text.ts';
import { TRASH } from './trash.ts';
import { existing, updateNote } from './update-note.ts';

interface TaskFilter {
  readonly path?: NotePath;
  readonly folder?: NotePath;
  /** `open`, `done`, `all`, or what stands in the brackets. */
  readonly state: string;
  /** With or without `#`; nested tags below it match too. */
  readonly tag?: string;
  /** Part of the name of an owner. */
  readonly owner?: string;
  /** Part of the text. */
  readonly text?: string;
  /** Days, both included. */
  readonly dueAfter?: string;
  readonly dueBefore?: string;
}

export type FoundTask = Task & { readonly path: NotePath };

/** The tasks of one page or of all, the most urgent first. */
export async function findTasks(
  { notes, searcher }: Pick<Notebook, 'notes' | 'searcher'>,
  filter: TaskFilter,
  asking: SearchOptions,
): Promise<FoundTask[]> {
  const { path } = filter;
  const all =
    path === undefined
      ? await searcher.tasks(asking)
      : [[path, scanTasks(textOf(await notes.read(path)))] as const];
  const isWanted = passes(filter);
  const found: FoundTask[] = [];
  for (const [at, tasks] of all) {
    if (path === undefined && !isIn(at, filter.folder)) continue;
    for (const task of tasks) if (isWanted(task)) found.push({ ...task, path: at });
  }
  return found.sort(byUrgency);
}

function isIn(path: NotePath, folder: NotePath | undefined): boolean {
  if (path.startsWith(`${TRASH}/`)) return false;
  return folder === undefined || folder === '' || path.startsWith(`${folder}/`);
}

function passes({ state, tag, owner, text, dueAfter, dueBefore }: TaskFilter): (task: Task) => boolean {
  const wanted = tag === undefined ? undefined : normalizeTag(tag).toLowerCase();
  const isTagged = (own: string) => `${own.toLowerCase()}/`.startsWith(`${wanted}/`);
  const name = owner?.replace(/^@/, '').toLowerCase();
  const words = text?.normalize('NFC').toLowerCase();
  return (task) =>
    hasState(task, state) &&
    (wanted === undefined || task.tags.some(isTagged)) &&
    (name === undefined || task.owners?.some((own) => own.toLowerCase().includes(name)) === true) &&
    (words === undefined || task.text.normalize('NFC').toLowerCase().includes(words)) &&
    (dueAfter === undefined || (task.due ?? '') >= dueAfter) &&
    (dueBefore === undefined || (task.due !== undefined && task.due <= dueBefore));
}

function hasState(task: Task, wanted: string): boolean {
  switch (wanted) {
    case 'all':
      return true;
    case 'open':
      return isOpen(task);
    case 'done':
      return task.done;
    default:
      return task.state === wanted;
  }
}

type Urgency = Pick<FoundTask, 'due' | 'priority' | 'path' | 'line'>;

/** By due date, those without one last; then by priority; then as they stand. */
export function byUrgency(a: Urgency, b: Urgency): number {
  const due = (task: Urgency) => task.due ?? '9999';
  if (due(a) !== due(b)) return due(a) < due(b) ? -1 : 1;
  const byRank = rankOf(a.priority) - rankOf(b.priority);
  if (byRank !== 0) return byRank;
  return a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1;
}

/** A task without a priority stands between medium and low. */
function rankOf(priority: Priority | undefined): number {
  return priority === undefined ? 2.5 : PRIORITIES.indexOf(priority);
}

/** One task of a page. It is found by its text, so that no edit elsewhere can shift it. */
export interface WantedTask {
  readonly text: string;
  /** Which one, when several have this text. */
  readonly line?: number;
  /** Of several alike, those in this state are not the ones meant. */
  readonly notState?: string;
}

/** Gives one task of a page another state. */
export async function setTaskState(
  notebook: Pick<Notebook, 'notes'>,
  path: NotePath,
  { state, ...wanted }: WantedTask & { readonly state: string },
  signal?: AbortSignal,
): Promise<{ task: Task; unchanged: boolean }> {
  return editTask(
    notebook,
    path,
    { ...wanted, notState: state },
    (page, task) => (task.state === state ? undefined : withTaskState(page, task, state)),
    signal,
  );
}

/** `edit` returns the new text of the page, or undefined to leave it. */
export async function editTask(
  { notes }: Pick<Notebook, 'notes'>,
  path: NotePath,
  wanted: WantedTask,
  edit: (page: string, task: Task) => string | undefined,
  signal?: AbortSignal,
): Promise<{ task: Task; unchanged: boolean }> {
  let task: Task | undefined;
  const written = await updateNote(
    notes,
    path,
    async (current) => {
      const page = textOf(existing(path, current));
      task = taskMeant(scanTasks(page), wanted);
      const after = edit(page, task);
      return after === page ? undefined : after;
    },
    signal,
  );
  return { task: task!, unchanged: written === undefined };
}

export function taskMeant(tasks: readonly Task[], { text, line, notState }: WantedTask): Task {
  const alike = tasksLike(tasks, text);
  const [only, ...others] =
    line === undefined ? unsettled(alike, notState) : alike.filter((task) => task.line === line);
  if (only && others.length === 0) return only;
  if (alike.length === 0)
    throw new AppError('invalid_input', 'No such task on this page', {
      hint: 'list_tasks with this page shows its tasks; give the text of one.',
      reason: 'text_not_found',
    });
  const where = alike.map((task) => `${task.line} (${task.text.slice(0, 60)})`).slice(0, 8);
  throw new AppError('invalid_input', `${alike.length} tasks match`, {
    subject: `lines ${where.join(', ')}`,
    hint: 'Give more of the text, or the line of the one you mean.',
    reason: 'text_not_unique',
  });
}

/** Of several alike, those already in the wanted state are not the ones meant. */
function unsettled(alike: readonly Task[], state: string | undefined): readonly Task[] {
  if (state === undefined) return alike;
  const left = alike.filter((task) => task.state !== state);
  return left.length > 0 ? left : alike.slice(0, 1);
}
