/**
 * Bytes of a note, an attachment or a revision as content blocks. Pictures that models can see come as pictures; an SVG
 * is text, which no client takes for a picture it cannot show; everything else is a blob, up to a size.
 */
import type { ContentBlock, Output } from '../../mcp/tool.ts';
import { AppError } from '../../shared/errors.ts';
import { essenceOf, isTextMime } from '../../stores/trilium/content-kind.ts';
import { pageEnd, textPage } from '../shared/parameters.ts';

/** Base64 makes four characters of three bytes; clients refuse much longer answers. */
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

/** As a picture is called by those who can show it; undefined for all other types. */
export function pictureMime(mime: string): string | undefined {
  return PICTURES[essenceOf(mime)];
}

/** Undefined for bytes that are no text, whatever they are called. */
export function decodedText(mime: string, bytes: Uint8Array): string | undefined {
  if (!isTextMime(mime)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** As many as one answer bears. */
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

/** What runs where it is opened, and is no text that could be shown as such, goes by no name a client would open. */
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

/** A piece of a long text, and how to go on with it. */

/** As much as one answer holds unless told otherwise. */
export const MOST_CHARACTERS = 50_000;

interface TextPiece {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly total: number;
  /** Where to go on; absent at the end. */
  readonly next?: number;
}

export function pieceOf(whole: string, start: number, most: number = MOST_CHARACTERS): TextPiece {
  const from = Math.min(start, whole.length);
  const { text, next } = textPage(whole, from, most);
  const end = next ?? whole.length;
  return { text, start: end - text.length, end, total: whole.length, next };
}

/** Empty at the end of the text. */
export function truncationNotice(piece: TextPiece, tool: string): string {
  if (piece.next === undefined) return '';
  return `\n\n---\n**Content truncated:** showing characters ${piece.start}-${piece.end} of ${piece.total}. Call ${tool} again with content_start=${piece.next} to continue.`;
}

/** A list that is documented as a bare array: its rows in the first block, how to go on in a second. */

export function pagedRows(
  rows: readonly Readonly<Record<string, unknown>>[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Output {
  const wanted = rows.slice(0, offset + limit);
  const end = pageEnd(wanted, Math.min(offset, wanted.length), (row) => JSON.stringify(row).length + 1);
  const notice = `Rows ${offset + 1} to ${end} of ${rows.length}. Call again with offset=${end} to continue.`;
  return {
    value: {},
    text: wanted.slice(offset, end),
    blocks: end < rows.length ? [{ type: 'text', text: notice }] : undefined,
  };
}
