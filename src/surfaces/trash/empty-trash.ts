import * as z from 'zod';
import { purgeDeleted } from '../../notes/ops/deleted-notes.ts';
import { AppError } from '../../shared/errors.ts';
import { defineTool } from '../shared/note-set.ts';
import { trashOf } from './list-trash.ts';

const DAY_MS = 86_400_000;
/** Paths that an answer names. */
const SHOWN = 50;

export const emptyTrash = defineTool({
  name: 'empty_trash',
  title: 'Empty trash',
  description:
    'Delete for good what is in the trash: all of it, or what was deleted at least older_than_days days ago; what has no known age is then kept. Look first with dry_run or list_trash, and only do it when the person asked for it. Example: {"older_than_days":30,"dry_run":true}',
  effect: 'destroy',
  deletes: true,
  purges: true,
  input: () =>
    z.strictObject({
      older_than_days: z
        .number()
        .int('must be a whole number')
        .min(0, 'must be at least 0')
        .max(36_500, 'at most 36500')
        .optional()
        .describe('Only what was deleted so long ago; all when left out'),
      dry_run: z.boolean().default(false).describe('Only say what would be deleted'),
    }),
  output: () =>
    z.object({
      deleted: z.number(),
      bytes: z.number(),
      kept: z.number(),
      paths: z.array(z.string()),
      failed: z.array(z.object({ path: z.string(), error: z.string() })).optional(),
      dry_run: z.literal(true).optional(),
      note: z.string().optional(),
    }),
  async run({ older_than_days: days, dry_run: dryRun }, { backend, signal }) {
    if (backend.kind === 'trilium')
      throw new AppError('unsupported', 'The trash of a Trilium cannot be emptied here', {
        hint: 'Trilium erases deleted notes itself after a while.',
      });
    const before = days === undefined ? Number.POSITIVE_INFINITY : backend.now() - days * DAY_MS;
    const { deleted, kept, failed } = await purgeDeleted(trashOf(backend), { before, dryRun }, { signal });
    const more = deleted.length - SHOWN;
    return {
      value: {
        deleted: deleted.length,
        bytes: deleted.reduce((sum, { size }) => sum + size, 0),
        kept,
        paths: deleted.slice(0, SHOWN).map(({ path }) => path),
        failed: failed.length > 0 ? failed.slice(0, SHOWN) : undefined,
        dry_run: dryRun || undefined,
        note: more > 0 ? `${more} further paths are not shown.` : undefined,
      },
      facts: { deleted: deleted.length },
    };
  },
});
