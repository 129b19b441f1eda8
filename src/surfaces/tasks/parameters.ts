/** Parameters that several tools of the set `tasks` share. */
import * as z from 'zod';
import { isDay } from '../../notes/task-fields.ts';
import { path, singleLine } from '../shared/parameters.ts';

/** Which task is meant. */
export const whichTask = () => ({
  path: path('Note: path, title or alias'),
  text: singleLine().describe('Text of the task, or a part no other has'),
  line: z
    .number()
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .optional()
    .describe('If several have this text'),
});

export const PRIORITY_NAMES = ['highest', 'high', 'medium', 'low', 'lowest'] as const;

const NAME = /^@?[\p{L}\p{N}_](?:[\p{L}\p{N}_.' /-]{0,98}[\p{L}\p{N}_])?$/u;

export const owner = () =>
  z
    .string()
    .refine((name) => NAME.test(name), 'must be a name such as kim or Kim Lee')
    .transform((name) => name.replace(/^@/, ''));

/** A day, or none to take it out. */
export const dayOrNone = () =>
  z
    .string()
    .refine((value) => value === 'none' || isDay(value), 'must be a day such as 2026-11-20, or none')
    .optional();
