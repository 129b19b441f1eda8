import * as z from 'zod';
import type { Change } from '../../history/change.ts';
import { excerptsOf } from '../../history/edit-texts.ts';
import { changesNamed, effective, unknownChange } from '../../history/selection.ts';
import { parseSince } from '../../history/since.ts';
import type { RecordedUndo, UndoConflict } from '../../history/undo.ts';
import { AppError } from '../../shared/errors.ts';
import { type Caller, callerOf } from '../../shared/principal.ts';
import { textPage } from '../shared/parameters.ts';
import { VIEW_URI } from './app/view.ts';
import { defineTool, type HistoryBackend, isShown, since } from './backend.ts';

const MOST_CHANGES = 500;
const SHOWN = 200;

export const undoChanges = defineTool({
  name: 'undo_changes',
  title: 'Undo changes',
  description:
    'Undo your own changes: one, a group, or all since a time. A note that is still as the change left it is restored byte for byte; other lines changed since are kept; if the same lines changed, nothing is undone. Undoing is itself a change. Example: {"id":"01m7mhmx92qtjcfg","dryRun":true}',
  effect: 'destroy',
  view: { uri: VIEW_URI },
  input: () =>
    z.strictObject({
      id: z.string().max(40).optional().describe('Of a change or a group'),
      since: since('2h, 3d, yesterday, or an ISO date'),
      dryRun: z.boolean().default(false).describe('Only report'),
      copies: z.boolean().default(false).describe('Put conflicting texts into new notes'),
    }),
  output: () =>
    z.object({
      success: z.boolean(),
      message: z.string(),
      undone: z.array(z.string()),
      change: z.string().optional(),
      notes: z.array(z.unknown()),
      conflicts: z.array(z.unknown()).optional(),
    }),
  async run({ id, since: from, dryRun, copies }, call) {
    const { backend } = call;
    const caller = callerOf(call);
    const { undo } = await backend.open();
    const changes = await selected(id, from, caller, backend);
    const result = await undo(changes, caller, { dryRun, copies });
    if (result.conflicts.length > 0 && !dryRun) throw conflictError(result.conflicts);
    const value = answerOf(changes, result, dryRun);
    return result.id === undefined ? { value } : { value, facts: { change: result.id } };
  },
});

async function selected(
  id: string | undefined,
  from: string | undefined,
  caller: Caller,
  backend: HistoryBackend,
): Promise<Change[]> {
  if ((id === undefined) === (from === undefined))
    throw new AppError('invalid_input', 'Give either id or since', {
      hint: 'id names a change or a group, as list_changes shows them; since undoes all your changes from then on.',
    });
  const changes = id === undefined ? await ownSince(from ?? '', caller, backend) : await named(id, backend);
  if (changes.length > MOST_CHANGES)
    throw new AppError('invalid_input', 'Too many changes at once', {
      subject: `${changes.length} of at most ${MOST_CHANGES}`,
      hint: 'Nothing was undone. Undo them group by group, the newest first.',
    });
  for (const change of changes) {
    const refusal = backend.refusalOf(change, caller);
    if (refusal) throw refusal;
  }
  return changes;
}

async function ownSince(text: string, caller: Caller, backend: HistoryBackend): Promise<Change[]> {
  const { history } = await backend.open();
  const all = await history.list({ since: parseSince(text) }, Number.POSITIVE_INFINITY);
  const changes = effective(all.filter((change) => backend.isOwn(change, caller)));
  if (changes.length > 0) return changes;
  throw new AppError('not_found', 'No change of yours since then is left to undo', {
    subject: text,
    hint: 'list_changes lists the changes of all.',
  });
}

async function named(id: string, backend: HistoryBackend): Promise<Change[]> {
  const { history } = await backend.open();
  const found = await changesNamed(history, id);
  if (!found.some((change) => isShown(change, backend)))
    throw unknownChange(id, 'list_changes lists those that are kept.');
  const changes = effective(found);
  if (changes.length > 0) return changes;
  throw new AppError('invalid_input', 'This change is already undone', {
    subject: id,
    hint: `It was undone by ${found[0]?.undoneBy ?? 'another change'}. To bring it back, undo that one.`,
  });
}

function answerOf(changes: readonly Change[], { id, steps, conflicts }: RecordedUndo, dryRun: boolean) {
  const counted = `${changes.length} change${changes.length === 1 ? '' : 's'}`;
  const message =
    conflicts.length > 0
      ? `Would not undo anything: ${conflicts.length} of the notes cannot be restored, see conflicts`
      : `${dryRun ? 'Would undo' : 'Successfully undid'} ${counted}`;
  return {
    success: conflicts.length === 0,
    message: steps.length > SHOWN ? `${message}; the first ${SHOWN} notes are listed` : message,
    undone: conflicts.length > 0 ? [] : changes.map((change) => change.id),
    change: id,
    notes: steps.slice(0, SHOWN).map(({ texts: _, ...step }) => step),
    conflicts: conflicts.length > 0 ? conflicts.slice(0, SHOWN).map(conflictView) : undefined,
  };
}

const EXCERPT_LINES = 6;
const LONGEST_EXCERPT = 600;

function conflictView({ change, path, title, reason, texts }: UndoConflict) {
  const { line, texts: excerpts } = excerptsOf([texts.before, texts.after, texts.current], EXCERPT_LINES);
  const [before, after, now] = excerpts.map(
    (excerpt) => excerpt && textPage(excerpt, 0, LONGEST_EXCERPT).text,
  );
  return { change, path, title, reason, line, before, after, now };
}

function conflictError(conflicts: readonly UndoConflict[]): AppError {
  const [first] = conflicts;
  const paths = conflicts.slice(0, 5).map(({ path, reason }) => `${path}: ${reason}`);
  return new AppError('conflict', 'The changes cannot be undone', {
    subject: first?.path,
    hint: `Nothing was changed. ${paths.join(' ')} Call with dryRun to see the texts; with copies, the old texts are put into new notes beside the present ones.`,
  });
}
