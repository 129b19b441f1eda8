/** `quire import` and `quire export`: a folder into a notebook of the configuration, and back. */
import type { NotebookConfig } from '../../config/schema.ts';
import { isAlwaysHidden } from '../../notes/path.ts';
import type { NoteStore } from '../../notes/store.ts';
import { makeFolders } from '../../shared/fs/make-folders.ts';
import type { Log } from '../../shared/log.ts';
import { storeAt } from '../../stores/registry.ts';
import { openStore } from '../open-notes.ts';
import { type CopyReport, copyNotes } from './copy-notes.ts';

interface TransferOptions {
  readonly log: Log;
  readonly overwrite: boolean;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface TransferReport extends CopyReport {
  /** Files that no notebook shows, such as those in .git and .obsidian. */
  readonly hidden: number;
}

export async function importFolder(
  folder: string,
  config: NotebookConfig,
  options: TransferOptions,
): Promise<TransferReport> {
  return between(folder, config, options, async (files, notes) => {
    const listed = new Set<string>((await files.list()).map(({ path }) => path));
    const { unlistedFiles } = await import('../../stores/folder/unlisted.ts');
    const unlisted = await unlistedFiles(folder, (path) => listed.has(path), isAlwaysHidden);
    const report = await copyNotes(files, notes, options);
    // One that went away meanwhile was looked at twice.
    const named = new Set(report.problems.map(({ path }) => path));
    const problems = [...unlisted.problems.filter(({ path }) => !named.has(path)), ...report.problems];
    return { ...report, problems, hidden: unlisted.hidden };
  });
}

export async function exportNotebook(
  config: NotebookConfig,
  folder: string,
  options: TransferOptions,
): Promise<TransferReport> {
  await makeFolders(folder);
  return between(folder, config, options, async (files, notes) => ({
    ...(await copyNotes(notes, files, options)),
    hidden: 0,
  }));
}

async function between<T>(
  folder: string,
  config: NotebookConfig,
  { log }: TransferOptions,
  work: (files: NoteStore, notes: NoteStore) => Promise<T>,
): Promise<T> {
  const files = await storeAt({ folder }).open({
    log,
    isVisible: (path) => !isAlwaysHidden(path),
    permanentDelete: false,
    readOnly: false,
  });
  try {
    const { store } = await openStore(config, { log });
    try {
      return await work(files, store);
    } finally {
      await store.close();
    }
  } finally {
    await files.close();
  }
}
