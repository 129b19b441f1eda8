/** One line of text around a match, never cutting a character in two. */
const AROUND = 50;
const LONGEST_MATCH = 120;
/** A family of emoji is this many units at the most. */
const LONGEST_CHARACTER = 32;
let segmenter: Intl.Segmenter | undefined;

export interface Excerpt {
  readonly text: string;
  readonly match: { readonly start: number; readonly end: number };
}

export function excerptAt(text: string, start: number, end: number): Excerpt {
  const matchEnd = characterStart(text, Math.min(end, start + LONGEST_MATCH));
  const from = characterStart(text, Math.max(0, start - AROUND));
  const to = characterStart(text, Math.min(text.length, matchEnd + (start === end ? 2 * AROUND : AROUND)));
  const before = `${from > 0 ? '...' : ''}${oneLine(text.slice(from, start)).trimStart()}`;
  const match = oneLine(text.slice(start, matchEnd));
  const after = `${oneLine(text.slice(matchEnd, to)).trimEnd()}${to < text.length ? '...' : ''}`;
  return { text: before + match + after, match: { start: before.length, end: before.length + match.length } };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** Moves an offset that stands inside a character, as a reader sees it, to its beginning. */
function characterStart(text: string, offset: number): number {
  if (offset <= 0 || offset >= text.length) return offset;
  const from = Math.max(0, offset - LONGEST_CHARACTER);
  const around = text.slice(from, offset + 2);
  if (!/[^\u0000-\u007f]/.test(around)) return offset;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return (
    from +
    (segmenter.segment(text.slice(from, offset + LONGEST_CHARACTER)).containing(offset - from)?.index ?? 0)
  );
}
