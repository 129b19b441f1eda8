/** A line's worth of text around a match, never cutting a character in two. */
const BEFORE = 40;
const AFTER = 80;
/** Second halves of characters, combining marks, and what glues emoji together. */
const JOINS_PREVIOUS = /^(?:[\uDC00-\uDFFF]|\p{M}|\u200d)/u;

export function excerptAround(text: string, start: number, end: number): string {
  const from = characterStart(text, Math.max(0, start - BEFORE));
  const to = characterStart(text, Math.min(text.length, Math.min(end, start + AFTER) + AFTER));
  const piece = text.slice(from, to).replace(/\s+/g, ' ').trim();
  return `${from > 0 ? '...' : ''}${piece}${to < text.length ? '...' : ''}`;
}

/** Moves an offset that stands inside a character to its beginning. */
function characterStart(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && at < text.length && JOINS_PREVIOUS.test(text.charAt(at))) at--;
  return at;
}
