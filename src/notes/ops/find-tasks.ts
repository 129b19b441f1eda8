/** The tasks of one page or of all, the most urgent first. */
import { isAppError } from '../../shared/errors.ts';
import { pooled } from '../../shared/pooled.ts';
import type { Notebook } from '../notebook.ts';
import type { NotePath } from '../path.ts';
import type { Asking } from '../searcher.ts';
import { normalizeTag } from '../tags.ts';
import { scanTasks, TASK_PATTERN, type Task } from '../tasks.ts';
import { textOf } from '../text.ts';
import { TRASH } from '../trash-path.ts';

export interface TaskFilter {
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

export async function findTasks(
  { notes, searcher }: Pick<Notebook, 'notes' | 'searcher'>,
  filter: TaskFilter,
  asking: Asking,
): Promise<FoundTask[]> {
  const paths = filter.path === undefined ? await pagesWithTasks(searcher, asking) : [filter.path];
  const found = await pooled(
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

async function pagesWithTasks(searcher: Notebook['searcher'], asking: Asking): Promise<NotePath[]> {
  const request = { query: '', limit: MOST_PAGES, sort: 'name' } as const;
  const filter = { pattern: TASK_PATTERN, notUnder: TRASH };
  const { hits } = await searcher.search({ ...request, filter }, asking);
  return hits.map(({ path }) => path);
}

function passes({ state, tag, dueAfter, dueBefore }: TaskFilter): (task: Task) => boolean {
  const wanted = tag === undefined ? undefined : normalizeTag(tag).toLowerCase();
  const isTagged = (own: string) =>
    wanted === undefined || own.toLowerCase() === wanted || own.toLowerCase().startsWith(`${wanted}/`);
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
