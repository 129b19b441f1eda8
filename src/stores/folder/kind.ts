import { basename, resolve } from 'node:path';
import * as z from 'zod';
import type { StoreKind } from '../kind.ts';

const settings = z.string().min(1, 'must not be empty');

export const folderKind: StoreKind<typeof settings> = {
  label: 'a folder',
  description: 'Folder of notes; relative to the configuration file',
  settings,
  identity: (folder) => resolve(folder),
  open: async (folder, { isVisible, permanentDelete, readOnly, turns, wrapFolderStore }) => {
    const { openFolderStore } = await import('./store.ts');
    const store = await openFolderStore(folder, { isVisible, permanentDelete, untouched: readOnly, turns });
    return wrapFolderStore?.(store, folder) ?? store;
  },
  addressOf: (folder, path) =>
    `obsidian://open?vault=${encodeURIComponent(basename(resolve(folder)))}&file=${encodeURIComponent(path)}`,
  doctor: async (notebook, folder, patient) =>
    (await import('./doctor.ts')).examineFolder(notebook, folder, patient),
};
