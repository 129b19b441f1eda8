import * as z from 'zod';
import { moveNote as move } from '../../notes/ops/move-note.ts';
import { parseNotePath } from '../../notes/path.ts';
import { path } from '../shared/parameters.ts';
import { defineTool, failures, operationResult } from './backend.ts';

const SHOWN = 200;

export const moveNote = defineTool({
  name: 'move_note',
  title: 'Move or rename a note',
  description:
    'Move or rename a note; missing folders are made. Links to it in other notes, frontmatter and canvases, and its own relative links, are rewritten so that they still lead there. dryRun shows what would change. Example: {"oldPath":"inbox/idea.md","newPath":"projects/idea.md"}',
  effect: 'destroy',
  input: () =>
    z.strictObject({
      oldPath: path('Where the note is'),
      newPath: path('Where it shall be, with file name'),
      overwrite: z.boolean().default(false).describe('Replace a note that stands at newPath'),
      updateLinks: z.boolean().default(true).describe('Rewrite links'),
      dryRun: z.boolean().default(false).describe('Change nothing, only report'),
    }),
  output: () =>
    operationResult().extend({
      oldPath: z.string(),
      newPath: z.string(),
      linksUpdated: z.number(),
      updated: z.array(z.object({ path: z.string(), links: z.number() })),
      failed: failures().optional(),
    }),
  async run({ oldPath, newPath, ...options }, { backend, signal }) {
    const from = parseNotePath(oldPath);
    const to = parseNotePath(newPath);
    const { updated, failed } = await move(backend, { from, to, ...options }, signal);
    const linksUpdated = updated.reduce((sum, { links }) => sum + links, 0);
    return {
      value: {
        success: true,
        path: to,
        oldPath: from,
        newPath: to,
        message: messageOf(from, to, options.dryRun, {
          links: linksUpdated,
          notes: updated.length,
          failed: failed.length,
        }),
        linksUpdated,
        updated: updated.slice(0, SHOWN),
        failed: failed.length > 0 ? failed.slice(0, SHOWN) : undefined,
      },
    };
  },
});

function messageOf(
  from: string,
  to: string,
  dryRun: boolean,
  counts: { links: number; notes: number; failed: number },
): string {
  if (from === to) return `Nothing to do: ${from} is already there`;
  const links =
    counts.links === 0
      ? ''
      : ` (${counts.links} link${counts.links === 1 ? '' : 's'} in ${counts.notes} note${counts.notes === 1 ? '' : 's'} ${dryRun ? 'to update' : 'updated'})`;
  const cut = counts.notes > SHOWN ? `; the first ${SHOWN} notes are listed` : '';
  const failed = counts.failed === 0 ? '' : `; ${counts.failed} could not be updated, see failed`;
  return `${dryRun ? 'Would move' : 'Successfully moved'} note from ${from} to ${to}${links}${cut}${failed}`;
}
