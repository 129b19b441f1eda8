/** Parameters that the tools of the set `sections` share. */
import * as z from 'zod';
import { singleLine } from '../shared/parameters.ts';

const BLOCK = /^#?\^?[A-Za-z0-9-]{1,100}$/;

export const whichSection = () => ({
  heading: singleLine().optional().describe('Or Plan > Goals'),
  line: z
    .number()
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .optional()
    .describe('If several are alike'),
  block: z
    .string()
    .refine((id) => BLOCK.test(id), 'must be a block id such as ^abc')
    .optional()
    .describe('Id instead, e.g. ^abc'),
});
