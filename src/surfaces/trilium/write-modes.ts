/** The modes of `write_note`: metadata, replace, append and edit. */
import type * as z from 'zod';
import type { Call, Output } from '../../mcp/tool.ts';
import { applyChanges } from '../../notes/edit.ts';
import { applyPatch } from '../../notes/text/unified-diff.ts';
import { essenceOf, isOpened } from '../../stores/trilium/content-kind.ts';
import { patchNote } from '../../stores/trilium/create-note.ts';
import {
  type EmbedInput,
  readEmbeds,
  type WrittenEmbeds,
  writeEmbedded,
} from '../../stores/trilium/embed.ts';
import { decodeContent, storedOtherwise } from '../../stores/trilium/stored-bytes.ts';
import type { TriliumNote } from '../../stores/trilium/wire/entities.ts';
import type { WrittenContent } from '../../stores/trilium/write-content.ts';
import type { TriliumBackend } from './backend.ts';
import { noteView } from './note-view.ts';
import {
  assertEmbeddable,
  assertHarmlessAs,
  embeddingFacts,
  infoOf,
  LEFT_OUT,
  safeBody,
  safeEmbeds,
  safeText,
  storedHtml,
  storedOtherwiseOf,
} from './safe-file.ts';

import { expectedBlob, noteEdited, noteShown } from './seen-notes.ts';

interface Edit {
  readonly changes?: readonly { readonly old_string: string; readonly new_string: string }[] | undefined;
  readonly patch?: string;
}

interface NoteWrite extends Edit {
  readonly noteId: string;
  readonly mode: 'metadata' | 'replace' | 'append' | 'edit';
  readonly title?: string;
  readonly type?: string;
  readonly mime?: string;
  readonly content?: string;
  readonly format: 'html' | 'markdown';
  readonly images?: readonly EmbedInput[];
  readonly files?: readonly EmbedInput[];
  readonly expected_blob_id?: string;
}

export async function runWrite(input: NoteWrite, call: Call<TriliumBackend>): Promise<Output> {
  const { noteId, mode } = input;
  const { client, conversion } = call.backend;
  if (mode === 'metadata') return describe(input, call);
  if (mode === 'edit') return answer(input, await change(input, undefined, call), call);
  if (mode === 'append' && !input.images && !input.files)
    return answer(input, await change(input, (note) => additionTo(note, input, call), call), call);
  const note = await client.notes.get(noteId);
  assertEmbeddable(note.type, input);
  const expectedBlobId =
    mode === 'replace' ? await expectedBlob(call.backend, note, input.expected_blob_id) : undefined;
  if (mode === 'replace' && isOpened(note))
    return answer(input, await replaceFile(note, { ...input, expected_blob_id: expectedBlobId }, call), call);
  const { content = '', format, images, files } = input;
  const html =
    note.type === 'text' ? await storedHtml(call.backend, { content, format, title: note.title }) : content;
  const read = readEmbeds(html, { images, files });
  const embeds = await safeEmbeds(conversion, read);
  const write = (filled: string): Promise<WriteResult> =>
    mode === 'replace'
      ? call.backend.contents.replace(noteId, filled, { expectedBlobId, note })
      : change(input, () => filled, call);
  call.backend.addresses.prepare(note);
  const written = await writeEmbedded(client, { noteId, html, embeds }, write);
  return answer(input, { ...written, info: storedOtherwiseOf(read, embeds) }, call);
}

async function describe(input: NoteWrite, call: Call<TriliumBackend>): Promise<Output> {
  const { noteId, title, type, mime } = input;
  const { client, contents, addresses } = call.backend;
  const options = { expectedBlobId: input.expected_blob_id };
  if ((type ?? mime) !== undefined)
    await assertHarmlessAs(await client.notes.get(noteId), { type, mime }, call);
  const note = await contents.alone(noteId, () => patchNote(client, noteId, { title, type, mime }, options));
  return { value: { ...noteView(note), url: await addresses.of(note) } };
}

interface WriteResult extends WrittenContent {
  /** A remark for the caller on how the content was stored. */
  readonly info?: string;
  readonly isCleaned?: boolean;
}

/** The text to append, in the form the note stores. */
async function additionTo(
  { type, title }: TriliumNote,
  { content = '', format }: NoteWrite,
  { backend }: Call<TriliumBackend>,
): Promise<string> {
  const html = type === 'text' ? await storedHtml(backend, { content, format, title }) : content;
  readEmbeds(html, {});
  return html;
}

/** An edit, or an append when there is an addition. The resulting text is cleaned as a whole. */
async function change(
  input: NoteWrite,
  addTo: ((note: TriliumNote) => string | Promise<string>) | undefined,
  { backend: { contents, conversion, addresses } }: Call<TriliumBackend>,
): Promise<WriteResult & WrittenEmbeds> {
  let isCleaned = false;
  const harmless = (
    before: string,
    after: string,
    { addition, note: { type, mime } }: { addition: string | undefined; note: TriliumNote },
  ) => {
    if (isOpened({ type })) return safeText(conversion, mime, after);
    if (type !== 'text' || after === before) return after;
    return addition === undefined ? conversion.edited(before, after) : conversion.appended(before, addition);
  };
  const joined = (before: string, added: string, { type }: TriliumNote) =>
    type === 'text' ? conversion.joined(before, added) : before + added;
  const compute = async (before: string, note: TriliumNote): Promise<string> => {
    const addition = await addTo?.(note);
    const after = addition === undefined ? edited(before, input) : await joined(before, addition, note);
    const safe = await harmless(before, after, { addition, note });
    isCleaned = safe !== after;
    addresses.prepare(note);
    return safe;
  };
  const { noteId, expected_blob_id: expectedBlobId } = input;
  const written = await contents.change(noteId, compute, { expectedBlobId });
  return { ...written, isCleaned, attachmentIds: [], scheduled: [] };
}

export function edited(text: string, { changes, patch }: Edit): string {
  if (patch !== undefined) return applyPatch(text, patch);
  return applyChanges(
    text,
    (changes ?? []).map((change) => ({ oldString: change.old_string, newString: change.new_string })),
  );
}

/** The MIME type of a data URL becomes the note's. */
async function replaceFile(
  note: TriliumNote,
  { content = '', expected_blob_id: expectedBlobId }: NoteWrite,
  { backend: { contents, conversion, addresses } }: Call<TriliumBackend>,
): Promise<WriteResult & WrittenEmbeds> {
  const { body: sent, mime } = decodeContent(content, note.mime);
  const body = await safeBody(conversion, mime, sent);
  const isOther = essenceOf(mime) !== essenceOf(note.mime);
  addresses.prepare(note);
  const written = await contents.replace(note.noteId, body, {
    note,
    expectedBlobId,
    mime: isOther ? mime : undefined,
  });
  const info = storedOtherwise(mime, written.note.mime);
  return { ...written, isCleaned: body !== sent, info, attachmentIds: [], scheduled: [] };
}

async function answer(
  { noteId, mode }: NoteWrite,
  written: WriteResult & WrittenEmbeds,
  { backend }: Call<TriliumBackend>,
): Promise<Output> {
  const { note, before, isChanged } = written;
  if (mode === 'replace') await noteShown(backend, note);
  else await noteEdited(backend, before, note);
  return {
    value: {
      success: true,
      noteId,
      mode,
      changed: isChanged,
      blobId: note.blobId,
      url: await backend.addresses.of(note),
      ...embeddingFacts(written),
      ...infoOf(written.isCleaned && LEFT_OUT, written.info),
    },
  };
}

const BODIES = ['content', 'changes', 'patch', 'images', 'files'];

/** Checks which parameters each mode of a write takes; `metadata` are those of mode "metadata". */
export function checkWrite(metadata: readonly string[]): (input: Input, context: z.RefinementCtx) => void {
  return (input, context) => {
    const say = (message: string) => context.addIssue({ code: 'custom', message });
    if (input.mode === 'metadata') {
      needsOne(input, metadata, say);
      refuses(input, BODIES, say);
    } else if (input.mode === 'edit') {
      needsEdit(input, say);
      refuses(input, ['content', 'images', 'files', ...metadata], say);
      if (input.format === 'markdown')
        say('edit works on the stored HTML; format "markdown" cannot be used with it');
    } else {
      needsOne(input, ['content'], say);
      refuses(input, ['changes', 'patch', ...metadata], say);
    }
  };
}

type Say = (message: string) => void;
type Input = Readonly<Record<string, unknown>> & { readonly mode: string };

function needsOne(input: Input, names: readonly string[], say: Say): void {
  if (names.every((name) => input[name] === undefined))
    say(`mode "${input.mode}" needs ${names.length > 1 ? 'at least one of ' : ''}${names.join(', ')}`);
}

function needsEdit(input: Input, say: Say): void {
  if ((input.changes === undefined) === (input.patch === undefined))
    say('mode "edit" needs exactly one of changes and patch');
}

function refuses(input: Input, names: readonly string[], say: Say): void {
  const given = names.filter((name) => input[name] !== undefined);
  if (given.length > 0) say(`mode "${input.mode}" does not take ${given.join(', ')}`);
}
