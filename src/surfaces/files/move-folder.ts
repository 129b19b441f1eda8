import * as z from 'zod';
import { moveFolder as move } from '../../notes/ops/move-folder.ts';
import { AppError } from '../../shared/errors.ts';
import { defineTool } from '../shared/note-set.ts';
import { path } from '../shared/parameters.ts';

/** Entries of each list that an answer shows. */
const SHOWN = 50;

export const moveFolder = defineTool({
  name: 'move_folder',
  title: 'Move or rename a folder',
  description:
    'Move or rename a folder with all notes and files in it; links to and within it are rewritten so that they still lead there. Never goes onto an existing folder. What could not be moved is named in `failed` and stays where it was. One change in the history. For one note use move_note. Example: {"folder":"projects","to":"archive/projects","dry_run":true}',
  effect: 'destroy',
  input: () =>
    z.strictObject({
      folder: path('Folder to move'),
      to: path('Its new path, with its name'),
      dry_run: z.boolean().default(false).describe('Only say what would change'),
    }),
  output: () =>
    z.object({
      from: z.string(),
      to: z.string(),
      files: z.number(),
      moved: z.array(z.string()),
      links_updated: z.number(),
      updated: z.array(z.object({ path: z.string(), links: z.number() })),
      failed: z.array(z.object({ path: z.string(), error: z.string() })).optional(),
      dry_run: z.literal(true).optional(),
      note: z.string().optional(),
    }),
  async run({ folder, to, dry_run: dryRun }, { backend, signal }) {
    if (backend.kind === 'trilium')
      throw new AppError('unsupported', 'Folders of a Trilium cannot be moved here', {
        hint: 'There a folder is a note with notes below it: move it inside Trilium, or with organize_note of the Trilium tools.',
      });
    const result = await move(backend, { folder, to, dryRun }, signal);
    const { moved, updated, failed } = result;
    const isCut = [moved, updated, failed].some((list) => list.length > SHOWN);
    const notes = [
      isCut ? `Lists show the first ${SHOWN} entries.` : undefined,
      result.leaves
        ? `${result.from} is still there: hidden files, empty folders or files that failed are in it.`
        : undefined,
    ].filter((sentence) => sentence !== undefined);
    return {
      value: {
        from: result.from,
        to: result.to,
        files: moved.length,
        moved: moved.slice(0, SHOWN),
        links_updated: updated.reduce((sum, { links }) => sum + links, 0),
        updated: updated.slice(0, SHOWN),
        failed: failed.length > 0 ? failed.slice(0, SHOWN) : undefined,
        dry_run: dryRun || undefined,
        note: notes.length > 0 ? notes.join(' ') : undefined,
      },
      facts: { from: result.from, to: result.to, files: moved.length },
    };
  },
});
