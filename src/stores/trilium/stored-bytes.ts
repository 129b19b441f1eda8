/**
 * Stores bytes unchanged. Under a text type Trilium keeps UTF-8 only: it replaces invalid bytes, drops a byte order
 * mark, and still answers success. Such content is stored as `application/octet-stream`, which keeps every byte, or
 * refused; and the stored content is compared with what was sent.
 */
import { AppError } from '../../shared/errors.ts';
import { isUncertain } from '../remote.ts';
import { essenceOf, isOpened, isTextMime, utf8Text } from './content-kind.ts';
import { blobIdOf } from './revisions.ts';
import type { Content } from './wire/entities.ts';

export const ANY_BYTES = 'application/octet-stream';

const TEXT_ESSENCES = [
  'application/javascript',
  'application/x-javascript',
  'application/json',
  'application/x-sql',
  'application/inkml+xml',
  'image/svg+xml',
];

/** Attachments have no type. */
interface Kind {
  readonly type?: string | undefined;
  readonly mime: string;
}

function isStoredAsText({ type = 'file', mime }: Kind): boolean {
  const essence = essenceOf(mime);
  return !isOpened({ type }) || essence.startsWith('text/') || TEXT_ESSENCES.includes(essence);
}

/** UTF-8 without a byte order mark, which Trilium keeps unchanged under any type. */
export function isPlainUtf8(body: string | Uint8Array): boolean {
  if (typeof body === 'string') return body.isWellFormed() && !body.startsWith('\uFEFF');
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return false;
  return utf8Text(body) !== undefined;
}

/** A MIME type under which every byte is kept. Throws where there is none, before anything is sent. */
export function byteKeepingMime(kind: Kind, body: string | Uint8Array, subject?: string): string {
  if (typeof body === 'string' && !body.isWellFormed())
    throw new AppError('invalid_input', 'The text holds half a character', {
      subject,
      hint: 'It has an unpaired surrogate, which no file can hold. Send the text without it. Nothing was written.',
    });
  const { type = 'file', mime } = kind;
  // A byte order mark has no meaning in the HTML of a text note.
  const isHtml = type === 'text' && typeof body === 'string';
  if (isHtml || !isStoredAsText(kind) || isPlainUtf8(body)) return mime;
  if (type !== 'file' || essenceOf(mime).startsWith('image/'))
    throw new AppError('unsupported', 'Not plain UTF-8 text', {
      subject: subject ?? mime.slice(0, 80),
      hint: 'Trilium would change it: it is not UTF-8, or begins with a byte order mark. Save it as UTF-8 without one, or store it as a file of type application/octet-stream. Nothing was written.',
    });
  return ANY_BYTES;
}

/** Remark for the caller when the MIME type was changed. */
export function storedOtherwise(asked: string | undefined, mime: string): string | undefined {
  if (mime !== ANY_BYTES || asked === undefined || essenceOf(asked) === ANY_BYTES) return undefined;
  return `It is not UTF-8 text, or begins with a byte order mark, and Trilium would have changed it as ${essenceOf(asked)}: it is stored as ${ANY_BYTES}, byte for byte.`;
}

/** Throws when existing bytes would be decoded as text under a new type. */
export function assertReadableAs(kind: Kind, bytes: Uint8Array, subject: string): void {
  if (!isStoredAsText(kind) || isPlainUtf8(bytes)) return;
  throw new AppError('unsupported', 'What it holds is no plain UTF-8 text', {
    subject,
    hint: `As ${kind.mime.slice(0, 80)}, Trilium would show and save it as UTF-8 text and lose bytes. Leave its mime as it is, or replace its content with UTF-8 first. Nothing was changed.`,
  });
}

/** An existing note or attachment. */
interface Holder extends Kind {
  put(body: string | Uint8Array): Promise<void>;
  patch(mime: string): Promise<unknown>;
}

/** Stores content so that every byte is kept; the MIME type at the time of the write decides. */
export async function putBytes(holder: Holder, body: string | Uint8Array, wanted: string): Promise<void> {
  const mime = byteKeepingMime({ type: holder.type, mime: wanted }, body);
  // Active content is always UTF-8, so it is never stored under its new MIME type before it is cleaned.
  const isMimeFirst = mime !== holder.mime && !isPlainUtf8(body);
  if (isMimeFirst) await holder.patch(mime);
  await holder.put(asSent(body)).catch(async (error: unknown) => {
    // The first error is reported; a failure of the clean-up would only hide it.
    if (isMimeFirst && !isUncertain(error)) await holder.patch(holder.mime).catch(() => undefined);
    throw error;
  });
  if (!isMimeFirst && mime !== holder.mime) await holder.patch(mime);
}

/** Sent as bytes, because Trilium drops a byte order mark from text bodies. */
function asSent(body: string | Uint8Array): string | Uint8Array {
  return typeof body === 'string' && !isPlainUtf8(body) ? Buffer.from(body) : body;
}

/** Reads the content only when its `blobId` differs from that of what was sent. */
export async function hasArrived(
  body: string | Uint8Array,
  { blobId }: { readonly blobId: string },
  read: () => Promise<Content>,
): Promise<boolean> {
  if (blobId === blobIdOf(body)) return true;
  return Buffer.from((await read()).bytes).equals(Buffer.from(body as Uint8Array));
}

export function notArrived(subject: string, rest: string): AppError {
  return new AppError('upstream_failed', 'Trilium holds something else than was sent', {
    subject,
    hint: `Another writer changed it at the same moment, or Trilium does not keep this content under its type. ${rest}`,
  });
}

interface DecodedContent {
  /** The MIME type of a data URL takes precedence. */
  readonly mime: string;
  readonly body: string | Uint8Array;
}

export interface DecodedBytes {
  readonly mime: string;
  readonly bytes: Uint8Array;
}

/**
 * Content received as text: base64, a data URL, or plain text. Anything else is refused, never repaired. For
 * notes and attachments: text types are plain text, all others base64.
 */
export function decodeContent(content: string, mime: string): DecodedContent {
  const url = readDataUrl(content);
  if (url) return { mime: url.mime, body: url.bytes };
  return { mime, body: isTextMime(mime) ? content : decodeBase64(content) };
}

/** For embedded files: always base64. */
export function decodeEmbedded(data: string, mime: string): DecodedBytes {
  return readDataUrl(data) ?? { mime, bytes: decodeBase64(data) };
}

function readDataUrl(text: string): DecodedBytes | undefined {
  if (!/^data:/i.test(text)) return undefined;
  const comma = text.indexOf(',');
  const parts = text.slice('data:'.length, comma).split(';');
  if (comma < 0) throw notBase64('The data URL has no comma.');
  const isBase64 = parts.at(-1)?.trim().toLowerCase() === 'base64';
  const mime = (isBase64 ? parts.slice(0, -1) : parts).join(';').trim() || 'text/plain';
  const data = text.slice(comma + 1);
  return { mime, bytes: isBase64 ? decodeBase64(data) : Buffer.from(unescaped(data)) };
}

function unescaped(data: string): string {
  try {
    return decodeURIComponent(data);
  } catch (cause) {
    throw notBase64('The data URL holds a broken % escape.', cause);
  }
}

function decodeBase64(text: string): Uint8Array {
  // Base64 may contain line breaks, but no spaces between words.
  const packed = text.trim().replace(/[\r\n\t]+/g, '');
  const [, data = ''] = /^([A-Za-z0-9+/]*)={0,2}$/.exec(packed) ?? [];
  const isWhole = data.length % 4 !== 1 && (packed.length % 4 === 0 || packed === data);
  if ((data === '' && packed !== '') || !isWhole) throw notBase64('It is neither base64 nor a data URL.');
  return Buffer.from(data, 'base64');
}

function notBase64(problem: string, cause?: unknown): AppError {
  return new AppError('invalid_input', 'The data cannot be read', {
    hint: `${problem} Give the bytes as base64, or as data:<mime>;base64,<data>.`,
    cause,
  });
}
