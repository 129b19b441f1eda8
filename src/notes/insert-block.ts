/**
 * Inserts a block of text at the end of a page, at its top, or below its frontmatter, in the page's own line endings.
 * The rest of the page is unchanged.
 */
import { BOM, lineEndingOf, withLineEnding } from './text/text.ts';

/**
 * The end of the frontmatter by SilverBullet's rules: a first line of exactly `---`, at least one line of any text, and
 * another line of exactly `---`, which may be the last of the page. A byte order mark and CRLF are accepted.
 */
export function fencedBlockEnd(text: string): number | undefined {
  const opening = /^\uFEFF?---\r?\n/.exec(text)?.[0];
  if (opening === undefined) return undefined;
  const between = text.indexOf('\n', opening.length);
  if (between < 0) return undefined;
  const closing = /^---(?:\r?\n|\r?$(?![\s\S]))/gm;
  closing.lastIndex = between + 1;
  const found = closing.exec(text);
  return found ? found.index + found[0].length : undefined;
}

export type InsertPlace = 'end' | 'top' | 'after_frontmatter';

export interface BlockInsertion {
  readonly text: string;
  /** True when the page had frontmatter, and the block follows it. */
  readonly afterFrontmatter: boolean;
}

export function insertBlock(text: string, content: string, place: InsertPlace): BlockInsertion {
  const ending = lineEndingOf(text);
  const piece = inStyleOf(text, content);
  if (place === 'end') return { text: text + gapAfter(text, ending) + piece, afterFrontmatter: false };
  const { at, isFence } = startOf(text, place);
  const head = text.slice(0, at);
  const rest = text.slice(at);
  const gap = isFence ? (head.endsWith('\n') ? ending : ending + ending) : '';
  return { text: head + gap + piece + ending + rest, afterFrontmatter: isFence };
}

/** Whether the page ends, or its text begins, with just this block; line endings and breaks around it do not count. */
export function holdsBlock(text: string, content: string, place: InsertPlace): boolean {
  const page = withLineEnding(text, '\n');
  const piece = withLineEnding(content, '\n').replace(/^\n+|\n+$/g, '');
  if (place === 'end') {
    const end = page.replace(/\n+$/, '');
    return end.endsWith(piece) && /(?:^\uFEFF?|\n)$/.test(end.slice(0, end.length - piece.length));
  }
  // A block that looks like frontmatter may have become the page's own.
  return [startOf(page, place).at, startOf(page, 'top').at].some((at) => {
    const rest = page.slice(at).replace(/^\n+/, '');
    return rest === piece || rest.startsWith(`${piece}\n`);
  });
}

/** How often the block occurs in the page, as whole lines with any line endings. */
export function countBlock(text: string, content: string): number {
  const page = `\n${withLineEnding(text, '\n')}\n`;
  const piece = `\n${withLineEnding(content, '\n').replace(/^\n+|\n+$/g, '')}\n`;
  let count = 0;
  // Two adjacent blocks share a line break.
  for (let at = page.indexOf(piece); at >= 0; at = page.indexOf(piece, at + piece.length - 1)) count++;
  return count;
}

function inStyleOf(text: string, content: string): string {
  return text.includes('\n') ? withLineEnding(content, lineEndingOf(text)) : content;
}

/** The line breaks that are missing for a blank line at the end of the text. */
function gapAfter(text: string, ending: string): string {
  if (text === '' || text === BOM || /\n\r?\n$/.test(text)) return '';
  return text.endsWith('\n') ? ending : ending + ending;
}

function startOf(text: string, place: InsertPlace): { at: number; isFence: boolean } {
  const fence = place === 'after_frontmatter' ? fencedBlockEnd(text) : undefined;
  if (fence !== undefined) return { at: fence, isFence: true };
  return { at: text.startsWith(BOM) ? BOM.length : 0, isFence: false };
}

/** Joins a body and a block with exactly one blank line between, in the line endings of the body. */
export function joinBlocks(body: string, addition: string, side: 'before' | 'after'): string {
  const ending = lineEndingOf(body);
  const piece = inStyleOf(body, addition);
  if (isBlank(piece)) return body;
  if (isBlank(body)) return body + piece;
  return side === 'after' ? appended(body, piece, ending) : prepended(body, piece, ending);
}

/** Joins data files, where a blank line would mean something, with a line break at most. */
export function joinLines(body: string, addition: string, side: 'before' | 'after'): string {
  const piece = inStyleOf(body, addition);
  const [first, second] = side === 'after' ? [body, piece] : [piece, body];
  return first === '' || second === '' || first.endsWith('\n')
    ? first + second
    : first + lineEndingOf(body) + second;
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
