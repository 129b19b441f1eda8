/** Parameters every surface has, worded once. Functions, because schemas are built when a tool is first needed. */
import * as z from 'zod';
import { AppError } from '../../shared/errors.ts';

const text = (max: number) => z.string().max(max, `longer than ${max} characters`);

export const path = (meaning = 'Path in the notebook, e.g. "projects/plan.md"') =>
  text(4096).min(1, 'must not be empty').describe(meaning);

export const folderPath = (root: string, meaning: string) =>
  z.string().max(4096).default(root).describe(meaning);

export const content = () => text(64 * 1024 * 1024);

export const query = () => text(1000).regex(/\S/, 'must not be empty').describe('Words or phrase');

export const hitLimit = (usual: number) =>
  z
    .number()
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(100, 'at most 100')
    .default(usual)
    .describe('Hits to return');

/** Where a list goes on: the last thing shown, so that what comes or goes meanwhile shifts nothing. */

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
