/**
 * Everything about a note that is deleted, and the notes below it, as far as it is needed to make them anew. Trilium's own
 * `undelete` brings back more, so this is for a Trilium that cannot do it or has erased them.
 */
import { mapConcurrently } from '../../../shared/async/semaphore.ts';
import { AppError, isAppError } from '../../../shared/errors.ts';
import { ownAttributes } from '../attributes.ts';
import type { TriliumClient } from '../client.ts';
import { utf8Text } from '../content-kind.ts';
import { blobIdOf } from '../revisions.ts';
import { EVERY_NOTE } from '../tree.ts';
import type { Attachment, Attribute, Branch, TriliumNote } from '../wire/entities.ts';
import { ifFound } from '../wire/errors.ts';
import { withIds } from './attachment-ids.ts';
import { bytesOf, type Facts, fieldsOf, ifShown, type KeptBytes, keptBytes, type Writers } from './states.ts';

interface KeptNote {
  readonly noteId: string;
  readonly fields: Pick<TriliumNote, 'title' | 'type' | 'mime' | 'dateCreated' | 'utcDateCreated'>;
  /** Missing where it was too large or could not be read. */
  readonly content?: KeptBytes;
  readonly attributes: readonly Attribute[];
  readonly branches: readonly Branch[];
  readonly attachments: readonly KeptAttachment[];
}

export type KeptAttachment = Pick<
  Attachment,
  'attachmentId' | 'ownerId' | 'role' | 'mime' | 'title' | 'position'
> & {
  readonly content?: KeptBytes;
};

/** The deleted note first. */
export interface KeptNotes {
  readonly notes: readonly KeptNote[];
  /** Number of notes below that were too many to be kept. */
  readonly left?: number;
}

const MOST_NOTES = 100;
const MOST_BYTES = 16 * 1024 * 1024;
const PARALLEL = 8;
const EMPTY = blobIdOf('');

/** `textOf` knows texts that were read already. */
export async function keepNotes(
  client: TriliumClient,
  top: TriliumNote,
  textOf: (note: TriliumNote) => Promise<Uint8Array>,
): Promise<KeptNotes> {
  const below = top.childNoteIds.length === 0 ? [] : await notesBelow(client, top);
  const kept = [top, ...below].slice(0, MOST_NOTES);
  let room = MOST_BYTES;
  const keptText = async (note: TriliumNote): Promise<KeptBytes | undefined> => {
    if (note.blobId === EMPTY) return { text: '' };
    const bytes = note.isProtected ? undefined : await ifShown(textOf(note));
    if (!bytes || bytes.length > room) return undefined;
    room -= bytes.length;
    return keptBytes(bytes);
  };
  const keptAttachment = async (attachment: Attachment): Promise<KeptAttachment> => {
    const { attachmentId, ownerId, role, mime, title, position, contentLength = 0 } = attachment;
    const facts = { attachmentId, ownerId, role, mime, title, position };
    if (contentLength > room) return facts;
    room -= contentLength;
    const found = await ifShown(client.attachments.content(attachmentId));
    return found ? { ...facts, content: keptBytes(found.bytes) } : facts;
  };
  const notes = await mapConcurrently(kept, PARALLEL, async (note): Promise<KeptNote> => {
    const [content, branches, attachments = []] = await Promise.all([
      keptText(note),
      Promise.all(note.parentBranchIds.map((id) => ifFound(client.branches.get(id)))),
      ifShown(client.attachments.list(note.noteId)),
    ]);
    return {
      noteId: note.noteId,
      fields: fieldsOf(note) as unknown as KeptNote['fields'],
      content,
      attributes: ownAttributes(note),
      branches: branches.filter((branch) => branch !== undefined),
      attachments: await Promise.all(attachments.map(keptAttachment)),
    };
  });
  const left = below.length + 1 - kept.length;
  return { notes, ...(left > 0 && { left }) };
}

/** Parents before their children. */
async function notesBelow(client: TriliumClient, top: TriliumNote): Promise<TriliumNote[]> {
  const { results } = await client.search({
    search: EVERY_NOTE,
    ancestorNoteId: top.noteId,
    fastSearch: true,
    includeArchivedNotes: true,
  });
  const byId = new Map(results.map((note) => [note.noteId, note]));
  const ordered = new Map([[top.noteId, top]]);
  for (const note of ordered.values())
    for (const id of note.childNoteIds) {
      const child = byId.get(id) ?? (await ifFound(client.notes.get(id)));
      if (child && !ordered.has(id)) ordered.set(id, child);
    }
  ordered.delete(top.noteId);
  return [...ordered.values()];
}

/** Trilium adds these by itself when it has read the text. */
const LINKS = ['internalLink', 'imageLink', 'includeNoteLink', 'relationMapLink'];

/** Returns a remark on what does not come back. */
export async function bringBack(
  writers: Writers,
  { notes, left = 0 }: KeptNotes,
): Promise<string | undefined> {
  const [top] = notes;
  if (!top) throw gone();
  const isUndeleted = await writers.client.notes.undelete(top.noteId).then(
    () => true,
    (error: unknown) => {
      // Too old a version, erased for good, or without a parent to come back to: then it is made anew.
      if (isAppError(error, 'unsupported') || isAppError(error, 'not_found') || isAppError(error, 'conflict'))
        return false;
      throw error;
    },
  );
  if (isUndeleted) return undefined;
  let missing = left;
  for (const note of notes) if (!(await makeAnew(writers, note))) missing++;
  return missing === 0 ? undefined : `${missing} of the notes below it could not be brought back.`;
}

/** Resolves to whether there was a parent to put it below, and a text. */
async function makeAnew(writers: Writers, note: KeptNote): Promise<boolean> {
  const { client } = writers;
  const { noteId, fields, content } = note;
  const isThere = async ({ parentNoteId }: Branch) =>
    (await ifFound(client.notes.get(parentNoteId))) !== undefined;
  const places = [];
  for (const branch of note.branches) if (await isThere(branch)) places.push(branch);
  const present = await ifFound(client.notes.get(noteId));
  const [first, ...others] = places.filter(
    ({ parentNoteId }) => !present?.parentNoteIds.includes(parentNoteId),
  );
  if (present) {
    for (const branch of first ? [first, ...others] : []) await client.branches.create(placeOf(branch));
    return true;
  }
  if (!first) throw gone();
  const bytes = content && bytesOf(content);
  const text = bytes && utf8Text(bytes);
  const { prefix, notePosition, isExpanded, parentNoteId } = first;
  const place = { parentNoteId, notePosition, isExpanded, prefix: prefix ?? undefined };
  await client.notes.create({ noteId, ...fields, ...place, content: text ?? '' });
  for (const branch of others) await client.branches.create(placeOf(branch));
  for (const attribute of note.attributes) await makeAttribute(client, attribute);
  if (bytes && text === undefined) await client.notes.putContent(noteId, bytes);
  await attachAnew(writers, note);
  return content !== undefined;
}

function placeOf({ noteId, parentNoteId, prefix, notePosition, isExpanded }: Branch) {
  return { noteId, parentNoteId, prefix, notePosition, isExpanded };
}

async function makeAttribute({ attributes }: TriliumClient, attribute: Attribute): Promise<void> {
  const { utcDateModified: _, ...facts } = attribute;
  if (LINKS.includes(facts.name)) return;
  const made = attributes.create({ ...facts, type: facts.type as 'label' | 'relation' });
  // The target of a relation may be gone.
  await (facts.type === 'relation' ? ifFound(made) : made);
}

/** Attachments get new ids; the text then refers to these. */
async function attachAnew(writers: Writers, { noteId, content, attachments }: KeptNote): Promise<void> {
  for (const attachment of attachments) await attach(writers, attachment);
  const text = content && 'text' in content ? content.text : undefined;
  if (text === undefined) return;
  const renamed = withIds(text, writers.renamed);
  if (renamed !== text) await writers.client.notes.putContent(noteId, renamed);
}

/** Resolves to the new id. */
export async function attach(
  { client: { attachments }, renamed }: Writers,
  { attachmentId: former, content, ...facts }: KeptAttachment,
): Promise<string> {
  const bytes = content ? bytesOf(content) : new Uint8Array();
  const text = utf8Text(bytes);
  const { attachmentId } = await attachments.create({ ...facts, content: text ?? '' });
  if (text === undefined) await attachments.putContent(attachmentId, bytes);
  renamed.set(former, attachmentId);
  return attachmentId;
}

function gone(): AppError {
  return new AppError('conflict', 'The notes that it was below are gone', {
    hint: 'Bring one of them back first.',
  });
}

export function keptNotesIn(facts: Facts): KeptNotes {
  return facts as unknown as KeptNotes;
}
