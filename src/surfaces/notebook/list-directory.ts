import * as z from 'zod';
import { parseFolderPath } from '../../notes/path.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { folderPath, pageEnd } from '../shared/parameters.ts';
import { defineTool, offset, prettyPrint } from './backend.ts';

export const listDirectory = defineTool({
  name: 'list_directory',
  title: 'List a folder',
  description:
    'List the folders and notes directly in one folder, sorted. To find notes by what they say use search_notes. Example: {"path":"projects"}',
  effect: 'read',
  input: () =>
    z.strictObject({
      path: folderPath('', 'Folder; empty for the top'),
      offset: offset('Entries to skip, from a previous answer'),
      prettyPrint: prettyPrint(),
    }),
  output: () =>
    z.object({
      dirs: z.array(z.string()),
      files: z.array(z.string()),
      next: z.number().optional(),
      total: z.number().optional(),
      note: z.string().optional(),
    }),
  async run(input, { backend }) {
    const folder = parseFolderPath(input.path);
    if (!backend.notes.listFolder) throw new AppError('unsupported', 'This notebook has no folders');
    const { folders, files } = await backend.notes.listFolder(folder).catch((error: unknown) => {
      throw isAppError(error, 'not_found')
        ? new AppError('not_found', 'File not found', {
            subject: folder,
            hint: 'No such folder. If it is a note, use read_note.',
          })
        : error;
    });
    const entries = [...folders, ...files];
    const end = pageEnd(entries, input.offset, (name) => name.length + 3);
    const value = {
      dirs: folders.slice(input.offset, end),
      files: files.slice(Math.max(0, input.offset - folders.length), Math.max(0, end - folders.length)),
    };
    if (end >= entries.length) return { value };
    const note = `Entries ${input.offset + 1} to ${end} of ${entries.length}; call again with offset=${end} for more.`;
    return { value: { ...value, next: end, total: entries.length, note } };
  },
});
