/**
 * Where the YAML frontmatter stands: only at the very start (a BOM may precede it), opened by a line `---`,
 * closed by a line `---` or `...`. A word after the opening dashes names another language: no frontmatter.
 */
import { BOM } from '../text.ts';
import type { Range } from './range.ts';

export interface FrontmatterBlock extends Range {
  /** The YAML between the two marker lines. */
  readonly body: Range;
}

/** `start` is the opening dash, `end` is behind the closing line's line break. */
export function frontmatterBlock(text: string): FrontmatterBlock | undefined {
  const start = text.startsWith(BOM) ? BOM.length : 0;
  if (!text.startsWith('---', start)) return undefined;
  const firstBreak = text.indexOf('\n', start);
  if (firstBreak < 0 || !isBlank(text, start + 3, firstBreak)) return undefined;
  for (let at = firstBreak + 1; at < text.length; ) {
    const lineBreak = text.indexOf('\n', at);
    const lineEnd = lineBreak < 0 ? text.length : lineBreak;
    if ((text.startsWith('---', at) || text.startsWith('...', at)) && isBlank(text, at + 3, lineEnd)) {
      return { start, end: Math.min(lineEnd + 1, text.length), body: { start: firstBreak + 1, end: at } };
    }
    at = lineEnd + 1;
  }
  return undefined;
}

function isBlank(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const char = text[at];
    if (char !== ' ' && char !== '\t' && char !== '\r') return false;
  }
  return true;
}
