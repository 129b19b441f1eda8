/** Long lists of the tool sets, a page at a time. */
import * as z from 'zod';
import { type NotePath, parseFolderPath } from '../../notes/path.ts';
import { AppError } from '../../shared/errors.ts';
import { continuationOf, decodeCursor, encodeCursor, LIST_CHARACTERS, pageEnd } from './parameters.ts';

export const limit = (usual: number, most = 200) =>
  z
    .number()
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(most, `at most ${most}`)
    .default(usual)
    .describe('Entries to return');

export const folder = () => z.string().max(4096).optional().describe('Only below this folder');

/** Whether a path is below a folder that was given as a parameter. */
export function isBelow(given: string | undefined): (path: NotePath) => boolean {
  const under = given === undefined ? '' : parseFolderPath(given);
  return (path) => under === '' || path.startsWith(`${under}/`);
}

/** The fields of a list that has more pages. */
export const continuation = () => ({ next_cursor: z.string().optional(), note: z.string().optional() });

interface PageRequest<T> {
  readonly tool: string;
  /** Plural of the entries, for the note. */
  readonly entries: string;
  readonly limit: number;
  readonly cursor?: string;
  /** Another one for each entry. */
  readonly keyOf: (item: T) => string;
}

interface Page<T> {
  readonly shown: readonly T[];
  /** The fields by which the list is continued. */
  readonly more: { readonly next_cursor?: string; readonly note?: string };
}

/** The cursor names the last entry shown and its place: when the entry is gone meanwhile, the place counts. */
export function listPage<T>(items: readonly T[], request: PageRequest<T>): Page<T> {
  const { tool, entries, keyOf } = request;
  const from = request.cursor === undefined ? 0 : startOf(items, request.cursor, keyOf);
  const within = items.slice(0, from + request.limit);
  const end = pageEnd(within, from, (item) => JSON.stringify(item).length, LIST_CHARACTERS);
  const page = { entries, tool, from, end, total: items.length };
  return {
    shown: items.slice(from, end),
    more: continuationOf(page, () => encodeCursor(JSON.stringify([end, keyOf(items[end - 1]!)]))),
  };
}

function startOf<T>(items: readonly T[], cursor: string, keyOf: (item: T) => string): number {
  const [place, key] = parseCursor(cursor);
  const before = items[place - 1];
  if (before !== undefined && keyOf(before) === key) return place;
  const at = items.findIndex((item) => keyOf(item) === key);
  return at < 0 ? Math.min(place, items.length) : at + 1;
}

function parseCursor(cursor: string): readonly [number, string] {
  try {
    const [place, key] = JSON.parse(decodeCursor(cursor)) as unknown[];
    if (Number.isSafeInteger(place) && (place as number) > 0 && typeof key === 'string')
      return [place as number, key];
  } catch {
    // Told below, like every other cursor that is not one of ours.
  }
  throw new AppError('invalid_input', 'Invalid cursor', {
    hint: 'Give the next_cursor of a previous answer, with the other parameters as they were.',
  });
}
