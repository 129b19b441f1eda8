/**
 * A client confined to one subtree: notes outside appear not to exist, and nothing is changed or created there.
 * Attributes inherited from above the subtree are neither shown nor searched.
 */
import { AppError } from '../../../shared/errors.ts';
import type { TriliumClient } from '../client.ts';
import { checkQuery } from '../search/validate.ts';
import type { CreatedNote, TriliumNote } from '../wire/entities.ts';
import { ifFound } from '../wire/errors.ts';
import { isAboutItself, searchConfined } from './confined-search.ts';
import type { Facts } from './facts.ts';
import { createScope, notFound, type OwnedKind, outOfReach, type Scope } from './scope.ts';

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

/** The method, after a check of the id that is its first argument. */
function after<Rest extends readonly unknown[], Result>(
  check: (id: string) => Promise<void>,
  method: (id: string, ...rest: Rest) => Promise<Result>,
): (id: string, ...rest: Rest) => Promise<Result> {
  return async (id, ...rest) => {
    await check(id);
    return method(id, ...rest);
  };
}

function notesWithin({ notes }: TriliumClient, scope: Scope): TriliumClient['notes'] {
  const { assertNote, rootId } = scope;
  const view = async (note: TriliumNote) => (await scope.views([note]))[0] as TriliumNote;
  const created = async ({ note, branch }: CreatedNote) => ({ note: await view(note), branch });
  return {
    create: async (note) => {
      await assertNote(note.parentNoteId);
      if (note.noteId !== undefined) await assertFree(notes.get(note.noteId), note.noteId);
      return created(await notes.create(note));
    },
    get: async (noteId) => view(await scope.note(noteId)),
    patch: async (noteId, patch) => view(await after(assertNote, notes.patch)(noteId, patch)),
    remove: async (noteId) => {
      const note = await scope.note(noteId);
      const inside = await view(note);
      if (noteId === rootId || inside.parentNoteIds.length < note.parentNoteIds.length)
        throw outOfReach(
          'This note cannot be deleted from here',
          'It is outside of the subtree too. Unlink it from its place inside instead.',
        );
      await notes.remove(noteId).finally(scope.changed);
    },
    content: after(assertNote, notes.content),
    putContent: after(assertNote, notes.putContent),
    exportZip: after(assertNote, notes.exportZip),
    importZip: async (parentNoteId, zip) =>
      created(await after(assertNote, notes.importZip)(parentNoteId, zip)),
    undelete: async (noteId) => {
      const rows = await notes.history(rootId);
      if (!rows.some((row) => row.noteId === noteId && row.current_isDeleted === 1))
        throw notFound('Note', noteId);
      await notes.undelete(noteId).finally(scope.changed);
      // A deleted note may be restored to a place outside.
      if (await scope.isInside(noteId)) return;
      await notes.remove(noteId);
      throw notFound('Note', noteId);
    },
    history: async (ancestorNoteId = rootId) => {
      await assertNote(ancestorNoteId);
      const [rows, inside] = await Promise.all([notes.history(ancestorNoteId), scope.everyId()]);
      return rows.filter((row) => row.current_isDeleted === 1 || inside.has(row.noteId));
    },
  };
}

/** Refuses an id that is taken anywhere in Trilium, because the note would be overwritten. */
export async function assertFree(found: Promise<unknown>, id: string): Promise<void> {
  if ((await ifFound(found)) !== undefined)
    throw new AppError('already_exists', 'This id cannot be used', {
      subject: id,
      hint: 'Leave it out to have one chosen.',
    });
}

/** The methods of an entity that a note inside owns. */
function ownedBy(scope: Scope, kind: OwnedKind) {
  return <Rest extends readonly unknown[], Result>(method: (id: string, ...rest: Rest) => Promise<Result>) =>
    after((id) => scope.assertOwned(kind, id), method);
}

function branchesWithin({ branches }: TriliumClient, scope: Scope): TriliumClient['branches'] {
  const owned = ownedBy(scope, 'Branch');
  return {
    create: async (branch) => {
      if (branch.noteId === scope.rootId)
        throw outOfReach('This note stays where it is', 'It is the top of the subtree that can be reached.');
      await Promise.all([scope.assertNote(branch.noteId), scope.assertNote(branch.parentNoteId)]);
      return branches.create(branch).finally(scope.changed);
    },
    get: scope.owned.Branch,
    patch: owned(branches.patch),
    remove: owned((branchId) => branches.remove(branchId).finally(scope.changed)),
    refreshOrdering: after(scope.assertNote, branches.refreshOrdering),
  };
}

function attributesWithin({ attributes }: TriliumClient, scope: Scope): TriliumClient['attributes'] {
  const owned = ownedBy(scope, 'Attribute');
  return {
    create: async (attribute) => {
      await Promise.all([
        scope.assertNote(attribute.noteId),
        // Templates pass on their content, and searches follow relations, so no relation may lead outside.
        attribute.type === 'relation' && scope.assertNote(attribute.value),
      ]);
      if (attribute.attributeId !== undefined)
        await assertFree(attributes.get(attribute.attributeId), attribute.attributeId);
      return attributes.create(attribute);
    },
    get: scope.owned.Attribute,
    patch: owned(attributes.patch),
    remove: owned(attributes.remove),
  };
}

function attachmentsWithin({ attachments }: TriliumClient, scope: Scope): TriliumClient['attachments'] {
  const owned = ownedBy(scope, 'Attachment');
  return {
    create: async (attachment) => {
      await scope.assertNote(attachment.ownerId);
      return attachments.create(attachment);
    },
    get: scope.owned.Attachment,
    patch: owned(attachments.patch),
    remove: owned(attachments.remove),
    content: owned(attachments.content),
    putContent: owned(attachments.putContent),
    list: after(scope.assertNote, attachments.list),
  };
}

function revisionsWithin({ revisions }: TriliumClient, scope: Scope): TriliumClient['revisions'] {
  return {
    create: after(scope.assertNote, revisions.create),
    list: after(scope.assertNote, revisions.list),
    get: scope.owned.Revision,
    content: ownedBy(scope, 'Revision')(revisions.content),
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
