/** The headings of a markdown text, in order. */
import { bodyStartOf } from '../frontmatter/split.ts';
import { codeBlocks, createRangeCursor, type Range } from './regions.ts';

export interface Heading {
  /** 1 to 6. */
  readonly level: number;
  /** Without the signs around it. */
  readonly text: string;
  /** Where its line begins. */
  readonly start: number;
}

const HEADING = /^ {0,3}(#{1,6})([ \t].*)?$/gm;

/** `code`: the text's blocks of code, where they are known already. */
export function outlineOf(text: string, code: readonly Range[] = codeBlocks(text)): Heading[] {
  const inCode = createRangeCursor(code);
  const bodyStart = bodyStartOf(text);
  const headings: Heading[] = [];
  for (const { 0: line, 1: signs = '', 2: title = '', index } of text.matchAll(HEADING)) {
    const beginsLine = index === bodyStart || text[index - 1] === '\n';
    if (index < bodyStart || !beginsLine || inCode(index + line.indexOf('#'))) continue;
    headings.push({ level: signs.length, text: withoutClosing(title.trim()), start: index });
  }
  return headings;
}

/** `Plan ##` is "Plan"; the sign of `C#` belongs to it. */
export function withoutClosing(title: string): string {
  let end = title.length;
  while (title[end - 1] === '#') end--;
  if (end === title.length || (end > 0 && title[end - 1] !== ' ' && title[end - 1] !== '\t')) return title;
  return title.slice(0, end).trim();
}

/** A heading as a link to it writes it: what means something in a link is left out. */
export function headingAnchor(heading: string): string {
  return heading
    .replace(/[#|^:\\]|%%|\[\[|\]\]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The text of the last heading at or above `line`, counted from 1; undefined above the first one. */
export function headingOver(text: string, line: number): string | undefined {
  const end = lineEnd(text, line);
  // Cut within the frontmatter, its comments would look like headings.
  if (end <= bodyStartOf(text)) return undefined;
  return outlineOf(text.slice(0, end)).findLast((heading) => heading.text !== '')?.text;
}

function lineEnd(text: string, line: number): number {
  let end = -1;
  for (let passed = 0; passed < line; passed++) {
    end = text.indexOf('\n', end + 1);
    if (end < 0) return text.length;
  }
  return end;
}
