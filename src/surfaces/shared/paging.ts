/** Where a list goes on: the last thing shown, so that what comes or goes meanwhile shifts nothing. */
import { AppError } from '../../shared/errors.ts';

/** How much of a long text or list one answer holds, and how the rest is asked for. */
export const PAGE_CHARACTERS = 100_000;

interface TextPage {
  readonly text: string;
  /** Where the next page begins; absent at the end. */
  readonly next?: number;
}

/** A piece of `text` from `offset` on, never ending in half a character. */
export function textPage(text: string, offset: number, budget: number = PAGE_CHARACTERS): TextPage {
  const from = splitsCharacter(text, offset) ? offset - 1 : offset;
  let end = Math.min(text.length, from + budget);
  if (splitsCharacter(text, end)) end--;
  return end < text.length ? { text: text.slice(from, end), next: end } : { text: text.slice(from) };
}

function splitsCharacter(text: string, offset: number): boolean {
  return /^[\uDC00-\uDFFF]/.test(text.charAt(offset)) && /^[\uD800-\uDBFF]/.test(text.charAt(offset - 1));
}

/** The index behind the last item a page from `from` on can hold; at least one item. */
export function pageEnd<T>(
  items: readonly T[],
  from: number,
  charactersOf: (item: T) => number,
  budget: number = PAGE_CHARACTERS,
): number {
  let characters = 0;
  let end = from;
  while (end < items.length) {
    characters += charactersOf(items[end] as T);
    if (characters > budget && end > from) break;
    end++;
  }
  return end;
}

export function encodeCursor(last: string): string {
  return Buffer.from(last).toString('base64url');
}

export function decodeCursor(cursor: string): string {
  if (!/^[\w-]{1,4096}$/.test(cursor)) throw new AppError('invalid_input', 'Invalid cursor');
  return Buffer.from(cursor, 'base64url').toString();
}
