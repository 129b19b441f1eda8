/** Which changes a person or an assistant means: by id, by group, or all of a kind. */
import { AppError } from '../shared/errors.ts';
import type { Change } from './change.ts';
import type { ChangeFilter } from './change-log.ts';
import { type History, isChangeId } from './history.ts';

type Listed = Pick<History, 'list' | 'change'>;

/** The id of a group is a `g` before the id of its first change. */
export function isGroupId(id: string): boolean {
  return id.startsWith('g') && isChangeId(id.slice(1));
}

/** Empty for an id that this history does not have. Throws `invalid_input` for what is no id. */
export async function changesNamed(history: Listed, id: string): Promise<Change[]> {
  if (isGroupId(id)) return history.list({ group: id }, Number.POSITIVE_INFINITY);
  if (!isChangeId(id))
    throw new AppError('invalid_input', 'Not the id of a change', {
      subject: id.slice(0, 60),
      hint: 'An id has 16 letters and digits, as the list of changes shows it; the id of a group has a g before them.',
    });
  const change = await history.change(id);
  return change ? [change] : [];
}

export function unknownChange(id: string, hint: string): AppError {
  return new AppError('not_found', isGroupId(id) ? 'No such group of changes' : 'No such change', {
    subject: id,
    hint: `The change may be one of other notes, or so old that it is no longer kept. ${hint}`,
  });
}

/** The newest change that is not undone and undoes nothing itself. */
export async function lastChange(history: Listed, filter: ChangeFilter): Promise<Change | undefined> {
  for (let most = 100; ; most *= 10) {
    const changes = await history.list(filter, most);
    const last = changes.find(({ undoneBy, undoes }) => undoneBy === undefined && undoes === undefined);
    if (last || changes.length < most) return last;
  }
}

/**
 * The changes that must be undone to be rid of all of them: a change and the one that undid it cancel each other out,
 * unless that one undid older changes too.
 */
export function effective(changes: readonly Change[]): Change[] {
  const ids = new Set(changes.map(({ id }) => id));
  const isCancelled = ({ undoes }: Change) => undoes?.every((id) => ids.has(id)) === true;
  const undoings = new Set(
    changes
      .filter((change) => change.undoes && change.undoneBy === undefined && !isCancelled(change))
      .map(({ id }) => id),
  );
  return changes.filter((change) =>
    change.undoneBy === undefined ? !isCancelled(change) : undoings.has(change.undoneBy),
  );
}
