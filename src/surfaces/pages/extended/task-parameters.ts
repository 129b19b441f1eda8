/** Parameters the task tools share. */
import * as z from 'zod';

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
