/**
 * Content blocks for the bytes of a note, attachment or revision. Images that models can see become image blocks;
 * SVG is sent as text, which clients cannot mistake for an image they cannot show; other bytes become a blob, up to
 * a size.
 */
import type { ContentBlock, Output } from '../../mcp/tool.ts';
import { AppError } from '../../shared/errors.ts';
import { essenceOf, isTextMime } from '../../stores/trilium/content-kind.ts';
import { pageEnd, textPage } from '../shared/parameters.ts';

/** Base64 turns three bytes into four characters, and clients refuse much longer answers. */
export const MOST_IMAGE_BYTES = 3_750_000;
const MOST_BLOB_BYTES = 8 * 1024 * 1024;

const PICTURES: Readonly<Record<string, string>> = {
  'image/png': 'image/png',
  'image/jpeg': 'image/jpeg',
  'image/jpg': 'image/jpeg',
  'image/gif': 'image/gif',
  'image/webp': 'image/webp',
};

interface FileContent {
  /** `trilium:///attachments/<id>` and the like. */
  readonly uri: string;
  readonly mime: string;
  readonly bytes: Uint8Array;
}

/** The canonical MIME type of an image that clients can show; undefined for other types. */
export function pictureMime(mime: string): string | undefined {
  return PICTURES[essenceOf(mime)];
}

/** Undefined for bytes that are not text, whatever their MIME type says. */
export function decodedText(mime: string, bytes: Uint8Array): string | undefined {
  if (!isTextMime(mime)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Size limit of one answer for this type. */
export function mostBytes(mime: string): number {
  return pictureMime(mime) === undefined ? MOST_BLOB_BYTES : MOST_IMAGE_BYTES;
}

export function fileBlock({ uri, mime, bytes }: FileContent): ContentBlock {
  const picture = pictureMime(mime);
  const most = mostBytes(mime);
  if (bytes.length > most) throw tooLarge(uri, bytes.length, most);
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
  if (picture !== undefined) return { type: 'image', data, mimeType: picture };
  return {
    type: 'resource',
    resource: { uri, mimeType: blobMime(mime), blob: data },
  };
}

/** Active content that cannot be shown as text gets a neutral MIME type, so that no client opens it. */
function blobMime(mime: string): string {
  const essence = essenceOf(mime);
  return essence === '' || /html|xml$/.test(essence) ? 'application/octet-stream' : essence;
}

export function tooLarge(subject: string, bytes: number, most: number): AppError {
  return new AppError('unsupported', 'Too large for one answer', {
    subject,
    hint: `It holds ${bytes} bytes; up to ${most} are sent. Ask with include_content=false for what is known of it, or open it in Trilium.`,
    reason: 'too_large',
  });
}

/** Default length of one piece of a long text. */
export const MOST_CHARACTERS = 50_000;

interface TextPiece {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly total: number;
  /** Offset of the next piece; undefined on the last one. */
  readonly next?: number;
}

export function pieceOf(whole: string, start: number, most: number = MOST_CHARACTERS): TextPiece {
  const from = Math.min(start, whole.length);
  const { text, next } = textPage(whole, from, most);
  const end = next ?? whole.length;
  return { text, start: end - text.length, end, total: whole.length, next };
}

/** Empty on the last piece. */
export function truncationNotice(piece: TextPiece, tool: string): string {
  if (piece.next === undefined) return '';
  return `\n\n---\n**Content truncated:** showing characters ${piece.start}-${piece.end} of ${piece.total}. Call ${tool} again with content_start=${piece.next} to continue.`;
}

/** The answer with one piece of a text; with the file itself where there is no text. */
export function contentOutput(
  text: string | undefined,
  file: Parameters<typeof fileBlock>[0],
  { start, tool }: { readonly start: number; readonly tool: string },
): Output {
  if (text === undefined) return { value: {}, content: [fileBlock(file)] };
  const piece = pieceOf(text, start);
  return { value: {}, text: piece.text + truncationNotice(piece, tool) };
}

/** A list whose answer is documented as a bare array: rows in the first block, paging hint in a second. */
export function pagedRows(
  rows: readonly Readonly<Record<string, unknown>>[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Output {
  const wanted = rows.slice(0, offset + limit);
  const end = pageEnd(wanted, Math.min(offset, wanted.length), (row) => JSON.stringify(row).length + 1);
  const notice = `Rows ${offset + 1} to ${end} of ${rows.length}. Call again with offset=${end} to continue.`;
  return {
    value: {},
    text: JSON.stringify(wanted.slice(offset, end)),
    blocks: end < rows.length ? [{ type: 'text', text: notice }] : undefined,
  };
}
