/** The folders that servers may know of. */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ListRootsResult } from '@modelcontextprotocol/client';

/** Only those that exist now. */
export async function listRoots(folders: readonly string[]): Promise<ListRootsResult> {
  const there = await Promise.all(folders.map(isFolder));
  const existing = folders.filter((_, at) => there[at]);
  return { roots: existing.map((folder) => ({ uri: pathToFileURL(folder).href, name: basename(folder) })) };
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}
