/** The entries of a folder: files with their metadata, folders with the number of their own entries. */

import { mapConcurrently } from '../../shared/async/semaphore.ts';
import { isAppError } from '../../shared/errors.ts';
import { joinPath, type NotePath } from '../path.ts';
import type { FolderEntries, NoteStore } from '../store.ts';

export type FolderEntry =
  /** Without size and time when the file may not be opened. */
  | { readonly name: string; readonly type: 'file'; readonly size?: number; readonly lastModified?: number }
  | { readonly name: string; readonly type: 'folder'; readonly children: number };

export interface EntryName {
  readonly name: string;
  readonly type: 'file' | 'folder';
}

const PARALLEL = 16;

/** Files before folders, each by name. */
export function entryNames({ files, folders }: FolderEntries): EntryName[] {
  return [
    ...files.map((name) => ({ name, type: 'file' as const })),
    ...folders.map((name) => ({ name, type: 'folder' as const })),
  ];
}

/** The entries as they are now; one that is gone meanwhile is left out. */
export async function describeEntries(
  store: NoteStore,
  folder: NotePath,
  names: readonly EntryName[],
  signal?: AbortSignal,
): Promise<FolderEntry[]> {
  const entries = await mapConcurrently(
    names,
    PARALLEL,
    async ({ name, type }): Promise<FolderEntry | undefined> => {
      const path = joinPath(folder, name);
      try {
        if (type === 'folder') return { name, type, children: await childrenOf(store, path) };
        const { size, lastModified } = await (store.stat ?? store.read)(path);
        return { name, type, size, lastModified };
      } catch (error) {
        if (isAppError(error, 'not_found')) return undefined;
        if (!isAppError(error, 'forbidden')) throw error;
        return type === 'folder' ? { name, type, children: 0 } : { name, type };
      }
    },
    signal,
  );
  return entries.filter((entry) => entry !== undefined);
}

async function childrenOf(store: NoteStore, path: NotePath): Promise<number> {
  const entries = await store.listFolder?.(path);
  return entries ? entries.files.length + entries.folders.length : 0;
}
