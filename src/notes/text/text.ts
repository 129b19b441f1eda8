/** Texts of notes: bytes to text and back, line endings, changes by offsets. */
import { AppError } from '../../shared/errors.ts';
import type { Note } from '../store.ts';

export const BOM = '\uFEFF';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Strict: what is not valid UTF-8 is refused, never repaired. A byte order mark stays in the text. */
export function textOf(note: Pick<Note, 'path' | 'bytes'>): string {
  try {
    return strict.decode(note.bytes);
  } catch (cause) {
    throw new AppError('unsupported', 'Not a UTF-8 text note', {
      subject: note.path,
      hint: `${describeEncoding(note.bytes)} Nothing was changed. Convert the file to UTF-8 to read or edit it here.`,
      cause,
    });
  }
}

function describeEncoding(bytes: Uint8Array): string {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff))
    return 'It looks like UTF-16.';
  return bytes.includes(0) ? 'It holds binary data.' : 'It is in another encoding, for example Latin-1.';
}

/** The line ending most lines of the text use; LF for a text without any. */
export function lineEndingOf(text: string): '\n' | '\r\n' {
  let crlf = 0;
  let lf = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (text.charCodeAt(at - 1) === 13) crlf++;
    else lf++;
  }
  return crlf > lf ? '\r\n' : '\n';
}

/** Rewrites every line ending of `text` (CRLF or LF) to `ending`. */
export function withLineEnding(text: string, ending: '\n' | '\r\n'): string {
  const lf = text.replaceAll('\r\n', '\n');
  return ending === '\n' ? lf : lf.replaceAll('\n', '\r\n');
}

/** A replacement of the text between two offsets. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function insertion(at: number, text: string): Splice {
  return { start: at, end: at, text };
}

/** Applies splices that do not overlap. Insertions at one place keep their order. */
export function applySplices(source: string, splices: readonly Splice[]): string {
  const ordered = [...splices].sort((a, b) => a.start - b.start || a.end - b.end);
  let result = '';
  let position = 0;
  for (const { start, end, text } of ordered) {
    if (start < position) throw new RangeError('Splices overlap');
    result += source.slice(position, start) + text;
    position = end;
  }
  return result + source.slice(position);
}
