/**
 * Puts a piece of text at the end of a page, at its top, or below its frontmatter, in the page's own line
 * endings. What was there stays in one piece, to the letter.
 */
import { fencedBlockEnd } from './frontmatter/fence.ts';
import { BOM, lineEndingOf, withLineEnding } from './text.ts';

export type InsertPlace = 'end' | 'top' | 'after_frontmatter';

export interface Inserted {
  readonly text: string;
  /** Whether there was frontmatter that the piece now follows. */
  readonly afterFrontmatter: boolean;
}

export function insertBlock(text: string, content: string, place: InsertPlace): Inserted {
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
