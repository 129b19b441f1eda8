/**
 * The whole arguments of calls that wait for an answer, a private file for each: a person approves what they have read,
 * and the log of approvals, which every call reads, has a short preview only.
 */
import { join } from 'node:path';
import { makePrivateFolder } from '../../shared/fs/private.ts';
import { replaceFile } from '../../shared/fs/replace-file.ts';
import { namesIn, readOwnFile, removeFiles } from '../files.ts';

const FOLDER = 'approval-arguments';
const MAX_BYTES = 8 * 1024 * 1024;

export interface KeptArguments {
  keep(id: string, text: string): Promise<void>;
  /** Undefined when they were not kept. */
  read(id: string): Promise<string | undefined>;
  keepOnly(ids: ReadonlySet<string>): Promise<void>;
}

export function openArgumentsFolder(stateFolder: string): KeptArguments {
  const folder = join(stateFolder, FOLDER);
  return {
    async keep(id, text) {
      await makePrivateFolder(folder);
      // Without it the approval is shown by its preview, so it need not outlive a crash.
      await replaceFile(join(folder, id), text, { flush: false });
    },
    read: (id) => readOwnFile(join(folder, id), MAX_BYTES),
    async keepOnly(ids) {
      const over = (await namesIn(folder)).filter((name) => !ids.has(name));
      await removeFiles(over.map((name) => join(folder, name)));
    },
  };
}
