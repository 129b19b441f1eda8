/** Checks off, changes, adds and moves tasks, each in the form that it has, or that the tasks around it have. */
import { AppError, isAppError } from '../../shared/errors.ts';
import { createLinkResolver } from '../links/resolve.ts';
import { type RewriteResult, rewriteLinks } from '../links/rewrite.ts';
import { scanLinks } from '../links/scan.ts';
import { unindented } from '../markdown/list-items.ts';
import type { NotePath } from '../path.ts';
import type { SearchOptions } from '../searcher.ts';
import type { Notebook, NoteStore, WrittenNote } from '../store.ts';
import type { Priority, Task } from '../task.ts';
import { fieldText, scanFields, withField, withoutFields } from '../task-fields.ts';
import { nextDates, parseRecurrence } from '../task-recurrence.ts';
import { type TaskPlace, type TaskStyle, taskStyle } from '../task-style.ts';
import { addItem, addItemUnder, scanTasks, taskItem, taskText, textRangeOf } from '../tasks.ts';
import { applySplices, insertion, lineEndingOf, textOf, withLineEnding } from '../text/text.ts';
import { listFiles } from './file-listing.ts';
import { editTask, taskMeant, type WantedTask } from './tasks.ts';
import { existing, updateNote } from './update-note.ts';

export type TaskNotebook = Pick<Notebook, 'notes' | 'searcher'> & TaskPlace & { readonly now: () => number };

/** The day here and now. */
export function localDay(time: number): string {
  const date = new Date(time);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

async function styleAt(notebook: TaskNotebook, path: NotePath, asking: SearchOptions): Promise<TaskStyle> {
  const all = await notebook.searcher.tasks(asking);
  const own = all.find(([at]) => at === path)?.[1] ?? [];
  return taskStyle(own, all, notebook, asking);
}

export interface CheckedTask {
  readonly task: Task;
  /** Its text afterwards. */
  readonly text: string;
  readonly unchanged: boolean;
  /** The next one of a task that recurs. */
  readonly next?: string;
}

/** Gives a task another state; a done one gets its date where others have one, and the next one if it recurs. */
export async function checkTask(
  notebook: TaskNotebook,
  path: NotePath,
  { state, ...wanted }: WantedTask & { readonly state: string },
  asking: SearchOptions,
): Promise<CheckedTask> {
  const style = await styleAt(notebook, path, asking);
  const today = localDay(notebook.now());
  let after = '';
  let next: string | undefined;
  const edited = await editTask(
    notebook,
    path,
    { ...wanted, notState: state },
    (page, task) => {
      after = task.state === state ? task.text : datedText(task, state, style, today);
      next = isDone(state) && !task.done ? nextText(task, today, asking) : undefined;
      if (task.state === state) return undefined;
      const { start, end } = textRangeOf(page, task);
      const edits = [
        { ...task.stateRange, text: state },
        { start, end, text: after },
      ];
      return applySplices(page, next === undefined ? edits : [...edits, nextItem(page, task, next, style)]);
    },
    asking.signal,
  );
  return { ...edited, text: after, next: edited.unchanged ? undefined : next };
}

const isDone = (state: string) => state === 'x' || state === 'X';

function datedText(task: Task, state: string, style: TaskStyle, today: string): string {
  const { filterTag } = style;
  const isDated = filterTag === undefined || task.tags.includes(filterTag);
  const form = task.form ?? style.form;
  const fresh = withField(withField(task.text, 'done', undefined, form), 'cancelled', undefined, form);
  if (isDone(state))
    return isDated && style.datesDone ? withField(task.text, 'done', today, form) : task.text;
  if (state === '-' && isDated && style.datesCancelled) return withField(task.text, 'cancelled', today, form);
  return state === '-' ? task.text : fresh;
}

const DATES = ['due', 'scheduled', 'start'] as const;

/** Undefined for a task that does not recur, or by a rule that is not known here. */
function nextText(task: Task, today: string, { onWarning }: SearchOptions): string | undefined {
  if (task.recurrence === undefined) return undefined;
  const step = parseRecurrence(task.recurrence);
  if (!step) {
    onWarning?.(
      `The next one was not made: only rules such as "every 2 weeks" or "every month when done" are known, not "${task.recurrence}". add_task makes it.`,
    );
    return undefined;
  }
  const own = ['done', 'cancelled', 'id', 'blockedBy'];
  const { text, form = 'emoji' } = task;
  const bare = withoutFields(
    text,
    scanFields(text).filter(({ name }) => own.includes(name)),
  ).replace(/[ \t]+\^[A-Za-z0-9-]+$/, '');
  const dates = nextDates(task, DATES, step, today);
  const dated = DATES.reduce(
    (result, name) => (dates[name] === undefined ? result : withField(result, name, dates[name], form)),
    bare,
  );
  const isCreated = scanFields(dated).some(({ name }) => name === 'created');
  return isCreated ? withField(dated, 'created', today, form) : dated;
}

function nextItem(page: string, task: Task, next: string, { nextBelow }: TaskStyle) {
  const { start, end } = taskItem(page, task);
  const item = `${page.slice(start, task.stateRange.start)} ] ${next}`;
  const ending = lineEndingOf(page);
  if (!nextBelow) return insertion(start, item + ending);
  return insertion(end, page.slice(0, end).endsWith('\n') ? item + ending : ending + item);
}

/** `none` takes a field out. */
export interface TaskChanges {
  readonly due?: string;
  readonly scheduled?: string;
  readonly start?: string;
  readonly priority?: Priority | 'none';
  readonly owner?: string;
}

export async function changeTask(
  notebook: TaskNotebook,
  path: NotePath,
  wanted: WantedTask,
  changes: TaskChanges,
  asking: SearchOptions,
): Promise<{ task: Task; text: string; unchanged: boolean }> {
  const style = await styleAt(notebook, path, asking);
  let after = '';
  const edited = await editTask(
    notebook,
    path,
    wanted,
    (page, task) => {
      after = Object.entries(changes).reduce((text, [name, value]) => {
        if (value === undefined) return text;
        const form = name === 'owner' ? (task.ownerForm ?? style.ownerForm) : (task.form ?? style.form);
        return withField(text, name as keyof TaskChanges, value === 'none' ? undefined : value, form);
      }, task.text);
      if (after === '')
        throw new AppError('invalid_input', 'Nothing would be left of this task', {
          hint: 'Nothing was changed.',
        });
      return applySplices(page, [{ ...textRangeOf(page, task), text: after }]);
    },
    asking.signal,
  );
  return { ...edited, text: after };
}

export interface NewTask extends Pick<TaskChanges, 'due' | 'scheduled' | 'owner'> {
  readonly text: string;
  readonly tags: readonly string[];
  readonly priority?: Priority;
  readonly heading?: string;
}

/** Resolves to the line that was added. */
export async function addTask(
  notebook: TaskNotebook,
  path: NotePath,
  task: NewTask,
  asking: SearchOptions,
): Promise<string> {
  const style = await styleAt(notebook, path, asking);
  const item = `${style.bullet} [ ] ${newText(task, style)}`;
  await updateNote(
    notebook.notes,
    path,
    async (current) => placed(textOf(existing(path, current)), item, task.heading),
    asking.signal,
  );
  return item;
}

function placed(page: string, item: string, heading: string | undefined): string {
  return heading === undefined ? addItem(page, item) : addItemUnder(page, heading, item);
}

function newText({ text, tags, due, scheduled, owner, priority }: NewTask, style: TaskStyle): string {
  const { form, filterTag } = style;
  const all = filterTag === undefined || tags.includes(filterTag) ? tags : [filterTag, ...tags];
  const fields = [
    ...(owner === undefined ? [] : [fieldText('owner', owner, style.ownerForm)]),
    ...(priority === undefined ? [] : [fieldText('priority', priority, form)]),
    ...(scheduled === undefined ? [] : [fieldText('scheduled', scheduled, form)]),
  ];
  if (form === 'silverbullet') return taskText({ text: [text.trim(), ...fields].join(' '), due, tags: all });
  const last = due === undefined ? [] : [fieldText('due', due, form)];
  return [text.trim(), ...all.map((tag) => `#${tag}`), ...fields, ...last].join(' ');
}

export interface TaskMove {
  readonly from: NotePath;
  readonly to: NotePath;
  readonly heading?: string;
}

/** The text of a task as it must stand in the other note for its links to lead where they led. */
async function relinked(
  files: NoteStore,
  text: string,
  { from, to }: TaskMove,
  signal?: AbortSignal,
): Promise<Pick<RewriteResult, 'text' | 'stale'>> {
  if (from === to || scanLinks(text).length === 0) return { text, stale: 0 };
  const resolver = createLinkResolver((await listFiles(files, signal)).map(({ path }) => path));
  return rewriteLinks(text, { from, to, before: resolver, after: resolver, moved: (path) => path });
}

/**
 * Moves a task with everything below it. It is added first and taken away then: when that fails, it is taken out of the
 * other note again, and if that fails too it stands in both.
 */
export async function moveTask(
  { notes, files }: Pick<Notebook, 'notes' | 'files'>,
  wanted: WantedTask,
  move: TaskMove,
  signal?: AbortSignal,
): Promise<{ readonly task: Task; readonly lines: number; readonly staleLinks: number }> {
  const { from, to, heading } = move;
  const source = textOf(existing(from, await notes.read(from)));
  const task = taskMeant(scanTasks(source), wanted);
  const range = taskItem(source, task);
  const item = source.slice(range.start, range.end).trimEnd();
  const { text: moved, stale: staleLinks } = await relinked(files, unindented(item), move, signal);
  const result = { task, lines: moved.split('\n').length, staleLinks };
  const withoutItem = (page: string): string => {
    const at = page === source ? range.start : onlyPlaceOf(page, item, from);
    const end = page.indexOf('\n', at + item.length);
    return page.slice(0, at) + (end < 0 ? '' : page.slice(end + 1));
  };
  const withItem = (page: string): string =>
    placed(page, page.includes('\n') ? withLineEnding(moved, lineEndingOf(page)) : moved, heading);
  if (from === to) {
    await updateNote(
      notes,
      from,
      async (current) => withItem(withoutItem(textOf(existing(from, current)))),
      signal,
    );
    return result;
  }
  let before = '';
  const added = await updateNote(
    notes,
    to,
    async (current) => {
      before = textOf(existing(to, current));
      return withItem(before);
    },
    signal,
  );
  try {
    await updateNote(notes, from, async (current) => withoutItem(textOf(existing(from, current))));
    return result;
  } catch (error) {
    throw await takenBack(error, () => undoAdding(notes, to, before, added), to);
  }
}

/** The note was edited since: the item is moved only if it still stands there as it was. */
function onlyPlaceOf(page: string, item: string, path: NotePath): number {
  const at = page.startsWith(item) ? 0 : page.indexOf(`\n${item}`) + 1;
  const isThere = page.startsWith(item, at) && /^(?:\s|$)/.test(page.slice(at + item.length));
  if (isThere && !page.includes(`\n${item}`, at)) return at;
  throw new AppError('conflict', 'The task was changed meanwhile', { subject: path });
}

async function undoAdding(
  notes: Notebook['notes'],
  to: NotePath,
  before: string,
  added: WrittenNote | undefined,
): Promise<void> {
  if (added) await notes.write(to, before, { ifVersion: added.version });
}

async function takenBack(error: unknown, undo: () => Promise<void>, to: NotePath): Promise<unknown> {
  if (!isAppError(error)) return error;
  const isUndone = await undo().then(
    () => true,
    () => false,
  );
  const hint = isUndone
    ? 'Nothing was moved: the task stands where it was.'
    : `The task was added to ${to} and could not be taken out of its own note: it stands in both.`;
  return new AppError(error.code, error.title, { subject: error.subject, hint, cause: error });
}
