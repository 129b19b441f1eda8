/** Where a finding stands, with the words that prove it. */
import type { Span } from '../types.ts';
import type { Block } from './blocks.ts';
import type { NoteFacts } from './note-facts.ts';
import type { Evidence } from './types.ts';

const MAX_SPAN = 300;

export function evidenceOf(note: NoteFacts, block: Block, within?: Span): Evidence {
  const start = within ? block.span.start + within.start : block.span.start;
  const wanted = within ? block.span.start + within.end : block.span.end;
  const end = wholeCharacters(note.text, start, Math.min(wanted, start + MAX_SPAN));
  const textSpan = note.text.slice(start, end);
  const lineStart = block.line + lineBreaks(note.text.slice(block.span.start, start));
  return {
    sourcePath: note.sourcePath,
    span: { start, end },
    lineStart,
    lineEnd: lineStart + lineBreaks(textSpan),
    textSpan,
    anchor: block.anchor,
    headings: block.headings,
  };
}

/** No pair of surrogates is cut. */
function wholeCharacters(text: string, start: number, end: number): number {
  const cuts = /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(end));
  return cuts && end - 1 > start ? end - 1 : end;
}

function lineBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
