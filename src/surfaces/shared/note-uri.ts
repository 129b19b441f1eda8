/** `note:///folder/My%20note.md`: a note's name as an MCP resource. */
import { type NotePath, parseNotePath } from '../../notes/path.ts';
import { AppError } from '../../shared/errors.ts';

const PREFIX = 'note:///';

export const NOTE_URI_TEMPLATE = `${PREFIX}{+path}`;

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
    // The slash before it keeps a space that a name begins with.
    return parseNotePath(decodeURIComponent(uri.slice(PREFIX.length - 1)));
  } catch (error) {
    throw error instanceof URIError ? invalid(error) : error;
  }
}
