/** Content that came as text: base64, a data URL, or the text itself. Anything else is refused, never repaired. */
import { AppError } from '../../shared/errors.ts';
import { isTextMime } from './content-kind.ts';

interface DecodedContent {
  /** A data URL's own word about itself wins. */
  readonly mime: string;
  readonly body: string | Uint8Array;
}

export interface DecodedBytes {
  readonly mime: string;
  readonly bytes: Uint8Array;
}

/** Of a note or an attachment: text types stand as they are, all others as base64. */
export function decodeContent(content: string, mime: string): DecodedContent {
  const url = readDataUrl(content);
  if (url) return { mime: url.mime, body: url.bytes };
  return { mime, body: isTextMime(mime) ? content : decodeBase64(content) };
}

/** Of an embedded file: base64 whatever its type. */
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
  // Lines may be broken; words with spaces between them are not base64.
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
