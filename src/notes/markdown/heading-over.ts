/** The section a line of a markdown text stands in, by the heading it is under. */
import { frontmatterBlock } from './frontmatter-block.ts';
import { codeBlocks, createRangeCursor } from './regions.ts';

const HEADING = /^ {0,3}#{1,6}[ \t]+(\S.*)$/gm;

/** The text of the last heading at or above `line`, counted from 1; undefined above the first one. */
export function headingOver(text: string, line: number): string | undefined {
  const above = text.slice(0, lineEnd(text, line));
  const inCode = createRangeCursor(codeBlocks(above));
  const bodyStart = frontmatterBlock(text)?.end ?? 0;
  let heading: string | undefined;
  for (const { 0: whole, 1: title = '', index } of above.matchAll(HEADING)) {
    const at = index + whole.length - whole.trimStart().length;
    if (index >= bodyStart && !inCode(at)) heading = title.replace(/[ \t]+#*[ \t]*\r?$/, '').trim();
  }
  return heading === '' ? undefined : heading;
}

function lineEnd(text: string, line: number): number {
  let end = -1;
  for (let passed = 0; passed < line; passed++) {
    end = text.indexOf('\n', end + 1);
    if (end < 0) return text.length;
  }
  return end;
}
