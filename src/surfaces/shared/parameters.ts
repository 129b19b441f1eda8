/** Parameters and answer parts that surfaces share. Functions, because a schema is built when its tool is first used. */
import * as z from 'zod';
import type { SearchOptions } from '../../notes/searcher.ts';
import { normalizeTag, tagProblem } from '../../notes/tags.ts';
import { isDay } from '../../notes/task-fields.ts';
import { AppError } from '../../shared/errors.ts';

const text = (max: number) => z.string().max(max, `longer than ${max} characters`);

export const path = (meaning = 'Note, e.g. projects/plan.md') =>
  text(4096).min(1, 'must not be empty').describe(meaning);

export const folderPath = (root: string, meaning: string) =>
  z.string().max(4096).default(root).describe(meaning);

/** The guard remembers what a session has read; clients without sessions say it themselves. */
export const expectedVersion = () =>
  z.string().max(200).optional().describe('quire/version you read; refused if changed since');

export const content = () => text(64 * 1024 * 1024);

export const query = () =>
  text(1000)
    .refine((words) => /\S/.test(words), 'must not be empty')
    .describe('Words or phrase');

export const hitLimit = (usual: number) =>
  z
    .number()
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(100, 'at most 100')
    .default(usual)
    .describe('Hits to return');

/** For what is about to be written. */
export const newTags = () =>
  z
    .array(
      text(200).refine(
        (tag) => tagProblem(normalizeTag(tag)) === undefined,
        'must be words such as home or area/house',
      ),
    )
    .max(20, 'at most 20 tags');

/** Longest piece of a text or list in one answer. */
export const PAGE_CHARACTERS = 100_000;
/** Budget for the entries of a list; the remaining 5,000 characters are for the JSON around them. */
export const LIST_CHARACTERS = PAGE_CHARACTERS - 5_000;

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

interface ListPage {
  /** Plural of the entries, for the note. */
  readonly entries: string;
  readonly tool: string;
  readonly from: number;
  readonly end: number;
  readonly total: number;
}

/** The fields by which a list is continued; none on its last page. */
export function continuationOf(
  { entries, tool, from, end, total }: ListPage,
  cursor: () => string,
): { readonly next_cursor?: string; readonly note?: string } {
  if (end >= total) return {};
  const note = `${entries} ${from + 1} to ${end} of ${total}; call ${tool} again with cursor=next_cursor for more.`;
  return { next_cursor: cursor(), note };
}

export const cursor = () => z.string().max(4096).optional().describe('next_cursor of the previous answer');

/** A cursor names the last entry shown, so that entries added or removed meanwhile shift nothing. */
export function encodeCursor(last: string): string {
  return Buffer.from(last).toString('base64url');
}

export function decodeCursor(cursor: string): string {
  if (!/^[\w-]{1,4096}$/.test(cursor)) throw new AppError('invalid_input', 'Invalid cursor');
  return Buffer.from(cursor, 'base64url').toString();
}

/** Collects warnings about an answer while it is made: its age, what it leaves out. */
interface WarningCollector {
  readonly options: SearchOptions;
  /** The answer's `warning` field; absent when there is none. */
  warning(): { readonly warning?: string };
}

export function withWarnings({ signal, onProgress }: SearchOptions): WarningCollector {
  const said = new Set<string>();
  return {
    options: { signal, onProgress, onWarning: (warning) => void said.add(warning) },
    warning: () => (said.size === 0 ? {} : { warning: [...said].join(' ') }),
  };
}

/** The schema of the `warning` field. */
export const warning = () => z.string().optional();

/** Checked without a pattern, which every client would read at every start. */
export const calendarDay = () => z.string().refine(isDay, 'must be a day such as 2026-11-20');

export const singleLine = () =>
  text(2_000).refine((line) => /^[^\r\n]*\S[^\r\n]*$/.test(line), 'must be one line that is not empty');
