/**
 * A client for one call whose every change is recorded before its request is sent. What the call has read a moment ago
 * is not read again, so most changes cost no further request. Ids that Trilium would choose are chosen here, because the
 * record names what is made before it exists; of attachments Trilium chooses them, and the record gets them afterwards.
 */
import { randomInt } from 'node:crypto';
import type { EditState } from '../../../history/change.ts';
import type { EditRecorder, EditTexts, NewEdit } from '../../../notes/edit-recorder.ts';
import { isAppError } from '../../../shared/errors.ts';
import { isUncertain } from '../../remote.ts';
import { storedName } from '../attributes.ts';
import { type CalendarKind, findSpecialNote } from '../calendar-dates.ts';
import type { TriliumClient } from '../client.ts';
import { type Branch, branchIdOf, type TriliumNote } from '../wire/entities.ts';
import { ifFound } from '../wire/errors.ts';
import { createKnown, type Known } from './known.ts';
import {
  attachmentFacts,
  attributeFacts,
  branchFacts,
  edited,
  type Facts,
  FORM,
  fieldsOf,
  ifShown,
  keptBytes,
  PARTS,
  type PartKind,
  partName,
  stateOf,
} from './states.ts';
import { keepNotes } from './whole-notes.ts';

export function recordedClient(
  client: TriliumClient,
  recorder: EditRecorder,
  known: Known = createKnown(),
): TriliumClient {
  const parts: Parts = { client, known, change: changing(recorder) };
  return {
    ...client,
    notes: recordedNotes(parts),
    branches: recordedBranches(parts),
    attributes: recordedAttributes(parts),
    attachments: recordedAttachments(parts),
    calendar: recordedCalendar(parts),
    limited: (limits) => recordedClient(client.limited(limits), recorder, known),
  };
}

interface Request<T> {
  send(): Promise<T>;
  /** Looks what became of the request when its answer was lost. */
  inspect(): Promise<EditState>;
  outcome?(answer: T): Promise<string>;
}

interface Parts {
  readonly client: TriliumClient;
  readonly known: Known;
  /** Records the edit, then sends the request. */
  change<T>(edit: NewEdit, texts: EditTexts, request: Request<T>): Promise<T>;
}

function changing(recorder: EditRecorder): Parts['change'] {
  return async (edit, texts, { send, inspect, outcome }) => {
    const open = await recorder.begin({ ...edit, form: FORM }, texts);
    const answer = await send().catch(async (error: unknown) => {
      const isRefused = isAppError(error) && !isUncertain(error);
      const state = isRefused ? 'failed' : await inspect().catch((): EditState => 'open');
      if (state === 'failed') await open.failed();
      else if (state === 'done') await open.done();
      else await open.unsettled();
      throw error;
    });
    // Without it the change may not be undone, but it is made.
    await open.done({ outcome: await outcome?.(answer).catch(() => undefined) });
    return answer;
  };
}

interface PartEdit extends EditTexts {
  readonly kind: PartKind;
  readonly noteId: string;
  readonly id: string;
  /** The title of the note, if left out. */
  readonly title?: string;
}

/** The change of one part, by one request. */
function changePart<T>(
  { client, known, change }: Parts,
  { kind, noteId, id, title = known.notes.get(noteId)?.title, before, after }: PartEdit,
  send: () => Promise<T>,
): Promise<T> {
  const edit: NewEdit = {
    kind: before ? (after ? 'write' : 'delete') : 'create',
    path: noteId,
    part: partName(kind, id),
    title,
  };
  const inspect = async () => edited(kind, await PARTS[kind].read(client, id), { before, after });
  return change(edit, { before, after }, { send, inspect });
}

function recordedNotes(parts: Parts): TriliumClient['notes'] {
  const { client, known, change } = parts;
  const { notes } = client;
  const noteOf = async (noteId: string) => known.notes.get(noteId) ?? known.learn(await notes.get(noteId));
  const textOf = async (note: TriliumNote) =>
    known.textOf(note) ?? known.learnText(note.noteId, (await notes.content(note.noteId)).bytes);
  const isThere = async (noteId: string) => (await ifFound(notes.get(noteId))) !== undefined;
  return {
    ...notes,
    get: async (noteId) => known.learn(await notes.get(noteId)),
    content: async (noteId, maxBytes) => {
      const content = await notes.content(noteId, maxBytes);
      known.learnText(noteId, content.bytes);
      return content;
    },
    create: async (note) => {
      const { noteId = newId(), content } = note;
      const edit = { kind: 'create', path: noteId, part: 'note', title: note.title } as const;
      const created = await change(
        edit,
        { after: stateOf({ noteId, ...note }) },
        {
          send: () => notes.create({ ...note, noteId }),
          inspect: async () => ((await isThere(noteId)) ? 'done' : 'failed'),
        },
      );
      known.learn(created.note);
      known.learnText(noteId, Buffer.from(content));
      return created;
    },
    patch: async (noteId, patch) => {
      const fields = fieldsOf(await noteOf(noteId));
      const after = given({ ...patch });
      const before = Object.fromEntries(Object.keys(after).map((name) => [name, fields[name]]));
      const states = { before: stateOf(before), after: stateOf(after) };
      const send = () => notes.patch(noteId, patch);
      return known.learn(await changePart(parts, { kind: 'fields', noteId, id: noteId, ...states }, send));
    },
    putContent: async (noteId, body) => {
      const before = await textOf(await noteOf(noteId));
      const after = typeof body === 'string' ? Buffer.from(body) : body;
      const send = () => notes.putContent(noteId, body).finally(() => known.changed(noteId));
      await changePart(parts, { kind: 'text', noteId, id: noteId, before, after }, send);
    },
    remove: async (noteId) => {
      const top = await ifFound(noteOf(noteId));
      // Trilium answers success for any id.
      if (!top) return notes.remove(noteId);
      const before = stateOf({ ...(await keepNotes(client, top, textOf)) });
      const edit = { kind: 'delete', path: noteId, part: 'note', title: top.title } as const;
      const inspect = async (): Promise<EditState> => ((await isThere(noteId)) ? 'failed' : 'done');
      await change(edit, { before }, { send: () => notes.remove(noteId), inspect });
      known.notes.delete(noteId);
    },
    undelete: (noteId) => {
      const inspect = async (): Promise<EditState> => ((await isThere(noteId)) ? 'done' : 'failed');
      // Undone only while it still has the text it came back with.
      const outcome = async () => (await notes.get(noteId)).blobId;
      const edit = { kind: 'create', path: noteId, part: 'note' } as const;
      return change(edit, {}, { send: () => notes.undelete(noteId), inspect, outcome });
    },
    importZip: (parentNoteId, zip) =>
      change(
        { kind: 'create', path: parentNoteId, part: 'import', title: 'Import of a ZIP file' },
        {},
        {
          send: () => notes.importZip(parentNoteId, zip),
          inspect: async () => 'unknown',
          outcome: async ({ note }) => note.noteId,
        },
      ),
  };
}

function recordedBranches(parts: Parts): TriliumClient['branches'] {
  const { client, known } = parts;
  const { branches } = client;
  const get: typeof branches.get = async (branchId) => known.learnBranch(await branches.get(branchId));
  const branchOf = async (branchId: string) => known.branches.get(branchId) ?? get(branchId);
  const edit = (branch: Branch, states: EditTexts): PartEdit => ({
    kind: 'branch',
    noteId: branch.noteId,
    id: branch.branchId,
    ...states,
  });
  return {
    ...branches,
    get,
    create: async (branch) => {
      const { noteId, parentNoteId, notePosition } = branch;
      const branchId = branchIdOf(parentNoteId, noteId);
      const note = known.notes.get(noteId);
      const isNew = note !== undefined && !note.parentNoteIds.includes(parentNoteId);
      const present = isNew ? undefined : await ifFound(branches.get(branchId));
      const { prefix = null, isExpanded = false } = branch;
      // Trilium chooses the position, if none is given.
      const after = stateOf(given({ branchId, noteId, parentNoteId, prefix, notePosition, isExpanded }));
      const before = present && stateOf(branchFacts(present));
      const send = () => branches.create(branch).finally(() => known.moved(noteId, branchId));
      return changePart(parts, { kind: 'branch', noteId, id: branchId, before, after }, send);
    },
    patch: async (branchId, patch) => {
      const present = await branchOf(branchId);
      const facts = branchFacts(present);
      const states = { before: stateOf(facts), after: stateOf({ ...facts, ...given({ ...patch }) }) };
      return known.learnBranch(
        await changePart(parts, edit(present, states), () => branches.patch(branchId, patch)),
      );
    },
    remove: async (branchId) => {
      const present = await ifFound(branchOf(branchId));
      if (!present) return branches.remove(branchId);
      const send = () => branches.remove(branchId).finally(() => known.moved(present.noteId, branchId));
      await changePart(parts, edit(present, { before: stateOf(branchFacts(present)) }), send);
    },
  };
}

function recordedAttributes(parts: Parts): TriliumClient['attributes'] {
  const { client, known } = parts;
  const { attributes } = client;
  const get: typeof attributes.get = async (id) => known.learnAttribute(await attributes.get(id));
  const attributeOf = async (id: string) => known.attributes.get(id) ?? get(id);
  return {
    get,
    create: async (attribute) => {
      const {
        noteId,
        type,
        name,
        value,
        position,
        isInheritable = false,
        attributeId: id = newId(),
      } = attribute;
      const facts = { attributeId: id, noteId, type, name: storedName(name), value, position, isInheritable };
      const send = () => attributes.create({ ...attribute, attributeId: id });
      const after = stateOf(given(facts));
      return known.learnAttribute(await changePart(parts, { kind: 'attribute', noteId, id, after }, send));
    },
    patch: async (id, patch) => {
      const facts = attributeFacts(await attributeOf(id));
      const states = { before: stateOf(facts), after: stateOf({ ...facts, ...given({ ...patch }) }) };
      const edit: PartEdit = { kind: 'attribute', noteId: String(facts.noteId), id, ...states };
      return known.learnAttribute(await changePart(parts, edit, () => attributes.patch(id, patch)));
    },
    remove: async (id) => {
      const present = await ifFound(attributeOf(id));
      if (!present) return attributes.remove(id);
      const before = stateOf(attributeFacts(present));
      const send = () => attributes.remove(id);
      await changePart(parts, { kind: 'attribute', noteId: present.noteId, id, before }, send);
      known.attributes.delete(id);
    },
  };
}

function recordedAttachments(parts: Parts): TriliumClient['attachments'] {
  const { client, known, change } = parts;
  const { attachments } = client;
  const get: typeof attachments.get = async (id) => known.learnAttachment(await attachments.get(id));
  const attachmentOf = async (id: string) => known.attachments.get(id) ?? get(id);
  const fileOf = async (id: string) => {
    const { blobId } = await attachmentOf(id);
    return known.fileOf(id, blobId) ?? (await attachments.content(id)).bytes;
  };
  return {
    ...attachments,
    get,
    content: async (id, maxBytes) => {
      const content = await attachments.content(id, maxBytes);
      known.learnFile(id, content.bytes);
      return content;
    },
    create: async (attachment) => {
      const { ownerId: path, title, content = '' } = attachment;
      const created = await change(
        { kind: 'create', path, part: 'attachment', title },
        { after: stateOf({ ...attachment, content: keptBytes(Buffer.from(content)) }) },
        {
          send: () => attachments.create(attachment),
          inspect: async () => 'unknown',
          outcome: async ({ attachmentId }) => attachmentId,
        },
      );
      known.learnFile(created.attachmentId, Buffer.from(content));
      return known.learnAttachment(created);
    },
    patch: async (id, patch) => {
      const present = await attachmentOf(id);
      const { title, ownerId: noteId } = present;
      const facts = attachmentFacts(present);
      const states = { before: stateOf(facts), after: stateOf({ ...facts, ...given({ ...patch }) }) };
      const edit: PartEdit = { kind: 'attachment', noteId, id, title, ...states };
      return known.learnAttachment(await changePart(parts, edit, () => attachments.patch(id, patch)));
    },
    putContent: async (id, body) => {
      const { ownerId: noteId, title } = await attachmentOf(id);
      const after = typeof body === 'string' ? Buffer.from(body) : body;
      const edit: PartEdit = { kind: 'file', noteId, id, title, before: await fileOf(id), after };
      await changePart(parts, edit, () => attachments.putContent(id, body).finally(() => known.refiled(id)));
    },
    remove: async (id) => {
      const present = await ifFound(attachmentOf(id));
      if (!present) return attachments.remove(id);
      const bytes = await ifShown(fileOf(id));
      const content = bytes && keptBytes(bytes);
      const before = stateOf(given({ ...attachmentFacts(present), content }));
      const { ownerId: noteId, title } = present;
      const edit: PartEdit = { kind: 'attachment', noteId, id, title, before };
      await changePart(parts, edit, () => attachments.remove(id));
      known.attachments.delete(id);
    },
  };
}

const KINDS = ['day', 'week', 'month', 'year', 'inbox'] as const satisfies readonly CalendarKind[];

/** Trilium creates a missing journal note, and the notes above it, when it is asked for one. */
function recordedCalendar({ client, change }: Parts): TriliumClient['calendar'] {
  const recorded = (kind: CalendarKind) => async (date: string) => {
    const found = await findSpecialNote(client, kind, date);
    if (found) return found;
    const before = await journalFolders(client);
    const edit = { kind: 'create', path: 'root', part: 'journal', title: `Journal, ${date}` } as const;
    return change(
      edit,
      {},
      {
        send: () => client.calendar[kind](date),
        inspect: async () => ((await findSpecialNote(client, kind, date)) ? 'done' : 'failed'),
        outcome: (note) => journalOutcome(client, note, before),
      },
    );
  };
  const kinds = Object.fromEntries(KINDS.map((kind) => [kind, recorded(kind)]));
  return { ...client.calendar, ...kinds };
}

/** All notes that journal notes stand below. */
async function journalFolders({ search }: TriliumClient): Promise<ReadonlySet<string>> {
  const labels = ['calendarRoot', 'yearNote', 'quarterNote', 'monthNote', 'weekNote'].map(
    (name) => `#${name}`,
  );
  const request = { search: labels.join(' OR '), fastSearch: true, includeArchivedNotes: true };
  return new Set((await search(request)).results.map(({ noteId }) => noteId));
}

/** The notes that were made, each with the id of its content, from the lowest to the highest. */
async function journalOutcome(
  { notes }: TriliumClient,
  lowest: TriliumNote,
  before: ReadonlySet<string>,
): Promise<string> {
  const made = [lowest];
  for (const { parentNoteIds } of made) {
    const parentId = parentNoteIds.find((id) => id !== 'root' && !before.has(id));
    const parent = parentId === undefined ? undefined : await ifFound(notes.get(parentId));
    if (parent) made.push(parent);
  }
  return made.map(({ noteId, blobId }) => `${noteId}:${blobId}`).join(' ');
}

/** Without the fields that are not set. */
function given(facts: Facts): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** As Trilium makes them. */
function newId(): string {
  return Array.from({ length: 12 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
