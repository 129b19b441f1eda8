/** What was changed in a day or a week, and what is due. */
import { isTrashed } from '../../notes/ops/trash.ts';
import { type NotePath, nameOf, parseFolderPath } from '../../notes/path.ts';
import { textOf } from '../../notes/text/text.ts';
import {
  asked,
  chosenNotes,
  data,
  dayAfter,
  isBelow,
  type NotePrompt,
  noteLine,
  noteMessage,
  type Period,
  type PromptContext,
  type PromptMessage,
  periodOf,
} from './prompt.ts';

export const dailyReview: NotePrompt = {
  name: 'daily_review',
  title: 'Daily review',
  description: 'What the notes of a day say: what was done and decided, what is open, what is due',
  takes: ['date', 'folder'],
  async messages(context) {
    const period = periodOf(context, 1);
    const own = await noteOfDay(context, period.date);
    return [
      asked(
        [`Review my day, ${period.date}.`, ...(await found(context, period, period.date))],
        [
          reading(context),
          'Tell me in a few lines what was done, what was decided, and what is open. Name the note behind each statement.',
          'List what is overdue or due, the oldest first, and say which of it the notes show to be done.',
          ending(context, own?.path),
        ],
      ),
      ...(own ? [own.message] : []),
    ];
  },
};

export const weeklyReview: NotePrompt = {
  name: 'weekly_review',
  title: 'Weekly review',
  description: 'What changed in the notes in a week or any number of days, by subject, and what comes next',
  takes: ['date', 'days', 'folder'],
  async messages(context) {
    const period = periodOf(context, 7);
    const blocks = await found(context, period, dayAfter(period.date, period.days));
    return [
      asked(
        [`Review the ${period.days} days up to ${period.date}.`, ...blocks],
        [
          reading(context),
          'Group what you read by project or subject. For each: what moved, what was decided, what is stuck. Name the notes.',
          'List open tasks that are overdue or come up next, and suggest at most five for the days ahead.',
          ending(context),
        ],
      ),
    ];
  },
};

/** The notes that were changed, and the open tasks that are due by a day. */
async function found(context: PromptContext, { from, to }: Period, dueBy: string): Promise<string[]> {
  const { args, backend, signal } = context;
  const changed = (await chosenNotes(context))
    .filter(({ lastModified }) => lastModified >= from && lastModified < to)
    .sort((a, b) => b.lastModified - a.lastModified);
  const folder = args.folder === undefined ? undefined : parseFolderPath(args.folder);
  const isMeant = (path: NotePath) => !isTrashed(path) && (!folder || isBelow(path, folder));
  const due = (await backend.searcher.tasks({ signal }))
    .filter(([path]) => isMeant(path))
    .flatMap(([path, tasks]) => tasks.map((task) => ({ ...task, path })))
    .filter((task) => !task.done && task.due !== undefined && task.due <= dueBy)
    .sort((a, b) => (a.due! < b.due! ? -1 : 1));
  return [
    `Notes last changed in this time (path, title, day, tags), the newest first:\n${data('notes', changed.map(noteLine))}`,
    `Open tasks due by ${dueBy}:\n${data(
      'tasks',
      due.map(({ due: day, text, path, line }) => `${day}: ${text} (${path}, line ${line})`),
      40,
    )}`,
  ];
}

/** The note that has the day as its name. */
async function noteOfDay(
  { backend, signal }: PromptContext,
  date: string,
): Promise<{ path: NotePath; message: PromptMessage } | undefined> {
  const isOfDay = ({ path }: { path: NotePath }) => !isTrashed(path) && nameOf(path).startsWith(`${date}.`);
  const [entry, ...others] = (await backend.searcher.notes({ signal })).filter(isOfDay);
  if (!entry || others.length > 0) return undefined;
  const note = await backend.notes.read(entry.path);
  return { path: entry.path, message: noteMessage(entry.path, textOf(note), note.contentType) };
}

function reading({ tool }: PromptContext): string {
  const changes = tool('list_changes');
  const read = tool('read_multiple_notes', 'read_note', 'vault_read', 'read_page');
  const said = changes ? ` ${changes} says which of these changes came from an assistant.` : '';
  return `Read the changed notes that matter with ${read ?? 'the tool that reads notes'}.${said}`;
}

function ending({ tool }: PromptContext, path?: NotePath): string {
  const append = tool('append_to_periodic_note', 'append_to_page', 'write_note', 'vault_edit', 'write_page');
  if (!append) return 'Change nothing.';
  const where = path === undefined ? 'a note that I name' : `a section "Review" at the end of ${path}`;
  return `Change nothing yet. Ask me whether to keep the review; if I say yes, add it with ${append} to ${where}.`;
}
