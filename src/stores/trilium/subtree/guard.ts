/**
 * A client confined to one subtree: notes outside appear not to exist, and nothing is changed or created there.
 * Attributes inherited from above the subtree are neither shown nor searched.
 */
import type { TriliumClient } from '../client.ts';
import { checkQuery } from '../search/validate.ts';
import type { TriliumNote } from '../wire/entities.ts';
import { ifFound } from '../wire/errors.ts';
import { isAboutItself, searchConfined } from './confined-search.ts';
import type { Facts } from './facts.ts';
import {
  attachmentsWithin,
  attributesWithin,
  branchesWithin,
  notesWithin,
  revisionsWithin,
} from './notes.ts';
import { createScope, outOfReach, type Scope } from './scope.ts';

export function withinSubtree(client: TriliumClient, rootId: string, facts?: Facts): TriliumClient {
  const scope = createScope(client, rootId, facts);
  return {
    host: client.host,
    notes: notesWithin(client, scope),
    branches: branchesWithin(client, scope),
    attributes: attributesWithin(client, scope),
    attachments: attachmentsWithin(client, scope),
    revisions: revisionsWithin(client, scope),
    search: searchWithin(client, scope),
    calendar: calendarWithin(client, scope),
    system: systemWithin(client),
    limited: (limits) => withinSubtree(client.limited(limits), rootId, facts),
    close: client.close,
  };
}

function searchWithin(client: TriliumClient, scope: Scope): TriliumClient['search'] {
  return async (request) => {
    const shape = checkQuery(request.search);
    if (shape.looksElsewhere)
      throw outOfReach(
        'This query looks at other notes',
        'Only a subtree can be reached here: conditions on parents, ancestors and the targets of relations are not allowed.',
      );
    const ancestorNoteId = request.ancestorNoteId ?? scope.rootId;
    // As in Trilium, a search below a missing note finds nothing.
    if (!(await ifFound(scope.assertNote(ancestorNoteId).then(() => true)))) return { results: [] };
    if (!isAboutItself(shape)) return searchConfined(client, scope, { ...request, ancestorNoteId }, shape);
    const { results, debugInfo } = await client.search({ ...request, ancestorNoteId });
    return { results: await scope.views(results), debugInfo };
  };
}

/** Requesting a journal note creates it, so only a journal inside the subtree is used. */
function calendarWithin({ calendar, search }: TriliumClient, scope: Scope): TriliumClient['calendar'] {
  const isLabelInside = async (label: string): Promise<boolean | undefined> => {
    const { results } = await search({ search: `#${label}`, includeArchivedNotes: true });
    const places = await Promise.all(results.map(({ noteId }) => scope.isInside(noteId)));
    return results.length === 0 ? undefined : places.every(Boolean);
  };
  const guarded = (kind: keyof TriliumClient['calendar']) => async (date: string) => {
    const isInside =
      (kind === 'inbox' ? await isLabelInside('inbox') : undefined) ?? (await isLabelInside('calendarRoot'));
    if (!isInside)
      throw outOfReach(
        'The journal cannot be reached',
        'It is outside of the subtree this server is limited to.',
      );
    const { noteId } = await calendar[kind](date);
    return (await scope.views([await scope.note(noteId)]))[0] as TriliumNote;
  };
  return {
    inbox: guarded('inbox'),
    day: guarded('day'),
    weekFirstDay: guarded('weekFirstDay'),
    week: guarded('week'),
    month: guarded('month'),
    year: guarded('year'),
  };
}

function systemWithin({ system: { appInfo, clock, version } }: TriliumClient): TriliumClient['system'] {
  const backup = async () => {
    throw outOfReach('This concerns the whole Trilium', 'This server is limited to a subtree.');
  };
  return { appInfo, clock, version, backup };
}
