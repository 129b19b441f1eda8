/** Parameters that the tools of the set `daily` share. */
import * as z from 'zod';
import { isDateWord, PERIODS } from '../../notes/journal/period.ts';

export const whichPeriod = () => ({
  period: z.enum(PERIODS).default('day'),
  date: z
    .string()
    .refine(isDateWord, 'must be a day such as 2026-11-20, today, yesterday, tomorrow, or periods such as -1')
    .default('today')
    .describe('A day, yesterday, tomorrow, or periods from now: -1'),
});
