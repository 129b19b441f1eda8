/** Finds tasks and changes their state. */
import { AppError } from '../../shared/errors.ts';
import type { NotePath } from '../path.ts';
import type { NoteTasks, SearchOptions } from '../searcher.ts';
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
  const { path, folder } = filter;
  const own: NoteTasks | undefined =
    path === undefined ? undefined : [[path, scanTasks(textOf(await notes.read(path)))]];
  const isWanted = passes(filter);
  const isIn = (task: FoundTask) => own !== undefined || !folder || task.path.startsWith(`${folder}/`);
  const found: FoundTask[] = [];
  for (const entry of inOrder(own ?? (await searcher.tasks(asking))))
    if ((entry.isKept || own !== undefined) && isWanted(entry) && isIn(entry.task)) found.push(entry.task);
  return found;
}

/** Of one shape, so that very many are looked through in a moment. */
interface TaskEntry {
  readonly task: FoundTask;
  readonly isOpen: boolean;
  /** Outside the trash. */
  readonly isKept: boolean;
  readonly due: string | undefined;
  /** The text as it is compared, once it was. */
  words: string | undefined;
}

/** Sorted once per change of the notes: there may be very many. */
const sorted = new WeakMap<NoteTasks, readonly TaskEntry[]>();

function inOrder(all: NoteTasks): readonly TaskEntry[] {
  const known = sorted.get(all);
  if (known) return known;
  const entries = all
    .flatMap(([path, tasks]) => tasks.map((task) => entryOf({ ...task, path })))
    .sort((a, b) => byUrgency(a.task, b.task));
  sorted.set(all, entries);
  return entries;
}

function entryOf(task: FoundTask): TaskEntry {
  const isKept = !task.path.startsWith(`${TRASH}/`);
  return { task, isOpen: isOpen(task), isKept, due: task.due, words: undefined };
}

function passes({ state, tag, owner, text, dueAfter, dueBefore }: TaskFilter): (entry: TaskEntry) => boolean {
  const wanted = tag === undefined ? undefined : normalizeTag(tag).toLowerCase();
  const isTagged = (own: string) => `${own.toLowerCase()}/`.startsWith(`${wanted}/`);
  const name = owner?.replace(/^@/, '').toLowerCase();
  const words = text === undefined ? undefined : wordsOf(text);
  return (entry) => {
    const { task, due } = entry;
    return (
      (state === 'open' ? entry.isOpen : hasState(task, state)) &&
      (wanted === undefined || task.tags.some(isTagged)) &&
      (name === undefined || task.owners?.some((own) => own.toLowerCase().includes(name)) === true) &&
      (dueAfter === undefined || (due ?? '') >= dueAfter) &&
      (dueBefore === undefined || (due !== undefined && due <= dueBefore)) &&
      (words === undefined || wordsIn(entry).includes(words))
    );
  };
}

function wordsIn(entry: TaskEntry): string {
  entry.words ??= wordsOf(entry.task.text);
  return entry.words;
}

function wordsOf(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function hasState(task: Task, wanted: string): boolean {
  switch (wanted) {
    case 'all':
      return true;
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
