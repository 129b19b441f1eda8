/** The headings of a markdown text, and what is named by them: titles and anchors. */
import { memoize } from '../../shared/memoize.ts';
import { bodyStartOf } from '../frontmatter/split.ts';
import { stemOf } from '../path.ts';
import { scanBlocks } from './blocks.ts';
import { codeBlocks, createRangeCursor, isInside, type Range } from './regions.ts';

export interface Heading {
  /** 1 to 6. */
  readonly level: number;
  /** Without the number signs around it. */
  readonly text: string;
  /** Where its line begins. */
  readonly start: number;
}

const HEADING = /^ {0,3}(#{1,6})(?![^ \t\r])(.*)/;

/**
 * In order: headings with number signs, and titles underlined with `=`. `code` are the code blocks of the text, and
 * `bodyStart` its body's start, if the caller knows them.
 */
export function outlineOf(
  text: string,
  code?: readonly Range[],
  bodyStart: number = bodyStartOf(text),
): Heading[] {
  const signed = signedHeadings(text, code, bodyStart);
  const titles = mayHoldUnderlinedTitle(text) ? underlinedHeadings(text, bodyStart) : [];
  const underlined = titles.filter(({ level }) => level === 1);
  return underlined.length === 0 ? signed : [...signed, ...underlined].sort((a, b) => a.start - b.start);
}

/** The headings with number signs, of which most texts have no others. */
export function signedHeadings(
  text: string,
  code?: readonly Range[],
  bodyStart: number = bodyStartOf(text),
): Heading[] {
  const headings: Heading[] = [];
  const inCode = createRangeCursor(code ?? (mayHideHeadings(text) ? codeBlocks(text, bodyStart) : []));
  for (let at = text.indexOf('#', bodyStart); at >= 0; ) {
    const start = Math.max(bodyStart, text.lastIndexOf('\n', at - 1) + 1);
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline;
    const found = at - start > 3 ? null : HEADING.exec(text.slice(start, end));
    if (found && !inCode(at)) {
      const [, signs = '', title = ''] = found;
      headings.push({ level: signs.length, text: withoutClosing(title.trim()), start });
    }
    at = text.indexOf('#', end);
  }
  return headings;
}

const UNDERLINE = /^ {0,3}=+[ \t]*\r?$/;

/** False when no line of the text, behind its first one, is an underline of `=`. */
export function mayHoldUnderlinedTitle(text: string): boolean {
  for (let at = text.indexOf('='); at >= 0; ) {
    const start = text.lastIndexOf('\n', at - 1) + 1;
    const end = endOfLine(text, at);
    if (start > 0 && at - start <= 3 && UNDERLINE.test(text.slice(start, end))) return true;
    at = text.indexOf('=', end);
  }
  return false;
}

/** The headings that a line of `=` or `-` under them makes. */
function underlinedHeadings(text: string, bodyStart: number): Heading[] {
  const headings: Heading[] = [];
  let last: Range = { start: 0, end: 0 };
  scanBlocks(text, bodyStart, {
    code: () => {},
    inline: (start, end) => {
      last = { start, end };
    },
    underline: (level) => {
      const heading = underlinedHeading(text, last, level);
      if (heading) headings.push(heading);
    },
  });
  return headings;
}

/** The heading that an underline makes of a paragraph; undefined in a quote or a list item, where it is none of the note. */
export function underlinedHeading(text: string, paragraph: Range, level: 1 | 2): Heading | undefined {
  const start = text.lastIndexOf('\n', paragraph.start - 1) + 1;
  if (text.slice(start, paragraph.start).trim() !== '') return undefined;
  return { level, text: text.slice(paragraph.start, paragraph.end).replace(/\s+/g, ' ').trim(), start };
}

/** False when no heading of the text can stand in a block of code. Lines of indented code never look like headings. */
export function mayHideHeadings(text: string): boolean {
  return ['```', '~~~', '<!--', '$$'].some((sign) => text.includes(sign));
}

/** The heading that a line is by itself; whether it is a line of code is for the caller to know. */
export function headingOfLine(line: string): Heading | undefined {
  return outlineOf(line, [], 0)[0];
}

/** The frontmatter's title, else the first heading if it is of the first level, else the file's name. */
export function titleOf(
  path: string,
  frontmatter: Readonly<Record<string, unknown>>,
  outline: readonly Heading[],
): string {
  const { title } = frontmatter;
  if (typeof title === 'string' && title.trim() !== '') return title.trim();
  if (typeof title === 'number') return String(title);
  const first = outline.find(({ text }) => text !== '');
  return first?.level === 1 ? first.text : stemOf(path);
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

/** What has to be known of a text to tell its headings from what looks alike, each looked for when it is first asked for. */
export interface BodyParts {
  /** Where the body begins. */
  bodyStart(): number;
  /** The blocks of code in it, at least where they could hide a heading. */
  code(): readonly Range[];
}

export function bodyPartsOf(text: string): BodyParts {
  const bodyStart = memoize(() => bodyStartOf(text));
  return {
    bodyStart,
    code: memoize(() => (mayHideHeadings(text) ? codeBlocks(text, bodyStart()) : [])),
  };
}

/**
 * The text of the last heading at or above the line with the character at `at`; undefined above the first one. Looked for
 * from there upwards: most stand near.
 */
export function headingOver(
  text: string,
  at: number,
  { bodyStart, code }: BodyParts = bodyPartsOf(text),
): string | undefined {
  const from = bodyStart();
  let sign = text.lastIndexOf('#', endOfLine(text, at));
  while (sign >= from) {
    const start = Math.max(from, text.lastIndexOf('\n', sign - 1) + 1);
    const heading = headingOfLine(text.slice(start, endOfLine(text, sign)));
    if (heading && heading.text !== '' && !isInside(code(), text.indexOf('#', start))) return heading.text;
    sign = start === 0 ? -1 : text.lastIndexOf('#', start - 1);
  }
  return undefined;
}

function endOfLine(text: string, at: number): number {
  const newline = text.indexOf('\n', at);
  return newline < 0 ? text.length : newline;
}
