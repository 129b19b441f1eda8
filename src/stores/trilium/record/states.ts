/**
 * The parts of a note that Trilium changes by one request each, as states that can be read, compared and put back. A text
 * is its bytes, everything else JSON with a line for each field.
 */
import type { EditState } from '../../../history/change.ts';
import { isAppError } from '../../../shared/errors.ts';
import type { AttachmentWriter } from '../attachment-writer.ts';
import type { TriliumClient } from '../client.ts';
import { utf8Text } from '../content-kind.ts';
import { patchNote } from '../create-note.ts';
import { assertNoLoop, assertOtherPlace } from '../place.ts';
import { blobIdOf } from '../revisions.ts';
import type { Attachment, Attribute, Branch, TriliumNote } from '../wire/entities.ts';
import { ifFound } from '../wire/errors.ts';
import type { ContentWriter } from '../write-content.ts';

/** The form of these edits in the history. */
export const FORM = 'trilium';

export type State = Uint8Array;
/** What a state that is no text says. */
export type Facts = Readonly<Record<string, unknown>>;

export function stateOf(facts: Facts): State {
  return Buffer.from(JSON.stringify(facts, null, 1));
}

export function factsOf(state: State): Facts {
  return JSON.parse(Buffer.from(state).toString()) as Facts;
}

/**
 * `recorded` may leave out what Trilium chose itself, and may hold the content of what it describes. Fields that are
 * `ignored` may differ.
 */
export function isSame(
  kind: PartKind,
  current: State | undefined,
  recorded: State | undefined,
  ignored: readonly string[] = [],
): boolean {
  if (!current || !recorded) return current === recorded;
  if (kind === 'text' || kind === 'file') return Buffer.from(current).equals(recorded);
  const facts = factsOf(current);
  return Object.entries(factsOf(recorded)).every(
    ([name, value]) => name === 'content' || ignored.includes(name) || facts[name] === value,
  );
}

/** What became of an edit without an answer. */
export function edited(
  kind: PartKind,
  current: State | undefined,
  { before, after }: { readonly before?: State; readonly after?: State },
): EditState {
  if (isSame(kind, current, after)) return 'done';
  return isSame(kind, current, before) ? 'failed' : 'unknown';
}

/** What parts are changed through. */
export interface Writers {
  readonly client: TriliumClient;
  readonly contents: ContentWriter;
  readonly attachments: AttachmentWriter;
  /** Present ids of attachments that were brought back, by former ones. */
  readonly renamed: Map<string, string>;
}

interface Part {
  read(client: Pick<TriliumClient, 'notes' | Table>, id: string): Promise<State | undefined>;
  /** Puts `before` in the place of `current`, which was just read. */
  put(
    writers: Writers,
    id: string,
    states: { readonly before?: State; readonly current?: State },
  ): Promise<unknown>;
}

type Table = 'branches' | 'attributes' | 'attachments';

export type PartKind = 'text' | 'fields' | 'branch' | 'attribute' | 'attachment' | 'file';

export const PARTS: Readonly<Record<PartKind, Part>> = {
  text: {
    read: async ({ notes }, id) => (await ifFound(notes.content(id)))?.bytes,
    put: async ({ contents }, id, { before = new Uint8Array(), current = new Uint8Array() }) =>
      contents.replace(id, utf8Text(before) ?? before, { expectedBlobId: blobIdOf(current) }),
  },
  fields: {
    read: async ({ notes }, id) => stateIf(await ifFound(notes.get(id)), fieldsOf),
    put: async ({ client }, id, { before }) => before && patchNote(client, id, factsOf(before)),
  },
  branch: {
    read: async ({ branches }, id) => stateIf(await ifFound(branches.get(id)), branchFacts),
    put: putBranch,
  },
  attribute: {
    read: async ({ attributes }, id) => stateIf(await ifFound(attributes.get(id)), attributeFacts),
    put: async ({ client: { attributes } }, id, { before, current }) => {
      if (!before) return attributes.remove(id);
      const facts = factsOf(before) as unknown as Attribute;
      const { value, position } = facts;
      if (!current) return attributes.create({ ...facts, type: facts.type as 'label' | 'relation' });
      return attributes.patch(id, facts.type === 'label' ? { value, position } : { position });
    },
  },
  attachment: {
    read: async ({ attachments }, id) => stateIf(await ifFound(attachments.get(id)), attachmentFacts),
    put: async ({ attachments }, id, { before }) => {
      if (!before) return attachments.remove(id);
      const { role, mime, title, position } = factsOf(before) as unknown as Attachment;
      return attachments.describe(id, { role, mime, title, position });
    },
  },
  file: {
    read: async ({ attachments }, id) => (await ifFound(attachments.content(id)))?.bytes,
    put: async ({ attachments }, id, { before = new Uint8Array(), current = new Uint8Array() }) =>
      attachments.replace(id, () => ({ body: utf8Text(before) ?? before }), {
        expectedBlobId: blobIdOf(current),
      }),
  },
};

function stateIf<T>(found: T | undefined, facts: (found: T) => Facts): State | undefined {
  return found && stateOf(facts(found));
}

export function fieldsOf({ title, type, mime, dateCreated, utcDateCreated }: TriliumNote): Facts {
  return { title, type, mime, dateCreated, utcDateCreated };
}

export function branchFacts({ utcDateModified: _, ...facts }: Branch): Facts {
  return facts;
}

export function attributeFacts({ utcDateModified: _, ...facts }: Attribute): Facts {
  return facts;
}

/** Without the id, which is another one when an attachment was brought back. */
export function attachmentFacts({ ownerId, role, mime, title, position }: Attachment): Facts {
  return { ownerId, role, mime, title, position };
}

async function putBranch(
  { client }: Writers,
  id: string,
  { before, current }: { readonly before?: State; readonly current?: State },
): Promise<void> {
  const branch = factsOf((before ?? current)!) as unknown as Branch;
  const { noteId, parentNoteId, prefix, notePosition, isExpanded } = branch;
  if (!before) {
    await assertOtherPlace(client, branch);
    return client.branches.remove(id);
  }
  if (current) await client.branches.patch(id, { prefix, notePosition, isExpanded });
  else {
    await assertNoLoop(client, noteId, parentNoteId);
    await client.branches.create({ noteId, parentNoteId, prefix, notePosition, isExpanded });
  }
  await client.branches.refreshOrdering(parentNoteId);
}

/** The name of a part in the history: its kind and, where a note has several of that kind, an id. */
export function partName(kind: PartKind, id: string): string {
  return kind === 'text' || kind === 'fields' ? kind : `${kind} ${id}`;
}

export function readPartName(part: string, noteId: string): { readonly kind: string; readonly id: string } {
  const [kind = '', id = noteId] = part.split(' ');
  return { kind, id };
}

export function isPart(kind: string): kind is PartKind {
  return Object.hasOwn(PARTS, kind);
}

/** Bytes inside of JSON. */
export type KeptBytes = { readonly text: string } | { readonly base64: string };

export function keptBytes(bytes: Uint8Array): KeptBytes {
  const text = utf8Text(bytes);
  return text === undefined ? { base64: Buffer.from(bytes).toString('base64') } : { text };
}

export function bytesOf(kept: KeptBytes): Uint8Array {
  return 'text' in kept ? Buffer.from(kept.text) : Buffer.from(kept.base64, 'base64');
}

/** Undefined where Trilium cannot show it: a protected note, an endpoint of a later version, too many bytes. */
export function ifShown<T>(found: Promise<T>): Promise<T | undefined> {
  return found.catch((error: unknown) => {
    if (isAppError(error, 'not_found') || isAppError(error, 'unsupported') || isAppError(error, 'forbidden'))
      return undefined;
    throw error;
  });
}
