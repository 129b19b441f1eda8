/**
 * A client confined to one subtree: notes outside appear not to exist, and nothing is changed or created there.
 * Attributes inherited from above the subtree are neither shown nor searched.
 */
import { AppError } from '../../../shared/errors.ts';
import type { TriliumClient } from '../client.ts';
import { checkQuery } from '../search/validate.ts';
import type { CalendarApi, SearchApi, SystemApi } from '../wire/system.ts';
import type { CallOptions, TriliumNote } from '../wire/types.ts';
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

/** `facts` is the cache of one call; without it, everything is requested anew. */
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
    close: () => client.close(),
  };
}

function searchWithin(client: TriliumClient, scope: Scope): SearchApi {
  return async (request, options) => {
    const shape = checkQuery(request.search);
    if (shape.looksElsewhere)
      throw outOfReach(
        'This query looks at other notes',
        'Only a subtree can be reached here: conditions on parents, ancestors and the targets of relations are not allowed.',
      );
    const ancestorNoteId = request.ancestorNoteId ?? scope.rootId;
    if (!(await isThere(scope, ancestorNoteId, options))) return { results: [] };
    if (!isAboutItself(shape)) return searchConfined(client, scope, { ...request, ancestorNoteId }, options);
    const { results, debugInfo } = await client.search({ ...request, ancestorNoteId }, options);
    return { results: await scope.views(results, options), debugInfo };
  };
}

/** As in Trilium, a search below a missing note finds nothing. */
async function isThere(scope: Scope, noteId: string, options?: CallOptions): Promise<boolean> {
  return scope.assertNote(noteId, options).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError && error.code === 'not_found') return false;
      throw error;
    },
  );
}

/** Requesting a journal note creates it, so only a journal inside the subtree is used. */
function calendarWithin(client: TriliumClient, scope: Scope): CalendarApi {
  const isLabelInside = async (label: string, options?: CallOptions): Promise<boolean | undefined> => {
    const { results } = await client.search({ search: `#${label}`, includeArchivedNotes: true }, options);
    const places = await Promise.all(results.map(({ noteId }) => scope.isInside(noteId, options)));
    return results.length === 0 ? undefined : places.every(Boolean);
  };
  const guarded =
    (ask: CalendarApi['day'], isInbox = false): CalendarApi['day'] =>
    async (date, options) => {
      const isInside =
        (isInbox ? await isLabelInside('inbox', options) : undefined) ??
        (await isLabelInside('calendarRoot', options)) ??
        false;
      if (!isInside)
        throw outOfReach(
          'The journal cannot be reached',
          'It is outside of the subtree this server is limited to.',
        );
      const { noteId } = await ask(date, options);
      return (await scope.views([await scope.note(noteId, options)], options))[0] as TriliumNote;
    };
  const { calendar } = client;
  return {
    inbox: guarded(calendar.inbox, true),
    day: guarded(calendar.day),
    weekFirstDay: guarded(calendar.weekFirstDay),
    week: guarded(calendar.week),
    month: guarded(calendar.month),
    year: guarded(calendar.year),
  };
}

function systemWithin({ system }: TriliumClient): SystemApi {
  const refused = async (): Promise<never> => {
    throw outOfReach('This concerns the whole Trilium', 'This server is limited to a subtree.');
  };
  return {
    appInfo: (options) => system.appInfo(options),
    clock: (options) => system.clock(options),
    version: () => system.version(),
    backup: refused,
  };
}
