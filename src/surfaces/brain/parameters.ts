/**
 * Parameters that tools of the second brain share. Functions, because a schema is built when its tool is first used.
 */
import * as z from 'zod';
import { isDay } from '../../brain/extract/dates/calendar.ts';
import type { SearchScope } from '../../brain/types.ts';
import { parseFolderPath } from '../../notes/path.ts';

const LONGEST_QUESTION = 2_000;
const MOST_TAGS = 20;
const LONGEST_TAG = 100;
/** Longest text argument of a call. */
export const LONGEST_TEXT = 1024 * 1024;

const line = (most: number) =>
  z
    .string()
    .max(most, `longer than ${most} characters`)
    .refine((text) => /\S/.test(text), 'must not be empty');

export const givenText = () => line(LONGEST_TEXT);

export const question = (meaning: string) => line(LONGEST_QUESTION).describe(meaning);

export const whole = (least: number, most: number, usual: number) =>
  z
    .number()
    .int('must be a whole number')
    .min(least, `must be at least ${least}`)
    .max(most, `at most ${most}`)
    .default(usual);

export const sourcePath = () => line(4_096).describe('Path of a note, as `source_path` of a citation has it');

export const tags = () =>
  z
    .array(
      line(LONGEST_TAG).refine(
        (tag) => /^#?[^\s,#"'\u0000-\u001f]+$/.test(tag),
        'must be one word, such as "project/alpha"',
      ),
    )
    .max(MOST_TAGS, `at most ${MOST_TAGS}`);

/** A calendar date that exists. */
export const day = () =>
  z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day such as 2026-01-31')
    .refine(isDay, 'there is no such day');

/** A date or a date with time. */
const time = () =>
  z
    .string()
    .max(40)
    .refine(
      (text) =>
        /^\d{4}-\d{2}-\d{2}(?:$|T)/.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)),
      'must be a day such as 2026-01-31, or a time such as 2026-01-31T18:00:00Z',
    );

function isFolder(path: string): boolean {
  try {
    parseFolderPath(path);
    return true;
  } catch {
    return false;
  }
}

export const scope = () =>
  z
    .strictObject({
      path_prefix: z
        .string()
        .max(4_096)
        .refine(isFolder, 'must be a folder of the notes, such as "projects/2026"')
        .optional()
        .describe('Only notes below this folder'),
      tags: tags().optional().describe('Only notes with all of these'),
      since: time().optional().describe('Changed then or later'),
      until: time().optional().describe('Changed then or before'),
    })
    .optional()
    .describe('Only some of the notes; all when left out');

const DAY_MS = 24 * 3_600 * 1_000;

/** An end date includes its whole day. */
export function scopeOf(given: z.infer<ReturnType<typeof scope>>): SearchScope {
  const { path_prefix: pathPrefix, tags: wanted, since, until } = given ?? {};
  const lasting = until !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(until) ? DAY_MS - 1 : 0;
  return {
    pathPrefix,
    tags: wanted || undefined,
    since: since !== undefined ? Date.parse(since) : undefined,
    until: until !== undefined ? Date.parse(until) + lasting : undefined,
  };
}

export const cursor = () =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(4_096, 'longer than 4096 characters')
    .refine((text) => /^[\w.~-]+$/.test(text), 'must be the `next_cursor` of an earlier answer')
    .optional()
    .describe('`next_cursor` of the answer before, for more');

/** For a schema whose parameters exclude each other. */
export function exactlyOne(...names: readonly string[]) {
  const list = names.join(' or ');
  return {
    check: (input: Readonly<Record<string, unknown>>) =>
      names.filter((name) => input[name] !== undefined).length === 1,
    message: `give exactly one of ${list}`,
  };
}
