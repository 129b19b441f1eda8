/** Parameters that every surface has. Functions, because a schema is built when its tool is first used. */
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

/** List cursors name the last entry shown, so that entries added or removed meanwhile shift nothing. */

/** Longest piece of a text or list in one answer. */
export const PAGE_CHARACTERS = 100_000;

interface TextPage {
  readonly text: string;
  /** Offset of the next page; undefined on the last one. */
  readonly next?: number;
}

/** A piece of `text` from `offset` on that never ends within a surrogate pair. */
export function textPage(text: string, offset: number, budget: number = PAGE_CHARACTERS): TextPage {
  const from = splitsCharacter(text, offset) ? offset - 1 : offset;
  let end = Math.min(text.length, from + budget);
  if (splitsCharacter(text, end)) end--;
  return end < text.length ? { text: text.slice(from, end), next: end } : { text: text.slice(from) };
}

function splitsCharacter(text: string, offset: number): boolean {
  return /^[\uDC00-\uDFFF]/.test(text.charAt(offset)) && /^[\uD800-\uDBFF]/.test(text.charAt(offset - 1));
}

/** The end index of the page that starts at `from`; a page has at least one item. */
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
