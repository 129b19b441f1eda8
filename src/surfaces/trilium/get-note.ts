/** `get_note`: a note's text with a summary of its attachments, and its images, as content blocks. */
import * as z from 'zod';
import type { Call, ContentBlock } from '../../mcp/tool.ts';
import { mapConcurrently } from '../../shared/async/semaphore.ts';
import type { AppError } from '../../shared/errors.ts';
import { essenceOf, holdsText } from '../../stores/trilium/content-kind.ts';
import { noteMarkdown } from '../../stores/trilium/conversion.ts';
import { refersToAttachments } from '../../stores/trilium/empty-lists.ts';
import { noteAndContent } from '../../stores/trilium/note-and-content.ts';
import type { Attachment, TriliumNote } from '../../stores/trilium/wire/entities.ts';
import { defineTool, type TriliumBackend } from './backend.ts';
import {
  decodedText,
  fileBlock,
  MOST_CHARACTERS,
  MOST_IMAGE_BYTES,
  mostBytes,
  pictureMime,
  pieceOf,
  truncationNotice,
} from './blocks.ts';
import { noteView } from './note-view.ts';
import { contentStart, format, id } from './parameters.ts';
import { noteShown } from './seen-notes.ts';

interface ContentRequest {
  readonly format: 'html' | 'markdown';
  readonly includeImages: boolean;
  readonly content_start: number;
  readonly content_max_chars: number;
}

interface NoteContent {
  readonly note: TriliumNote;
  readonly contentInfo: Readonly<Record<string, unknown>>;
  readonly blocks: readonly ContentBlock[];
}

/** Bound on all images of one answer together. */
const MOST_PICTURE_BYTES = 8 * 1024 * 1024;
const MOST_LISTED = 50;
const PARALLEL = 4;

async function noteContent(
  noteId: string,
  asked: ContentRequest,
  call: Call<TriliumBackend>,
): Promise<NoteContent> {
  const { client, conversion, emptyLists } = call.backend;
  const limits = { mostBytes: (one: TriliumNote) => (holdsText(one) ? undefined : mostBytes(one.mime)) };
  const reading = noteAndContent(client, noteId, limits);
  const isEarly = asked.includeImages && !emptyLists.knows(noteId);
  // Requested after the note and its content, which are needed first.
  const early = isEarly ? listFor(noteId, call) : undefined;
  const { note, bytes } = await reading;
  void noteShown(call.backend, note, bytes);
  const stored = holdsText(note) ? decodedText('text/plain', bytes) : undefined;
  if (stored === undefined) {
    if (isEarly) emptyLists.watch()(note);
    return fileContent(note, bytes);
  }
  const isNeeded = asked.includeImages && (refersToAttachments(stored) || !emptyLists.isEmpty(note));
  const beside = isNeeded ? await attached(note, early ?? listFor(noteId, call), call) : NOTHING_ATTACHED;
  const isConverted = asked.format === 'markdown' && note.type === 'text';
  const { text: whole, problem } = isConverted
    ? await noteMarkdown(conversion.toMarkdown, stored)
    : { text: stored };
  const piece = pieceOf(whole, asked.content_start, asked.content_max_chars);
  return {
    note,
    contentInfo: {
      format:
        isConverted && !problem ? 'markdown' : note.type === 'text' ? 'html' : essenceOf(note.mime) || 'text',
      totalChars: piece.total,
      returnedStart: piece.start,
      returnedEnd: piece.end,
      truncated: piece.next !== undefined,
      info: problem ? asHtml(problem) : undefined,
    },
    blocks: [
      { type: 'text', text: `${piece.text}${truncationNotice(piece, 'get_note')}${beside.text}` },
      ...beside.pictures,
    ],
  };
}

function asHtml({ title, subject }: AppError): string {
  return `This is the stored HTML, not markdown: ${title[0]!.toLowerCase()}${title.slice(1)}${subject === undefined ? '' : ` (${subject})`}.`;
}

/** Content of file and image notes. */
function fileContent(note: TriliumNote, bytes: Uint8Array): NoteContent {
  const { noteId, mime } = note;
  return {
    note,
    contentInfo: { format: essenceOf(mime), totalBytes: bytes.length, truncated: false },
    blocks: [fileBlock({ uri: `trilium:///notes/${noteId}`, mime, bytes })],
  };
}

interface AttachmentSummary {
  readonly text: string;
  readonly pictures: readonly ContentBlock[];
}

const NOTHING_ATTACHED: AttachmentSummary = { text: '', pictures: [] };

interface Listing {
  readonly listed: Promise<PromiseSettledResult<readonly Attachment[]>>;
  /** Records that the list was empty. */
  readonly isEmpty: (note: TriliumNote) => void;
}

function listFor(noteId: string, { backend }: Call<TriliumBackend>): Listing {
  const isEmpty = backend.emptyLists.watch();
  const asked = Promise.allSettled([backend.client.attachments.list(noteId)]);
  return { listed: asked.then(([one]) => one), isEmpty };
}

async function attached(
  note: TriliumNote,
  { listed: asked, isEmpty }: Listing,
  call: Call<TriliumBackend>,
): Promise<AttachmentSummary> {
  const { signal, backend } = call;
  const { attachments } = backend.client;
  const listing = await asked;
  if (listing.status === 'rejected') {
    // Older Trilium versions cannot list attachments; the text is returned without them.
    signal.throwIfAborted();
    return {
      text: `\n\n---\n**Note:** The attachments could not be listed: ${messageOf(listing.reason)}`,
      pictures: [],
    };
  }
  if (listing.value.length === 0) isEmpty(note);
  const { shown, left } = chosen(listing.value);
  const failed: string[] = [];
  const pictures = await mapConcurrently(shown, PARALLEL, async ({ attachmentId, mime, title }) => {
    try {
      const { bytes } = await attachments.content(attachmentId);
      return [fileBlock({ uri: `trilium:///attachments/${attachmentId}`, mime, bytes })];
    } catch (error) {
      signal.throwIfAborted();
      failed.push(`- ${title}: ${messageOf(error)}`);
      return [];
    }
  });
  return { text: listed(left) + problems(failed), pictures: pictures.flat() };
}

/** Splits the images into those that fit one answer and the rest. */
function chosen(all: readonly Attachment[]): { shown: Attachment[]; left: Attachment[] } {
  let bytes = 0;
  const shown = all.filter(({ mime, contentLength = 0 }) => {
    const fits = contentLength <= MOST_IMAGE_BYTES && bytes + contentLength <= MOST_PICTURE_BYTES;
    if (pictureMime(mime) === undefined || !fits) return false;
    bytes += contentLength;
    return true;
  });
  return { shown, left: all.filter((one) => !shown.includes(one)) };
}

function listed(left: readonly Attachment[]): string {
  if (left.length === 0) return '';
  const lines = left
    .slice(0, MOST_LISTED)
    .map(({ title, mime, attachmentId }) => `- **${title}** (${mime}) - ID: \`${attachmentId}\``);
  const more = left.length > MOST_LISTED ? [`- … and ${left.length - MOST_LISTED} more`] : [];
  return `\n\n---\n**Attachments:** This note has ${left.length} attachment(s) not shown here; read them with get_attachment.\n${[...lines, ...more].join('\n')}`;
}

function problems(failed: readonly string[]): string {
  return failed.length === 0
    ? ''
    : `\n\n**Note:** Some attachments could not be loaded:\n${failed.join('\n')}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 200) : 'unknown';
}

export const getNote = defineTool({
  name: 'get_note',
  title: 'Read note',
  description:
    'Read a note: block 1 is its metadata with blobId (give it to write_note as expected_blob_id), block 2 its text, then its images. format "markdown" is shorter to read; edits need the stored HTML (format "html"). include_content=false: metadata alone. Example: {"noteId":"abc123","format":"markdown"}',
  effect: 'read',
  input: () =>
    z.object({
      noteId: id(),
      include_content: z.boolean().default(true),
      format: format('For text notes'),
      includeImages: z.boolean().default(true),
      content_start: contentStart(),
      content_max_chars: z.int().min(1).max(500_000).default(MOST_CHARACTERS),
    }),
  async run({ noteId, include_content: isWhole, ...asked }, call) {
    if (!isWhole) return { value: noteView(await call.backend.client.notes.get(noteId)) };
    const { note, contentInfo, blocks } = await noteContent(noteId, asked, call);
    return { value: { ...noteView(note), contentInfo }, blocks, note: { version: note.blobId } };
  },
});
