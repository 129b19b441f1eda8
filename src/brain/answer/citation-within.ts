/** The citation of a stretch of a passage, from the passage alone: its text is the note's at that place. */
import { headingOver } from '../../notes/markdown/heading-over.ts';
import type { Citation, Passage, Span } from '../types.ts';

const LONGEST_SPAN = 300;

/** `span` is a place in the note; what of it lies outside of the passage is left out. */
export function citationWithin(
  passage: Passage,
  span: Span,
  facts: Pick<Citation, 'score' | 'retrievedAt'>,
): Omit<Citation, 'index'> {
  const { text, sourcePath, hash } = passage;
  const { start, end } = shownPart(text, {
    start: Math.max(0, span.start - passage.span.start),
    end: Math.min(text.length, span.end - passage.span.start),
  });
  const line = linesBefore(text, start) + 1;
  return {
    ...facts,
    chunkHash: hash,
    sourcePath,
    anchor: anchorAt(passage, line),
    lineStart: passage.lineStart + line - 1,
    lineEnd: passage.lineStart + linesBefore(text, Math.max(start, end - 1)),
    textSpan: text.slice(start, end),
  };
}

/** A passage may be made of small pieces under headings of their own. */
function anchorAt({ text, anchor, headings }: Passage, line: number): string {
  const heading = headingOver(text, line);
  return heading === undefined || headings.includes(heading) ? anchor : heading;
}

/** No longer than may be shown, without white space at its ends, and without half a character. */
function shownPart(text: string, { start, end }: Span): Span {
  const piece = text.slice(start, end);
  const from = start + piece.length - piece.trimStart().length;
  let to = Math.max(from, Math.min(end, from + LONGEST_SPAN));
  if (to < end && /^[\uDC00-\uDFFF]/.test(text.charAt(to))) to--;
  return { start: from, end: from + text.slice(from, to).trimEnd().length };
}

function linesBefore(text: string, at: number): number {
  let lines = 0;
  for (let found = text.indexOf('\n'); found >= 0 && found < at; found = text.indexOf('\n', found + 1))
    lines++;
  return lines;
}
