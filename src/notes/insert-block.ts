/**
 * Puts a piece of text at the end of a page, at its top, or below its frontmatter, in the page's own line
 * endings. What was there stays in one piece, to the letter.
 */
import { BOM, lineEndingOf, withLineEnding } from './text/text.ts';

/**
 * Where SilverBullet sees frontmatter: a first line of exactly `---`, at least one line, and another line of
 * exactly `---`, which may be the last of the page. What stands between is not looked at. A byte order mark
 * before it and CRLF are accepted.
 */

/** The offset behind the closing line and its line break; undefined when there is no such block. */
export function fencedBlockEnd(text: string): number | undefined {
  const opening = /^---\r?\n/.exec(text.slice(text.startsWith(BOM) ? 1 : 0));
  if (!opening) return undefined;
  const first = (text.startsWith(BOM) ? 1 : 0) + opening[0].length;
  const between = text.indexOf('\n', first);
  if (between < 0) return undefined;
  const closing = /^---(?:\r?\n|\r?$(?![\s\S]))/gm;
  closing.lastIndex = between + 1;
  const found = closing.exec(text);
  return found ? found.index + found[0].length : undefined;
}

export type InsertPlace = 'end' | 'top' | 'after_frontmatter';

export interface BlockInsertion {
  readonly text: string;
  /** Whether there was frontmatter that the piece now follows. */
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

/** Whether the page ends, or its text begins, with just this piece; line endings and breaks around it do not count. */
export function holdsBlock(text: string, content: string, place: InsertPlace): boolean {
  const page = withLineEnding(text, '\n');
  const piece = withLineEnding(content, '\n').replace(/^\n+|\n+$/g, '');
  if (place === 'end') {
    const end = page.replace(/\n+$/, '');
    return end.endsWith(piece) && /(?:^\uFEFF?|\n)$/.test(end.slice(0, end.length - piece.length));
  }
  // A piece that looks like frontmatter itself may have become the page's.
  return [startOf(page, place).at, startOf(page, 'top').at].some((at) => {
    const rest = page.slice(at).replace(/^\n+/, '');
    return rest === piece || rest.startsWith(`${piece}\n`);
  });
}

/** How often just this piece stands in the page, wherever: whole lines of it, whatever their endings. */
export function countBlock(text: string, content: string): number {
  const page = `\n${withLineEnding(text, '\n')}\n`;
  const piece = `\n${withLineEnding(content, '\n').replace(/^\n+|\n+$/g, '')}\n`;
  let count = 0;
  // The line break at its end may be the one at the beginning of the next.
  for (let at = page.indexOf(piece); at >= 0; at = page.indexOf(piece, at + piece.length - 1)) count++;
  return count;
}

function inStyleOf(text: string, content: string): string {
  return text.includes('\n') ? withLineEnding(content, lineEndingOf(text)) : content;
}

/** What is missing for a blank line between the end of the text and what follows. */
function gapAfter(text: string, ending: string): string {
  if (text === '' || text === BOM || /\n\r?\n$/.test(text)) return '';
  return text.endsWith('\n') ? ending : ending + ending;
}

function startOf(text: string, place: InsertPlace): { at: number; isFence: boolean } {
  const fence = place === 'after_frontmatter' ? fencedBlockEnd(text) : undefined;
  if (fence !== undefined) return { at: fence, isFence: true };
  return { at: text.startsWith(BOM) ? BOM.length : 0, isFence: false };
}

/** Puts a piece of text before or after a note's body with exactly one blank line between, in the note's line endings. */

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
