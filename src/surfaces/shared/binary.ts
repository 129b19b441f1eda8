/** Images, sounds and other files that are not text, as content blocks. */

import type { ContentBlock } from '../../mcp/tool.ts';
import { extensionOf, type NotePath, nameOf, parseNotePath } from '../../notes/path.ts';
import type { Note, Notebook } from '../../notes/store.ts';
import { textOf } from '../../notes/text/text.ts';
import { AppError, isAppError } from '../../shared/errors.ts';

const PREFIX = 'note:///';

export const NOTE_URI_TEMPLATE = `${PREFIX}{+path}`;

/** The resource URI of a note: `note:///folder/My%20note.md`. */
export function noteUri(path: NotePath): string {
  return PREFIX + path.split('/').map(encodeURIComponent).join('/');
}

export function pathOfNoteUri(uri: string): NotePath {
  const invalid = (cause?: unknown) =>
    new AppError('invalid_input', 'Invalid resource', {
      subject: uri.slice(0, 200),
      hint: `Notes are at ${NOTE_URI_TEMPLATE}.`,
      cause,
    });
  if (!uri.startsWith(PREFIX)) throw invalid();
  try {
    // The leading slash preserves a space at the start of a name.
    return parseNotePath(decodeURIComponent(uri.slice(PREFIX.length - 1)));
  } catch (error) {
    throw error instanceof URIError ? invalid(error) : error;
  }
}

/** The fields and blocks of an answer that open its notes; none unless the notebook has such links. */
export function opening({ addressOf }: Pick<Notebook, 'addressOf'>) {
  return {
    url: (path: NotePath) => addressOf?.(path),
    links: (notes: readonly { readonly path: NotePath; readonly title?: string }[]): ContentBlock[] =>
      addressOf === undefined
        ? []
        : notes.map(({ path, title }) => ({
            type: 'resource_link',
            uri: noteUri(path),
            name: nameOf(path),
            title,
          })),
  };
}

const BINARY: ReadonlySet<string> = new Set(
  [
    '.png .jpg .jpeg .gif .webp .avif .bmp .heic .ico .tif .tiff',
    '.mp3 .wav .ogg .m4a .flac .mp4 .mov .mkv .webm',
    '.pdf .epub .docx .xlsx .pptx .odt .ods .odp',
    '.zip .gz .7z .tar .db .sqlite .woff .woff2 .ttf .otf .exe',
  ].flatMap((group) => group.split(' ')),
);

/** Base64 turns three bytes into four characters, and clients refuse much longer answers. */
const MAX_BINARY_BYTES = 8 * 1024 * 1024;

export function isBinary(path: NotePath): boolean {
  return BINARY.has(extensionOf(path));
}

/** The text part of an answer whose second part is the file itself. */
export function notTextSentence({ contentType, size }: Note): string {
  return `Not text: ${contentType}, ${size} bytes. The file itself follows.`;
}

export function binaryBlock({ path, size, bytes, contentType: mimeType }: Note): ContentBlock {
  if (size > MAX_BINARY_BYTES) {
    throw new AppError('unsupported', 'File too large', {
      subject: path,
      hint: `It holds ${size} bytes; files that are not text are sent up to ${MAX_BINARY_BYTES / 1048576} MB.`,
      reason: 'too_large',
    });
  }
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  return { type: 'resource', resource: { uri: noteUri(path), mimeType, blob: data } };
}

/** Undefined for what is no text. */
export function textIfAny(file: Note): string | undefined {
  try {
    return file.bytes.includes(0) ? undefined : textOf(file);
  } catch (error) {
    if (isAppError(error, 'unsupported')) return undefined;
    throw error;
  }
}
