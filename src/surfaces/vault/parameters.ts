/** Parameters and answer parts several tools of the vault share. */
import * as z from 'zod';
import type { NotePath } from '../../notes/path.ts';
import { AppError } from '../../shared/errors.ts';
import { isBinary } from '../shared/binary.ts';
import { PAGE_CHARACTERS } from '../shared/page.ts';
import { path } from '../shared/parameters.ts';

export const filePath = () => path('File, relative to the vault root, e.g. "projects/plan.md"');

export const cursor = () =>
  z.string().max(4096).optional().describe('next_cursor of the previous answer, to continue');

/** How a list that is too long for one answer goes on. */
export const continuation = () => ({ next_cursor: z.string().optional(), note: z.string().optional() });

/** What the entries of a list may take; the rest of 100,000 characters is for what stands around them. */
export const LIST_CHARACTERS = PAGE_CHARACTERS - 5_000;

/** Text cannot become an image or an archive. */
export function assertTextFile(path: NotePath): void {
  if (!isBinary(path)) return;
  throw new AppError('unsupported', 'Not a text file', {
    subject: path,
    hint: 'Nothing was changed. Only text can be written or edited here.',
  });
}
