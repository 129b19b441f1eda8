/**
 * Undoes recorded edits of a Trilium. A part that still is what the edit left becomes again what it was before; a text
 * that has moved on elsewhere is merged, block by block; everything else that has moved on is a conflict.
 */
import type { Edit, RecordedEdit } from '../../../history/change.ts';
import type { History } from '../../../history/history.ts';
import { mergeTexts } from '../../../history/merge.ts';
import type { EditInspector } from '../../../history/recover.ts';
import type { OpenRestorer, UndoAction, UndoConflict, UndoStep } from '../../../history/undo.ts';
import { AppError, isAppError } from '../../../shared/errors.ts';
import { createAttachmentWriter } from '../attachment-writer.ts';
import type { TriliumClient } from '../client.ts';
import { utf8Text } from '../content-kind.ts';
import { deleteNote } from '../create-note.ts';
import { HTML_BLOCK } from '../html-blocks.ts';
import { blobIdOf } from '../revisions.ts';
import { EVERY_NOTE } from '../tree.ts';
import { type Branch, isSystemId, type TriliumNote } from '../wire/entities.ts';
import { ifFound } from '../wire/errors.ts';
import { createContentWriter } from '../write-content.ts';
import type { WriteLock } from '../write-lock.ts';
import { renamedIds, withIds } from './attachment-ids.ts';
import { plannedClient } from './planned-client.ts';
import {
  attachmentFacts,
  bytesOf,
  edited,
  factsOf,
  isPart,
  isSame,
  type KeptBytes,
  PARTS,
  type PartKind,
  readPartName,
  type State,
  stateOf,
  type Writers,
} from './states.ts';
import { attach, bringBack, type KeptAttachment, keptNotesIn } from './whole-notes.ts';

type Texts = Pick<History, 'text'>;

interface RestorerParts {
  /** What is done through it is recorded. */
  readonly client: TriliumClient;
  readonly history: Texts;
  readonly lock?: WriteLock;
}

const unlocked: WriteLock = (_, work) => work();

export function triliumRestorer({ client, history, lock }: RestorerParts): OpenRestorer {
  return ({ dryRun, copies = false }) => {
    const over = dryRun ? plannedClient(client) : client;
    const held = dryRun ? unlocked : lock;
    const writers = {
      client: over,
      contents: createContentWriter(over, held),
      attachments: createAttachmentWriter(over, held),
      renamed: new Map<string, string>(),
    };
    return {
      undo: async (change, edit) => {
        const undoing = new TriliumUndo(writers, history, change, edit);
        const outcome = await undoing.run();
        const isCopied = copies && edit.part === 'text' && 'reason' in outcome;
        return isCopied ? ((await undoing.copy(outcome.texts)) ?? outcome) : outcome;
      },
    };
  };
}

/** Compares a Trilium with an edit that was cut off. */
export function triliumInspector(client: TriliumClient, history: Texts): EditInspector {
  return async (edit) => {
    const { kind, id } = readPartName(edit.part ?? '', edit.path);
    if (kind === 'note') {
      const isThere = (await ifFound(client.notes.get(id))) !== undefined;
      return isThere === (edit.kind === 'create') ? 'done' : 'failed';
    }
    const isNamed = isPart(kind) && edit.part !== 'attachment';
    if (!isNamed) return 'unknown';
    return edited(kind, await PARTS[kind].read(client, id), await statesOf(edit, history));
  };
}

interface States {
  readonly before?: State;
  readonly after?: State;
}

async function statesOf({ before, after }: Edit, history: Texts): Promise<States> {
  const textOf = async (hash: string | undefined) => {
    const text = hash === undefined ? undefined : await history.text(hash);
    if (hash !== undefined && !text)
      throw new AppError('conflict', 'The state before the change is no longer kept');
    return text;
  };
  return { before: await textOf(before), after: await textOf(after) };
}

class TriliumUndo {
  readonly #writers: Writers;
  readonly #history: Texts;
  readonly #change: string;
  readonly #edit: RecordedEdit;

  constructor(writers: Writers, history: Texts, change: string, edit: RecordedEdit) {
    this.#writers = writers;
    this.#history = history;
    this.#change = change;
    this.#edit = edit;
  }

  /** A refusal of Trilium or of the checks before a request is a conflict. */
  async run(): Promise<UndoStep | UndoConflict> {
    const states: { before?: State; after?: State; current?: State } = {};
    try {
      Object.assign(states, await statesOf(this.#edit, this.#history));
      const { kind, id } = readPartName(this.#edit.part ?? '', this.#edit.path);
      if (kind === 'note') return await this.#note(states);
      if (kind === 'journal') return await this.#journal();
      if (kind === 'import') return await this.#import();
      if (kind === 'attachment' && this.#edit.kind === 'delete')
        return await this.#reattach(id, states.before!);
      if (!isPart(kind)) throw new AppError('unsupported', 'This edit is not known to this version of Quire');
      return await this.#part(kind, await this.#idOf(kind, id, states.after), states);
    } catch (error) {
      const refusals = [
        'conflict',
        'not_found',
        'already_exists',
        'forbidden',
        'unsupported',
        'invalid_input',
      ] as const;
      if (!isAppError(error) || !refusals.some((code) => error.code === code)) throw error;
      const { path, title } = this.#edit;
      const reason = [error.title.replace(/\.?$/, '.'), error.hint].filter(Boolean).join(' ');
      return { change: this.#change, path, title, reason, texts: states };
    }
  }

  /** A note beside the present one with its former text; undefined where neither is known. */
  async copy({ before }: States): Promise<UndoStep | undefined> {
    const { client } = this.#writers;
    const note = await ifFound(client.notes.get(this.#edit.path));
    const parentNoteId = note?.parentNoteIds.find((id) => !isSystemId(id));
    if (!before || !note || parentNoteId === undefined) return undefined;
    const title = `${note.title} (before ${this.#change})`;
    const { type, mime } = note;
    const text = utf8Text(before);
    const copied = await client.notes.create({ parentNoteId, title, type, mime, content: text ?? '' });
    const { noteId } = copied.note;
    if (text === undefined) await client.notes.putContent(noteId, before);
    return { ...this.#step('copied', { after: before }), path: noteId, title };
  }

  async #part(
    kind: PartKind,
    id: string,
    states: { before?: State; after?: State; current?: State },
  ): Promise<UndoStep> {
    const before = kind === 'text' ? this.#renamed(states.before) : states.before;
    const { after } = states;
    const current = await PARTS[kind].read(this.#writers.client, id);
    states.current = current;
    const ignored = kind === 'branch' ? await this.#sortedFields(current) : [];
    if (isSame(kind, current, before, ignored)) return this.#step('nothing to do');
    const action: UndoAction = kind === 'branch' ? 'moved back' : 'restored';
    if (this.#edit.part === 'attachment') await this.#assertFile(id, after);
    if (isSame(kind, current, after, ignored)) return this.#put(kind, id, { before, current }, action);
    if (!current) throw new AppError('conflict', 'It was deleted since');
    if (kind !== 'text' || !before || !after) throw new AppError('conflict', 'It was changed since');
    return this.#text(id, { before, after, current });
  }

  /** Trilium itself decides the order below a note that is sorted. */
  async #sortedFields(branch: State | undefined): Promise<string[]> {
    if (!branch) return [];
    const { parentNoteId } = factsOf(branch) as unknown as Branch;
    const parent = await ifFound(this.#writers.client.notes.get(parentNoteId));
    return parent?.attributes.some(({ name }) => name === 'sorted') ? ['notePosition'] : [];
  }

  async #put(
    kind: PartKind,
    id: string,
    { before, current }: { readonly before?: State; readonly current?: State },
    action: UndoAction,
  ): Promise<UndoStep> {
    await PARTS[kind].put(this.#writers, id, { before, current });
    return this.#step(action, { before: current, after: before });
  }

  /** A text that refers to attachments by their present ids. */
  #renamed(state: State | undefined): State | undefined {
    const text = state && this.#writers.renamed.size > 0 ? utf8Text(state) : undefined;
    return text === undefined ? state : Buffer.from(withIds(text, this.#writers.renamed));
  }

  async #assertFile(attachmentId: string, after: State | undefined): Promise<void> {
    const { content } = (after ? factsOf(after) : {}) as { content?: KeptBytes };
    const found = await ifFound(this.#writers.client.attachments.get(attachmentId));
    if (found && content && found.blobId !== blobIdOf(bytesOf(content)))
      throw new AppError('conflict', 'Its content was changed since');
  }

  /** A text that is not what the edit left. */
  async #text(id: string, states: { before: State; after: State; current: State }): Promise<UndoStep> {
    const [before, after, current] = [states.before, states.after, states.current].map(utf8Text);
    if (before === undefined || after === undefined || current === undefined)
      throw new AppError('conflict', 'It was changed since');
    const ids = renamedIds(after, current);
    if (ids) {
      const restored = Buffer.from(withIds(before, ids));
      return this.#put('text', id, { before: restored, current: states.current }, 'restored');
    }
    if (renamedIds(before, current)) return this.#step('nothing to do');
    const merged = mergeTexts(states.after, states.current, states.before, HTML_BLOCK);
    if (merged === undefined) throw new AppError('conflict', 'It was changed since, in the same place');
    return this.#put('text', id, { before: Buffer.from(merged), current: states.current }, 'merged');
  }

  async #note({ before, after }: States): Promise<UndoStep> {
    const { path: noteId, kind } = this.#edit;
    const note = await ifFound(this.#writers.client.notes.get(noteId));
    if (kind === 'create') {
      if (!note) return this.#step('nothing to do');
      await this.#assertAsMade(note, after);
      await this.#remove(note);
      return this.#step('removed');
    }
    if (note || !before) return this.#step('nothing to do');
    const remark = await bringBack(this.#writers, keptNotesIn(factsOf(before)));
    return { ...this.#step('brought back'), remark };
  }

  /** Of a note that was undeleted, the record has the id of its content. */
  async #assertAsMade(note: TriliumNote, after: State | undefined): Promise<void> {
    if (!after) {
      if (note.blobId === this.#edit.outcome) return;
      throw new AppError('conflict', 'It was changed since');
    }
    const { noteId, title, type, childNoteIds, parentNoteIds } = note;
    const made = factsOf(after) as { title: string; type: string; content: string; parentNoteId: string };
    if (childNoteIds.length > 0) throw new AppError('conflict', 'There are notes below it now');
    if (title !== made.title || type !== made.type || parentNoteIds.some((id) => id !== made.parentNoteId))
      throw new AppError('conflict', 'It was changed since');
    if (note.blobId === blobIdOf(made.content)) return;
    const { bytes } = await this.#writers.client.notes.content(noteId);
    if (!renamedIds(made.content, utf8Text(bytes) ?? ''))
      throw new AppError('conflict', 'It was changed since');
  }

  #remove({ noteId, blobId }: TriliumNote): Promise<unknown> {
    return deleteNote(this.#writers.client, noteId, { expectedBlobId: blobId });
  }

  /** Removes the notes that were made, as long as nothing was added to them. */
  async #journal(): Promise<UndoStep> {
    const made = (this.#edit.outcome ?? '')
      .split(' ')
      .filter(Boolean)
      .map((one) => one.split(':'));
    let isFirst = true;
    let action: UndoAction = 'nothing to do';
    for (const [noteId = '', blobId] of made) {
      const note = await ifFound(this.#writers.client.notes.get(noteId));
      if (!note) continue;
      if (note.blobId !== blobId || note.childNoteIds.length > 0) {
        if (isFirst) throw new AppError('conflict', 'It was changed since');
        break;
      }
      await this.#remove(note);
      action = 'removed';
      isFirst = false;
    }
    return this.#step(action);
  }

  async #import(): Promise<UndoStep> {
    const { client } = this.#writers;
    const { outcome } = this.#edit;
    if (outcome === undefined) throw new AppError('conflict', 'It is not known what was imported');
    const note = await ifFound(client.notes.get(outcome));
    if (!note) return this.#step('nothing to do');
    const { results } = await client.search({
      search: EVERY_NOTE,
      ancestorNoteId: outcome,
      fastSearch: true,
      includeArchivedNotes: true,
    });
    const time = (utc: string) => Date.parse(utc.replace(' ', 'T'));
    const until = time(note.utcDateCreated) + IMPORT_MS;
    if ([note, ...results].some(({ utcDateModified }) => time(utcDateModified) > until))
      throw new AppError('conflict', 'Some of what was imported was changed since');
    await this.#remove(note);
    return this.#step('removed');
  }

  /** A restored attachment gets another id, which the text of the note then refers to. */
  async #reattach(id: string, before: State): Promise<UndoStep> {
    const { client, contents, renamed } = this.#writers;
    if (await ifFound(client.attachments.get(id))) return this.#step('nothing to do');
    const kept = { ...factsOf(before), attachmentId: id } as unknown as KeptAttachment;
    if (!kept.content) throw new AppError('conflict', 'Its content was too large to be kept');
    const attachmentId = await attach(this.#writers, kept);
    const text = utf8Text((await client.notes.content(kept.ownerId)).bytes) ?? '';
    if (withIds(text, renamed) !== text)
      await contents.change(kept.ownerId, (present) => withIds(present, renamed));
    return { ...this.#step('brought back'), remark: `The attachment has the id ${attachmentId} now.` };
  }

  /**
   * The present id of an attachment: the record may lack it, and one that was brought back has another. It is then found
   * by what the edit left.
   */
  async #idOf(kind: PartKind, id: string, after: State | undefined): Promise<string> {
    if (kind !== 'attachment' && kind !== 'file') return id;
    const { client, renamed } = this.#writers;
    const named = this.#edit.part === 'attachment' ? this.#edit.outcome : id;
    const known = renamed.get(named ?? '') ?? named;
    if (known !== undefined && (await ifFound(client.attachments.get(known)))) return known;
    const list = (await ifFound(client.attachments.list(this.#edit.path))) ?? [];
    const fits = list.filter((one) => {
      if (kind === 'file') return one.blobId === blobIdOf(after!) && one.title === this.#edit.title;
      const facts = factsOf(after!);
      const { content } = facts as { content?: KeptBytes };
      const isContent = content === undefined || one.blobId === blobIdOf(bytesOf(content));
      return isContent && isSame(kind, stateOf(attachmentFacts(one)), stateOf(facts));
    });
    return fits.length === 1 ? fits[0]!.attachmentId : (known ?? 'none');
  }

  #step(action: UndoAction, texts?: UndoStep['texts']): UndoStep {
    const { path, title } = this.#edit;
    return { change: this.#change, path, title, action, texts };
  }
}

/** An import takes at most this long. */
const IMPORT_MS = 120_000;
