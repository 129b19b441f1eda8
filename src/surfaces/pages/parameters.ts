/**
 * Parameters several tools share. Models send numbers and switches as text now and then; that is accepted. What a
 * page's name may be is not for a schema to say: it has an error of its own.
 */
import * as z from 'zod';

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

/** A whole number, also as a numeral. */
export const integer = (least: number, most: number = Number.MAX_SAFE_INTEGER) =>
  z.preprocess(
    fromNumeral,
    z.int('must be a whole number').min(least, `must be at least ${least}`).max(most, `at most ${most}`),
  );

export const limit = (usual: number) =>
  integer(1, 100).optional().describe(`Most to return, 1 to 100. Default: ${usual}`);

export const cursor = () =>
  z.string().max(4096).optional().describe('next_cursor of the previous answer, to continue');

function fromNumeral(value: unknown): unknown {
  return typeof value === 'string' && /^\s*-?\d{1,16}\s*$/.test(value) ? Number(value) : value;
}

function fromWord(value: unknown): unknown {
  return value === 'true' ? true : value === 'false' ? false : value;
}
