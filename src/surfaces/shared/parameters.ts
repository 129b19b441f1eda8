/** Parameters every surface has, worded once. Functions, because schemas are built when a tool is first needed. */
import * as z from 'zod';

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
