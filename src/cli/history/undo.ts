/** `quire undo`: undoes changes, all that are asked for or none. */
import { userInfo } from 'node:os';
import type { NotebookHistory } from '../../app/history.ts';
import type { Change } from '../../history/change.ts';
import type { ChangeFilter } from '../../history/change-log.ts';
import { countLines, decode, excerptsOf } from '../../history/edit-texts.ts';
import { effective, lastChange } from '../../history/selection.ts';
import type { RecordedUndo, UndoConflict, UndoRequest, UndoStep } from '../../history/undo.ts';
import { AppError } from '../../shared/errors.ts';
import { type Caller, FULL_SCOPES } from '../../shared/principal.ts';
import { printable } from '../../shared/printable.ts';
import { VERSION } from '../../version.ts';
import { cutTo, type View } from '../table.ts';
import type { HistoryScope } from './scope.ts';
import { findChanges } from './show.ts';
import { bold, plural } from './text.ts';

export interface UndoSelection {
  /** Ids of changes and groups. */
  readonly ids: readonly string[];
  readonly last: boolean;
  /** Undefined when neither a session nor a time is given. */
  readonly filter: ChangeFilter | undefined;
}

/** The changes of one notebook that are to be undone, and what came of it. */
export interface NotebookUndo {
  readonly notebook: NotebookHistory;
  readonly changes: readonly Change[];
}

export interface UndoOutcome extends NotebookUndo {
  readonly result: RecordedUndo;
}

export async function selectUndo(scope: HistoryScope, selection: UndoSelection): Promise<NotebookUndo[]> {
  const { ids, last, filter } = selection;
  const ways = [ids.length > 0, last, filter !== undefined].filter(Boolean).length;
  if (ways !== 1)
    throw new AppError(
      'invalid_input',
      ways === 0 ? 'Nothing to undo is named' : 'Name what to undo in one way',
      {
        hint: 'Give ids of changes or groups, or --last, or --session and --since. quire history lists them.',
      },
    );
  if (ids.length > 0) return selectByIds(scope, ids);
  if (last) return selectLast(scope);
  const selected: NotebookUndo[] = [];
  for (const notebook of scope.notebooks) {
    const changes = effective(await notebook.history.list(filter, Number.POSITIVE_INFINITY));
    if (changes.length > 0) selected.push({ notebook, changes });
  }
  if (selected.length === 0)
    throw new AppError('not_found', 'No such change is left to undo', {
      hint: 'quire history lists the changes.',
    });
  return selected;
}

async function selectByIds(scope: HistoryScope, ids: readonly string[]): Promise<NotebookUndo[]> {
  const selected = new Map<NotebookHistory, Map<string, Change>>();
  for (const id of ids) {
    const { notebook, changes } = await findChanges(scope, id);
    const toUndo = effective(changes);
    const [first] = changes;
    if (toUndo.length === 0)
      throw new AppError('invalid_input', 'This change is already undone', {
        subject: id,
        hint: `It was undone by ${first?.undoneBy ?? 'another change'}. To bring it back, undo that one.`,
      });
    const known = selected.get(notebook) ?? new Map<string, Change>();
    for (const change of toUndo) known.set(change.id, change);
    selected.set(notebook, known);
  }
  return [...selected].map(([notebook, changes]) => ({ notebook, changes: [...changes.values()] }));
}

async function selectLast({ notebooks }: HistoryScope): Promise<NotebookUndo[]> {
  const found: { notebook: NotebookHistory; change: Change }[] = [];
  for (const notebook of notebooks) {
    const change = await lastChange(notebook.history, {});
    if (change) found.push({ notebook, change });
  }
  const [newest] = found.sort((a, b) => (a.change.id < b.change.id ? 1 : -1));
  if (newest) return [{ notebook: newest.notebook, changes: [newest.change] }];
  throw new AppError('not_found', 'No change of these notes is left to undo', {
    hint: 'quire history lists the changes that are recorded.',
  });
}

/** In several notebooks, nothing is changed in any of them unless it can be undone in all. */
export async function undoAll(
  selected: readonly NotebookUndo[],
  request: UndoRequest,
): Promise<UndoOutcome[]> {
  const run = async (options: UndoRequest) => {
    const outcomes: UndoOutcome[] = [];
    for (const { notebook, changes } of selected)
      outcomes.push({ notebook, changes, result: await notebook.undo(changes, terminalUser(), options) });
    return outcomes;
  };
  if (request.dryRun) return run(request);
  if (selected.length > 1) {
    const plan = await run({ ...request, dryRun: true });
    if (plan.some(({ result }) => result.conflicts.length > 0)) return plan;
  }
  return run(request);
}

/** The person at the terminal, as the history names the author of an undoing. */
export function terminalUser(): Required<Pick<Caller, 'principal' | 'program'>> {
  const id = `terminal:${userName()}`;
  return { principal: { id, kind: 'user', scopes: FULL_SCOPES }, program: `quire ${VERSION}` };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user id without an entry in the system's list of users.
    return String(process.getuid?.() ?? 'unknown');
  }
}

export function conflictsOf(outcomes: readonly UndoOutcome[]): readonly UndoConflict[] {
  return outcomes.flatMap(({ result }) => result.conflicts);
}

export function undoJson(outcomes: readonly UndoOutcome[], { dryRun }: UndoRequest): string {
  const notebooks = outcomes.map(({ notebook, changes, result }) => ({
    notebook: notebook.name,
    undoes: changes.map(({ id }) => id),
    change: result.id,
    steps: result.steps.map(({ texts, ...step }) => step),
    conflicts: result.conflicts.map(({ texts: { before, after, current }, ...conflict }) => ({
      ...conflict,
      before: before && decode(before),
      after: after && decode(after),
      current: current && decode(current),
    })),
  }));
  return `${JSON.stringify({ dryRun, notebooks }, null, 2)}\n`;
}

export function undoText(outcomes: readonly UndoOutcome[], { dryRun }: UndoRequest, view: View): string {
  const isConflict = conflictsOf(outcomes).length > 0;
  const lines = outcomes.flatMap(({ notebook, changes, result }) => {
    const what = `${plural(changes.length, 'change')} in ${notebook.name}`;
    const heading = isConflict || dryRun ? `Would undo ${what}:` : `Undone: ${what}`;
    return [
      bold(heading, view),
      ...result.steps.map((step) => cutTo(`  ${stepText(step)}`, view.width)),
      ...result.conflicts.flatMap((conflict) => conflictLines(conflict, view)),
      ...(result.id === undefined
        ? []
        : [`Recorded as ${result.id}; quire undo ${result.id} takes it back.`]),
    ];
  });
  return `${lines.join('\n')}\n`;
}

function stepText({ path, from, title, action, texts, remark }: UndoStep): string {
  const place = from === undefined ? path : `${from} → ${path}`;
  const named = title === undefined ? place : `${title} (${place})`;
  return printable(`${action}: ${named}${lineCounts(texts)}${remark === undefined ? '' : `. ${remark}`}`);
}

function lineCounts(texts: UndoStep['texts']): string {
  if (!texts) return '';
  const [before, after] = [decode(texts.before ?? Buffer.alloc(0)), decode(texts.after ?? Buffer.alloc(0))];
  if (before === undefined || after === undefined) return '';
  const counts = countLines({ before, after });
  return counts ? ` (+${counts.added} -${counts.removed})` : '';
}

/** Lines of each text that are shown. */
const SHOWN = 6;

function conflictLines({ path, title, reason, texts }: UndoConflict, view: View): string[] {
  const { line, texts: excerpts } = excerptsOf([texts.before, texts.after, texts.current], SHOWN);
  const titles = ['before the change', 'the change left', 'now'];
  return [
    cutTo(`  ${printable(`cannot be undone: ${title ?? path}. ${reason}`)}`, view.width),
    ...excerpts.flatMap((excerpt, at) => [
      `    ${titles[at]}${excerpt === undefined ? ': no text' : `, from line ${line}:`}`,
      ...(excerpt?.split('\n') ?? []).map((one) => cutTo(`      | ${printable(one)}`, view.width)),
    ]),
  ];
}
