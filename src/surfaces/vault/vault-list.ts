import * as z from 'zod';
import {
  describeEntries,
  type EntryName,
  entryNames,
  type FolderEntry,
} from '../../notes/ops/list-entries.ts';
import { extensionOf, type NotePath, parseFolderPath } from '../../notes/path.ts';
import type { FileEntry } from '../../notes/searcher.ts';
import type { FolderEntries, NoteStore } from '../../notes/store.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import {
  continuationOf,
  cursor,
  decodeCursor,
  encodeCursor,
  folderPath,
  LIST_CHARACTERS,
  pageEnd,
  warning,
  withWarnings,
} from '../shared/parameters.ts';
import { continuation, defineTool, timestamp } from './backend.ts';

export const vaultListAll = defineTool({
  name: 'vault_list_all',
  title: 'List all files',
  description:
    'Map of the whole vault: every file of any type with path, size in bytes, time of change and frontmatter tags, without content. A good first call. For one folder use vault_list, to find something vault_search. A long list comes in pages: call again with next_cursor. Example: {}',
  effect: 'read',
  input: () => z.strictObject({ cursor: cursor() }),
  output: () =>
    z.object({
      total_files: z.number(),
      files: z.array(
        z.object({ path: z.string(), size: z.number(), modified: z.string(), tags: z.array(z.string()) }),
      ),
      ...continuation(),
      warning: warning(),
    }),
  async run({ cursor: after }, call) {
    const warned = withWarnings(call);
    const all = await call.backend.searcher.files(warned.options);
    const from = after === undefined ? 0 : indexAfter(all, decodeCursor(after), ({ path }) => path);
    const end = pageEnd(all, from, (file) => JSON.stringify(entryOf(file)).length + 1, LIST_CHARACTERS);
    const page = { entries: 'Files', tool: 'vault_list_all', from, end, total: all.length };
    return {
      value: {
        total_files: all.length,
        files: all.slice(from, end).map(entryOf),
        ...warned.warning(),
        ...continuationOf(page, () => encodeCursor(all[end - 1]!.path)),
      },
    };
  },
});

function entryOf({ path, size, lastModified, frontmatterTags }: FileEntry) {
  const tags = extensionOf(path) === '.md' ? frontmatterTags : [];
  return { path, size, modified: timestamp(lastModified), tags };
}

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
    const from = input.cursor === undefined ? 0 : indexAfter(names, decodeCursor(input.cursor), keyOf);
    const end = pageEnd(
      names,
      from,
      ({ name }) => JSON.stringify(name).length + AROUND_NAME,
      LIST_CHARACTERS,
    );
    const entries = await describeEntries(backend.files, folder, names.slice(from, end), signal);
    const page = { entries: 'Entries', tool: 'vault_list', from, end, total: names.length };
    return {
      value: {
        path: `/${folder}`,
        entries: entries.map(shown),
        total_entries: names.length,
        ...continuationOf(page, () => encodeCursor(keyOf(names[end - 1]!))),
      },
    };
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

function indexAfter<T>(sorted: readonly T[], last: string, keyOfItem: (item: T) => string): number {
  const at = sorted.findIndex((item) => keyOfItem(item) > last);
  return at < 0 ? sorted.length : at;
}

function shown(entry: FolderEntry) {
  if (entry.type === 'folder') return entry;
  const { name, type, size, lastModified } = entry;
  return { name, type, size, modified: lastModified !== undefined ? timestamp(lastModified) : undefined };
}
