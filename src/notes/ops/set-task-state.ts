/** Gives one task of a page another state. It is found by its text, so that no edit elsewhere can shift it. */
import { AppError } from '../../shared/errors.ts';
import type { Notebook } from '../notebook.ts';
import type { NotePath } from '../path.ts';
import { scanTasks, type Task, tasksLike, withTaskState } from '../tasks.ts';
import { textOf } from '../text.ts';
import { existing, updateNote } from './update-note.ts';

export interface TaskChange {
  readonly text: string;
  /** Which one, when several have this text. */
  readonly line?: number;
  readonly state: string;
}

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
