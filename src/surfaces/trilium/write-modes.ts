/** The modes of write_note. */
import type { Call, Output } from '../../mcp/tool.ts';
import { applyChanges } from '../../notes/text-changes.ts';
import { applyPatch } from '../../notes/unified-patch.ts';
import { decodeContent } from '../../stores/trilium/binary-data.ts';
import { essenceOf } from '../../stores/trilium/content-kind.ts';
import { type EmbedInput, readEmbeds } from '../../stores/trilium/embed.ts';
import { patchNote } from '../../stores/trilium/patch-note.ts';
import type { TriliumNote } from '../../stores/trilium/wire/types.ts';
import type { WrittenContent } from '../../stores/trilium/write-content.ts';
import { type WrittenEmbeds, writeEmbedded } from '../../stores/trilium/write-embedded.ts';
import type { TriliumBackend } from './backend.ts';
import { assertEmbeddable, embeddingFacts } from './embedding.ts';
import { noteView } from './note-view.ts';
import { editedHtml, storedHtml } from './stored-html.ts';
import { addressOf } from './web-address.ts';

export interface Edit {
  readonly changes?: readonly { readonly old_string: string; readonly new_string: string }[] | undefined;
  readonly patch?: string | undefined;
}

interface NoteWrite extends Edit {
  readonly noteId: string;
  readonly mode: 'metadata' | 'replace' | 'append' | 'edit';
  readonly title?: string | undefined;
  readonly type?: string | undefined;
  readonly mime?: string | undefined;
  readonly content?: string | undefined;
  readonly format: 'html' | 'markdown';
  readonly images?: readonly EmbedInput[] | undefined;
  readonly files?: readonly EmbedInput[] | undefined;
  readonly expected_blob_id?: string | undefined;
}

export async function runWrite(input: NoteWrite, call: Call<TriliumBackend>): Promise<Output> {
  const { noteId, mode } = input;
  const { contents, client, conversion } = call.backend;
  const options = { signal: call.signal, expectedBlobId: input.expected_blob_id };
  if (mode === 'metadata') {
    const { title, type, mime } = input;
    const note = await patchNote(client, noteId, { title, type, mime }, options);
    return { value: { ...noteView(note), url: await addressOf(call, note) } };
  }
  if (mode === 'edit') {
    const edit = async (text: string, { type }: TriliumNote) => {
      const after = edited(text, input);
      return type === 'text' ? editedHtml(conversion, text, after) : after;
    };
    const written = await contents.change(noteId, edit, options);
    return answer(input, { ...written, attachmentIds: [], scheduled: [] }, call);
  }
  const note = await client.notes.get(noteId, options);
  assertEmbeddable(note.type, input);
  if (mode === 'replace' && isFile(note)) return answer(input, await replaceFile(note, input, call), call);
  const { content = '', format } = input;
  const html =
    note.type === 'text' ? await storedHtml(conversion, { content, format, title: note.title }) : content;
  const { images, files } = input;
  const embeds = readEmbeds(html, { ...(images && { images }), ...(files && { files }) });
  const write = (filled: string): Promise<WrittenContent> =>
    mode === 'replace'
      ? contents.replace(noteId, filled, options)
      : contents.change(noteId, (before) => before + filled, options);
  return answer(input, await writeEmbedded(client, { noteId, html, embeds }, write, options), call);
}

export function edited(text: string, { changes, patch }: Edit): string {
  if (patch !== undefined) return applyPatch(text, patch);
  return applyChanges(
    text,
    (changes ?? []).map((change) => ({ oldString: change.old_string, newString: change.new_string })),
  );
}

function isFile({ type }: TriliumNote): boolean {
  return type === 'file' || type === 'image';
}

/** What a data URL says of itself becomes the note's. */
async function replaceFile(
  note: TriliumNote,
  { content = '', expected_blob_id: expectedBlobId }: NoteWrite,
  { backend: { client, contents }, signal }: Call<TriliumBackend>,
): Promise<WrittenEmbeds> {
  const { body, mime } = decodeContent(content, note.mime);
  const written = await contents.replace(note.noteId, body, { signal, expectedBlobId });
  if (essenceOf(mime) !== essenceOf(note.mime)) await client.notes.patch(note.noteId, { mime }, { signal });
  return { ...written, attachmentIds: [], scheduled: [] };
}

async function answer(
  { noteId, mode }: NoteWrite,
  written: WrittenEmbeds,
  call: Call<TriliumBackend>,
): Promise<Output> {
  const { note, isChanged } = written;
  return {
    value: {
      success: true,
      noteId,
      mode,
      changed: isChanged,
      blobId: note.blobId,
      url: await addressOf(call, note),
      ...embeddingFacts(written),
    },
  };
}
