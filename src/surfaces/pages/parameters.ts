/**
 * Parameters that several page tools share. Numbers and booleans are also accepted as text, because models send them
 * so now and then. Page names are not validated by the schema: they have an error of their own.
 */
import * as z from 'zod';
import type { NoteMeta } from '../../notes/store.ts';
import { AppError } from '../../shared/errors.ts';
import { decodeCursor, encodeCursor } from '../shared/parameters.ts';
import { blurredTime } from './access.ts';

export const page = (meaning = 'Page name, e.g. "projects/plan"; ".md" may be left out') =>
  z.string().describe(meaning);

export const body = () => z.string().describe('Whole markdown text of the page, frontmatter included');

export const content = () =>
  z
    .string()
    .regex(/\S/, 'must not be empty')
    .describe('Markdown text to add; the page need not be read first');

export const includeTrash = () =>
  flag().optional().describe('Also show soft-deleted pages, under _trash/. Default: false');

export const flag = () => z.preprocess(fromWord, z.boolean());

/** A whole number, or text that spells one. */
export const integer = (least: number, most: number = Number.MAX_SAFE_INTEGER) =>
  z.preprocess(
    fromNumeral,
    z.int('must be a whole number').min(least, `must be at least ${least}`).max(most, `at most ${most}`),
  );

export const limit = (usual: number) =>
  integer(1, 100).optional().describe(`Most to return, 1 to 100. Default: ${usual}`);

function fromNumeral(value: unknown): unknown {
  return typeof value === 'string' && /^\s*-?\d{1,16}\s*$/.test(value) ? Number(value) : value;
}

function fromWord(value: unknown): unknown {
  return value === 'true' ? true : value === 'false' ? false : value;
}

/**
 * Position in a list ordered by recency: after the last page shown. A page changed meanwhile moves to the front;
 * then its time, blurred as in the list, is the position. Pages may be shown twice, and none is left out.
 */
interface ListPosition {
  readonly time: number;
  readonly path: string;
}

type ListedPage = Pick<NoteMeta, 'path' | 'lastModified'>;

export function encodePlace({ path, lastModified }: ListedPage): string {
  return encodeCursor(`${blurredTime(lastModified)}:${path}`);
}

export function decodePlace(cursor: string): ListPosition {
  const [, time, path] = /^(-?\d+):([\s\S]+)$/.exec(decodeCursor(cursor)) ?? [];
  if (time === undefined || path === undefined)
    throw new AppError('invalid_input', 'Invalid cursor', { details: { parameter: 'cursor' } });
  return { time: Number(time), path };
}

/** `listed` is in order of recency, newest first. */
export function indexAfter(listed: readonly ListedPage[], { time, path }: ListPosition): number {
  const at = listed.findIndex((meta) => meta.path === path && blurredTime(meta.lastModified) === time);
  if (at >= 0) return at + 1;
  const next = listed.findIndex((meta) => blurredTime(meta.lastModified) <= time);
  return next < 0 ? listed.length : next;
}

/** Marks an answer, and its audit line, as that of a repeated call that changed nothing. */
export function repeated({ deduplicated }: { readonly deduplicated: boolean }): { deduplicated?: true } {
  return deduplicated ? { deduplicated: true } : {};
}

export const day = () =>
  z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day such as 2026-11-20')
    .refine(
      (text) => new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) ?? false,
      'must be a day of the calendar',
    );

export const oneLine = () =>
  z
    .string()
    .max(2_000, 'longer than 2000 characters')
    .regex(/^[^\r\n]*\S[^\r\n]*$/, 'must be one line that is not empty');
