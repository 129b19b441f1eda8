import * as z from 'zod';
import {
  describeEntries,
  type EntryName,
  entryNames,
  type FolderEntry,
} from '../../notes/ops/list-entries.ts';
import { type NotePath, parseFolderPath } from '../../notes/path.ts';
import type { FolderEntries, NoteStore } from '../../notes/store.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { decodeCursor, encodeCursor, folderPath, pageEnd } from '../shared/parameters.ts';
import { continuation, cursor, defineTool, LIST_CHARACTERS, timestamp } from './backend.ts';

/** Characters of an entry besides its name: `{"name":"","type":"file","size":…,"modified":"2026-02-08T14:30:00Z"},` */
const AROUND_NAME = 90;

export const vaultList = defineTool({
  name: 'vault_list',
  title: 'List a folder',
  description:
    'List one folder of the vault, not its subfolders: files with size and time of change, then folders with how many entries they hold, each sorted by name. For the whole vault use vault_list_all. Example: {"path":"/projects"}',
  effect: 'read',
  input: () =>
    z.strictObject({
      path: folderPath('/', 'Folder, relative to the vault root'),
      cursor: cursor(),
    }),
  output: () =>
    z.object({
      path: z.string(),
      entries: z.array(
        z.object({
          name: z.string(),
          type: z.enum(['file', 'folder']),
          size: z.number().optional(),
          modified: z.string().optional(),
          children: z.number().optional(),
        }),
      ),
      total_entries: z.number(),
      ...continuation(),
    }),
  async run(input, { backend, signal }) {
    const folder = parseFolderPath(input.path);
    const names = entryNames(await folderEntries(backend.files, folder));
    const from = input.cursor === undefined ? 0 : indexAfter(names, decodeCursor(input.cursor));
    const end = pageEnd(
      names,
      from,
      ({ name }) => JSON.stringify(name).length + AROUND_NAME,
      LIST_CHARACTERS,
    );
    const entries = await describeEntries(backend.files, folder, names.slice(from, end), signal);
    const value = { path: `/${folder}`, entries: entries.map(shown), total_entries: names.length };
    const last = names[end - 1];
    if (end >= names.length || !last) return { value };
    const note = `Entries ${from + 1} to ${end} of ${names.length}; call vault_list again with cursor=next_cursor for more.`;
    return { value: { ...value, next_cursor: encodeCursor(keyOf(last)), note } };
  },
});

async function folderEntries(files: NoteStore, folder: NotePath): Promise<FolderEntries> {
  if (!files.listFolder) throw new AppError('unsupported', 'This vault has no folders');
  try {
    return await files.listFolder(folder);
  } catch (error) {
    if (!isAppError(error, 'not_found')) throw error;
    const isFile = (await files.stat?.(folder).catch(() => undefined)) !== undefined;
    throw isFile
      ? new AppError('invalid_input', 'Not a folder', { subject: folder, hint: 'vault_read shows a file.' })
      : new AppError('not_found', 'Folder not found', {
          subject: folder,
          hint: 'vault_list without a path shows the top of the vault.',
        });
  }
}

/** Sort key of an entry: files before folders. */
function keyOf({ name, type }: EntryName): string {
  return `${type === 'file' ? 0 : 1}${name}`;
}

function indexAfter(names: readonly EntryName[], last: string): number {
  const at = names.findIndex((entry) => keyOf(entry) > last);
  return at < 0 ? names.length : at;
}

function shown(entry: FolderEntry) {
  if (entry.type === 'folder') return entry;
  const { name, type, size, lastModified } = entry;
  return {
    name,
    type,
    size,
    modified: lastModified !== undefined ? timestamp(lastModified) : undefined,
  };
}
