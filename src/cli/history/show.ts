/** `quire history show`: one change, or all of a group, with what they changed in each note. */
import type { NotebookHistory } from '../../app/history.ts';
import type { Change, RecordedEdit } from '../../history/change.ts';
import { diffOf, textsOf } from '../../history/edit-texts.ts';
import { changesNamed, unknownChange } from '../../history/selection.ts';
import { AppError } from '../../shared/errors.ts';
import { factLines, type View } from '../table.ts';
import { changeJson } from './list.ts';
import type { HistoryScope } from './scope.ts';
import { authorOf, bold, diffLines, noteOf, stateOf, timeOf } from './text.ts';

export interface FoundChanges {
  readonly notebook: NotebookHistory;
  /** The newest first. */
  readonly changes: readonly Change[];
}

/** The notebook that has the change or group of this id. */
export async function findChanges({ notebooks, others }: HistoryScope, id: string): Promise<FoundChanges> {
  const find = async (among: readonly NotebookHistory[]): Promise<FoundChanges | undefined> => {
    for (const notebook of among) {
      const changes = await changesNamed(notebook.history, id);
      if (changes.length > 0) return { notebook, changes };
    }
    return undefined;
  };
  const found = await find(notebooks);
  if (found) return found;
  const elsewhere = await find(others);
  if (elsewhere)
    throw new AppError('not_found', 'This change belongs to another notebook', {
      subject: `${id} is of ${elsewhere.notebook.name}`,
      hint: `Give --notebook ${elsewhere.notebook.name}.`,
    });
  throw unknownChange(id, 'quire history lists those that are kept.');
}

export async function shownJson({ notebook, changes }: FoundChanges): Promise<string> {
  const shown = [];
  for (const change of changes) {
    const edits = [];
    for (const edit of change.edits) edits.push({ ...edit, diff: await editDiff(notebook, edit) });
    shown.push({ ...changeJson(notebook.name, change), edits });
  }
  return `${JSON.stringify(shown.length === 1 ? shown[0] : shown, null, 2)}\n`;
}

export async function shownText({ notebook, changes }: FoundChanges, view: View): Promise<string> {
  const parts: string[] = [];
  for (const change of changes) parts.push((await linesFor(notebook, change, view)).join('\n'));
  return `${parts.join('\n\n')}\n`;
}

const INDENT = 10;

async function linesFor(notebook: NotebookHistory, change: Change, view: View): Promise<string[]> {
  const fact = (name: string, value: string | undefined) =>
    value === undefined ? [] : factLines(name, value, view, INDENT);
  const lines = [
    bold(`Change ${change.id}`, view),
    ...fact('Time', timeOf(change.at)),
    ...fact('Notebook', notebook.name),
    ...fact('By', authorOf(change.by)),
    ...fact('Accepted by', change.acceptedBy),
    ...fact('Session', change.by.session),
    ...fact('Tool', change.tool),
    ...fact('Group', change.group),
    ...fact('Undoes', change.undoes?.join(', ')),
    ...fact('Undone by', change.undoneBy),
    ...fact('State', stateOf(change)),
  ];
  for (const edit of change.edits)
    lines.push(
      '',
      bold(`${TITLES[edit.kind]} ${noteOf(edit)}`, view),
      ...diffLines(await editDiff(notebook, edit), view),
    );
  return lines;
}

const TITLES: Readonly<Record<RecordedEdit['kind'], string>> = {
  create: 'Created',
  write: 'Changed',
  delete: 'Deleted',
  move: 'Moved',
};

async function editDiff({ history }: NotebookHistory, edit: RecordedEdit): Promise<string> {
  return diffOf(await textsOf(history, edit));
}
