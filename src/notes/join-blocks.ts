/** Puts a piece of text before or after a note's body with exactly one blank line between, in the note's line endings. */
import { lineEndingOf, withLineEnding } from './text.ts';

export function joinBlocks(body: string, addition: string, side: 'before' | 'after'): string {
  const ending = lineEndingOf(body);
  const piece = body.includes('\n') ? withLineEnding(addition, ending) : addition;
  if (isBlank(piece)) return body;
  if (isBlank(body)) return body + piece;
  return side === 'after' ? appended(body, piece, ending) : prepended(body, piece, ending);
}

/** The same for data files, where a blank line would mean something: no more than a line break between. */
export function joinLines(body: string, addition: string, side: 'before' | 'after'): string {
  const ending = lineEndingOf(body);
  const piece = body.includes('\n') ? withLineEnding(addition, ending) : addition;
  const [first, second] = side === 'after' ? [body, piece] : [piece, body];
  return first === '' || second === '' || first.endsWith('\n') ? first + second : first + ending + second;
}

/** A body that ended in a line break still does; one that did not takes the piece as it is. */
function appended(body: string, piece: string, ending: string): string {
  const last = /\n$/.test(body) && !/\n$/.test(piece) ? ending : '';
  return withoutTrailingBreaks(body) + ending + ending + withoutLeadingBreaks(piece) + last;
}

/** The gap below the frontmatter stays where it is: above the new text. */
function prepended(body: string, piece: string, ending: string): string {
  const gap = /^(?:\r?\n)*/.exec(body)?.[0] ?? '';
  return gap + withoutTrailingBreaks(withoutLeadingBreaks(piece)) + ending + ending + body.slice(gap.length);
}

function isBlank(text: string): boolean {
  return /^[\r\n]*$/.test(text);
}

function withoutLeadingBreaks(text: string): string {
  return text.replace(/^[\r\n]+/, '');
}

function withoutTrailingBreaks(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end--;
  return text.slice(0, end);
}
