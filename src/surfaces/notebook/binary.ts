/** Images, sounds and other files a notebook was told to serve, as content blocks instead of text. */
import type { ContentBlock, Output } from '../../mcp/tool.ts';
import { extensionOf, type NotePath } from '../../notes/path.ts';
import type { Note } from '../../notes/store.ts';
import { AppError } from '../../shared/errors.ts';
import { noteUri } from './note-uri.ts';

const BINARY = new Set([
  '.png',
  '.jpg',
  '.jpeg',
  '.gif',
  '.webp',
  '.avif',
  '.bmp',
  '.pdf',
  '.mp3',
  '.wav',
  '.ogg',
  '.m4a',
  '.mp4',
  '.zip',
]);

/** Base64 makes four characters of three bytes; clients refuse much longer answers. */
const MAX_BINARY_BYTES = 8 * 1024 * 1024;

export function isBinary(path: NotePath): boolean {
  return BINARY.has(extensionOf(path));
}

export function binaryOutput(note: Note): Output {
  if (note.size > MAX_BINARY_BYTES) {
    throw new AppError('unsupported', 'File too large', {
      subject: note.path,
      hint: `It holds ${note.size} bytes; files that are not text are sent up to ${MAX_BINARY_BYTES / 1048576} MB.`,
    });
  }
  const about = `${note.contentType}, ${note.size} bytes`;
  return {
    value: { fm: {}, content: '', note: `Not text: ${about}. The file itself follows.` },
    blocks: [blockOf(note)],
  };
}

function blockOf({ path, bytes, contentType: mimeType }: Note): ContentBlock {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  return { type: 'resource', resource: { uri: noteUri(path), mimeType, blob: data } };
}
