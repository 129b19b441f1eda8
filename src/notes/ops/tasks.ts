/** Finds tasks and changes their state. */
import { mapConcurrently } from '../../shared/async/semaphore.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import type { NotePath } from '../path.ts';
import type { SearchOptions } from '../searcher.ts';
import type { Notebook } from '../store.ts';
import { normalizeTag } from '../tags.ts';
import type { Task } from '../task.ts';
import { scanTasks, TASK_PATTERN, tasksLike, withTaskState } from '../tasks.ts';
import { textOf } from '../text/text.ts';
import { TRASH } from './trash.ts';
import { existing, updateNote } from './update-note.ts';

interface TaskFilter {
  readonly path?: NotePath;
  /** `open`, `done`, `all`, or what stands in the brackets. */
  readonly state: string;
  /** With or without `#`; nested tags below it match too. */
  readonly tag?: string;
  /** Days, both included. */
  readonly dueAfter?: string;
  readonly dueBefore?: string;
}

export type FoundTask = Task & { readonly path: NotePath };

const MOST_PAGES = 20_000;
const PARALLEL = 8;

/** The tasks of one page or of all, the most urgent first. */
export async function findTasks(
  { notes, searcher }: Pick<Notebook, 'notes' | 'searcher'>,
  filter: TaskFilter,
  asking: SearchOptions,
): Promise<FoundTask[]> {
  const paths = filter.path === undefined ? await pagesWithTasks(searcher, asking) : [filter.path];
  const found = await mapConcurrently(
    paths,
    PARALLEL,
    async (path) => {
      try {
        return scanTasks(textOf(await notes.read(path))).map((task) => ({ ...task, path }));
      } catch (error) {
        // Of many pages, one that is gone or no text meanwhile does not matter.
        const isNothing = isAppError(error, 'not_found') || isAppError(error, 'unsupported');
        if (filter.path === undefined && isNothing) return [];
        throw error;
      }
    },
    asking.signal,
  );
  return found.flat().filter(passes(filter)).sort(byUrgency);
}

async function pagesWithTasks(searcher: Notebook['searcher'], asking: SearchOptions): Promise<NotePath[]> {
  const request = { query: '', limit: MOST_PAGES, sort: 'name' } as const;
  const filter = { pattern: TASK_PATTERN, notUnder: TRASH };
  const { hits } = await searcher.search({ ...request, filter }, asking);
  return hits.map(({ path }) => path);
}

function passes({ state, tag, dueAfter, dueBefore }: TaskFilter): (task: Task) => boolean {
  const wanted = tag === undefined ? undefined : normalizeTag(tag).toLowerCase();
  const isTagged = (own: string) => `${own.toLowerCase()}/`.startsWith(`${wanted}/`);
  return (task) =>
    hasState(task, state) &&
    (wanted === undefined || task.tags.some(isTagged)) &&
    (dueAfter === undefined || (task.due ?? '') >= dueAfter) &&
    (dueBefore === undefined || (task.due !== undefined && task.due <= dueBefore));
}

function hasState(task: Task, wanted: string): boolean {
  switch (wanted) {
    case 'all':
      return true;
    case 'open':
      return !task.done;
    case 'done':
      return task.done;
    default:
      return task.state === wanted;
  }
}

/** By due date, those without one last; then as they stand. */
function byUrgency(a: FoundTask, b: FoundTask): number {
  const due = (task: Task) => task.due ?? '9999';
  if (due(a) !== due(b)) return due(a) < due(b) ? -1 : 1;
  return a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1;
}

interface TaskChange {
  readonly text: string;
  /** Which one, when several have this text. */
  readonly line?: number;
  readonly state: string;
}

/** Gives one task of a page another state. It is found by its text, so that no edit elsewhere can shift it. */
export async function setTaskState(
  { notes }: Pick<Notebook, 'notes'>,
  path: NotePath,
  change: TaskChange,
  signal?: AbortSignal,
): Promise<{ task: Task; unchanged: boolean }> {
  let task: Task | undefined;
  const written = await updateNote(
    notes,
    path,
    async (current) => {
      const text = textOf(existing(path, current));
      task = meant(scanTasks(text), change);
      return task.state === change.state ? undefined : withTaskState(text, task, change.state);
    },
    signal,
  );
  return { task: task!, unchanged: written === undefined };
}

function meant(tasks: readonly Task[], { text, line, state }: TaskChange): Task {
  const alike = tasksLike(tasks, text);
  const [only, ...others] =
    line === undefined ? unsettled(alike, state) : alike.filter((task) => task.line === line);
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
function unsettled(alike: readonly Task[], state: string): readonly Task[] {
  const left = alike.filter((task) => task.state !== state);
  return left.length > 0 ? left : alike.slice(0, 1);
}
